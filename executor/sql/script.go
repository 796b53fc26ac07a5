package sql

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/rprp/hivego/executor/internal/message"
	"github.com/rprp/hivego/executor/sdk"
)

// openScript opens a script. It does not block if the path is a pipe. A relative path cannot leave the schedule's
// folder, not even through symbolic links.
func (h *Handler) openScript(t *sdk.Task, path string) (*os.File, error) {
	const flag = os.O_RDONLY | syscall.O_NONBLOCK
	if filepath.IsAbs(path) {
		// The check comes before the file is opened: closing a database file would release SQLite's locks on it.
		if err := h.fence.checkPath(path); err != nil {
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

// loadScript returns the statements of a task as text.
func (h *Handler) loadScript(t *sdk.Task, p params) (string, error) {
	if p.Statement != "" {
		return p.Statement, nil
	}
	f, err := h.openScript(t, p.File)
	if err != nil {
		return "", fmt.Errorf("file: %w", err)
	}
	defer f.Close()
	if err := h.fence.checkDescriptor(int(f.Fd())); err != nil {
		return "", fmt.Errorf("file: %w", err)
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", message.Errorf(message.SQLNotFile, "file: ‹path› is not a plain file", "path", p.File)
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
