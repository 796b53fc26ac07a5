package plainfile

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

func TestOpen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, err := range []error{
		os.WriteFile(at("file"), []byte("text"), 0o600),
		os.Symlink("file", at("link")), os.Symlink("/dev/zero", at("device")),
		os.Mkdir(at("folder"), 0o700), unix.Mkfifo(at("pipe"), 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]error{
		"file": nil, "link": ErrOther, "device": ErrOther, "folder": ErrOther, "pipe": ErrOther, "none": os.ErrNotExist,
	} {
		for _, flag := range []int{os.O_RDONLY, os.O_WRONLY} {
			f, err := Open(at(name), flag, 0)
			if !errors.Is(err, want) {
				t.Errorf("%s with %d: %v, want %v", name, flag, err, want)
			}
			if err == nil {
				_ = f.Close()
			}
		}
	}
	f, err := Open(at("new"), os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("x"); err != nil || f.Close() != nil {
		t.Error(err)
	}
}
