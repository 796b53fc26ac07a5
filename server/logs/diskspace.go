package logs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/rprp/hivego/server/hive"
)

// Copies of logs leave a hundredth of their file system free for other uses, most of all the database. The reserve is
// within these bounds, and never more than a tenth.
const (
	minReserve = 64 << 20
	maxReserve = 1 << 30
)

// diskSpace decides whether logs may be copied at present.
type diskSpace struct {
	dir     string
	measure func(dir string) (free, total uint64, err error)
	failing func() bool // reports that nothing can be stored in the database, which may need the space

	mu    sync.Mutex
	short bool // there was not enough at the last check
}

// errNoSpace reports that a copy must wait.
var errNoSpace = errors.New("there is no room for copies of logs")

func newDiskSpace(dir string) *diskSpace {
	return &diskSpace{dir: dir, measure: MeasureDisk, failing: func() bool { return false }}
}

// check returns why nothing may be copied at present (nil if it may), and whether that has changed since the last
// check.
func (d *diskSpace) check() (changed bool, why error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	why = d.refuse()
	changed = d.short != (why != nil)
	d.short = why != nil
	return changed, why
}

func (d *diskSpace) refuse() error {
	if d.failing() {
		return fmt.Errorf("%w: nothing can be stored in the database now, which may need it", errNoSpace)
	}
	return d.lacks()
}

// lacks returns what the disk lacks; nil if it has enough free space.
func (d *diskSpace) lacks() error {
	free, total, err := d.measure(d.dir)
	keep := min(max(total/100, minReserve), maxReserve, total/10)
	if d.short {
		keep += keep / 4 // so that it does not change at every check
	}
	if err == nil && free < keep { // with an error, writing shows whether there is space
		return fmt.Errorf("%w: %d MiB are free on the disk of %s, and %d MiB are kept free for the database",
			errNoSpace, free>>20, d.dir, keep>>20)
	}
	return nil
}

// Size returns the bytes of the files of a folder of logs, as the file system counts them. With many logs it takes
// seconds.
func Size(ctx context.Context, dir string) (int64, error) {
	var sum int64
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // it was removed meanwhile
		}
		if err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		info, err := d.Info()
		if err != nil {
			return nil //nolint:nilerr // likewise
		}
		if s, ok := info.Sys().(*syscall.Stat_t); ok {
			sum += s.Blocks * 512
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("measure the logs: %w", err)
	}
	return sum, nil
}

// MeasureDisk returns the free and total bytes of the file system of a folder, which need not exist yet.
func MeasureDisk(dir string) (free, total uint64, err error) {
	var s syscall.Statfs_t
	for {
		err = syscall.Statfs(dir, &s)
		up := filepath.Dir(dir)
		if !errors.Is(err, fs.ErrNotExist) || up == dir {
			break
		}
		dir = up
	}
	if err != nil {
		return 0, 0, os.NewSyscallError("statfs", err)
	}
	size := uint64(max(s.Frsize, 0))
	return s.Bavail * size, s.Blocks * size, nil
}

// mayCopy returns why nothing may be copied at present, and logs a change.
func (s *Store) mayCopy() error {
	changed, why := s.space.check()
	switch {
	case changed && why != nil:
		s.cfg.Log.Warn("logs are not copied for now; their executors keep them", "reason", why)
	case changed:
		s.cfg.Log.Info("there is room again; logs are copied")
	}
	return why
}

// DiskShort returns why the disk of the copies is short of space; nil if it has enough.
func (s *Store) DiskShort() error {
	s.space.mu.Lock()
	defer s.space.mu.Unlock()
	return s.space.lacks()
}

// removeIfFull removes a copy that filled the disk. The executor still has the log.
func (s *Store) removeIfFull(attempt hive.AttemptRef, err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		err = errors.Join(err, os.Remove(s.path(attempt, partLog)))
	}
	return err
}
