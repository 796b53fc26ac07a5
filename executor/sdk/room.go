package sdk

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/rprp/hivego/executor/internal/message"
)

// reserve is how many bytes must be free in the data folder before new attempts are accepted. Running attempts need
// them for their ends and for the ends of their logs.
const reserve = 16 << 20

// noRoom returns why no new attempt can be stored now, and an empty text if one can. Accepting such an attempt would
// make it fail for a reason that another executor may not have.
func (e *Executor) noRoom() message.Text {
	if err := e.journal.WriteError(); err != nil {
		return message.Plain(clean(fmt.Sprintf("this executor cannot write its journal: %v", err)))
	}
	free, total, err := e.freeSpace(e.cfg.Data)
	if keep := min(reserve, total/10); err == nil && free < keep { // if the disk cannot be asked, writing finds out
		return message.New(message.ExecutorDisk,
			"the disk of this executor's data folder is full: ‹free› MiB are free, and ‹kept› MiB are kept back",
			"free", free>>20, "kept", keep>>20)
	}
	return message.Text{}
}

// setFull passes the reason of noRoom to the ledger, and logs a change. The caller holds the lock.
func (e *Executor) setFull(reason message.Text) {
	switch was := e.ledger.Full().Words; {
	case was == "" && reason.Words != "":
		e.log.Warn("nothing new is taken until there is room", "reason", reason.Words)
	case was != "" && reason.Words == "":
		e.log.Info("there is room again; attempts are taken")
	}
	e.ledger.SetFull(reason)
}

var errUnknownRoom = errors.New("the file system does not say how much room it has")

// freeSpaceOf returns how many bytes are free in the file system of a folder, and its size.
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
