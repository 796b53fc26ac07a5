// Package plainfile opens files in folders that tasks can write to. A task may have replaced the file: opening a pipe
// could block forever, and a link to a device could yield data without end.
package plainfile

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// ErrOther means that the path is not a plain file.
var ErrOther = errors.New("there is no plain file in its place, but a link, a pipe, a folder or a device")

// Open opens a file like os.OpenFile, but does not block and does not follow a link at the end of path. Its errors wrap
// ErrOther or come from os.OpenFile.
func Open(path string, flag int, mode os.FileMode) (*os.File, error) {
	f, err := os.OpenFile(path, flag|unix.O_NOFOLLOW|unix.O_NONBLOCK, mode)
	switch {
	case errors.Is(err, unix.ELOOP), errors.Is(err, unix.ENXIO), errors.Is(err, unix.EISDIR):
		return nil, fmt.Errorf("%s: %w", path, ErrOther)
	case err != nil:
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: %w", path, ErrOther)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}
