package transfer

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/db/migration"
	"github.com/rprp/hivego/server/hive"
)

// The size at which a chunk ends.
const (
	chunkRows  = 2000
	chunkBytes = 1 << 20
)

// Chunk is a part of a table: rows in the order of their keys.
type Chunk struct {
	Table string
	Rows  int
	Lines []byte // a line for each row
}

// Sum describes all rows of a table.
type Sum struct {
	Rows int64  `json:"rows"`
	Hash string `json:"sha256"` // of the lines of all rows, in the order of their keys
}

// Source reads one state of a whole database, however much others write meanwhile.
type Source struct {
	Schema    int     // version of the schema
	Tables    []Table // each after those that it refers to
	ClusterID string
	Epoch     int64 // of the latest session

	tx     bun.Tx
	closer func() error
}

// OpenSource begins to read a database; closer ends it. With alone, it refuses a database that a server uses, and keeps
// servers from starting on a PostgreSQL.
func OpenSource(ctx context.Context, db *bun.DB, alone bool, closer func() error) (*Source, error) {
	schema, err := migration.Version(ctx, db)
	switch {
	case err != nil:
	case schema == 0:
		err = errors.New("this is no database of HiveGo: it has no tables")
	case schema > migration.Latest():
		err = &migration.TooNewError{Have: schema, Want: migration.Latest()}
	default:
		err = Complete(ctx, db)
	}
	if err != nil {
		return nil, errors.Join(err, closer())
	}
	options := &sql.TxOptions{ReadOnly: !alone}
	if isPostgres(db) {
		options.Isolation = sql.LevelRepeatableRead
	} else {
		options.ReadOnly = false // the driver has no such transactions; the connections are read-only
	}
	tx, err := db.BeginTx(ctx, options)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("begin to read: %w", err), closer())
	}
	s := &Source{tx: tx, closer: closer}
	if err := s.open(ctx, alone); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Source) open(ctx context.Context, alone bool) error {
	if alone && isPostgres(s.tx) {
		// Before the first read, which fixes the state that this transaction sees.
		if _, err := s.tx.ExecContext(ctx, "LOCK TABLE servers IN SHARE MODE"); err != nil {
			return fmt.Errorf("keep servers from starting: %w", err)
		}
		var leases int
		err := s.tx.NewRaw("SELECT count(*) FROM servers "+
			"WHERE lease_until > (extract(epoch FROM clock_timestamp()) * 1000)::bigint").Scan(ctx, &leases)
		if err != nil {
			return fmt.Errorf("look for servers: %w", err)
		}
		if leases > 0 {
			return hive.Errorf(hive.CodeConflict, "a server works on the source, or did so a few seconds ago; stop "+
				"all of them, and try again after half a minute")
		}
	}
	var err error
	if s.Schema, err = migration.Version(ctx, s.tx); err != nil {
		return err
	}
	if s.Tables, err = readTables(ctx, s.tx); err != nil {
		return err
	}
	err = s.tx.NewRaw("SELECT value FROM counters WHERE name = 'epoch'").Scan(ctx, &s.Epoch)
	if err != nil {
		return fmt.Errorf("read the latest session: %w", err)
	}
	err = s.tx.NewRaw("SELECT value FROM meta WHERE key = 'clusterId'").Scan(ctx, &s.ClusterID)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("read the cluster's id: %w", err)
	}
	return nil
}

// Check returns an error if the database says that it is damaged. SQLite reads all of its pages for that.
func (s *Source) Check(ctx context.Context) error {
	if isPostgres(s.tx) {
		return nil
	}
	var faults []string
	if err := s.tx.NewRaw("PRAGMA integrity_check(3)").Scan(ctx, &faults); err != nil {
		return fmt.Errorf("check the database: %w", err)
	}
	if len(faults) != 1 || faults[0] != "ok" {
		return hive.Errorf(hive.CodeUnavailable, "the database is damaged: %s; the section \"A damaged database\" of "+
			"docs/operations.md says what to do", strings.Join(faults, "; ")).WithReason(hive.ErrorDamaged)
	}
	return nil
}

// Chunks reads all rows of a table.
func (s *Source) Chunks(ctx context.Context, table string, f func(Chunk) error) error {
	t, err := find(s.Tables, table)
	if err != nil {
		return err
	}
	return chunks(ctx, s.tx, t, nil, f)
}

// Sum computes the sum of a table.
func (s *Source) Sum(ctx context.Context, table string) (Sum, error) {
	t, err := find(s.Tables, table)
	if err != nil {
		return Sum{}, err
	}
	return sum(ctx, s.tx, t)
}

