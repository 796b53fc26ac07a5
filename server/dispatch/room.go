package dispatch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/rprp/hivego/server/hive"
)

// The room that copies of logs leave to others on their file system, the database above all: a hundredth of it, within
// these bounds, and never more than a tenth.
const (
	leastReserve = 64 << 20
	mostReserve  = 1 << 30
)

// room says whether logs may be copied now.
type room struct {
	dir     string
	left    func(dir string) (free, total uint64, err error)
	failing func() bool // nothing can be stored in the database: what is free is left for that

	mu   sync.Mutex
	poor bool // there was too little at the last look
}

// errNoRoom says that a copy has to wait.
var errNoRoom = errors.New("there is no room for copies of logs")

func newRoom(dir string) *room {
	return &room{dir: dir, left: onDisk, failing: func() bool { return false }}
}

// look answers why nothing may be copied now, nil: it may; and whether that has changed since the last look.
func (r *room) look() (changed bool, why error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	why = r.refuse()
	changed = r.poor != (why != nil)
	r.poor = why != nil
	return changed, why
}

func (r *room) refuse() error {
	if r.failing() {
		return fmt.Errorf("%w: nothing can be stored in the database now, which may need it", errNoRoom)
	}
	free, total, err := r.left(r.dir)
	keep := min(max(total/100, leastReserve), mostReserve, total/10)
	if r.poor {
		keep += keep / 4 // not to and fro
	}
	if err == nil && free < keep { // else writing will tell
		return fmt.Errorf("%w: %d MiB are free on the disk of %s, and %d MiB are kept free for the database",
			errNoRoom, free>>20, r.dir, keep>>20)
	}
	return nil
}

// onDisk asks the file system of a folder, which may not be there yet.
func onDisk(dir string) (free, total uint64, err error) {
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

// mayCopy asks whether there is room, and logs when that changes.
func (c *copier) mayCopy() error {
	changed, why := c.room.look()
	switch {
	case changed && why != nil:
		c.log.Warn("logs are not copied for now; their executors keep them", "reason", why)
	case changed:
		c.log.Info("there is room again; logs are copied")
	}
	return why
}

// giveBack removes a copy that filled the disk. The executor still has the log.
func (c *copier) giveBack(attempt hive.AttemptRef, err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		err = errors.Join(err, os.Remove(c.path(attempt, partLog)))
	}
	return err
}
