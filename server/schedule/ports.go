package schedule

import (
	"context"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Store is what the ticker needs of the database.
type Store interface {
	// DueSchedules lists the schedules that are looked at up to a time, the soonest first.
	DueSchedules(ctx context.Context, until time.Time) ([]int64, error)
	// MarkedAfter lists the schedules whose ticks are decided up to a moment after a time.
	MarkedAfter(ctx context.Context, t time.Time) ([]int64, error)
	// SchedulesByID and SchedulesNamed leave out what does not exist.
	SchedulesByID(ctx context.Context, ids []int64) ([]hive.Schedule, error)
	SchedulesNamed(ctx context.Context, names []string) ([]hive.Schedule, error)
	// FormerNames returns the present names of renamed schedules by their former ones.
	FormerNames(ctx context.Context) (map[string]string, error)
	// NoteLooks stores when schedules are looked at next, unless they have changed since they were read.
	NoteLooks(ctx context.Context, looks []hive.ScheduleLook) error
	RevisionAt(ctx context.Context, scheduleID, number int64) (hive.Revision, error)
	// DecideManyTicks calls decide with each schedule under its lock and stores the answers, all in one transaction.
	DecideManyTicks(ctx context.Context, server hive.Server, scheduleIDs []int64, now time.Time,
		decide func(hive.TickView) ([]hive.TickWrite, error)) (made []int64, err error)
}

// Results reads what moments wait for.
type Results interface {
	// WaitingSchedules lists the schedules that have waiting ticks, planned changes to come, or calls of webhooks
	// without a tick, and those that have a trigger without moments of its own.
	WaitingSchedules(ctx context.Context) ([]int64, error)
	// MomentResults lists the moments of a schedule after one time and up to another that have a tick or a batch,
	// oldest first, at most limit.
	MomentResults(ctx context.Context, scheduleID int64, after, until time.Time, limit int) (
		[]hive.MomentResult, error)
	// MomentBefore finds the last moment before a time whose tick was to make a batch.
	MomentBefore(ctx context.Context, scheduleID int64, before time.Time) (m hive.MomentResult, found bool, err error)
	// LastOfTrigger returns the last moment of a schedule that a trigger gave; a zero time if there is none.
	LastOfTrigger(ctx context.Context, scheduleID int64, trigger string) (time.Time, error)
	// ExpectedTicks lists the moments after a time whose tick was to make a batch, and whose row has an id above
	// another one, in the order of the ids, at most limit. last is the id of the last one.
	ExpectedTicks(ctx context.Context, scheduleID int64, since time.Time, above int64, limit int) (
		moments []time.Time, last int64, err error)
	// Successes lists the moments after a time whose latest batch has succeeded, latest first, at most limit. Without
	// manual it leaves out moments without a tick.
	Successes(ctx context.Context, scheduleID int64, since time.Time, manual bool, limit int) (
		[]hive.MomentResult, error)
	// LastEnds returns when the last batch of each schedule ended, of those that count for overlap.
	LastEnds(ctx context.Context, schedules []int64) (map[int64]time.Time, error)
}

// Links knows which schedules wait for which.
type Links interface {
	// Dependants lists which schedules wait for which of the given ones.
	Dependants(ctx context.Context, ids []int64) ([]hive.Dependant, error)
}

// Changes reads planned changes.
type Changes interface {
	// ChangesToCome lists the planned changes of schedules that may still have an effect, by schedule and in the order
	// of their moments.
	ChangesToCome(ctx context.Context, ids []int64) (map[int64][]hive.PlannedChange, error)
}

// Calls reads the calls of webhooks.
type Calls interface {
	// PendingCalls lists the calls of the webhooks of a schedule that have no tick yet, oldest first, at most limit.
	PendingCalls(ctx context.Context, scheduleID int64, limit int) ([]hive.WebhookCall, error)
}
