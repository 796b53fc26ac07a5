package sim

import "github.com/rprp/hivego/server/hive"

// This file has the invariant of batches that are queued: one starts when no other batch of its schedule runs,
// whichever server owns it.

// occupying returns the oldest batch of a batch's schedule that runs, or that does not wait before it starts; nil if
// there is none.
func (s *store) occupying(b *hive.Batch) (first *hive.Batch) {
	if b.Hook != nil {
		return nil // hooks have no schedule
	}
	for _, o := range s.batches {
		if o.ID != b.ID && o.ScheduleID == b.ScheduleID && o.Live && (first == nil || o.ID < first.ID) &&
			(o.State == hive.BatchRunning || o.Reason != hive.ReasonQueued) {
			first = o
		}
	}
	return first
}

// queuedBehind follows the rules of QueuedBehind in package db.
func (s *store) queuedBehind(ids []int64) (waiting []int64) {
	if s.w.opt.Mutation == MutateOverlap {
		return nil
	}
	for _, id := range ids {
		if b := s.batches[id]; b != nil && (s.occupying(b) != nil || s.queuedBefore(b)) {
			waiting = append(waiting, id)
		}
	}
	return waiting
}

// queuedBefore reports whether another server has an older queued batch of the same schedule.
func (s *store) queuedBefore(b *hive.Batch) bool {
	for _, o := range s.batches {
		if b.Hook == nil && o.ID < b.ID && o.ScheduleID == b.ScheduleID && o.Live && o.Owner != b.Owner &&
			o.Wish != hive.WishPause {
			return true
		}
	}
	return false
}

// mustWait reports whether the guard of a batch that starts alone misses.
func (s *store) mustWait(w *hive.BatchWrite) bool {
	return w.Batch != nil && w.Batch.Alone && s.w.opt.Mutation != MutateOverlap &&
		s.occupying(s.batches[w.BatchID]) != nil
}

// checkStart fails if a stored batch that was queued starts while another batch of its schedule runs. A batch that a
// person canceled and resumed in one commit does not wait.
func (s *store) checkStart(old, to *hive.Batch) {
	if old.State != hive.BatchQueued || old.Reason != hive.ReasonQueued || to.State != hive.BatchRunning ||
		to.Round > old.Round {
		return
	}
	s.w.stats.Queued++
	if o := s.occupying(old); o != nil {
		s.w.failf("overlap", "batch %d of %s starts and does not wait for batch %d of %s (%s)", old.ID, old.Owner, o.ID,
			o.Owner, o.State)
	}
}
