package hive

import (
	"cmp"
	"strconv"
	"strings"
	"time"
)

// AttemptRef identifies an attempt. The id comes from a counter of the database and repeats when the database goes back
// to an earlier state; the key is random and never repeats. The same id with another key is another attempt.
type AttemptRef struct {
	ID  int64
	Key string
}

// maxKey is the greatest length of a key in characters.
const maxKey = 64

// Valid reports whether a server may have made the key. Keys become parts of file names, so other keys from outside
// must not be used.
func (r AttemptRef) Valid() bool {
	return len(r.Key) <= maxKey && !strings.ContainsFunc(r.Key, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_'
	})
}

// Name returns the reference as text, for names of files: the id, and the key if there is one.
func (r AttemptRef) Name() string {
	if r.Key == "" {
		return strconv.FormatInt(r.ID, 10)
	}
	return strconv.FormatInt(r.ID, 10) + "-" + r.Key
}

// AttemptOfLog returns the attempt of the file NAME.log with its complete log; ok is false for any other file.
func AttemptOfLog(file string) (r AttemptRef, ok bool) {
	name, ok := strings.CutSuffix(file, ".log")
	text, key, _ := strings.Cut(name, "-")
	id, err := strconv.ParseInt(text, 10, 64)
	r = AttemptRef{ID: id, Key: key}
	return r, ok && err == nil && id > 0 && r.Valid() && r.Name() == name
}

// Compare orders references by id, then by key.
func (r AttemptRef) Compare(o AttemptRef) int {
	return cmp.Or(cmp.Compare(r.ID, o.ID), cmp.Compare(r.Key, o.Key))
}

// TraceVariable is the environment variable with the trace context of an attempt, by the W3C recommendation. No param
// can have its name.
const TraceVariable = "TRACEPARENT"

// Assignment is the complete input of an executor for one attempt, with rendered params. It only depends on stored
// rows.
type Assignment struct {
	Attempt   int64
	Key       string // of the attempt
	Executor  string // executor id
	Handler   string
	Params    []byte            // JSON by the handler's schema, rendered
	Env       map[string]string // beside a clean environment
	Values    []byte            // JSON: typed parameters of the batch, for bind values
	RunID     int64
	BatchID   int64
	Schedule  string // empty for adhoc
	Job       string
	Task      string
	Number    int
	Round     int
	Shard     *Shard        // nil if the task is not sharded
	Timeout   time.Duration // from the executor's receipt; 0 is none
	KillGrace time.Duration
	Moment    time.Time
	Workspace string // folder that the tasks of a schedule share
	Secrets   []SecretUse
	// Connections are the names in its params that may be those of connections of the server.
	Connections []string
}

// SecretUse is a place in the params of an assignment where the value of a secret belongs.
type SecretUse struct {
	Name string
	Mark string // stands in Params for the value
	JSON bool   // the mark is inside a JSON string, so the value is escaped
}

// Requirement holds the requirements of a task for its executor.
type Requirement struct {
	Group    string
	Handler  string
	Executor string // name, if pinned
	Labels   map[string]string
	Selector Selector
	RouteSetting
	Bucket int    // of consistent_hash, see RouteBucket
	Bound  string // id of the only executor that may have it, for the shard of a broadcast; empty for any
}

// ExecutorRef names an executor.
type ExecutorRef struct{ ID, Name string }

// WaitReason is a code for why no executor can take a task now. Package batch turns it into a sentence.
type WaitReason string

// The reasons to wait.
const (
	WaitNone      WaitReason = ""
	WaitNoGroup   WaitReason = "no_executor" // the group has no executor
	WaitNoHandler WaitReason = "no_handler"  // no executor of the group offers the handler
	WaitNoMatch   WaitReason = "no_match"    // no executor of the group has the labels or the name
	WaitOffline   WaitReason = "offline"     // taken offline by hand, or draining
	WaitSilent    WaitReason = "silent"      // out of reach
	WaitBusy      WaitReason = "busy"        // all slots are taken
	WaitPool      WaitReason = "pool"        // its pool has too few free slots, or does not exist
	WaitLimit     WaitReason = "limit"       // a limit on what runs is reached
	// WaitGone is for the shard of a broadcast only: its executor was out of contact until its lease ended, or was
	// deleted. Nobody sees it, because the shard fails at once.
	WaitGone WaitReason = "gone"
)

// AttemptEventKind is the kind of an event of an attempt.
type AttemptEventKind string

// The kinds of attempt events.
const (
	EventStarted  AttemptEventKind = "started"
	EventReturned AttemptEventKind = "returned" // never started; free to go elsewhere
	EventNoted    AttemptEventKind = "noted"
	EventRefused  AttemptEventKind = "refused"
	EventProgress AttemptEventKind = "progress"
	EventEnded    AttemptEventKind = "ended"
	EventSilent   AttemptEventKind = "silent"
	EventBack     AttemptEventKind = "back"
	EventLost     AttemptEventKind = "lost"
)

// AttemptEvent is an event of one attempt, from the fleet for the owner. Its times are on the server's clock. The same
// event may come twice.
type AttemptEvent struct {
	Attempt    int64
	Key        string // of the attempt
	Kind       AttemptEventKind
	Rejected   bool  // returned: the executor was busy or draining
	Seq        int64 // of the executor's event, to be acked once committed; 0 if it was not one
	At         time.Time
	Words      Sentence // the note, or the error
	Outcome    Outcome
	ExitCode   *int
	Outputs    map[string]string
	StartedAt  time.Time
	FinishedAt time.Time
	LogBytes   int64
	NoLog      bool // ended: the executor reports that the log is empty
	Progress   float64
	RunOnly    bool // the executor only offers the blocking run
	Hold       bool // lost, and the work may still go on
	NoRetry    bool // ended: the executor asks not to retry
}

// KillOrder asks an executor to end an attempt.
type KillOrder struct {
	Attempt int64
	Key     string // of the attempt
	Grace   time.Duration
	Reason  Reason
}

// HeldAttempt is a stored attempt that an executor may still have, when its owner starts or takes over.
type HeldAttempt struct {
	Assignment Assignment
	Started    bool // a receipt is stored
	Unknown    bool // it is shown as unknown
	Killing    bool
	KillReason Reason
}

// ReasonQueued marks a queued batch that waits until the live batches of its schedule have ended.
const ReasonQueued Reason = "queued"

// ReasonExpired cancels a queued batch that left the queue too late.
const ReasonExpired Reason = "expired"

// Ref identifies the attempt.
func (a *Attempt) Ref() AttemptRef { return AttemptRef{a.ID, a.Key} }

// Ref identifies the attempt that is handed over.
func (a *Assignment) Ref() AttemptRef { return AttemptRef{a.Attempt, a.Key} }

// Ref identifies the attempt of the event.
func (e *AttemptEvent) Ref() AttemptRef { return AttemptRef{e.Attempt, e.Key} }

// Ref identifies the attempt to end.
func (o *KillOrder) Ref() AttemptRef { return AttemptRef{o.Attempt, o.Key} }
