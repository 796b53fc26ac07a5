package hive

import (
	"encoding/json"
	"time"
)

// JobView is what the task runs of a job in a batch amount to.
type JobView struct {
	Key        string
	State      RunState      // see graph.RollUp
	Counts     Counts        // of its runs by state
	Done       int           // runs that need nothing more
	Total      int           // runs
	StartedAt  time.Time     // the first start in its current round; zero if none has started
	FinishedAt time.Time     // the last end; zero until all its runs are final
	Took       time.Duration // from StartedAt to FinishedAt, or until now
}

// Share returns how much of the job is done, from 0 to 1.
func (j *JobView) Share() float64 {
	if j.Total == 0 {
		return 0
	}
	return float64(j.Done) / float64(j.Total)
}

// BatchView is a batch for people: the stored state, and the values that only its owner has.
type BatchView struct {
	Batch Batch
	Runs  []RunView // by number; nil if they were not asked for
	Jobs  []JobView // in the order of Runs; nil without them
	Stuck Sentence  // why the server cannot load or store it; empty if it can
}

// RunView is a task run for people.
type RunView struct {
	Run
	Executor    string      // name of the executor of its latest attempt
	Error       string      // why it failed; empty if it did not
	ErrorReason *TextReason // of Error; nil if it has none
	Progress    *float64    // 0 to 1, if the task reports it
	WaitReason  WaitReason  // of a ready run without an attempt: why no executor takes it
	WaitFor     string      // with WaitReason: the name of the executor that must take it, or a LimitKey; may be empty
}

// Equal reports whether two views of a run agree in all fields.
func (r *RunView) Equal(o *RunView) bool {
	return r.Run.Equal(&o.Run) && r.Executor == o.Executor && r.Error == o.Error &&
		r.ErrorReason.Equal(o.ErrorReason) &&
		equalValues(r.Progress, o.Progress) && r.WaitReason == o.WaitReason && r.WaitFor == o.WaitFor
}

// AttemptView is an attempt with the key of its task.
type AttemptView struct {
	Attempt
	Task  string
	Shard *int // index of a shard; nil for a task that is not sharded
}

// RunRequest asks for a manual batch of a schedule, or for an adhoc batch of one of its tasks.
type RunRequest struct {
	Schedule string
	Task     string         // key; empty: the whole schedule
	Params   map[string]any // of declared names only
	At       time.Time      // logical time; zero: now
	By       string
	Key      string // idempotency key; empty: none
}

// RepairRequest asks for a repair plan or its application. It names the revision by number, as people do.
type RepairRequest struct {
	PlanRequest
	Batch    int64
	Latest   bool  // use the newest revision of the schedule
	Revision int64 // use the revision of this number; 0: the batch's own
	By       string
	Key      string // idempotency key; empty: none
}

// WishRequest asks for a wish of a batch.
type WishRequest struct {
	Batch int64
	Wish  Wish
	Note  string
	By    string
	Key   string // idempotency key; empty: none
}

// ScheduleView is a schedule with its newest revision.
type ScheduleView struct {
	Schedule   Schedule
	Title      string // of the newest revision, like all fields up to Tasks
	Tags       []string
	Owners     []string
	Timezone   string
	Triggers   []string        // as Trigger.String
	Tasks      int             // number of tasks
	Revision   Revision        // the newest; without its document in lists
	Definition json.RawMessage // the revision as JSON; nil in lists
	NextAt     []time.Time     // the next moments at which it is due by its triggers
	Finished   Finished        // why its triggers make no more batches; empty if they may
	Recent     []Batch         // its latest batches, oldest first, with their counts
	Usual      time.Duration   // the usual duration; 0 if unknown
	Open       int             // how many of its batches failed and nobody has settled

	WaitsForArchived []string // archived schedules that its triggers name; these are not waited for
}

// Finished is why the triggers of a schedule make no more batches.
type Finished string

