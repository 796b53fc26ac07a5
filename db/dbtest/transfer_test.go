package dbtest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/db"
	"github.com/rprp/hivego/db/dbtest"
	"github.com/rprp/hivego/db/migration"
	"github.com/rprp/hivego/db/transfer"
	"github.com/rprp/hivego/server/hive"
)

// kinds make empty databases.
func kinds() map[string]func(t testing.TB) db.Config {
	return map[string]func(t testing.TB) db.Config{
		"sqlite": dbtest.SQLite,
		"postgres": func(t testing.TB) db.Config {
			t.Helper()
			return db.Config{URL: dbtest.Postgres(t), Dir: t.TempDir()}
		},
	}
}

// pairs runs f for each kind of source with each kind of target.
func pairs(t *testing.T, f func(t *testing.T, from, to db.Config)) {
	t.Helper()
	t.Parallel()
	for a, source := range kinds() {
		for b, target := range kinds() {
			t.Run(a+" to "+b, func(t *testing.T) {
				t.Parallel()
				f(t, source(t), target(t))
			})
		}
	}
}

// manyRuns are more than one chunk, which has at most 2,000, and fewer if they are long.
const manyRuns = 2100

func quiet(string, int64) {}

// state is all that a transfer keeps: the sums of the tables, and the last generated ids.
func state(t *testing.T, c db.Config) (sums map[string]transfer.Sum, last map[string]int64) {
	t.Helper()
	s := must(db.OpenSource(t.Context(), c, false))(t)
	sums = map[string]transfer.Sum{}
	for _, table := range s.Tables {
		sums[table.Name] = must(s.Sum(t.Context(), table.Name))(t)
	}
	last = must(s.Sequences(t.Context()))(t)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return sums, last
}

// copying copies a database, with the target as the command opens it.
func copying(ctx context.Context, t *testing.T, from, to db.Config, report transfer.Progress) error {
	t.Helper()
	s := must(db.OpenSource(t.Context(), from, true))(t)
	defer s.Close() //nolint:errcheck // it was only read
	target, err := db.OpenTarget(t.Context(), to, s.Origin(from.Name()), true)
	if err != nil {
		return err
	}
	_, err = transfer.Copy(ctx, s, target, report)
	return errors.Join(err, target.Close())
}

// A copy has all rows of all tables, and goes on where the source's ids end.
func TestCopy(t *testing.T) {
	pairs(t, func(t *testing.T, from, to db.Config) {
		dbtest.Fill(t, from, migration.Latest(), manyRuns)
		if err := copying(t.Context(), t, from, to, quiet); err != nil {
			t.Fatal(err)
		}
		sums, last := state(t, from)
		copied, goesOn := state(t, to)
		same(t, "tables", fmt.Sprint(copied), fmt.Sprint(sums))
		same(t, "last ids", fmt.Sprint(goesOn), fmt.Sprint(last))
		for _, name := range dbtest.Tables(t, migration.Latest()) {
			if sums[name].Rows < dbtest.FillRows {
				t.Errorf("table %s has %d rows to copy", name, sums[name].Rows)
			}
			delete(sums, name)
		}
		same(t, "tables that nobody knows", len(sums), 0)
		s := dbtest.Open(t, to)
		user := must(s.AddUser(t.Context(), hive.User{Name: "ada", CreatedAt: t0}))(t)
		same(t, "next id", user.ID, dbtest.FillLast+1)
		first := must(s.NextIDs(t.Context(), db.CounterAttempt, 1))(t)
		same(t, "next attempt", first, dbtest.FillLast+1)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		err := copying(t.Context(), t, from, to, quiet)
		if hive.CodeOf(err) != hive.CodeConflict || !strings.Contains(err.Error(), "not empty") {
			t.Errorf("a copy over a database: %v", err)
		}
	})
}

