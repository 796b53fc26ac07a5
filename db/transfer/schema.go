// Package transfer reads and writes whole databases, table by table, for backups and for moves between SQLite and
// PostgreSQL. It takes the list of tables from the schema of the database, so a new table is included by itself, and it
// gives rows one text form, which is the same for both kinds of database.
package transfer

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect"
)

// Kinds of columns. Times are whole numbers.
const (
	KindInt  = "int"
	KindBool = "bool"
	KindText = "text"
)

// Column is one column of a table.
type Column struct {
	Name string `json:"name"`
	Kind string `json:"kind"` // KindInt, KindBool or KindText
}

// Table is one table.
type Table struct {
	Name    string   `json:"name"`
	Columns []Column `json:"columns"` // by name: the order in the database depends on its kind
	Key     []string `json:"key"`     // columns of the primary key, by their position in it

	references []string // tables that its foreign keys name
}

// Names of tables that are not part of the data.
const (
	tableMigrations = "migrations"
	tableProgress   = "hivego_transfer"
)

// countersTable needs care: on PostgreSQL a sequence has the place of the row counterBatch.
const (
	countersTable = "counters"
	counterBatch  = "batch"
	batchSequence = "batch_ids"
)

func isPostgres(db bun.IDB) bool { return db.Dialect().Name() == dialect.PG }

// readTables returns the tables of a database, each after those that it refers to.
func readTables(ctx context.Context, db bun.IDB) ([]Table, error) {
	read := sqliteTables
	if isPostgres(db) {
		read = postgresTables
	}
	tables, err := read(ctx, db)
	if err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	for i := range tables {
		t := &tables[i]
		slices.SortFunc(t.Columns, func(a, b Column) int { return strings.Compare(a.Name, b.Name) })
		if len(t.Key) == 0 {
			return nil, fmt.Errorf("read the schema: table %s has no primary key", t.Name)
		}
	}
	return inOrder(tables)
}

// inOrder sorts tables so that each comes after those that it refers to, and otherwise by name.
func inOrder(tables []Table) ([]Table, error) {
	slices.SortFunc(tables, func(a, b Table) int { return strings.Compare(a.Name, b.Name) })
	done := map[string]bool{}
	out := make([]Table, 0, len(tables))
	for len(out) < len(tables) {
		before := len(out)
		for _, t := range tables {
			waits := slices.ContainsFunc(t.references, func(r string) bool { return r != t.Name && !done[r] })
			if done[t.Name] || waits {
				continue
			}
			done[t.Name] = true
			out = append(out, t)
		}
		if len(out) == before {
			return nil, errors.New("read the schema: foreign keys form a circle")
		}
	}
	return out, nil
}

func ownTable(name string) bool { return name == tableMigrations || name == tableProgress }

func sqliteTables(ctx context.Context, db bun.IDB) ([]Table, error) {
	var names []string
	err := db.NewRaw("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'").
		Scan(ctx, &names)
	if err != nil {
		return nil, err
	}
	kinds := map[string]string{"INTEGER": KindInt, "BOOLEAN": KindBool, "TEXT": KindText}
	var tables []Table
	for _, name := range names {
		if ownTable(name) {
			continue
		}
		t := Table{Name: name}
		var columns []struct {
			Name string `bun:"name"`
			Type string `bun:"type"`
			PK   int    `bun:"pk"`
		}
		if err := db.NewRaw("SELECT name, type, pk FROM pragma_table_info(?)", name).Scan(ctx, &columns); err != nil {
			return nil, err
		}
		key := map[int]string{}
		for _, c := range columns {
			kind, known := kinds[c.Type]
			if !known {
				return nil, fmt.Errorf("column %s.%s has the unknown type %s", name, c.Name, c.Type)
			}
			t.Columns = append(t.Columns, Column{Name: c.Name, Kind: kind})
			if c.PK > 0 {
				key[c.PK] = c.Name
			}
		}
		for i := range len(key) {
			t.Key = append(t.Key, key[i+1])
		}
		err := db.NewRaw(`SELECT DISTINCT "table" FROM pragma_foreign_key_list(?)`, name).Scan(ctx, &t.references)
		if err != nil {
			return nil, err
		}
		tables = append(tables, t)
	}
	return tables, nil
}

// postgresQueries read the columns, the keys and the foreign keys of the current schema.
const (
	postgresColumns = `SELECT c.relname AS tab, a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type
FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace`
	postgresKeys = `SELECT c.relname AS tab, a.attname AS name
FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indrelid
JOIN LATERAL unnest(i.indkey::int2[]) WITH ORDINALITY AS k (attnum, position) ON TRUE
JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = k.attnum
WHERE i.indisprimary AND c.relnamespace = current_schema()::regnamespace ORDER BY c.relname, k.position`
	postgresReferences = `SELECT DISTINCT c.relname AS tab, r.relname AS name
FROM pg_constraint AS k JOIN pg_class AS c ON c.oid = k.conrelid JOIN pg_class AS r ON r.oid = k.confrelid
WHERE k.contype = 'f' AND c.relnamespace = current_schema()::regnamespace`
)

