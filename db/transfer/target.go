package transfer

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/db/migration"
	"github.com/rprp/hivego/server/hive"
)

// epochStep is how far the epochs of a restored database are raised. Sessions that began after the backup used epochs
// above those in it; a million starts and takeovers fit between.
const epochStep = 1_000_000

// Purpose says why a database is filled.
type Purpose string

// The purposes.
const (
	PurposeRestore Purpose = "restore"
	PurposeCopy    Purpose = "copy"
)

// Origin says where the rows of a target come from. It is stored in the target until all rows are there.
type Origin struct {
	Purpose   Purpose `json:"purpose"`
	From      string  `json:"from"`      // for people: a file, or a database without its password
	Schema    int     `json:"schema"`    // version
	ClusterID string  `json:"clusterId"` // with Epoch, says whether it is still the same source
	Epoch     int64   `json:"epoch"`
}

// progress is the only row of the table hivego_transfer, which exists while a database is filled.
type progress struct {
	bun.BaseModel `bun:"table:hivego_transfer"`

	ID     int    `bun:"id,pk"`
	Origin string `bun:"origin"`
	Table  string `bun:"tab"`  // that is being filled; those before it are complete
	Last   string `bun:"last"` // key of the last row, as JSON; empty for none
}

// Target fills a database with the rows of a Source or of a backup.
type Target struct {
	// Begun is the table at which an earlier try goes on; empty for the first one.
	Begun string

	db     *bun.DB
	tables []Table
	last   []any // key of the last row in Begun
	closer func() error
}

// Complete returns an error if a restore or a copy into the database has not finished.
func Complete(ctx context.Context, db bun.IDB) error {
	o, err := unfinished(ctx, db)
	if err != nil || o == nil {
		return err
	}
	remedy := "run `hivego restore` again with the same file"
	if o.Purpose == PurposeCopy {
		remedy = "run `hivego copy` again with the same --from and --to, and it goes on where it was"
	}
	return hive.Errorf(hive.CodeConflict, "this database is incomplete: the %s from %s did not finish; %s", o.Purpose,
		o.From, remedy)
}

// unfinished returns the origin of a database that is not complete; nil for any other.
func unfinished(ctx context.Context, db bun.IDB) (*Origin, error) {
	query := "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = ?"
	if isPostgres(db) {
		query = "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema() AND tablename = ?"
	}
	var n int
	if err := db.NewRaw(query, tableProgress).Scan(ctx, &n); err != nil {
		return nil, fmt.Errorf("look whether the database is complete: %w", err)
	}
	if n == 0 {
		return nil, nil //nolint:nilnil // it is complete
	}
	var p progress
	err := db.NewSelect().Model(&p).Scan(ctx)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, fmt.Errorf("look whether the database is complete: %w", err)
	}
	o := Origin{Purpose: PurposeRestore, From: "another database"}
	if p.Origin != "" {
		if err := json.Unmarshal([]byte(p.Origin), &o); err != nil {
			return nil, fmt.Errorf("look whether the database is complete: %w", err)
		}
	}
	return &o, nil
}

// OpenTarget prepares an empty database; closer ends the work on it. What an earlier try has left is replaced, unless
// resume is set and it was from the same origin.
func OpenTarget(ctx context.Context, db *bun.DB, from Origin, resume bool, closer func() error) (*Target, error) {
	t := &Target{db: db, closer: closer}
	if err := t.open(ctx, from, resume); err != nil {
		return nil, errors.Join(err, closer())
	}
	return t, nil
}

func (t *Target) open(ctx context.Context, from Origin, resume bool) error {
	before, err := unfinished(ctx, t.db)
	if err != nil {
		return err
	}
	if before != nil && resume && *before == from {
		return t.goOn(ctx, from)
	}
	if before == nil {
		if err := t.mustBeEmpty(ctx); err != nil {
			return err
		}
		if err := t.mark(ctx, from); err != nil {
			return err
		}
	} else if err := t.clear(ctx, from); err != nil {
		return fmt.Errorf("remove what an earlier try has left: %w", err)
	}
	return t.prepare(ctx, from)
}

// prepare makes the schema of the origin, with empty tables.
func (t *Target) prepare(ctx context.Context, from Origin) error {
	err := migration.RunTo(ctx, t.db, from.Schema)
	if err != nil {
		return err
	}
	if t.tables, err = readTables(ctx, t.db); err != nil {
		return err
	}
	// A migration may have made rows.
	for i := range t.tables {
		table := &t.tables[len(t.tables)-1-i]
		if _, err := t.db.NewRaw("DELETE FROM " + quote(table.Name)).Exec(ctx); err != nil {
			return fmt.Errorf("empty %s: %w", table.Name, err)
		}
	}
	return nil
}

