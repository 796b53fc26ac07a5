package sql

import (
	"path/filepath"
	"strings"
	"testing"
)

// The open file is checked too, because the path may have led to another file when it was checked.
func TestOpenedFile(t *testing.T) {
	t.Parallel()
	dir, away := t.TempDir(), t.TempDir()
	for path, refused := range map[string]bool{
		filepath.Join(dir, "hivego.db"):          true,
		filepath.Join(dir, "deep", "..", "x.db"): true,
		filepath.Join(away, "x.db"):              false,
	} {
		db, err := openSQLite(path)
		if err != nil {
			t.Fatal(err)
		}
		conn, err := db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		f := fence{protected: []string{dir}}
		if err := f.enterSQLite(t.Context(), conn); (err != nil) != refused || refused &&
			!strings.Contains(err.Error(), "belongs to HiveGo") {
			t.Errorf("%s: %v", path, err)
		}
		unfenced := fence{}
		if err := unfenced.enterSQLite(t.Context(), conn); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if err := unfenced.checkOpened(conn, "nobody"); err == nil {
			t.Error("an unknown database is accepted")
		}
		_, _ = conn.Close(), db.Close()
	}
}
