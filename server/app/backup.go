package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/rprp/hivego/db"
	"github.com/rprp/hivego/db/backup"
	"github.com/rprp/hivego/db/transfer"
	"github.com/rprp/hivego/server/cli"
)

// Backups implements the commands backup, restore and copy.
type Backups struct {
	Version string // of the program
}

func databaseOf(p cli.Place) db.Config {
	return db.Config{URL: p.DatabaseURL, Schema: p.DatabaseSchema, Dir: p.Data, Log: slog.New(slog.DiscardHandler)}
}

// placesOf returns the places of a server's files.
func placesOf(f cli.ServerFiles) backup.Places {
	return backup.Places{
		Data: f.Data, Logs: cmp.Or(f.Logs, filepath.Join(f.Data, "logs")), Key: keyFile(f.SecretKey, f.Data),
	}
}

func sourceOf(k cli.KeyPlace, data string) keySource {
	return keySource{file: keyFile(k.SecretKey, data), text: k.SealingKey, command: k.SecretKeyCommand}
}

// Backup writes a backup.
func (b Backups) Backup(ctx context.Context, o cli.BackupOrder) (_ cli.BackupContents, err error) {
	config := databaseOf(o.Place)
	src, err := db.OpenSource(ctx, config, false)
	if err != nil {
		return cli.BackupContents{}, err
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	if err := src.Check(ctx); err != nil {
		return cli.BackupContents{}, err
	}
	keyID, err := src.Meta(ctx, db.MetaSecretKey)
	if err != nil {
		return cli.BackupContents{}, err
	}
	former, err := src.Meta(ctx, db.MetaFormerSecretKey)
	if err != nil {
		return cli.BackupContents{}, err
	}
	places, source := placesOf(o.ServerFiles), sourceOf(o.KeyPlace, o.Data)
	if o.WithoutKeys {
		places.Data, places.Key = "", ""
	} else if _, err := source.find(ctx, keyID, former); err != nil { // without it, a backup is of little use
		return cli.BackupContents{}, fmt.Errorf("%w. To back up without a key, say --without-keys", err)
	}
	if !source.inFiles() {
		places.Key = ""
	}
	if o.WithoutLogs {
		places.Logs = ""
	}
	c, err := backup.Write(ctx, src, backup.Order{
		File: o.File, Force: o.Force, Places: places, Version: b.Version, From: config.Name(), KeyID: keyID,
		Now: time.Now(),
	})
	contents := contentsOf(&c)
	contents.KeyElsewhere = !source.inFiles() && !o.WithoutKeys
	return contents, err
}

func contentsOf(c *backup.Contents) cli.BackupContents {
	return cli.BackupContents{
		Version: c.Header.Version, Schema: c.Header.Schema, CreatedAt: c.Header.CreatedAt, Tables: len(c.Header.Tables),
		Files: c.Manifest.Files, Rows: c.Rows(), Size: c.Size,
	}
}

// Restore restores a backup.
func (Backups) Restore(ctx context.Context, o cli.RestoreOrder) (_ cli.RestoreResult, err error) {
	c, err := backup.Check(o.File)
	if err != nil || o.CheckOnly {
		return cli.RestoreResult{BackupContents: contentsOf(&c)}, err
	}
	places := placesOf(o.ServerFiles)
	source := sourceOf(o.KeyPlace, o.Data)
	notes, err := keyNotes(ctx, &c, source)
	if err != nil {
		return cli.RestoreResult{}, err
	}
	if !source.inFiles() {
		places.Key = ""
	}
	_, lock, err := openDataDir(ctx, o.Data)
	if err != nil {
		return cli.RestoreResult{}, err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	config := databaseOf(o.Place)
	target, err := db.OpenTarget(ctx, config, c.Origin(o.File), false)
	if err != nil {
		return cli.RestoreResult{}, notStarted(err)
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	kept, err := backup.Restore(ctx, o.File, target, places)
	if err != nil {
		return cli.RestoreResult{}, fmt.Errorf("restore %s: %w", o.File, err)
	}
	return cli.RestoreResult{
		BackupContents: contentsOf(&c), Database: config.Name(), Kept: kept, Notes: notes,
	}, nil
}

// keyNotes compares the key that is in place with the one that the restored database needs.
func keyNotes(ctx context.Context, c *backup.Contents, source keySource) ([]string, error) {
	id, path := c.Header.KeyID, source.file
	if id == "" {
		return nil, nil
	}
	_, missing := source.find(ctx, id)
	if missing == nil || !source.inFiles() {
		return nil, missing
	}
	key, err := readKey(path)
	if err != nil {
		return nil, err
	}
	switch {
	case key != nil:
		return nil, fmt.Errorf("%s has key %s, and the secrets in the backup are encrypted with key %s; move the "+
			"file away, or name another one with --secret-key", path, db.KeyID(key), id)
	case len(c.Keys) == 0:
		return []string{fmt.Sprintf("The backup was made without keys. Put the file with key %s to %s before the "+
			"server starts.", id, path)}, nil
	}
	return nil, nil
}

// Copy copies a database.
func (Backups) Copy(ctx context.Context, o cli.CopyOrder, report func(table string, rows int64)) (
	_ cli.CopyResult, err error,
) {
	discard := slog.New(slog.DiscardHandler)
	from := db.Config{URL: o.From, Schema: o.FromSchema, Dir: ".", Log: discard}
	to := db.Config{URL: o.To, Schema: o.ToSchema, Dir: ".", Log: discard}
	src, err := db.OpenSource(ctx, from, true)
	if err != nil {
		return cli.CopyResult{}, fmt.Errorf("--from: %w", err)
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	if err := src.Latest(); err != nil {
		return cli.CopyResult{}, fmt.Errorf("--from: %w", err)
	}
	if err := src.Check(ctx); err != nil {
		return cli.CopyResult{}, fmt.Errorf("--from: %w", err)
	}
	target, err := db.OpenTarget(ctx, to, src.Origin(from.Name()), !o.Restart)
	if err != nil {
		return cli.CopyResult{}, fmt.Errorf("--to: %w", notStarted(err))
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	sums, err := transfer.Copy(ctx, src, target, report)
	if err != nil {
		return cli.CopyResult{}, err
	}
	r := cli.CopyResult{From: from.Name(), To: to.Name(), Tables: len(sums)}
	for _, s := range sums {
		r.Rows += s.Rows
	}
	return r, nil
}
