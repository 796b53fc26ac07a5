package owner

import (
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/state"
)

// This file starts queued batches. The memory tells only of the batches of this session, and not of those that it could
// not read. So the owner does not start a queued batch before the store was asked about all batches of its schedule,
// and the commit of the start has a guard, because another server may start a batch at the same time.

// startNext starts the candidate if it does not wait for another batch of its schedule. Otherwise, or without a
// candidate, it prepares the start of the schedule's first queued batch.
func (o *Owner) startNext(now time.Time, schedule int64, candidate *liveBatch) {
	if candidate != nil && candidate.machine.Batch().Reason != hive.ReasonQueued {
		o.applyExpected(now, candidate, state.Start{}, true)
		return
	}
	if l := o.firstQueued(now, schedule); l != nil {
		o.queued = append(o.queued, l.id)
	}
}

// TakeQueued returns the queued batches, since the last call, that wait for no batch in memory. The caller asks the
// store which of them wait for a batch that is not in memory, and calls StartQueued for the others.
func (o *Owner) TakeQueued() []int64 {
	taken := o.queued
	o.queued = nil
	return taken
}

// IsQueued reports whether a batch waits for other batches of its schedule. It returns false for a paused batch, which
// TakeQueued returns again when it is continued.
func (o *Owner) IsQueued(batch int64) bool {
	l := o.live[batch]
	return l != nil && isQueued(l)
}

func isQueued(l *liveBatch) bool {
	b := l.machine.Batch()
	return b.State == hive.BatchQueued && b.Wish != hive.WishPause
}

// StartQueued starts a queued batch that waits for no other batch in the store, if it is still the first of its
// schedule in memory.
func (o *Owner) StartQueued(now time.Time, batch int64) {
	l := o.live[batch]
	if l == nil {
		return
	}
	switch first := o.firstQueued(now, l.machine.Batch().ScheduleID); first {
	case nil: // startNext is called again when this has changed
	case l:
		if o.applyExpected(now, l, state.Start{}, true) {
			o.changesOf(l).alone = true
		}
	default:
		o.queued = append(o.queued, first.id)
	}
}

// firstQueued returns the oldest queued batch of a schedule, or nil if there is none or a batch of the schedule runs.
// It cancels those that have expired.
func (o *Owner) firstQueued(now time.Time, schedule int64) *liveBatch {
	if o.isOccupied(schedule) {
		return nil
	}
	for _, id := range slices.Clone(o.bySchedule[schedule]) {
		switch l := o.live[id]; {
		case !isQueued(l):
		case o.hasExpired(now, l):
			o.applyExpected(now, l, state.Wish{Wish: hive.WishCancel, Reason: hive.ReasonExpired}, true)
		default:
			return l
		}
	}
	return nil
}

// isOccupied reports whether a batch of the schedule runs, or may run because it was dropped and not yet read again.
func (o *Owner) isOccupied(schedule int64) bool {
	for _, s := range o.reloading {
		if s == schedule {
			return true
		}
	}
	return slices.ContainsFunc(o.bySchedule[schedule], func(id int64) bool {
		b := o.live[id].machine.Batch()
		return b.State == hive.BatchRunning && b.CountsForOverlap()
	})
}

func (o *Owner) hasExpired(now time.Time, l *liveBatch) bool {
	b, expire := l.machine.Batch(), l.machine.Graph().Def.Policy.Expire.Std()
	return expire > 0 && b.Kind == hive.KindScheduled && now.Sub(b.Moment) > expire
}
