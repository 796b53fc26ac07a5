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
	places := placesOf(o.ServerFiles)
	if o.WithoutKeys {
		places.Data, places.Key = "", ""
	} else if err := wantKey(places.Key, keyID); err != nil {
		return cli.BackupContents{}, err
	}
	if o.WithoutLogs {
		places.Logs = ""
	}
	c, err := backup.Write(ctx, src, backup.Order{
		File: o.File, Force: o.Force, Places: places, Version: b.Version, From: config.Name(), KeyID: keyID,
		Now: time.Now(),
	})
	return contentsOf(&c), err
}

// wantKey returns an error if the file does not have the key of the database: a backup without it is of little use.
func wantKey(path, id string) error {
	if id == "" {
		return nil
	}
	key, err := readKey(path)
	if err != nil {
		return err
	}
	if key == nil || db.KeyID(key) != id {
		return fmt.Errorf("%w. To back up without a key, say --without-keys", noKey(path, id, key))
	}
	return nil
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
	notes, err := keyNotes(&c, places.Key)
	if err != nil {
		return cli.RestoreResult{}, err
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
func keyNotes(c *backup.Contents, path string) ([]string, error) {
	id := c.Header.KeyID
	if id == "" {
		return nil, nil
	}
	key, err := readKey(path)
	if err != nil {
		return nil, err
	}
	switch {
	case key != nil && db.KeyID(key) != id:
		return nil, fmt.Errorf("%s has key %s, and the secrets in the backup are encrypted with key %s; move the "+
			"file away, or name another one with --secret-key", path, db.KeyID(key), id)
	case key == nil && len(c.Keys) == 0:
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
