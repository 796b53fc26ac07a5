package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/sqlitedialect"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/rprp/hivego/db/migration"
	"github.com/rprp/hivego/db/transfer"
)

// sqliteReaders is how many reads may run at once beside the one writer.
const sqliteReaders = 4

// openSQLite opens one connection that writes, some that read, and one that checkpoints.
func (s *Store) openSQLite(ctx context.Context, file string, c Config) error {
	s.kind, s.file = sqliteKind{}, file
	if _, err := os.Stat(file); (c.Existing || c.Examine) && errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is none at %s; name the server's data folder with --data, "+
			"or its database with --database-url", file)
	}
	held, err := s.prepareFile(ctx, file, c)
	if err != nil {
		return err
	}
	writer, err := s.sqlitePool(file, 1, url.Values{
		"_txlock": {"immediate"},
		"_pragma": {
			"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(ON)",
			"wal_autocheckpoint(0)", "journal_size_limit(67108864)",
		},
	})
	if err != nil {
		return err
	}
	s.w = bun.NewDB(writer, sqlitedialect.New())
	s.beat = s.w
	s.writer = newSQLiteWriter(writer)
	if err := s.sqliteSchema(ctx, held, c); err != nil {
		if e, ok := errors.AsType[*sqlite.Error](err); ok && e.Code()&0xff == sqlite3.SQLITE_NOTADB {
			return fmt.Errorf("%s is no SQLite database, or a damaged one; put a backup in its place, "+
				"or move it away to begin with an empty one: %w", file, err)
		}
		if s.full(err) || s.sortOf(err) == failureDamage {
			return s.fault("make the schema", err)
		}
		return err
	}
	readers, err := s.sqlitePool(file, sqliteReaders, url.Values{
		"_pragma": {"busy_timeout(10000)", "query_only(ON)"},
	})
	if err != nil {
		return err
	}
	s.r = bun.NewDB(readers, sqlitedialect.New())
	if c.Beside || c.Examine {
		return nil
	}
	own, err := s.sqlitePool(file, 1, url.Values{"_pragma": {"busy_timeout(2000)", "synchronous(FULL)"}})
	if err != nil {
		return err
	}
	s.files = watchFiles(file, s.log)
	s.onClose(startCheckpoints(own, file+"-wal", s.files, s.log))
	return nil
}

// prepareFile makes the file if it is not there, locks it for this process unless a server has it, and removes the
// rights of others. To examine a database it does nothing.
func (s *Store) prepareFile(ctx context.Context, file string, c Config) (held bool, err error) {
	if c.Examine {
		return false, nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return false, fmt.Errorf("create the data folder: %w", err)
	}
	lock, err := holdFile(ctx, file+".lock", c.Beside)
	if err != nil {
		return false, err
	}
	if lock != nil {
		s.onClose(lock)
	}
	if err := createPrivate(file); err != nil {
		return false, err
	}
	if !c.Beside {
		makePrivate(file, s.log)
	}
	return lock != nil, nil
}

// sqliteSchema migrates a file that this process holds. Beside a running server it only looks.
func (s *Store) sqliteSchema(ctx context.Context, held bool, c Config) error {
	if err := transfer.Complete(ctx, s.w); err != nil {
		return err
	}
	if held {
		return migration.Run(ctx, s.w)
	}
	have, err := migration.Version(ctx, s.w)
	if err != nil || c.Examine {
		return err
	}
	if want := migration.Latest(); have != want {
		return fmt.Errorf("the server that runs here uses schema version %d, this hivego has %d; use the same program",
			have, want)
	}
	return nil
}

// createPrivate makes the file readable for its owner only, as it holds password hashes and secrets. SQLite gives
// its other files the same mode.
func createPrivate(file string) error {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("create the database file: %w", err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("create the database file: %w", err)
	}
	return nil
}

// makePrivate removes the rights of other users from the files of a database: a restored backup may have such rights.
func makePrivate(file string, log *slog.Logger) {
	for _, name := range []string{file, file + "-wal", file + "-shm"} {
		info, err := os.Stat(name)
		if err != nil || info.Mode().Perm()&0o077 == 0 {
			continue
		}
		if err := os.Chmod(name, 0o600); err != nil { // it is another user's
			log.Warn("others may read the database, which holds secrets; its owner should run: chmod 600", "file", name,
				"error", err)
			continue
		}
		log.Warn("others could read the database, which holds secrets; now its owner alone can", "file", name,
			"mode", info.Mode().Perm().String())
	}
}

func (s *Store) sqlitePool(file string, size int, options url.Values) (*sql.DB, error) {
	path, err := filepath.Abs(file)
	if err != nil {
		return nil, fmt.Errorf("find the database file: %w", err)
	}
	name := url.URL{Scheme: "file", Path: path, RawQuery: options.Encode()}
	pool, err := sql.Open("sqlite", name.String())
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", file, err)
	}
	pool.SetMaxOpenConns(size)
	pool.SetMaxIdleConns(size)
	s.onClose(pool)
	return pool, nil
}

// sqliteKind is kind for SQLite.
type sqliteKind struct{}

func (sqliteKind) now() string { return "CAST(unixepoch('subsec') * 1000 AS INTEGER)" }

func (sqliteKind) paramIs() string {
	return "EXISTS (SELECT 1 FROM json_each(CASE WHEN b.params <> '' THEN b.params ELSE '{}' END) AS j " +
		"WHERE j.key = ? AND (CASE j.type WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' " +
		"ELSE CAST(j.atom AS TEXT) END) = ?)"
}

// lock is nothing: a write transaction is alone from its begin on.
func (sqliteKind) lock(string) string { return "" }

func (sqliteKind) batchIDs(ctx context.Context, tx bun.Tx, n int) ([]int64, error) {
	first, err := reserve(ctx, tx, counterBatch, n)
	if err != nil {
		return nil, err
	}
	ids := make([]int64, n)
	for i := range ids {
		ids[i] = first + int64(i)
	}
	return ids, nil
}

func (sqliteKind) size() string {
	return "SELECT p.page_count * s.page_size, f.freelist_count * s.page_size FROM pragma_page_count() AS p, " +
		"pragma_page_size() AS s, pragma_freelist_count() AS f"
}

func (sqliteKind) full(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	return ok && e.Code()&0xff == sqlite3.SQLITE_FULL
}

func (sqliteKind) sort(err error) failure {
	e, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return failureOther
	}
	switch e.Code() {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY:
		return failureUnique
	case sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
		return failureReference
	}
	switch e.Code() & 0xff { // the primary code
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return failureDamage
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN,
		sqlite3.SQLITE_READONLY, sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_PROTOCOL:
		return failureConnection
	}
	return failureOther
}