// A copy that was interrupted goes on where it was. Until it is complete, no server starts on the target.
func TestCopyResumes(t *testing.T) {
	pairs(t, func(t *testing.T, from, to db.Config) {
		dbtest.Fill(t, from, migration.Latest(), manyRuns)
		ctx, cancel := context.WithCancel(t.Context())
		err := copying(ctx, t, from, to, func(table string, rows int64) {
			if table == "runs" && rows > 2000 {
				cancel()
			}
		})
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("the copy ended with %v", err)
		}
		_, err = db.Open(t.Context(), to)
		if hive.CodeOf(err) != hive.CodeConflict || !strings.Contains(err.Error(), "hivego copy") {
			t.Fatalf("a server starts on half of a copy, or says %v", err)
		}
		if _, err := db.OpenSource(t.Context(), to, false); hive.CodeOf(err) != hive.CodeConflict {
			t.Fatalf("half of a copy can be backed up, or says %v", err)
		}
		var begun string
		err = copying(t.Context(), t, from, to, func(table string, rows int64) {
			if begun == "" {
				begun = table
			}
			if table == "runs" && rows > manyRuns/2 { // the first chunk, not the rest
				t.Errorf("it copies %d rows again", rows)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		same(t, "table at which it goes on", begun, "runs")
		sums, _ := state(t, from)
		copied, _ := state(t, to)
		same(t, "tables", fmt.Sprint(copied), fmt.Sprint(sums))
	})
}

// A source that was used between two tries is copied from its beginning if a server was on it. Another change is found
// at the end.
func TestCopyOfAnotherState(t *testing.T) {
	pairs(t, func(t *testing.T, from, to db.Config) {
		dbtest.Fill(t, from, migration.Latest(), manyRuns)
		half := func() {
			t.Helper()
			ctx, cancel := context.WithCancel(t.Context())
			err := copying(ctx, t, from, to, func(table string, rows int64) {
				if table == "runs" && rows > 2000 {
					cancel()
				}
			})
			if !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
		}
		change := func(what string) {
			t.Helper()
			raw := dbtest.Raw(t, from)
			must(raw.ExecContext(t.Context(), what))(t)
			if err := raw.Close(); err != nil {
				t.Fatal(err)
			}
		}
		half()
		change("UPDATE counters SET value = 1 WHERE name = 'run'")
		err := copying(t.Context(), t, from, to, quiet)
		if err == nil || !strings.Contains(err.Error(), "rows of counters") ||
			!strings.Contains(err.Error(), "--restart") {
			t.Fatalf("a change goes unnoticed: %v", err)
		}
		change("UPDATE counters SET value = value + 1 WHERE name = 'epoch'")
		if err := copying(t.Context(), t, from, to, quiet); err != nil {
			t.Fatal(err)
		}
		sums, _ := state(t, from)
		copied, _ := state(t, to)
		same(t, "tables", fmt.Sprint(copied), fmt.Sprint(sums))
	})
}

// A source with a server on it is refused, and while it is copied no server starts on it.
func TestCopyOfALiveSource(t *testing.T) {
	t.Parallel()
	for name, config := range kinds() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := config(t)
			x := newFixture(t, dbtest.Open(t, c))
			_, err := db.OpenSource(t.Context(), c, true)
			x.code(hive.CodeConflict, err)
			x.ok(x.EndSession(t.Context(), x.me.ID, x.me.Epoch))
			x.ok(x.Close())
			s := must(db.OpenSource(t.Context(), c, true))(t)
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			defer cancel()
			store, err := db.Open(ctx, c)
			if err == nil { // PostgreSQL: it waits for the copy
				_, err = store.StartSession(ctx, x.me, lease)
				_ = store.Close()
			}
			if err == nil {
				t.Error("a server starts on a database that is being copied")
			}
			x.ok(s.Close())
		})
	}
}

