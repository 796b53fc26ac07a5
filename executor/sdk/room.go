package sdk

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// reserve is how much room, in bytes, the data folder must have for new attempts. Those that run need it for their ends and
// for the last words of their logs.
const reserve = 16 << 20

// full says why no new attempt can be written down for now; empty: it can. Such an attempt would fail for a reason that is not
// its own, and that another executor may not have.
func (e *Executor) full() string {
	if err := e.journal.Stuck(); err != nil {
		return clean(fmt.Sprintf("this executor cannot write its journal: %v", err))
	}
	free, err := e.free(e.cfg.Data)
	if err == nil && free < reserve { // what cannot be asked is found out by writing
		return fmt.Sprintf("the disk of this executor's data folder is full: %d MiB are free, and %d MiB are kept back",
			free>>20, reserve>>20)
	}
	return ""
}

// freeBytes asks the file system of a folder.
func freeBytes(folder string) (uint64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(folder, &s); err != nil {
		return 0, os.NewSyscallError("statfs", err)
	}
	return s.Bavail * uint64(max(s.Frsize, 0)), nil
}
