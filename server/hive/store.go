package hive

import "time"

// TickView is the input of a decision about ticks, read under the schedule's row lock.
type TickView struct {
	Schedule   Schedule
	Document   string // canonical YAML of the newest revision
	RevisionID int64
	Revision   int64
	Live       []Batch         // live batches of the schedule that count for overlap, oldest first
	Counted    int             // scheduled and dependent batches so far, for maxBatches
	Waiting    []Tick          // waiting ticks, in the order of their moments
	Changes    []PlannedChange // of moments after the mark and of waiting ticks, in the order of their moments
	Calendars  int64           // version of the calendars: it grows with each new revision of one

	// EndedAt is when the last batch ended, of those that count for overlap; zero if there is none. The store leaves it
	// out: the ticker reads it for the schedules that need it.
	EndedAt time.Time
}

// TickWrite is one decided tick, with the batch that it makes, if any. A tick with an id was waiting: its row is
// changed if it still waits.
type TickWrite struct {
	Tick    Tick
	Batch   *NewBatch // for fired and queued
	Replace []int64   // live batches to cancel (overlap replace): a CommandWish each, in the same transaction
	Causes  []int64   // batches whose success let the batch start
	Follows bool      // something else than time gives the moment, so that it does not move the mark
	Called  bool      // the moment is that of a call of a webhook
	Passed  bool      // the moment has a tick already: only the mark moves
	Due     time.Time // when a trigger wanted the decision; zero if something else than time gave it
}

// NewBatch is a batch to be created, with its runs.
type NewBatch struct {
	Batch Batch // without ID; State queued or running, Live true
	Runs  []Run // without IDs; Number 0, 1, …
	Tick  int64 // row of the tick, set by the store
	// Key is the idempotency key of the caller; empty: none. If a batch already has the key, the creation returns that
	// batch and stores nothing.
	Key string
}

// BatchFilter selects batches, newest first.
type BatchFilter struct {
	Schedule string       // name; empty: all
	Tag      string       // of the newest revision of the schedule; empty: all
	Owner    string       // like Tag
	States   []BatchState // one of these; nil: all
	Kind     BatchKind    // empty: all but hooks
	HookOf   int64        // only the hooks that follow this batch, its jobs and its tasks; 0: all
	Backfill int64        // only those that this backfill made or ran again; 0: all
	Live     bool         // only live ones
	// NeedsPerson selects failed batches that nobody has settled, and those that cannot go on without a person.
	NeedsPerson bool
	Executor    string   // name of an executor that had one of its attempts; empty: all
	By          *Starter // what made it; nil: all
	Params      []ParamFilter
	From        time.Time // made at this moment or later; zero: no limit
	To          time.Time // made before this moment; zero: no limit
	Since       time.Time // started at this moment or later, or not yet started and made then; zero: no limit
	Until       time.Time // like Since, before this moment

	MomentFrom time.Time     // logical time; zero: no limit
	MomentTo   time.Time     // logical time before this moment; zero: no limit
	Longer     time.Duration // its round takes longer, or took longer; 0: no limit
	Now        time.Time     // for Longer

	Before int64 // ids below this one; 0: from the newest
	Limit  int   // 1 to 500; 50 when 0

	// Schedules has the ids of the schedules with Tag and Owner; the store compares these.
	Schedules []int64
	// Urgent has the batches that need a person as only their owner knows; for NeedsPerson.
	Urgent []int64
}

// Labeled reports whether the filter selects by what definitions say of schedules.
func (f *BatchFilter) Labeled() bool { return f.Tag != "" || f.Owner != "" }

// SaveSchedule stores a definition as the schedule's newest revision.
type SaveSchedule struct {
	Name     string
	Document string // canonical YAML
	Hash     string
	Base     int64 // number of its base revision; a different newest one is a conflict. 0: no check
	Fresh    bool  // there must be no schedule of this name yet
	By       string
	Note     string // a remark of By
	Now      time.Time

	Calendars []string       // that the document names; each must exist
	Links     []ScheduleLink // to the schedules that its triggers wait for; nil: the ticker finds them
	Texts     *ScheduleTexts // nil: the first search finds them

	RenamedFrom   string // of the revision that renames the schedule
	SameCalendars bool   // the document names the calendars of the newest revision
}

// ScheduleLink leads from a schedule to one that its triggers wait for. It leads to the schedule itself if its moments
// wait for each other, or count from the ends of its batches.
type ScheduleLink struct {
	Upstream string
	Follows  bool // a trigger has no moments of its own: the upstream gives them
}

// Dependant is a schedule that waits for another one.
type Dependant struct {
	ScheduleID int64
	Of         int64 // id of the upstream
}

// ScheduleLook is what a ticker knows of a schedule that it puts aside. It is not stored if the schedule has another
// version meanwhile.
type ScheduleLook struct {
	ScheduleID int64
	Version    int64
	NextAt     time.Time // as Schedule.NextAt
	// Links are those of the revision Linked. If Linked is 0, the stored ones stay.
	Linked int64
	Links  []ScheduleLink
}
