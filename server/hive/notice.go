package hive

import "time"

// Later is a session of this server that an executor has heard of and that the database does not know: its epoch is at
// least that of the server's own session.
type Later struct {
	Executor string // name
	Epoch    int64
}

// NoticedAttempt is an attempt that an executor has and that the database does not.
type NoticedAttempt struct {
	Executor string `json:"executor"` // name
	ID       int64  `json:"id"`
	Key      string `json:"key"`
	BatchID  int64  `json:"batchId"`
	Schedule string `json:"schedule"` // empty if the executor did not say it, or there was none
	Task     string `json:"task"`
	Running  bool   `json:"running"` // when it was found; it was ended then
}

// MaxNoticed is how many attempts a notice names; of more it has the number only.
const MaxNoticed = 50

// Notice says that the database went back to an earlier state (it was restored from a backup, say), and by what that
// was noticed. One notice gathers all that is found until somebody dismisses it.
type Notice struct {
	ID int64     `json:"id"`
	At time.Time `json:"at"` // it was noticed first
	// the latest session that an executor had heard of; 0: none did
	Epoch       int64            `json:"epoch,omitempty"`
	Session     int64            `json:"session"`   // the epoch that this server took last to be heard
	Executors   []string         `json:"executors"` // names of those that had heard of a later session
	Running     int              `json:"running"`   // attempts that the database did not know and that ran
	Ended       int              `json:"ended"`     // and that had ended
	Attempts    []NoticedAttempt `json:"attempts"`  // the first of them
	DismissedAt time.Time        `json:"dismissedAt,omitzero"`
	DismissedBy string           `json:"dismissedBy,omitempty"` // user name
}
