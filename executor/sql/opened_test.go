package sql

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestOpenedFile looks at what is open, as if the path had led elsewhere when it was checked.
func TestOpenedFile(t *testing.T) {
	t.Parallel()
	dir, away := t.TempDir(), t.TempDir()
	for path, refused := range map[string]bool{
		filepath.Join(dir, "hivego.db"): true, filepath.Join(dir, "deep", "..", "x.db"): true, filepath.Join(away,
			"x.db"): false,
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
		free := fence{}
		if err := free.enterSQLite(t.Context(), conn); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if err := free.opened(conn, "nobody"); err == nil {
			t.Error("an unknown database is accepted")
		}
		_, _ = conn.Close(), db.Close()
	}
}
