package hive

import "time"

// ChainRepair runs a batch again, and after it the batches of other schedules that followed it.
type ChainRepair struct {
	ID         int64
	Batch      int64 // the first one
	State      ChainRepairState
	Note       string // a remark of CreatedBy
	CreatedAt  time.Time
	CreatedBy  string
	ChangedAt  time.Time // of the latest change of State
	ChangedBy  string    // who canceled it; empty if nobody did
	FinishedAt time.Time // zero unless it is done or canceled
	StoppedBy  int64     // the batch whose failure stopped it; 0 unless it is stopped
	Steps      []ChainStep
}

// ChainRepairState is the state of a chain repair.
type ChainRepairState string

// The states of a chain repair.
const (
	ChainRepairRunning  ChainRepairState = "running"
	ChainRepairStopped  ChainRepairState = "stopped"  // a step has failed, and others wait for it
	ChainRepairDone     ChainRepairState = "done"     // no step waits and none runs
	ChainRepairCanceled ChainRepairState = "canceled" // by a person, or the first batch could not be run again
)

// Final reports whether the chain repair starts nothing any more.
func (s ChainRepairState) Final() bool { return s == ChainRepairDone || s == ChainRepairCanceled }

// ChainStep is one batch of a chain repair, or of its preview.
type ChainStep struct {
	Position   int   // from 0: the batch that a person chose
	Needs      []int // positions of the steps that must have succeeded before this one
	ScheduleID int64
	Schedule   string // name
	Moment     time.Time
	Batch      int64 // 0 for StepFollows
	RevisionID int64 // of the batch
	Fate       StepFate
	Round      int           // of the batch when the preview was made: the step runs only if the batch still is in it
	State      BatchState    // of the batch, now
	Live       bool          // of the batch, now
	RoundNow   int           // of the batch, now
	Tasks      int           // of the batch
	Usual      time.Duration // usual duration of a batch; 0 if unknown

	// The rest is empty in a preview.

	Act     StepAct
	Command CommandState // of the repair that the step sent; empty: none
	Refusal *Problem     // why the owner of the batch refused the repair
}

// StepFate is what a chain repair means to do with a batch.
type StepFate string

// The fates of steps.
const (
	StepRerun    StepFate = "rerun"    // run all of its tasks again; the first batch is repaired as asked
	StepLive     StepFate = "live"     // it is queued or runs already, so it is left out
	StepDisabled StepFate = "disabled" // its schedule is disabled, so it is left out, with what follows only through it
	StepFollows  StepFate = "follows"  // its tick still waits, so it will follow by itself; only in a preview
)

// StepAct is what a chain repair has done with a batch.
type StepAct string

// The acts.
const (
	StepWaiting    StepAct = "waiting"    // nothing yet
	StepSent       StepAct = "sent"       // it sent a repair
	StepLeftOut    StepAct = "left_out"   // it does nothing with the batch, by the step's fate
	StepSuperseded StepAct = "superseded" // somebody else has changed the batch since, so it was left alone
)

// StepProgress is how far a step is, by its batch and its repair.
type StepProgress string

// The progress of a step.
const (
	ProgressWaiting    StepProgress = "waiting"
	ProgressRunning    StepProgress = "running" // its batch is live, or is about to run again
	ProgressSucceeded  StepProgress = "succeeded"
	ProgressFailed     StepProgress = "failed"
	ProgressCanceled   StepProgress = "canceled"
	ProgressRefused    StepProgress = "refused" // the owner of its batch refused the repair
	ProgressLeftOut    StepProgress = "left_out"
	ProgressSuperseded StepProgress = "superseded"
)

// Progress tells how far a stored step is. A failed batch that was resumed counts as running, and then as what became
// of it.
func (s *ChainStep) Progress() StepProgress {
	refused := s.Command == CommandRefused
	switch {
	case s.Act == StepWaiting:
		return ProgressWaiting
	case s.Act == StepLeftOut:
		return ProgressLeftOut
	case s.Act == StepSuperseded, refused && s.Refusal != nil && s.Refusal.Reason == ErrorRoundMoved:
		return ProgressSuperseded
	case s.Command == CommandPending || s.Live:
		return ProgressRunning
	case refused && s.RoundNow == s.Round:
		return ProgressRefused
	case s.State == BatchSucceeded:
		return ProgressSucceeded
	case s.State == BatchCanceled:
		return ProgressCanceled
	default:
		return ProgressFailed
	}
}

// ChainPreview is what followed a batch in other schedules, each batch after those that it depends on.
type ChainPreview struct {
	Steps []ChainStep // the first one is the batch itself
	Busy  int64       // a chain repair under way that has one of these batches already; 0 if there is none
	Hash  string      // over Steps
}

// Reruns counts the batches of other schedules that would run again.
func (p *ChainPreview) Reruns() int {
	n := 0
	for i := range p.Steps {
		if i > 0 && p.Steps[i].Fate == StepRerun {
			n++
		}
	}
	return n
}

// ChainRepairRequest asks for a repair of a batch and a rerun of what followed it.
type ChainRepairRequest struct {
	RepairRequest
	ChainHash string // of the preview that the person saw; empty: whatever followed by then
}

// NewChainRepair is a chain repair to be stored, with the repair of its first batch.
type NewChainRepair struct {
	Repair ChainRepair // without ID
	First  Command     // for the first batch
	Key    string      // idempotency key; empty: none
}

// ChainRepairWrite is a decision about a chain repair.
type ChainRepairWrite struct {
	State     ChainRepairState
	StoppedBy int64
	Steps     []ChainStepWrite
}

// ChainStepWrite is what is decided for one step.
type ChainStepWrite struct {
	Position int
	Act      StepAct
	Command  *Command // for StepSent
}

// ChainRepairFilter selects chain repairs, newest first.
type ChainRepairFilter struct {
	Batch  int64 // only those with a step for this batch; 0: all
	Live   bool  // only those that are neither done nor canceled
	Before int64 // ids below this one; 0: from the newest
	Limit  int   // 1 to 500; 50 when 0
}

// Follower is a batch or a waiting tick of another schedule that refers to a moment of an upstream.
type Follower struct {
	Schedule Schedule
	Moment   time.Time
	Batch    *Batch // the newest of the moment; nil if the tick waits
}

// ScheduleMoment is a moment of a schedule.
type ScheduleMoment struct {
	ScheduleID int64
	Moment     time.Time
}
