package hive

import (
	"encoding/json"
	"time"
)

// BatchView is a batch as people see it: what is stored, with what only its owner knows beside.
type BatchView struct {
	Batch Batch
	Runs  []RunView // by number; nil if they were not asked for
	Stuck string    // its changes cannot be stored: why
}

// RunView is a task run as people see it.
type RunView struct {
	Run
	Executor    string      // name of the executor of its latest attempt
	Error       string      // why it failed; empty if it did not
	ErrorReason *TextReason // of Error; nil if it has none
	Progress    *float64    // 0 to 1, if the task tells
	WaitReason  WaitReason  // of a ready run without an attempt: why no executor takes it
}

// Equal says whether two views of a run agree in all fields.
func (r *RunView) Equal(o *RunView) bool {
	return r.Run.Equal(&o.Run) && r.Executor == o.Executor && r.Error == o.Error &&
		r.ErrorReason.Equal(o.ErrorReason) &&
		equalValues(r.Progress, o.Progress) && r.WaitReason == o.WaitReason
}

// AttemptView is an attempt with the key of its task.
type AttemptView struct {
	Attempt
	Task string
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

// RepairRequest asks for a repair plan or its application, naming the revision as people do.
type RepairRequest struct {
	PlanRequest
	Batch    int64
	Latest   bool  // go on with the newest revision of the schedule
	Revision int64 // or with the revision of this number; 0: the batch's own
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
	Title      string // of the newest revision, as what follows
	Timezone   string
	Triggers   []string        // the crons
	Tasks      int             // how many it has
	Revision   Revision        // the newest; without its document in lists
	Definition json.RawMessage // the revision as JSON; nil in lists
	NextAt     []time.Time     // the next moments at which it is due by its triggers
	Recent     []Batch         // its latest batches, oldest first, with their counts
	Usual      time.Duration   // as Usual answers; 0 if it is not known
}

// Overview is the state of everything in a few numbers.
type Overview struct {
	NeedsPerson int // batches that nothing will go on with by itself
	Running     int
	Queued      int
	Late        int // live, and for twice as long as is usual, or queued a minute after their moment
	Succeeded   int // of those that ended in the last 30 days, adhoc ones left out
	Ended       int
}

// RevisionView is a revision with its document as JSON.
type RevisionView struct {
	Revision
	Definition json.RawMessage
}

// Verdict is what a check of a document finds.
type Verdict struct {
	Valid     bool
	Name      string // of the schedule, if it can be read
	Canonical string // if valid: what would be stored
	Hash      string // of Canonical
	Faults    []Fault
}

// SaveRequest asks for a document to become the newest revision of a schedule.
type SaveRequest struct {
	Name     string // must be the document's own
	Document []byte // YAML or JSON
	Base     int64  // as in SaveSchedule
	Fresh    bool   // as in SaveSchedule
	By       string
	Note     string // one line; empty: none
}

// Saved says what became of a SaveRequest.
type Saved struct {
	Schedule Schedule
	Revision Revision
	Changed  bool    // a new revision was made
	Faults   []Fault // warnings
}

// LogPart is a piece of an attempt's log.
type LogPart struct {
	Data     []byte
	Offset   int64 // of the first byte of Data
	Size     int64 // bytes of the log so far
	Complete bool  // it will not grow any more
}

// LogQuery says what to find in a log: a line by its number, a text, or, without either, the error.
type LogQuery struct {
	Line      int64  // 1 for the first; 0: none is asked for
	Text      string // in any case of the letters A to Z
	From      int64  // the lines that begin at this byte or later; backwards: before it, 0 being the end
	Next      bool   // without a text: the next line that tells of an error, not the one that made the attempt fail
	Backwards bool
}

// LogPlace is a line of a log, if it was found.
type LogPlace struct {
	Found    bool
	Offset   int64 // of its first byte
	Line     int64 // its number; 0 if counting takes too long
	Next     int64 // where to go on
	Size     int64 // bytes of the log so far
	Complete bool  // all there was to search was searched
}

// ExecutorState is what the server hears of an executor. It is apart from offline, which a person decides.
type ExecutorState string

// The states of an executor.
const (
	ExecutorOnline     ExecutorState = "online"
	ExecutorDraining   ExecutorState = "draining"   // it answers, and takes nothing new
	ExecutorConnecting ExecutorState = "connecting" // it was called just now, and may yet answer
	ExecutorSilent     ExecutorState = "silent"     // out of reach; its lease may still run
	ExecutorLost       ExecutorState = "lost"       // out of reach, and its lease has ended
)

// ExecutorView is an executor with what its live session says.
type ExecutorView struct {
	Executor
	State   ExecutorState
	Running int      // attempts that it has
	Trouble Sentence // why it cannot be reached, by the latest try; empty if it can
}

// Identity is on whose behalf a request acts: somebody's token or session.
type Identity struct {
	User    User
	Token   Token   // without an id in a session
	Session Session // without an id for a token
	CSRF    string  // of a session: what its pages send along to prove that they are its pages
}

// Check is one thing that a server depends on.
type Check struct {
	Name string
	Err  error // nil: it is well
	// Degraded says that Err does not stop the server from serving: it is ready, but a person must look.
	Degraded bool
}

// ServerInfo is the identity of a server.
type ServerInfo struct {
	Server
	Cluster string
}