// Sequences returns the last generated id of each table that generates ids.
func (s *Source) Sequences(ctx context.Context) (map[string]int64, error) {
	return sequences(ctx, s.tx, s.Tables)
}

// Close ends the reading.
func (s *Source) Close() error {
	err := s.tx.Rollback()
	if errors.Is(err, sql.ErrTxDone) {
		err = nil
	}
	return errors.Join(err, s.closer())
}

func find(tables []Table, name string) (*Table, error) {
	for i := range tables {
		if tables[i].Name == name {
			return &tables[i], nil
		}
	}
	return nil, fmt.Errorf("there is no table %q", name)
}

func sum(ctx context.Context, db bun.IDB, t *Table) (Sum, error) {
	var n Sum
	hash := sha256.New()
	err := chunks(ctx, db, t, nil, func(c Chunk) error {
		n.Rows += int64(c.Rows)
		_, _ = hash.Write(c.Lines) // never fails
		return nil
	})
	n.Hash = hex.EncodeToString(hash.Sum(nil))
	return n, err
}

// chunks reads the rows of a table in the order of their keys, from after a key on.
func chunks(ctx context.Context, db bun.IDB, t *Table, after []any, f func(Chunk) error) error {
	rows, err := db.QueryContext(ctx, selection(isPostgres(db), t, after != nil), after...)
	if err != nil {
		return fmt.Errorf("read %s: %w", t.Name, err)
	}
	defer rows.Close()
	values, places := make([]any, len(t.Columns)), make([]any, len(t.Columns))
	for i := range values {
		places[i] = &values[i]
	}
	c := Chunk{Table: t.Name}
	for rows.Next() {
		if err := rows.Scan(places...); err != nil {
			return fmt.Errorf("read %s: %w", t.Name, err)
		}
		if c.Lines, err = appendRow(c.Lines, t, values); err != nil {
			return err
		}
		c.Rows++
		if c.Rows < chunkRows && len(c.Lines) < chunkBytes {
			continue
		}
		if err := f(c); err != nil {
			return err
		}
		c = Chunk{Table: t.Name, Lines: c.Lines[:0]}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read %s: %w", t.Name, err)
	}
	if c.Rows == 0 {
		return nil
	}
	return f(c)
}

// selection returns the query of chunks. Texts are compared by their bytes, in both kinds of database.
func selection(postgres bool, t *Table, after bool) string {
	columns := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		columns[i] = quote(c.Name)
	}
	keys, places := make([]string, len(t.Key)), make([]string, len(t.Key))
	for i, name := range t.Key {
		keys[i], places[i] = quote(name), "?"
		if postgres {
			for _, c := range t.Columns {
				if c.Name == name && c.Kind == KindText {
					keys[i] += ` COLLATE "C"`
				}
			}
		}
	}
	from := quote(t.Name)
	if postgres && t.Name == countersTable {
		from = "(SELECT name, value FROM counters UNION ALL SELECT '" + counterBatch + "', " +
			"CASE WHEN is_called THEN last_value ELSE 0 END FROM " + batchSequence + ") AS counters"
	}
	query := "SELECT " + strings.Join(columns, ", ") + " FROM " + from
	if after {
		query += " WHERE (" + strings.Join(keys, ", ") + ") > (" + strings.Join(places, ", ") + ")"
	}
	return query + " ORDER BY " + strings.Join(keys, ", ")
}

func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// Count returns the number of rows of a table, as the database counts them.
func (s *Source) Count(ctx context.Context, table string) (n int64, err error) {
	err = s.tx.NewRaw("SELECT count(*) FROM "+quote(table)).Scan(ctx, &n)
	if isPostgres(s.tx) && table == countersTable {
		n++ // the counter of batches
	}
	if err != nil {
		err = fmt.Errorf("count %s: %w", table, err)
	}
	return n, err
}

// Meta returns the value of a key of the table meta; "" if it was never set.
func (s *Source) Meta(ctx context.Context, key string) (value string, err error) {
	err = s.tx.NewRaw("SELECT value FROM meta WHERE key = ?", key).Scan(ctx, &value)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return "", fmt.Errorf("read meta: %w", err)
	}
	return value, nil
}

// Latest returns an error if the schema is older than that of this program.
func (s *Source) Latest() error {
	if s.Schema != migration.Latest() {
		return fmt.Errorf("the database has schema version %d, this hivego has %d; start the server of this version "+
			"on it once, which upgrades it, and stop it", s.Schema, migration.Latest())
	}
	return nil
}

// Origin returns what to open the target of a copy with. The name is for people.
func (s *Source) Origin(name string) Origin {
	return Origin{Purpose: PurposeCopy, From: name, Schema: s.Schema, ClusterID: s.ClusterID, Epoch: s.Epoch}
}