// The values of Finished.
const (
	FinishedMaxBatches Finished = "max_batches" // it has made all batches that policy.maxBatches allows
	FinishedEnded      Finished = "ended"       // it has triggers, and none has a moment any more
)

// Overview is the state of the whole system in a few numbers.
type Overview struct {
	NeedsPerson int // batches that cannot continue without a person
	Running     int
	Queued      int
	Late        int // live for twice the usual duration, or queued a minute after their moment
	Succeeded   int // of the batches that ended in the last 30 days, without adhoc batches
	Ended       int
}

// RevisionView is a revision with its document as JSON.
type RevisionView struct {
	Revision
	Definition json.RawMessage
}

// Verdict is the result of the check of a document.
type Verdict struct {
	Valid     bool
	Name      string // of the schedule, if it can be read
	Canonical string // if valid: what would be stored
	Hash      string // of Canonical
	Faults    []Fault
}

// SaveRequest asks for a document to become the newest revision of a schedule.
type SaveRequest struct {
	Name     string // must be the name in the document
	Document []byte // YAML or JSON
	Base     int64  // as in SaveSchedule
	Fresh    bool   // as in SaveSchedule
	By       string
	Note     string // one line; empty: none
}

// Saved is the result of a SaveRequest.
type Saved struct {
	Schedule Schedule
	Revision Revision
	Changed  bool    // a new revision was made
	Faults   []Fault // warnings
}

// MaxLogPart is the number of bytes in one read of a log, for people and for copies.
const MaxLogPart = 1 << 20

// LogPart is a piece of an attempt's log.
type LogPart struct {
	Data     []byte
	Offset   int64 // of the first byte of Data
	Size     int64 // bytes of the log so far
	Complete bool  // it will not grow any more
}

// LogQuery selects a line of a log: by its number, by a text, or, without either, the line of the error.
type LogQuery struct {
	Line      int64  // 1 for the first; 0: not by number
	Text      string // the case of the letters A to Z does not matter
	From      int64  // search lines that begin at this byte or later; backwards: before it, 0 being the end
	Next      bool   // without a text: find the next line that reports an error, not the one that made the attempt fail
	Backwards bool
}

// LogPlace is a line of a log, if it was found.
type LogPlace struct {
	Found    bool
	Offset   int64 // of its first byte
	Line     int64 // its number; 0 if counting takes too long
	Next     int64 // where the next search begins
	Size     int64 // bytes of the log so far
	Complete bool  // the complete log was searched
}

// ExecutorState is the state of the contact to an executor. A person decides independently whether it is offline.
type ExecutorState string

// The states of an executor.
const (
	ExecutorOnline     ExecutorState = "online"
	ExecutorDraining   ExecutorState = "draining"   // it answers, and accepts nothing new
	ExecutorConnecting ExecutorState = "connecting" // it was called just now, and may still answer
	ExecutorSilent     ExecutorState = "silent"     // out of reach; its lease may still run
	ExecutorLost       ExecutorState = "lost"       // out of reach, and its lease has ended
)

// ExecutorStates lists the states of the contact to an executor.
func ExecutorStates() []ExecutorState {
	return []ExecutorState{ExecutorOnline, ExecutorDraining, ExecutorConnecting, ExecutorSilent, ExecutorLost}
}

// ExecutorView is an executor with the state of its connection.
type ExecutorView struct {
	Executor
	State   ExecutorState
	Running int      // attempts that it has
	Trouble Sentence // why the latest call failed; empty if it did not
}

// Identity is the user or program for which a request acts: a token or a session.
type Identity struct {
	User    User
	Token   Token   // without an id in a session
	Session Session // without an id for a token
	CSRF    string  // of a session: the token that its pages send to prove their origin
}

// Check is the state of one dependency of a server.
type Check struct {
	Name string
	Err  error // nil: no problem
	// Degraded reports that the server can serve in spite of Err: it is ready, but a person must act.
	Degraded bool
}

// ServerInfo is the identity of a server.
type ServerInfo struct {
	Server
	Cluster string
}
