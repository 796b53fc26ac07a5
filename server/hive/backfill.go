package hive

import "time"

// Backfill runs a schedule for many moments of the past.
type Backfill struct {
	ID         int64
	ScheduleID int64
	Schedule   string // name
	RevisionID int64
	Revision   int64 // number of the revision that runs: the newest one when the backfill was made
	State      BackfillState
	First      time.Time // its earliest moment
	Last       time.Time // its latest moment
	Order      BackfillOrder
	Parallel   int // so many of its batches are live at once
	Existing   BackfillExisting
	OnFailure  BackfillOnFailure
	Params     map[string]any // of its new batches
	Note       string         // a remark of CreatedBy
	CreatedAt  time.Time
	CreatedBy  string
	ChangedAt  time.Time // of the latest change of State
	ChangedBy  string    // who paused, continued or canceled it last; empty if nobody did
	FinishedAt time.Time // zero unless it is done or canceled
	StoppedBy  int64     // the batch whose failure stopped it; 0 unless it is stopped
	Counts     BackfillCounts
}

// BackfillState is the state of a backfill.
type BackfillState string

// The states of a backfill.
const (
	BackfillRunning  BackfillState = "running"
	BackfillPaused   BackfillState = "paused"  // a person paused it: it starts nothing
	BackfillStopped  BackfillState = "stopped" // a batch failed, and OnFailure says to stop
	BackfillDone     BackfillState = "done"    // no moment waits and no batch is live
	BackfillCanceled BackfillState = "canceled"
)

// Final reports whether the backfill starts nothing any more.
func (s BackfillState) Final() bool { return s == BackfillDone || s == BackfillCanceled }

// BackfillOrder is the order in which a backfill takes its moments.
type BackfillOrder string

// The orders.
const (
	OrderAscending  BackfillOrder = "asc"  // the oldest first
	OrderDescending BackfillOrder = "desc" // the newest first
)

// BackfillExisting tells what a backfill does with a moment that has a batch already. A live batch is always kept.
type BackfillExisting string

// The values of BackfillExisting.
const (
	ExistingKeep   BackfillExisting = "keep"   // leave the moment out
	ExistingRerun  BackfillExisting = "rerun"  // run all tasks of the batch again
	ExistingFailed BackfillExisting = "failed" // resume the batch if it failed or was canceled, otherwise keep it
)

// BackfillOnFailure tells what a backfill does when one of its batches does not succeed.
type BackfillOnFailure string

// The values of BackfillOnFailure.
const (
	OnFailureStop     BackfillOnFailure = "stop"
	OnFailureContinue BackfillOnFailure = "continue"
)

// BackfillCounts counts the moments of a backfill. The outcomes are those that its batches have now: a failed batch
// that was resumed counts as running, and then as what became of it.
type BackfillCounts struct {
	Waiting   int // for their turn
	Running   int // their batch is live, or is about to run again
	Succeeded int
	Failed    int
	Canceled  int
	Kept      int // they had a batch already, which was left as it was
}

// Moments returns the number of moments.
func (c BackfillCounts) Moments() int {
	return c.Waiting + c.Running + c.Succeeded + c.Failed + c.Canceled + c.Kept
}

// BackfillAct is what a backfill did for a moment.
type BackfillAct string

// The acts.
const (
	ActWaiting BackfillAct = "waiting" // nothing yet
	ActCreated BackfillAct = "created" // it made a batch
	ActRerun   BackfillAct = "rerun"   // it sent a repair to the batch that the moment had
	ActKept    BackfillAct = "kept"    // it left the batch that the moment had
)

// NewBackfill is a backfill to be stored.
type NewBackfill struct {
	Backfill Backfill    // without ID
	Moments  []time.Time // in the order in which they run, each once
	Key      string      // idempotency key, as NewBatch.Key
}

// BackfillView is the input of a decision about a backfill, read under its row lock.
type BackfillView struct {
	Backfill Backfill
	// Failed are batches of the backfill that did not succeed: at most a few, without those that a person has closed,
	// or had seen when they let the backfill go on.
	Failed []int64
	Next   []BackfillMoment // the first of the moments that wait
}

// BackfillMoment is a moment that waits for its turn.
type BackfillMoment struct {
	Position int
	Moment   time.Time
	Batch    *Batch // the latest batch that the schedule has for the moment; nil if there is none
}

// BackfillWrite is a decision about a backfill.
type BackfillWrite struct {
	State     BackfillState
	StoppedBy int64
	Moments   []BackfillMomentWrite
}

// BackfillMomentWrite is what is decided for one moment.
type BackfillMomentWrite struct {
	Position int
	Act      BackfillAct
	Batch    int64     // for ActKept and ActRerun
	New      *NewBatch // for ActCreated
	Command  *Command  // for ActRerun
}

// BackfillFilter selects backfills, newest first.
type BackfillFilter struct {
	Schedule string // name; empty: all
	Live     bool   // only those that are neither done nor canceled
	Before   int64  // ids below this one; 0: from the newest
	Limit    int    // 1 to 500; 50 when 0
}

// BackfillRequest asks for a backfill, or for its preview.
type BackfillRequest struct {
	Schedule  string
	From, To  string   // a range, as people write times; To is now if it is empty
	Step      Duration // between two moments of the range; 0: the moments of the schedule's triggers
	Moments   []string // in place of a range
	Order     BackfillOrder
	Parallel  int
	Existing  BackfillExisting
	OnFailure BackfillOnFailure
	Params    map[string]any
	Note      string
	By        string
	Key       string // idempotency key; empty: none
}

// BackfillPreview tells what a backfill would do if it was made now.
type BackfillPreview struct {
	Schedule string
	Revision int64
	First    time.Time
	Last     time.Time
	Moments  int
	Existing int           // of Moments: have a batch already
	Kept     int           // of Existing: would be left as they are
	Usual    time.Duration // usual duration of a batch; 0 if unknown
	Expected time.Duration // of the whole backfill, by Usual; 0 if unknown
}

// ExistingBatch is the latest batch that a schedule has for a moment.
type ExistingBatch struct {
	Moment time.Time
	State  BatchState
}
