package hive

import (
	"errors"
	"fmt"
	"time"
)

// Group is the content of one commit by an owner's writer: everything that was added while the last commit ran. It
// commits as one transaction, or not at all.
type Group struct {
	Server string // the session's server id and epoch: checked first, against the database's clock
	Epoch  int64
	// Number counts the commits of the session, from 1. A retry after a lost answer repeats its number. The store
	// refuses a number that skips one: then the database was restored to an earlier state, and the session builds on
	// commits that the database has lost.
	Number  int64
	Batches []BatchWrite
	Limits  []LimitGuard // of the offers, by key
}

// BatchWrite is the part of a group that concerns one batch.
type BatchWrite struct {
	BatchID  int64
	Batch    *BatchChange // nil: the batch's own row stays
	NewRuns  []Run        // inserted first; a later revision's new tasks
	Runs     []RunChange
	Offers   []Attempt       // inserted
	Attempts []AttemptChange // by id
	History  []Run           // final rows of the round that ends, copied before Runs change them
	Commands []CommandDone
	Hooks    []HookCall // ends that hooks follow; inserted
}

// BatchChange sets the mutable columns of a batch. From guards it.
type BatchChange struct {
	From BatchState
	// To supplies these columns: RevisionID, State, Wish, Reason, Round, StartedAt, RoundAt, FinishedAt, PausedAt,
	// PausedFor, JobClocks, Live, ClosedNote and Counts.
	To Batch
	// Alone is set if a batch with ReasonQueued starts. It guards the row: no other batch of its schedule may run or be
	// about to, whichever server owns it.
	Alone bool
}

// RunChange is one guarded transition of a run's row.
type RunChange struct {
	From RunState // state of the stored row
	To   Run      // all mutable columns are written
}

// AttemptChange sets the mutable columns of an attempt. Ended attempts never change again: the row is guarded.
type AttemptChange struct {
	To Attempt
}

// CommandDone answers a command in the commit that applies it.
type CommandDone struct {
	ID     int64
	State  CommandState
	Answer []byte
	At     time.Time
}

// ErrSessionLost reports that the server's lease has ended or its epoch was taken over: drop everything, stop writing.
//
// Requests of people fail with it until the next session begins, within seconds.
var ErrSessionLost error = &Error{
	Code: CodeUnavailable, Reason: ErrorServerSession, Wait: 2 * time.Second,
	Words: "this server's session was taken over or has expired, and it takes the next one; nothing was changed: " +
		"try again in a " +
		"few seconds",
}

// ErrConnection wraps failures after which a group is stored completely or not at all: try the same group again.
var ErrConnection = errors.New("the database is out of reach")

// GuardError reports rows that were not in the state that a group expected. Nothing of the group was stored; the owner
// drops the named batches, loads them again, and writes the rest again.
type GuardError struct {
	Batches []int64
	Detail  string
	Limited bool // offers would have exceeded a limit
}

// Error names the batches.
func (e *GuardError) Error() string {
	return fmt.Sprintf("rows of batches %v have moved: %s", e.Batches, e.Detail)
}

// BatchSnapshot holds all stored rows of one batch that its owner needs.
type BatchSnapshot struct {
	Batch    Batch
	Revision Revision
	Runs     []Run     // by number
	Attempts []Attempt // not ended
	Commands []Command // pending
	// Calendars are the calendars as they were when the batch was created. Batches share the map: nobody changes it.
	Calendars map[string]Workdays
}
