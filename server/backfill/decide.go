// Package backfill runs schedules for many moments of the past. Decide is the pure rule for what a backfill does next,
// Service has the use cases of people, and Driver is the long-lived part that carries the decisions out.
package backfill

import "github.com/rprp/hivego/server/hive"

// Decide says what a backfill does next. It is pure. The batches and commands of the answer are left out; each moment
// of the answer has an act.
//
// A failure stops the backfill, if it says so, until the failed batch is resumed or closed, or a person continues the
// backfill. Moments are taken in their order, as many as there is room for. A backfill is done when no moment waits and
// no batch is live; a failure of its last batches does not keep it open. With several schedules, decideMany tells when
// a moment may start.
func Decide(v hive.BackfillView) hive.BackfillWrite {
	b := &v.Backfill
	w := hive.BackfillWrite{State: b.State, StoppedBy: b.StoppedBy}
	if b.State.Final() || b.State == hive.BackfillPaused {
		return w
	}
	if len(b.Schedules) > 1 {
		return decideMany(&v)
	}
	w.State, w.StoppedBy = hive.BackfillRunning, 0
	waiting, running := b.Counts.Waiting, b.Counts.Running
	if waiting > 0 && b.OnFailure == hive.OnFailureStop && len(v.Failed) > 0 {
		w.State, w.StoppedBy = hive.BackfillStopped, v.Failed[0]
		return w
	}
	for i := range v.Next {
		m := &v.Next[i]
		act := actOn(b.Existing, m.Batch)
		if act != hive.ActKept {
			if running >= b.Parallel {
				break
			}
			running++
		}
		waiting--
		out := hive.BackfillMomentWrite{Position: m.Position, ScheduleID: m.ScheduleID, Moment: m.Moment, Act: act}
		if m.Batch != nil {
			out.Batch = m.Batch.ID
		}
		w.Moments = append(w.Moments, out)
	}
	if waiting == 0 && running == 0 {
		w.State = hive.BackfillDone
	}
	return w
}

// actOn says what a backfill does with a moment that has this batch, or none.
func actOn(existing hive.BackfillExisting, b *hive.Batch) hive.BackfillAct {
	switch {
	case b == nil:
		return hive.ActCreated
	case b.Live || existing == hive.ExistingKeep:
		return hive.ActKept
	case existing == hive.ExistingFailed && b.State == hive.BatchSucceeded:
		return hive.ActKept
	default:
		return hive.ActRerun
	}
}

// changes reports whether a decision changes anything.
func changes(b *hive.Backfill, w *hive.BackfillWrite) bool {
	return len(w.Moments) > 0 || w.State != b.State || w.StoppedBy != b.StoppedBy
}
