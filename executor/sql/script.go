package sql

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/rprp/hivego/executor/sdk"
)

// openScript opens a script without waiting for what is no file. A relative one stays inside the schedule's folder,
// symbolic links included.
func (h *Handler) openScript(t *sdk.Task, path string) (*os.File, error) {
	const flag = os.O_RDONLY | syscall.O_NONBLOCK
	if filepath.IsAbs(path) {
		if err := h.fence.path(path); err != nil { // before it is open: its close would take SQLite's locks away
			return nil, err
		}
		return os.OpenFile(path, flag, 0)
	}
	dir, err := t.MakeWorkspace()
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	if info, err := root.Stat(path); err != nil {
		return nil, err
	} else if err := h.fence.check(filepath.Join(dir, path), info); err != nil {
		return nil, err
	}
	return root.OpenFile(path, flag, 0)
}

// load gives the script.
func (h *Handler) load(t *sdk.Task, p params) (string, error) {
	if p.Statement != "" {
		return p.Statement, nil
	}
	f, err := h.openScript(t, p.File)
	if err != nil {
		return "", fmt.Errorf("file: %w", err)
	}
	defer f.Close()
	if err := h.fence.descriptor(int(f.Fd())); err != nil {
		return "", fmt.Errorf("file: %w", err)
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", fmt.Errorf("file: %s is not a plain file", p.File)
	}
	data, err := io.ReadAll(io.LimitReader(f, maxScript+1))
	if err != nil {
		return "", fmt.Errorf("file: %w", err)
	}
	if len(data) > maxScript {
		return "", fmt.Errorf("file: more than %d bytes", maxScript)
	}
	return strings.TrimPrefix(string(data), "\ufeff"), nil
}
