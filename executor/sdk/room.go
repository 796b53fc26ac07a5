package sdk

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// reserve is how much room, in bytes, the data folder must have for new attempts. Those that run need it for their ends
// and for the last words of their logs.
const reserve = 16 << 20

// full says why no new attempt can be written down for now; empty: it can. Such an attempt would fail for a reason that
// is not its own, and that another executor may not have.
func (e *Executor) full() string {
	if err := e.journal.Stuck(); err != nil {
		return clean(fmt.Sprintf("this executor cannot write its journal: %v", err))
	}
	free, total, err := e.room(e.cfg.Data)
	if keep := min(reserve, total/10); err == nil && free < keep { // what cannot be asked is found out by writing
		return fmt.Sprintf("the disk of this executor's data folder is full: %d MiB are free, and %d MiB are kept back",
			free>>20, keep>>20)
	}
	return ""
}

// setFull tells the ledger whether there is room, and the log when that changes. The caller holds the lock.
func (e *Executor) setFull(words string) {
	switch was := e.ledger.Full(); {
	case was == "" && words != "":
		e.log.Warn("nothing new is taken until there is room", "reason", words)
	case was != "" && words == "":
		e.log.Info("there is room again; attempts are taken")
	}
	e.ledger.SetFull(words)
}

var errUnknownRoom = errors.New("the file system does not say how much room it has")

// roomOf asks the file system of a folder how many bytes are free, and how many it has.
func roomOf(folder string) (free, total uint64, err error) {
	var s unix.Statfs_t
	if err := unix.Statfs(folder, &s); err != nil {
		return 0, 0, os.NewSyscallError("statfs", err)
	}
	if s.Blocks == 0 || s.Frsize <= 0 {
		return 0, 0, errUnknownRoom
	}
	return s.Bavail * uint64(s.Frsize), s.Blocks * uint64(s.Frsize), nil
}
