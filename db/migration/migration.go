// Package migration brings a database to the schema of this program. The steps are the numbered SQL files beside
// it, one folder for each kind of database; each runs once, in order, in a transaction of its own.
package migration

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect"
)

//go:embed sqlite/*.sql postgres/*.sql
var files embed.FS

// lockKey prevents two servers from migrating at the same time (PostgreSQL advisory lock; any fixed number).
const lockKey = 0x48495645474f // "HIVEGO"

// TooNewError reports that a newer program has migrated the database.
type TooNewError struct {
	Have, Want int // schema versions: of the database, and the newest this program knows
}

// Error names both versions.
func (e *TooNewError) Error() string {
	return fmt.Sprintf("the database has schema version %d, this hivego knows %d; start the newer hivego", e.Have,
		e.Want)
}

// step is one file.
type step struct {
	version int
	name    string
	sql     string
}

// Latest returns the newest schema version that this program knows.
func Latest() int {
	steps, err := load("sqlite")
	if err != nil {
		return 0
	}
	return len(steps)
}

// Version returns the database's schema version; 0 for an empty one.
func Version(ctx context.Context, db bun.IDB) (int, error) {
	exists, err := tableExists(ctx, db)
	if err != nil || !exists {
		return 0, err
	}
	var v int
	err = db.NewRaw("SELECT coalesce(max(version), 0) FROM migrations").Scan(ctx, &v)
	if err != nil {
		return 0, fmt.Errorf("read the schema version: %w", err)
	}
	return v, nil
}

// Run applies the steps that the database lacks. A *TooNewError says that it is ahead of this program.
func Run(ctx context.Context, db *bun.DB) error { return RunTo(ctx, db, Latest()) }

// RunTo applies the steps up to a version, for data that was made with it. A *TooNewError says that the database is
// ahead of that.
func RunTo(ctx context.Context, db *bun.DB, version int) error {
	steps, err := load(folder(db))
	if err != nil {
		return err
	}
	if version > len(steps) {
		return &TooNewError{Have: version, Want: len(steps)}
	}
	for {
		more, err := next(ctx, db, steps[:version])
		if err != nil || !more {
			return err
		}
	}
}

// next applies the first step that is missing. Its transaction holds the lock, so of two servers one waits, then
// finds the step done.
func next(ctx context.Context, db *bun.DB, steps []step) (more bool, err error) {
	err = db.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		if err := lock(ctx, tx); err != nil {
			return err
		}
		at, err := Version(ctx, tx)
		if err != nil {
			return err
		}
		if at > len(steps) {
			return &TooNewError{Have: at, Want: len(steps)}
		}
		if at == len(steps) {
			return nil
		}
		more = true
		s := steps[at]
		if _, err := tx.ExecContext(ctx, s.sql); err != nil {
			return fmt.Errorf("migration %s: %w", s.name, err)
		}
		_, err = tx.NewRaw("INSERT INTO migrations (version, name) VALUES (?, ?)", s.version, s.name).Exec(ctx)
		if err != nil {
			return fmt.Errorf("record migration %s: %w", s.name, err)
		}
		return nil
	})
	return more, err
}

func lock(ctx context.Context, tx bun.Tx) error {
	if isPostgres(tx) {
		if _, err := tx.NewRaw("SELECT pg_advisory_xact_lock(?)", lockKey).Exec(ctx); err != nil {
			return fmt.Errorf("lock the schema: %w", err)
		}
	}
	const table = `CREATE TABLE IF NOT EXISTS migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL)`
	if _, err := tx.ExecContext(ctx, table); err != nil {
		return fmt.Errorf("create the table of migrations: %w", err)
	}
	return nil
}

func tableExists(ctx context.Context, db bun.IDB) (bool, error) {
	query := "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'migrations'"
	if isPostgres(db) {
		query = "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'migrations'"
	}
	var n int
	if err := db.NewRaw(query).Scan(ctx, &n); err != nil {
		return false, fmt.Errorf("look for the table of migrations: %w", err)
	}
	return n > 0, nil
}

func isPostgres(db bun.IDB) bool { return db.Dialect().Name() == dialect.PG }

func folder(db bun.IDB) string {
	if isPostgres(db) {
		return "postgres"
	}
	return "sqlite"
}

// load reads the steps of one kind of database and checks that they are numbered 1, 2, … without gaps.
func load(dir string) ([]step, error) {
	names, err := fs.Glob(files, dir+"/*.sql") // sorted
	if err != nil {
		return nil, fmt.Errorf("list migrations: %w", err)
	}
	steps := make([]step, 0, len(names))
	for i, name := range names {
		text, err := files.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read migration %s: %w", name, err)
		}
		base := path.Base(name)
		number, _, _ := strings.Cut(base, "_")
		version, err := strconv.Atoi(number)
		if err != nil || version != i+1 {
			return nil, fmt.Errorf("migration %s: want number %d", name, i+1)
		}
		steps = append(steps, step{version: version, name: base, sql: string(text)})
	}
	return steps, nil
}
