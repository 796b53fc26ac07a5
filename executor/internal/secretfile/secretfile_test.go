package secretfile

import (
	"os"
	"path/filepath"
	"testing"
)

func TestRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if data, err := Read(dir, "none"); data != nil || err != nil {
		t.Errorf("without a file: %q, %v", data, err)
	}
	path := filepath.Join(dir, "a.yaml")
	for mode, ok := range map[os.FileMode]bool{0o600: true, 0o400: true, 0o640: false, 0o604: false, 0o620: false} {
		if err := os.WriteFile(path, []byte("a: b\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		data, err := Read(dir, "a.yaml")
		if ok && (err != nil || string(data) != "a: b\n") {
			t.Errorf("%v: %q, %v", mode, data, err)
		}
		if !ok && (data != nil || err == nil || err.Error() != "a.yaml can be read by others; run: chmod 600 "+path) {
			t.Errorf("%v: %q, %v", mode, data, err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Read(dir, "."); err == nil {
		t.Error("a folder was read")
	}
}
