package sdk

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// reserve is how much room, in bytes, the data folder must have for new attempts. Those that run need it for their ends
// and for the ends of their logs.
const reserve = 16 << 20

// noRoom says why no new attempt can be written down for now; empty if it can. Such an attempt would fail for a reason
// that another executor may not have.
func (e *Executor) noRoom() string {
	if err := e.journal.Stuck(); err != nil {
		return clean(fmt.Sprintf("this executor cannot write its journal: %v", err))
	}
	free, total, err := e.freeSpace(e.cfg.Data)
	if keep := min(reserve, total/10); err == nil && free < keep { // if the disk cannot be asked, writing finds out
		return fmt.Sprintf("the disk of this executor's data folder is full: %d MiB are free, and %d MiB are kept back",
			free>>20, keep>>20)
	}
	return ""
}

// setFull tells the ledger why there is no room, or that there is, and logs when that changes. The caller holds the
// lock.
func (e *Executor) setFull(reason string) {
	switch was := e.ledger.Full(); {
	case was == "" && reason != "":
		e.log.Warn("nothing new is taken until there is room", "reason", reason)
	case was != "" && reason == "":
		e.log.Info("there is room again; attempts are taken")
	}
	e.ledger.SetFull(reason)
}

var errUnknownRoom = errors.New("the file system does not say how much room it has")

// freeSpaceOf asks the file system of a folder how many bytes are free, and how many it has.
func freeSpaceOf(folder string) (free, total uint64, err error) {
	var s unix.Statfs_t
	if err := unix.Statfs(folder, &s); err != nil {
		return 0, 0, os.NewSyscallError("statfs", err)
	}
	if s.Blocks == 0 || s.Frsize <= 0 {
		return 0, 0, errUnknownRoom
	}
	return s.Bavail * uint64(s.Frsize), s.Blocks * uint64(s.Frsize), nil
}
