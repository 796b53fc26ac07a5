package state

import (
	"time"

	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
)

// Event is something that happened to a batch or to one of its attempts. The types below are the only ones.
type Event interface {
	// apply changes the machine through p, or returns an error and changes nothing.
	apply(p *transition) error
}

// Start begins a queued batch. Every task that can start, be skipped or be ignored is decided.
type Start struct{}

// Offered creates an attempt of a ready run for one executor. Attempt is a new id.
type Offered struct {
	Run          int // number
	Attempt      int64
	Key          string // see hive.AttemptRef
	Executor     string // id
	ExecutorName string
	Scheduling   *hive.Scheduling // how the executor was chosen; nil if there was no choice
}

// Rendered keeps what the params of a new attempt were rendered to, as JSON for people. It changes no state.
type Rendered struct {
	Attempt int64
	Params  string
}

// Started is an executor's receipt. At is the moment of the start on the server's clock; zero is now.
type Started struct {
	Attempt int64
	At      time.Time
}

// Returned reports that an attempt without a receipt will never start where it was offered, because the executor is
// busy, drains, or keeps a tombstone of the attempt. Its run is ready again; the attempt is not counted.
type Returned struct {
	Attempt  int64
	Note     hive.Sentence
	Rejected bool // the executor was busy or drains
}

// Noted adds a line to an attempt, for instance about an offer that could not be delivered.
type Noted struct {
	Attempt int64
	Note    hive.Sentence
}

// Refused reports that the executor will never run the attempt. Its run fails at once and is not retried.
type Refused struct {
	Attempt int64
	Words   hive.Sentence
}

// Ended tells how the work of an attempt ended: with success, failure, timeout or killed. Times are on the server's
// clock. A zero end means now; a zero start means the time of the receipt.
type Ended struct {
	Attempt    int64
	Outcome    hive.Outcome
	ExitCode   *int
	Error      hive.Sentence
	Outputs    map[string]string
	StartedAt  time.Time
	FinishedAt time.Time
	LogBytes   int64
	NoRetry    bool // the executor asks not to retry a failure or timeout
}

// Silent reports that the executor of an attempt does not answer.
type Silent struct{ Attempt int64 }

// Back reports that the executor of a silent attempt answers again and still has the attempt.
type Back struct{ Attempt int64 }

// Lost reports that an attempt is lost, because its executor's lease ended or because the executor reports it.
type Lost struct {
	Attempt int64
	Words   hive.Sentence
	RunOnly bool // the executor only offers the blocking run: onLost is hold unless it is written
	Hold    bool // nothing makes sure that the work has stopped (orphanTimeout 0): retry acts as hold
}

// Due applies the timeouts of jobs and of the batch that have passed. NextTimer returns when the next one is due.
type Due struct{}

// Wish sets the request of people to the batch: run, pause or cancel.
type Wish struct {
	Wish   hive.Wish
	Reason hive.Reason // of a cancel; batch_canceled when empty
}

// ApplyPlan computes a repair plan and carries it out. It conflicts if Request.Hash is set and differs from the plan's.
type ApplyPlan struct {
	Request  hive.PlanRequest
	Latest   *graph.Graph // of Revision; nil: the batch continues with its own revision
	Revision hive.Revision
	By       string
	RunIDs   int64 // ids available for runs that the plan adds; a plan that needs more is refused
}

// Step holds the changes of one event. Rows are read from the machine.
type Step struct {
	Runs         []int // numbers of changed runs, in the order of their first change
	BatchChanged bool
	Attempts     []int64    // ids of changed and new attempts; ended ones stay readable until Forget
	Plan         *hive.Plan // what ApplyPlan has carried out
	NewRuns      []int      // numbers of runs that a later revision added; also in Runs. Their ids are set by SetRunID
	History      []hive.Run // rows before a plan opened the next round
	Kills        []Kill
	Hooks        []hive.HookCall // ends that hooks follow
	Moves        []Move          // every transition, in order, for the log
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