func postgresTables(ctx context.Context, db bun.IDB) ([]Table, error) {
	var columns, keys, references []struct {
		Tab  string `bun:"tab"`
		Name string `bun:"name"`
		Type string `bun:"type"`
	}
	err := db.NewRaw(postgresColumns).Scan(ctx, &columns)
	if err == nil {
		err = db.NewRaw(postgresKeys).Scan(ctx, &keys)
	}
	if err == nil {
		err = db.NewRaw(postgresReferences).Scan(ctx, &references)
	}
	if err != nil {
		return nil, err
	}
	kinds := map[string]string{"bigint": KindInt, "integer": KindInt, "boolean": KindBool, "text": KindText}
	found := map[string]*Table{}
	for _, c := range columns {
		if ownTable(c.Tab) {
			continue
		}
		kind, known := kinds[c.Type]
		if !known {
			return nil, fmt.Errorf("column %s.%s has the unknown type %s", c.Tab, c.Name, c.Type)
		}
		if found[c.Tab] == nil {
			found[c.Tab] = &Table{Name: c.Tab}
		}
		found[c.Tab].Columns = append(found[c.Tab].Columns, Column{Name: c.Name, Kind: kind})
	}
	for _, k := range keys {
		if t := found[k.Tab]; t != nil {
			t.Key = append(t.Key, k.Name)
		}
	}
	for _, r := range references {
		if t := found[r.Tab]; t != nil {
			t.references = append(t.references, r.Name)
		}
	}
	tables := make([]Table, 0, len(found))
	for _, t := range found {
		tables = append(tables, *t)
	}
	return tables, nil
}

// same returns an error if the tables of two databases differ.
func same(have, want []Table) error {
	names := func(tables []Table) (out []string) {
		for _, t := range tables {
			for _, c := range t.Columns {
				out = append(out, t.Name+"."+c.Name+" "+c.Kind)
			}
		}
		slices.Sort(out)
		return out
	}
	a, b := names(have), names(want)
	for _, n := range b {
		if !slices.Contains(a, n) {
			return fmt.Errorf("the target lacks %s", n)
		}
	}
	for _, n := range a {
		if !slices.Contains(b, n) {
			return fmt.Errorf("the target has %s, and the source does not", n)
		}
	}
	return nil
}

// sequences returns the last generated id of each table that generates ids.
func sequences(ctx context.Context, db bun.IDB, tables []Table) (map[string]int64, error) {
	out := map[string]int64{}
	if !isPostgres(db) {
		var rows []struct {
			Name string `bun:"name"`
			Seq  int64  `bun:"seq"`
		}
		// The table exists once a table with generated ids does.
		err := db.NewRaw("SELECT name, seq FROM sqlite_sequence WHERE seq > 0").Scan(ctx, &rows)
		if err != nil {
			return nil, fmt.Errorf("read the last ids: %w", err)
		}
		for _, r := range rows {
			out[r.Name] = r.Seq
		}
		return out, nil
	}
	for i := range tables {
		sequence, err := ofTable(ctx, db, &tables[i])
		if err != nil {
			return nil, err
		}
		if sequence == "" {
			continue
		}
		var last sql.NullInt64
		err = db.NewRaw("SELECT CASE WHEN is_called THEN last_value END FROM "+sequence).Scan(ctx, &last)
		if err != nil {
			return nil, fmt.Errorf("read the last id of %s: %w", tables[i].Name, err)
		}
		if last.Int64 > 0 {
			out[tables[i].Name] = last.Int64
		}
	}
	return out, nil
}

// ofTable returns the quoted name of the sequence that generates the ids of a table; "" for none.
func ofTable(ctx context.Context, db bun.IDB, t *Table) (string, error) {
	if len(t.Key) != 1 {
		return "", nil
	}
	var name sql.NullString
	err := db.NewRaw("SELECT pg_get_serial_sequence(quote_ident(current_schema()) || '.' || quote_ident(?), ?)", t.Name,
		t.Key[0]).Scan(ctx, &name)
	if err != nil {
		return "", fmt.Errorf("look for the sequence of %s: %w", t.Name, err)
	}
	return name.String, nil
}

// setSequences lets a database go on after the last generated ids of another one.
func setSequences(ctx context.Context, db bun.IDB, tables []Table, last map[string]int64) error {
	for i := range tables {
		v, given := last[tables[i].Name]
		if !given {
			continue
		}
		if !isPostgres(db) {
			_, err := db.NewRaw("DELETE FROM sqlite_sequence WHERE name = ?", tables[i].Name).Exec(ctx)
			if err == nil {
				_, err = db.NewRaw("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", tables[i].Name, v).Exec(ctx)
			}
			if err != nil {
				return fmt.Errorf("set the last id of %s: %w", tables[i].Name, err)
			}
			continue
		}
		sequence, err := ofTable(ctx, db, &tables[i])
		if err != nil || sequence == "" {
			return errors.Join(err, fmt.Errorf("set the last id of %s: there is no sequence", tables[i].Name))
		}
		if _, err := db.NewRaw("SELECT setval(?::regclass, ?)", sequence, v).Exec(ctx); err != nil {
			return fmt.Errorf("set the last id of %s: %w", tables[i].Name, err)
		}
	}
	return nil
}
