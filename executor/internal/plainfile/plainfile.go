// Package plainfile opens files in folders that tasks can write to. A task may have put anything in their place: a pipe
// that nobody else opens would hold the reader for ever, a link to a device would never end.
package plainfile

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// ErrOther says that something else than a plain file is there.
var ErrOther = errors.New("there is no plain file in its place, but a link, a pipe, a folder or a device")

// Open opens a file as os.OpenFile does, without waiting and without following a link at the end of path. Errors are
// ErrOther and those of os.OpenFile.
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
