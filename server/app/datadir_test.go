package app

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rprp/hivego/server/hive"
)

// A folder has one server with one id.
func TestOpenFolder(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	first, lock, err := openDataDir(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := openDataDir(t.Context(), dir); hive.CodeOf(err) != hive.CodeConflict {
		t.Errorf("a second server on the folder: %v", err)
	}
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	again, lock, err := openDataDir(t.Context(), dir)
	if err != nil || again != first {
		t.Errorf("opened again: %q, %v; expected %q", again, err, first)
	}
	_ = lock.Close()
	if err := os.WriteFile(filepath.Join(dir, identityFile), []byte("torn"), 0o600); err != nil {
		t.Fatal(err)
	}
	if id, lock, err := openDataDir(t.Context(), dir); err != nil || len(id) != len(first) {
		t.Errorf("after a torn write: %q, %v", id, err)
	} else {
		_ = lock.Close()
	}
}