// Every table of the schema is read, on both kinds of database, with the same columns.
func TestTransferKnowsEveryTable(t *testing.T) {
	t.Parallel()
	for name, config := range kinds() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := config(t)
			if err := dbtest.Open(t, c).Close(); err != nil {
				t.Fatal(err)
			}
			s := must(db.OpenSource(t.Context(), c, false))(t)
			defer s.Close() //nolint:errcheck // it was only read
			var have []string
			for _, table := range s.Tables {
				have = append(have, table.Name)
			}
			slices.Sort(have)
			same(t, "tables", fmt.Sprint(have), fmt.Sprint(dbtest.Tables(t, migration.Latest())))
		})
	}
}

// A database of every schema version is brought to the latest one with all that it holds.
func TestUpgradeOfEachVersion(t *testing.T) {
	t.Parallel()
	for name, config := range kinds() {
		for version := 1; version <= migration.Latest(); version++ {
			t.Run(fmt.Sprintf("%s from %d", name, version), func(t *testing.T) {
				t.Parallel()
				c := config(t)
				dbtest.Fill(t, c, version, dbtest.FillRows)
				before := rows(t, c)
				if err := dbtest.Open(t, c).Close(); err != nil {
					t.Fatal(err)
				}
				after := rows(t, c)
				for table, old := range before {
					for i, row := range old {
						for column, value := range row {
							if fmt.Sprint(after[table][i][column]) != fmt.Sprint(value) {
								t.Errorf("%s.%s of row %d was %v and is %v", table, column, i, value,
									after[table][i][column])
							}
						}
					}
				}
				s := must(db.OpenSource(t.Context(), c, false))(t)
				defer s.Close() //nolint:errcheck // it was only read
				same(t, "schema", s.Schema, migration.Latest())
				if err := s.Check(t.Context()); err != nil {
					t.Error(err)
				}
				if c.File() != "" {
					n := must(dbtest.Raw(t, c).NewRaw("SELECT 1 FROM pragma_foreign_key_check").Exec(t.Context()))(t)
					same(t, "rows without what they refer to", must(n.RowsAffected())(t), 0)
				}
			})
		}
	}
}

// rows reads all rows of all tables, by column.
func rows(t *testing.T, c db.Config) map[string][]map[string]any {
	t.Helper()
	s := must(db.OpenSource(t.Context(), c, false))(t)
	defer s.Close() //nolint:errcheck // it was only read
	out := map[string][]map[string]any{}
	for _, table := range s.Tables {
		err := s.Chunks(t.Context(), table.Name, func(chunk transfer.Chunk) error {
			for line := range strings.Lines(string(chunk.Lines)) {
				var values []any
				if err := json.Unmarshal([]byte(line), &values); err != nil {
					return err
				}
				row := map[string]any{}
				for i, column := range table.Columns {
					row[column.Name] = values[i]
				}
				out[table.Name] = append(out[table.Name], row)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// A program refuses a database that a newer one has upgraded, whatever it is to do with it.
func TestNewerSchema(t *testing.T) {
	t.Parallel()
	for name, config := range kinds() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := config(t)
			if err := dbtest.Open(t, c).Close(); err != nil {
				t.Fatal(err)
			}
			must(dbtest.Raw(t, c).ExecContext(t.Context(),
				fmt.Sprintf("INSERT INTO migrations (version, name) VALUES (%d, 'future')", migration.Latest()+1)))(t)
			beside := c
			beside.Beside = true
			for what, try := range map[string]func() error{
				"a server":  func() error { _, err := db.Open(t.Context(), c); return err },
				"a command": func() error { _, err := db.Open(t.Context(), beside); return err },
				"a backup":  func() error { _, err := db.OpenSource(t.Context(), c, false); return err },
				"a copy":    func() error { _, err := db.OpenSource(t.Context(), c, true); return err },
			} {
				newer, ok := errors.AsType[*migration.TooNewError](try())
				if !ok || newer.Have != migration.Latest()+1 || newer.Want != migration.Latest() {
					t.Errorf("%s: no word about the newer schema", what)
				}
			}
		})
	}
}
