package hive

import "time"

// Later is a session of this server that an executor has heard of and that the database does not know. Its epoch is not
// lower than the epoch of the server's own session.
type Later struct {
	Executor string // name
	Epoch    int64
}

// NoticedAttempt is an attempt that an executor has and the database does not.
type NoticedAttempt struct {
	Executor string `json:"executor"` // name
	ID       int64  `json:"id"`
	Key      string `json:"key"`
	BatchID  int64  `json:"batchId"`
	Schedule string `json:"schedule"` // empty if the executor did not report it, or there was none
	Task     string `json:"task"`
	Running  bool   `json:"running"` // when it was found; it was killed then
}

// MaxNoticed is the number of attempts that a notice names. It only counts the others.
const MaxNoticed = 50

// Notice reports that the database went back to an earlier state (for example, it was restored from a backup), and the
// evidence. One notice gathers all evidence until somebody dismisses it.
type Notice struct {
	ID int64     `json:"id"`
	At time.Time `json:"at"` // when the first evidence was found
	// the latest session that an executor had heard of; 0: none did
	Epoch       int64            `json:"epoch,omitempty"`
	Session     int64            `json:"session"`   // the latest epoch that this server took in order to be accepted
	Executors   []string         `json:"executors"` // names of the executors that had heard of a later session
	Running     int              `json:"running"`   // attempts that the database did not know and that ran
	Ended       int              `json:"ended"`     // attempts that the database did not know and that had ended
	Attempts    []NoticedAttempt `json:"attempts"`  // the first of them
	DismissedAt time.Time        `json:"dismissedAt,omitzero"`
	DismissedBy string           `json:"dismissedBy,omitempty"` // user name
}
