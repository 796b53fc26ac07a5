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

	WithDependants bool               // it fills the schedules that wait for its schedule too
	Schedules      []BackfillSchedule // its own first, each before those that wait for it
	Skipped        []BackfillSkip     // the first of the moments that are skipped
}

// BackfillSchedule is one schedule of a backfill.
type BackfillSchedule struct {
	ScheduleID int64
	Schedule   string // name
	RevisionID int64
	Revision   int64
	First      time.Time
	Last       time.Time
	Counts     BackfillCounts
}

// BackfillSkip is a moment that a backfill skips, because a moment that it reads has not succeeded.
type BackfillSkip struct {
	Schedule       string
	Moment         time.Time
	Upstream       string    // name of the schedule that has not succeeded
	UpstreamMoment time.Time // of that schedule
	Batch          int64     // of that moment
}

// BackfillNeed is a time of an upstream that a moment of a backfill reads. Its moments in the backfill must have
// succeeded before the moment starts.
type BackfillNeed struct {
	ScheduleID int64     `json:"schedule"`
	First      time.Time `json:"first"`         // the first of the moments
	Last       time.Time `json:"last"`          // the last of them
	Any        bool      `json:"any,omitempty"` // one success is enough
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
	Skipped   int // a moment of another schedule that they read has not succeeded
}

// Moments returns the number of moments.
func (c BackfillCounts) Moments() int {
	return c.Waiting + c.Running + c.Succeeded + c.Failed + c.Canceled + c.Kept + c.Skipped
}

// BackfillAct is what a backfill did for a moment.
type BackfillAct string

// The acts.
const (
	ActWaiting BackfillAct = "waiting" // nothing yet
	ActCreated BackfillAct = "created" // it made a batch
	ActRerun   BackfillAct = "rerun"   // it sent a repair to the batch that the moment had
	ActKept    BackfillAct = "kept"    // it left the batch that the moment had
	ActSkipped BackfillAct = "skipped" // a moment that it reads has not succeeded; it waits again if that one does
)

// RuleBackfill is the rule of a tick whose wait ended because a backfill made the batch of its moment.
const RuleBackfill = "backfill"

// NewBackfill is a backfill to be stored.
type NewBackfill struct {
	Backfill Backfill            // without ID
	Moments  []NewBackfillMoment // by schedule, and of each schedule in the order in which they run, each once
	Key      string              // idempotency key, as NewBatch.Key
}

// NewBackfillMoment is a moment of a backfill to be stored.
type NewBackfillMoment struct {
	ScheduleID int64
	Moment     time.Time
	Needs      []BackfillNeed
}

// BackfillView is the input of a decision about a backfill, read under its row lock.
type BackfillView struct {
	Backfill Backfill
	// Failed are batches of the backfill that did not succeed: at most a few, without those that a person has closed,
	// or had seen when they let the backfill go on.
	Failed []int64
	Next   []BackfillMoment // the first of the moments that wait; all moments if it has several schedules
}

// BackfillMoment is a moment of a backfill.
type BackfillMoment struct {
	Position   int
	ScheduleID int64
	Moment     time.Time
	Batch      *Batch // while it waits: the latest batch that the schedule has for the moment; nil if there is none

	// The rest is set if the backfill has several schedules.

	Needs      []BackfillNeed // of a moment that waits or is skipped
	Outcome    BatchState     // of the batch that it got or kept; running while that is live; empty without one
	Got        int64          // that batch
	FinishedAt time.Time      // when that batch ended
	SkippedFor int            // position of the moment that lets it be skipped; -1 if it is not
}

// BackfillWrite is a decision about a backfill.
type BackfillWrite struct {
	State     BackfillState
	StoppedBy int64
	Moments   []BackfillMomentWrite
}

// BackfillMomentWrite is what is decided for one moment.
type BackfillMomentWrite struct {
	Position   int
	ScheduleID int64
	Moment     time.Time
	Act        BackfillAct
	Batch      int64     // for ActKept and ActRerun
	New        *NewBatch // for ActCreated
	Causes     []int64   // for ActCreated: the batches that it reads in the backfill
	Command    *Command  // for ActRerun
	SkippedFor int       // for ActSkipped: position of the moment that has not succeeded
}

// BackfillFilter selects backfills, newest first.
type BackfillFilter struct {
	Schedule string // name; empty: all
	Live     bool   // only those that are neither done nor canceled
	By       string // who created it; empty: anybody
	// Since and Until bound when it was created, Until without that moment; zero: open.
	Since, Until time.Time
	Before       int64 // ids below this one; 0: from the newest
	Limit        int   // 1 to 500; 50 when 0
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

	WithDependants bool // fill the schedules that wait for it too
}

// BackfillPreview tells what a backfill would do if it was made now.
type BackfillPreview struct {
	Schedule string
	Revision int64
	First    time.Time     // of the schedule
	Last     time.Time     // of the schedule
	Moments  int           // of all schedules, as the next two
	Existing int           // of Moments: have a batch already
	Kept     int           // of Existing: would be left as they are
	Usual    time.Duration // usual duration of a batch; 0 if unknown
	Expected time.Duration // of the whole backfill, by the usual durations; 0 if unknown

	Schedules []BackfillPreviewSchedule // its own first, each before those that wait for it
	LeftOut   []BackfillLeftOut
}

// BackfillPreviewSchedule is one schedule of a preview.
type BackfillPreviewSchedule struct {
	BackfillSchedule // without Counts

	Moments  int
	Existing int
	Kept     int
	Usual    time.Duration // 0 if unknown
}

// BackfillLeftOut is a schedule that waits for one of a backfill and that the backfill does not fill.
type BackfillLeftOut struct {
	Schedule string
	Reason   LeftOutReason
}

// LeftOutReason tells why a backfill leaves a schedule out.
type LeftOutReason string

// The reasons.
const (
	LeftOutDisabled LeftOutReason = "disabled"
	LeftOutArchived LeftOutReason = "archived"
	LeftOutUpstream LeftOutReason = "upstream" // it waits only for schedules that are left out
	LeftOutNothing  LeftOutReason = "nothing"  // none of its moments of the past reads a moment of the backfill
	LeftOutJoins    LeftOutReason = "joins"    // its moments follow from when several schedules succeed
	LeftOutCircle   LeftOutReason = "circle"   // the schedules wait for each other
)

// ExistingBatch is the latest batch that a schedule has for a moment.
type ExistingBatch struct {
	Moment time.Time
	State  BatchState
}
