package dbtest

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
	"github.com/uptrace/bun/dialect/sqlitedialect"

	"github.com/rprp/hivego/db"
	"github.com/rprp/hivego/db/migration"
)

const (
	// FillRows is the number of rows that Fill makes in each table. Only the table of runs has another number.
	FillRows = 4
	// FillLast is the last id that the tables with generated ids have given, and that of batches.
	FillLast = 5000
)

// Raw opens the database of a configuration without a Store.
func Raw(t testing.TB, c db.Config) *bun.DB {
	t.Helper()
	var raw *bun.DB
	if file := c.File(); file != "" {
		pool, err := sql.Open("sqlite", "file:"+file+"?_pragma=foreign_keys(ON)&_pragma=busy_timeout(10000)")
		if err != nil {
			t.Fatal(err)
		}
		pool.SetMaxOpenConns(1)
		raw = bun.NewDB(pool, sqlitedialect.New())
	} else {
		config, err := pgx.ParseConfig(c.URL)
		if err != nil {
			t.Fatal(err)
		}
		config.DefaultQueryExecMode = pgx.QueryExecModeExec
		raw = bun.NewDB(stdlib.OpenDB(*config), pgdialect.New())
	}
	t.Cleanup(func() { _ = raw.Close() })
	return raw
}

// Fill makes the schema of a version in an empty database, and rows in all of its tables. The rows are made from the
// schema: they keep its rules, and have texts that are easily spoilt.
func Fill(t testing.TB, c db.Config, version, runs int) {
	t.Helper()
	raw := Raw(t, c)
	if err := migration.RunTo(t.Context(), raw, version); err != nil {
		t.Fatal(err)
	}
	tables := describe(t, version)
	err := raw.RunInTx(t.Context(), nil, func(ctx context.Context, tx bun.Tx) error {
		for _, table := range tables {
			if err := table.fill(ctx, tx, runs, c.File() == ""); err != nil {
				return fmt.Errorf("fill %s: %w", table.name, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := raw.Close(); err != nil {
		t.Fatal(err)
	}
}

// filledTable is a table of a schema.
type filledTable struct {
	name    string
	columns []filledColumn
	serial  bool // its ids are generated
}

type filledColumn struct {
	name    string
	kind    string // INTEGER, BOOLEAN or TEXT
	refers  string // table of its foreign key
	null    bool
	allowed []string // of a text; nil for any
}

// How the schema lists the texts that a column may have.
var (
	allowed = regexp.MustCompile(`(\w+)\s+IN\s+\(([^)]*)\)|CASE\s+(\w+)((?:\s+WHEN\s+'\w*'\s+THEN\s+1)+)`)
	quoted  = regexp.MustCompile(`'(\w*)'`)
)

// describe reads the schema of a version, from a SQLite database of its own: the tables are the same on both kinds.
func describe(t testing.TB, version int) []filledTable {
	t.Helper()
	ctx := t.Context()
	lite := Raw(t, db.Config{URL: "sqlite:" + filepath.Join(t.TempDir(), "schema.db")})
	if err := migration.RunTo(ctx, lite, version); err != nil {
		t.Fatal(err)
	}
	var found []struct {
		Name string `bun:"name"`
		SQL  string `bun:"sql"`
	}
	err := lite.NewRaw("SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND "+
		"name <> 'migrations' ORDER BY name").Scan(ctx, &found)
	if err != nil {
		t.Fatal(err)
	}
	var out []filledTable
	done := map[string]bool{}
	for len(out) < len(found) {
		for _, f := range found {
			table := filledTable{name: f.Name, serial: strings.Contains(f.SQL, "AUTOINCREMENT")}
			var columns []struct {
				Name   string         `bun:"name"`
				Type   string         `bun:"type"`
				Needed bool           `bun:"needed"`
				PK     int            `bun:"pk"`
				Refers sql.NullString `bun:"refers"`
			}
			err := lite.NewRaw(`SELECT c.name, c.type, c."notnull" AS needed, c.pk, k."table" AS refers `+
				`FROM pragma_table_info(?) AS c LEFT JOIN pragma_foreign_key_list(?) AS k ON k."from" = c.name`,
				f.Name, f.Name).Scan(ctx, &columns)
			if err != nil {
				t.Fatal(err)
			}
			waits := done[f.Name]
			for _, c := range columns {
				waits = waits || c.Refers.Valid && !done[c.Refers.String]
				column := filledColumn{
					name: c.Name, kind: c.Type, refers: c.Refers.String, null: !c.Needed && c.PK == 0,
				}
				for _, m := range allowed.FindAllStringSubmatch(f.SQL, -1) {
					if (m[1] == c.Name || m[3] == c.Name) && column.allowed == nil {
						for _, v := range quoted.FindAllStringSubmatch(m[2]+m[4], -1) {
							column.allowed = append(column.allowed, v[1])
						}
					}
				}
				table.columns = append(table.columns, column)
			}
			if !waits {
				done[f.Name] = true
				out = append(out, table)
			}
		}
	}
	return out
}

func (f *filledTable) fill(ctx context.Context, tx bun.Tx, runs int, postgres bool) error {
	if f.name == "counters" {
		return fillCounters(ctx, tx, postgres)
	}
	names := make([]string, len(f.columns))
	for i, c := range f.columns {
		names[i] = c.name
	}
	n := FillRows
	if f.name == "runs" {
		n = runs
	}
	const together = 500
	for from := 1; from <= n; from += together {
		var rows []string
		var values []any
		for i := from; i < min(from+together, n+1); i++ {
			rows = append(rows, "(?"+strings.Repeat(", ?", len(names)-1)+")")
			values = append(values, f.row(i)...)
		}
		_, err := tx.NewRaw("INSERT INTO "+f.name+" ("+strings.Join(names, ", ")+") VALUES "+strings.Join(rows, ", "),
			values...).Exec(ctx)
		if err != nil {
			return err
		}
	}
	if !f.serial {
		return nil
	}
	last := "UPDATE sqlite_sequence SET seq = ? WHERE name = ?"
	if postgres {
		last = "SELECT setval(pg_get_serial_sequence(?1, '" + f.columns[0].name + "'), ?0)"
	}
	_, err := tx.NewRaw(last, FillLast, f.name).Exec(ctx)
	return err
}

func fillCounters(ctx context.Context, tx bun.Tx, postgres bool) error {
	if postgres {
		if _, err := tx.NewRaw("SELECT setval('batch_ids', ?)", FillLast).Exec(ctx); err != nil {
			return err
		}
	}
	_, err := tx.NewRaw("UPDATE counters SET value = ?", FillLast).Exec(ctx)
	return err
}

// row returns the values of row i, from 1 on.
func (f *filledTable) row(i int) []any {
	values := make([]any, len(f.columns))
	state := ""
	for j := range f.columns {
		c := &f.columns[j]
		values[j] = c.value(i, j)
		if c.name == "state" {
			state, _ = values[j].(string)
		}
		switch f.name + "." + c.name {
		case "batches.live":
			values[j] = state == "queued" || state == "running"
		case "attempts.outcome":
			if values[j] = ""; state == "ended" {
				values[j] = "success"
			}
		case "secrets.value":
			values[j] = fmt.Sprint("aes1:", values[j])
		case "meta.key":
			if i == 1 {
				values[j] = db.MetaClusterID
			}
		}
	}
	return values
}

func (c *filledColumn) value(i, j int) any {
	switch {
	case c.null && i%3 == 0:
		return nil
	case c.refers != "", c.name == "id" && c.kind == "INTEGER":
		return i
	case c.kind == "BOOLEAN":
		return i%2 == 0
	case c.kind == "INTEGER" && (strings.HasSuffix(c.name, "_at") || c.name == "moment"):
		return 1_700_000_000_000 + int64(i)
	case c.kind == "INTEGER":
		return 1000*i + j
	case len(c.allowed) > 0:
		return c.allowed[i%len(c.allowed)]
	}
	// The order of texts differs between collations.
	first := []string{"b", "ü", "A", "汉"}[i%4]
	return fmt.Sprintf("%s %s %d: \"quoted\" 'quoted' \\ <&> \u2028\t\n", first, c.name, i)
}

// Tables returns the names of the tables of a schema version.
func Tables(t testing.TB, version int) []string {
	t.Helper()
	var names []string
	for _, table := range describe(t, version) {
		names = append(names, table.name)
	}
	slices.Sort(names)
	return names
}
