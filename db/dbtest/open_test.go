package dbtest_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite" // to look at a file from outside

	"github.com/rprp/hivego/db"
	"github.com/rprp/hivego/db/dbtest"
	"github.com/rprp/hivego/server/hive"
)

func TestOpen(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, open func() *db.Store) {
		s := open()
		if err := s.Ping(t.Context()); err != nil {
			t.Fatal(err)
		}
		id := must(s.Meta(t.Context(), db.MetaClusterID))(t)
		same(t, "length of the cluster id", len(id), 32)
		for range 2 {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
		same(t, "cluster id after a restart", must(open().Meta(t.Context(), db.MetaClusterID))(t), id)
	})
}

func TestOpenRefusesURLs(t *testing.T) {
	t.Parallel()
	for url, words := range map[string]string{
		"warehouse":                        "no database URL",
		"mysql://root@localhost/x":         `no database of kind "mysql"`,
		"host=h password=geheim":           "no database URL",
		"sqlite:":                          "names no file",
		"postgres://u:geheim@[::1/x":       "database URL",
		"postgres://u:geheim@localhost:99": "cannot be used",
	} {
		_, err := db.Open(t.Context(), db.Config{URL: url, Dir: t.TempDir()})
		if err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: error %v, want one with %q", url, err, words)
		}
		if err != nil && strings.Contains(err.Error(), "geheim") {
			t.Errorf("%s: the error tells the password: %v", url, err)
		}
	}
}

func TestSQLiteFiles(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"":                     "hivego.db",
		"sqlite:other.db":      "other.db",
		"sqlite:deep/er.db":    "deep/er.db",
		"sqlite:a b?c#d%41.db": "a b?c#d%41.db",
	} {
		dir := t.TempDir()
		s := dbtest.Open(t, db.Config{URL: url, Dir: dir})
		info, err := os.Stat(filepath.Join(dir, want))
		if err != nil {
			t.Fatal(err)
		}
		same(t, "mode", info.Mode().Perm(), os.FileMode(0o600))

		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		dbtest.Open(t, db.Config{URL: "sqlite:" + filepath.Join(dir, want)})
	}
}

// A schema that is not this program's is left alone.
func TestForeignSchema(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := db.Config{Dir: dir}
	if err := dbtest.Open(t, c).Close(); err != nil {
		t.Fatal(err)
	}
	file := must(sql.Open("sqlite", filepath.Join(dir, "hivego.db")))(t)
	must(file.ExecContext(t.Context(), "INSERT INTO migrations (version, name) VALUES (1000, 'future')"))(t)
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := db.Open(t.Context(), c)
	if err == nil || !strings.Contains(err.Error(), "newer hivego") {
		t.Fatalf("error %v, want the advice to start the newer program", err)
	}

	// Beside a running server nothing is migrated, not even an empty file.
	server := dbtest.Open(t, db.Config{URL: "sqlite:mine.db", Dir: dir})
	if err := server.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "mine.db.lock"), filepath.Join(dir, "hivego.db.lock")); err != nil {
		t.Fatal(err)
	}
	_, err = db.Open(t.Context(), db.Config{Dir: dir, Beside: true})
	if err == nil || !strings.Contains(err.Error(), "use the same program") {
		t.Fatalf("error %v, want the advice to use the same program", err)
	}
}

// A file that no server holds is brought up to date by a short command, too.
func TestBesideNobody(t *testing.T) {
	t.Parallel()
	c := db.Config{Dir: t.TempDir(), Beside: true}
	s := dbtest.Open(t, c)
	must(s.AddUser(t.Context(), hive.User{Name: "ada", CreatedAt: t0}))(t)
	must(dbtest.Open(t, c).UserByName(t.Context(), "ada"))(t)
}

// A person who lists users and mistypes the folder gets an error, not a new database without users.
func TestNothingIsMadeByLooking(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "mistyped")
	_, err := db.Open(t.Context(), db.Config{Dir: dir, Beside: true, Existing: true})
	if err == nil || !strings.Contains(err.Error(), filepath.Join(dir, "hivego.db")) ||
		!strings.Contains(err.Error(), "--data") {
		t.Fatalf("error %v, want the file that is missing, and the remedy", err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Fatalf("the folder was made: %v", err)
	}
}

// The size of a database is that of its files, or as PostgreSQL reports it. It cannot be read without the database.
func TestSize(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, open func() *db.Store) {
		s := open()
		if n := must(s.Size(t.Context()))(t); n < 100_000 || n > 1<<30 {
			t.Errorf("%d bytes", n)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if n, err := s.Size(t.Context()); err == nil {
			t.Errorf("after the end: %d bytes, and no error", n)
		}
	})
}
