package state

import (
	"time"

	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
)

// Event is something that happened to a batch or to one of its attempts. The types below are all there are.
type Event interface {
	// apply changes the machine through p, or answers an error and changes nothing.
	apply(p *transition) error
}

// Start lets a queued batch begin: everything that can start, skip or be ignored is decided.
type Start struct{}

// Offered makes an attempt of a ready run, for one executor. Attempt is a new id.
type Offered struct {
	Run          int // number
	Attempt      int64
	Key          string // see hive.AttemptRef
	Executor     string // id
	ExecutorName string
}

// Started is an executor's receipt. At is the moment of the start on the server's clock; zero is now.
type Started struct {
	Attempt int64
	At      time.Time
}

// Returned says that an attempt without a receipt will never start where it was offered: BUSY, DRAINING, a tombstone.
// Its run is ready again and has lost nothing.
type Returned struct {
	Attempt int64
	Note    string
}

// Noted puts a line on an attempt: an offer that could not be delivered.
type Noted struct {
	Attempt int64
	Note    string
}

// Refused says that the executor will never run the attempt: its run fails at once, whatever its retries.
type Refused struct {
	Attempt int64
	Words   string
}

// Ended says how an attempt ended. Times are on the server's clock; zero ones are taken to be now, or the receipt's.
type Ended struct {
	Attempt    int64
	Outcome    hive.Outcome
	ExitCode   *int
	Error      string
	Outputs    map[string]string
	StartedAt  time.Time
	FinishedAt time.Time
	LogBytes   int64
}

// Silent says that the executor of an attempt does not answer.
type Silent struct{ Attempt int64 }

// Back says that the executor of a silent attempt answers again and has it still.
type Back struct{ Attempt int64 }

// Lost says that an attempt is gone: its executor's lease ended, or the executor itself says so.
type Lost struct {
	Attempt int64
	Words   string
	RunOnly bool // the executor only offers the blocking run: onLost is hold unless it is written
	Hold    bool // nothing makes sure that the work has stopped (orphanTimeout 0): retry acts as hold
}

// Due lets time act: the timeouts of jobs and of the batch. NextTimer says when.
type Due struct{}

// Wish is what people want of the whole batch.
type Wish struct {
	Wish   hive.Wish
	By     string
	Reason hive.Reason // of a cancel; batch_canceled when empty
}

// ApplyPlan computes a repair plan and carries it out. It conflicts if Request.Hash is set and differs from the plan's.
type ApplyPlan struct {
	Request  hive.PlanRequest
	Latest   *graph.Graph // of Revision; nil: the batch goes on with its own
	Revision hive.Revision
	By       string
	RunIDs   int64 // how many ids there are for runs that the plan adds; a plan that needs more is refused
}

// Step is what one event changed. Rows are read from the machine.
type Step struct {
	Runs         []int // numbers of changed runs, in the order of their first change
	BatchChanged bool
	Attempts     []int64    // ids of changed and new attempts; ended ones stay readable until Forget
	Plan         *hive.Plan // what ApplyPlan has carried out
	NewRuns      []int      // numbers of runs that a later revision added; also in Runs. Their ids are set by SetRunID
	History      []hive.Run // rows as they were before a plan opened the next round
	Kills        []Kill
	Moves        []Move // every transition, in order, for the log
}

// Move is one transition of a run through the table.
type Move struct {
	Run      int // number
	Event    RunEvent
	From, To hive.RunState
}

// Kill asks an executor to end an attempt.
type Kill struct {
	Attempt  int64
	Key      string
	Executor string // id
	Grace    time.Duration
	Reason   hive.Reason
}