// goOn reads how far an earlier try came.
func (t *Target) goOn(ctx context.Context, from Origin) error {
	var p progress
	err := t.db.NewSelect().Model(&p).Scan(ctx)
	if err != nil {
		return fmt.Errorf("read how far it came: %w", err)
	}
	if p.Table == "" { // it may have died before the schema was complete
		return t.prepare(ctx, from)
	}
	if t.tables, err = readTables(ctx, t.db); err != nil {
		return err
	}
	table, err := find(t.tables, p.Table)
	if err != nil {
		return err
	}
	t.Begun = p.Table
	if p.Last != "" {
		if t.last, err = parseKey(table, p.Last); err != nil {
			return err
		}
	}
	return nil
}

func (t *Target) mustBeEmpty(ctx context.Context) error {
	query := "SELECT count(*) FROM sqlite_master"
	if isPostgres(t.db) {
		query = "SELECT count(*) FROM pg_class WHERE relnamespace = current_schema()::regnamespace " +
			"AND relkind IN ('r', 'p', 'S')" // extensions have views there
	}
	var n int
	if err := t.db.NewRaw(query).Scan(ctx, &n); err != nil {
		return fmt.Errorf("look whether the target is empty: %w", err)
	}
	if n > 0 {
		return hive.Errorf(hive.CodeConflict, "the target database is not empty; name another one, or move what it "+
			"holds away first")
	}
	return nil
}

// mark says that the database is incomplete, before it has anything else.
func (t *Target) mark(ctx context.Context, from Origin) error {
	return t.db.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error { return mark(ctx, tx, from) })
}

func mark(ctx context.Context, tx bun.Tx, from Origin) error {
	_, err := tx.ExecContext(ctx, "CREATE TABLE "+tableProgress+
		" (id INTEGER PRIMARY KEY, origin TEXT NOT NULL, tab TEXT NOT NULL, last TEXT NOT NULL)")
	if err != nil {
		return fmt.Errorf("prepare the target: %w", err)
	}
	origin, err := json.Marshal(from)
	if err != nil {
		return fmt.Errorf("prepare the target: %w", err)
	}
	if _, err := tx.NewInsert().Model(&progress{ID: 1, Origin: string(origin)}).Exec(ctx); err != nil {
		return fmt.Errorf("prepare the target: %w", err)
	}
	return nil
}

// clear drops everything but the mark.
func (t *Target) clear(ctx context.Context, from Origin) error {
	return t.db.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		tables, err := readTables(ctx, tx)
		if err != nil {
			return err
		}
		drop := []string{"DROP TABLE IF EXISTS " + tableMigrations, "DROP TABLE " + tableProgress}
		if isPostgres(tx) {
			drop = append(drop, "DROP SEQUENCE IF EXISTS "+batchSequence)
		}
		for i := range tables {
			drop = append(drop, "DROP TABLE "+quote(tables[len(tables)-1-i].Name))
		}
		for _, st := range drop {
			if _, err := tx.ExecContext(ctx, st); err != nil {
				return err
			}
		}
		return mark(ctx, tx, from)
	})
}

// Fits returns an error if the target has other tables than the source.
func (t *Target) Fits(tables []Table) error { return same(t.tables, tables) }

// Sum computes the sum of a table.
func (t *Target) Sum(ctx context.Context, table string) (Sum, error) {
	found, err := find(t.tables, table)
	if err != nil {
		return Sum{}, err
	}
	return sum(ctx, t.db, found)
}

// SetSequences lets the target go on after the last generated ids of the source.
func (t *Target) SetSequences(ctx context.Context, last map[string]int64) error {
	return setSequences(ctx, t.db, t.tables, last)
}

// Finish brings the schema up to date and declares the database complete. A restored one has no live session, and its
// next session has an epoch above all that executors may have seen since the backup.
func (t *Target) Finish(ctx context.Context, purpose Purpose) error {
	if err := migration.RunTo(ctx, t.db, migration.Latest()); err != nil {
		return err
	}
	return t.db.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
		statements := []string{"DROP TABLE " + tableProgress}
		if purpose == PurposeRestore {
			statements = append(statements, "UPDATE servers SET lease_until = 0",
				fmt.Sprintf("UPDATE counters SET value = value + %d WHERE name = 'epoch'", epochStep))
		}
		for _, st := range statements {
			if _, err := tx.ExecContext(ctx, st); err != nil {
				return fmt.Errorf("finish: %w", err)
			}
		}
		return nil
	})
}

// Close ends the work on the target.
func (t *Target) Close() error { return t.closer() }
