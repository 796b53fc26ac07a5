// Package dbtest gives tests real databases: SQLite files, and a PostgreSQL that it starts itself. Beside it lies
// the conformance suite that the store passes on both.
package dbtest

import (
	"log/slog"
	"testing"

	"github.com/rprp/hivego/db"
)

// Each runs f as one parallel subtest for each kind of database. Each call of open opens the subtest's own database
// once more, as a further server would; stores are closed with the subtest at the latest. A SQLite file takes one
// server: there, close a store before opening the next.
func Each(t *testing.T, f func(t *testing.T, open func() *db.Store)) {
	t.Helper()
	for name, config := range map[string]func(testing.TB) db.Config{"sqlite": SQLite, "postgres": postgres} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := config(t)
			f(t, func() *db.Store {
				t.Helper()
				return Open(t, c)
			})
		})
	}
}

// Open opens a store that is closed with the test.
func Open(t testing.TB, c db.Config) *db.Store {
	t.Helper()
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	s, err := db.Open(t.Context(), c)
	if err != nil {
		t.Fatalf("open the test's database: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close the test's database: %v", err)
		}
	})
	return s
}

// SQLite returns the configuration of an empty SQLite database in a temporary folder.
func SQLite(t testing.TB) db.Config {
	t.Helper()
	return db.Config{Dir: t.TempDir()}
}

func postgres(t testing.TB) db.Config {
	t.Helper()
	return db.Config{URL: Postgres(t), Dir: t.TempDir()}
}
