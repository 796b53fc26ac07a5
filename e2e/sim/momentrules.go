package sim

import (
	"maps"
	"slices"
	"time"

	"github.com/rprp/hivego/executor/ledger"
	"github.com/rprp/hivego/server/hive"
)

// This file has the invariants of moments that no cron gives, of planned changes, and of the end of schedules.

// dueAt returns the time from which on a decision may be late: now for what is never late.
func dueAt(w *hive.TickWrite) time.Time {
	c := w.Tick.Change
	switch {
	case c != nil && c.Action == hive.ChangeMove && w.Tick.Wait.Released.By == "":
		return c.To
	case w.Called || w.Tick.ID != 0:
		return w.Tick.DecidedAt
	default:
		return w.Tick.Moment
	}
}

// early reports whether a tick has a moment that no cron gave yet: one that was moved to a time before it, and is still
// to come or not due any more, one of a call, and one after the end of a batch.
func (x *scheduled) early(t *hive.Tick) bool {
	if interval(x.revs[len(x.revs)-1].def) == 0 {
		return true
	}
	moved := t.Change != nil && t.Change.Action == hive.ChangeMove && t.Change.To.Before(t.Moment)
	return moved && (t.Moment.After(x.row.Mark) || !x.due(t.Moment))
}

// checkMoments checks the decisions about planned changes, calls of webhooks, fixed delays, and archived or deleted
// schedules.
func (s *store) checkMoments(x *scheduled, writes []hive.TickWrite, now time.Time) {
	for i := range writes {
		w := &writes[i]
		s.checkPlanned(x, w, now)
		if w.Batch == nil {
			continue
		}
		switch {
		case x.row.Archived():
			s.w.failf("archived", "%s of %s makes a batch", w.Tick.Moment, x.row.Name)
		case w.Called:
			s.checkCall(x, w)
		case x.delay() != 0:
			s.checkDelay(x, w)
		}
	}
}

// checkPlanned checks that a planned skip makes no batch, a move none before its new time, and a hold none before a
// person releases it.
func (s *store) checkPlanned(x *scheduled, w *hive.TickWrite, now time.Time) {
	c := x.changes[w.Tick.Moment.UnixMilli()]
	if c == nil || w.Passed {
		return
	}
	released := false
	if t := s.ticks[tickKey{x.row.ID, w.Tick.Moment.UnixMilli()}]; t != nil {
		released = t.Wait.Released.By != "" && !t.Wait.Released.Skip
	}
	makes := w.Batch != nil
	switch {
	case c.Action == hive.ChangeSkip && makes:
		s.w.failf("planned", "%s of %s makes a batch, and a person has skipped it", c.Moment, x.row.Name)
	case c.Action == hive.ChangeSkip && w.Tick.Rule == "planned_skip":
		s.w.stats.Skips++
	case c.Action == hive.ChangeMove && makes && !released && now.Before(c.To):
		s.w.failf("planned", "%s of %s makes a batch at %s, and a person has moved it to %s", c.Moment, x.row.Name,
			now, c.To)
	case c.Action == hive.ChangeMove && makes:
		s.w.stats.Moves++
	case c.Action == hive.ChangeHold && makes && !released:
		s.w.failf("planned", "%s of %s makes a batch, and nobody has released it", c.Moment, x.row.Name)
	case c.Action == hive.ChangeHold && makes:
		s.w.stats.Holds++
	}
}

// checkCall checks that the calls with one key make one batch.
func (s *store) checkCall(x *scheduled, w *hive.TickWrite) {
	key := ""
	for i := range x.calls {
		if x.calls[i].Moment.Equal(w.Tick.Moment) {
			key = x.calls[i].Key
		}
	}
	if key == "" {
		s.w.failf("call", "%s of %s makes a batch, and nobody has called", w.Tick.Moment, x.row.Name)
	}
	for i := range x.calls {
		c := &x.calls[i]
		t := s.ticks[tickKey{x.row.ID, c.Moment.UnixMilli()}]
		if c.Key == key && t != nil && t.BatchID != 0 {
			s.w.failf("call", "%s of %s makes a second batch for key %s", w.Tick.Moment, x.row.Name, key)
		}
	}
}

// checkDelay checks that a batch comes so long after the end of the one before, and not beside it.
func (s *store) checkDelay(x *scheduled, w *hive.TickWrite) {
	for _, id := range slices.Sorted(maps.Keys(s.batches)) {
		b := s.batches[id]
		switch {
		case b.ScheduleID != x.row.ID:
		case b.Live:
			s.w.failf("delay", "%s of %s makes a batch beside batch %d", w.Tick.Moment, x.row.Name, id)
		case w.Tick.Moment.Before(b.FinishedAt.Add(x.delay())):
			s.w.failf("delay", "%s of %s comes too early: batch %d ended at %s", w.Tick.Moment, x.row.Name, id,
				b.FinishedAt)
		}
	}
	s.w.stats.Delayed++
}

// goesOn reports whether a schedule with a fixed delay is still enabled. It is disabled once it has made a batch since
// the faults stopped.
func (s *store) goesOn() bool {
	for _, x := range s.schedules {
		if x.delay() != 0 && x.row.Active() {
			return true
		}
	}
	return false
}

// checkMomentsAtRest checks a world in which nothing happens any more: each call has its tick, no moment waits that is
// due or that a person has released, and nothing is left of deleted schedules.
func (s *store) checkMomentsAtRest() {
	slowest := s.slowestWall().Add(-2 * time.Minute)
	for _, id := range slices.Sorted(maps.Keys(s.schedules)) {
		x := s.schedules[id]
		for _, c := range s.pendingCalls(id) {
			if c.Moment.Before(slowest) {
				s.w.failf("call", "the call %s of %s at %s has no tick", c.Key, x.row.Name, c.Moment)
			}
		}
		for _, t := range s.waitingTicks(id) {
			c := t.Change
			if t.Wait.Released.By != "" || c != nil && c.Action == hive.ChangeMove && c.To.Before(slowest) {
				s.w.failf("planned", "%s of %s still waits: %+v", t.Moment, x.row.Name, t)
			}
		}
	}
	left := func(schedule int64, what string) {
		if schedule >= firstSchedule && s.schedules[schedule] == nil {
			s.w.failf("deleted", "a %s of schedule %d is left", what, schedule)
		}
	}
	for key := range s.ticks {
		left(key.schedule, "tick")
	}
	for _, b := range s.batches {
		left(b.ScheduleID, "batch")
	}
	for _, r := range s.runs {
		if s.batches[r.BatchID] == nil {
			s.w.failf("deleted", "run %d of batch %d is left", r.ID, r.BatchID)
		}
	}
}

// deleteBatch removes a batch with its rows.
func (s *store) deleteBatch(id int64) {
	c := s.byBatch[id]
	for _, r := range c.runs {
		delete(s.runs, r)
	}
	for _, a := range c.attempts {
		s.over[ledger.Ref(s.attempts[a].Ref())] = true
		delete(s.attempts, a)
	}
	maps.DeleteFunc(s.commands, func(_ int64, c *hive.Command) bool { return c.BatchID == id })
	delete(s.batches, id)
	delete(s.byBatch, id)
}

// mislead lets a decision see less than is stored, for mutations.
func (s *store) mislead(v *hive.TickView) {
	x := s.schedules[v.Schedule.ID]
	switch s.w.opt.Mutation {
	case MutatePlans:
		v.Changes = nil
	case MutateDelay:
		if x != nil && x.delay() != 0 {
			v.Live = nil
		}
	case MutateArchive:
		v.Schedule.ArchivedAt = time.Time{}
	default:
	}
}

// slowestWall returns the time of the slowest wall clock, or the true one if all are ahead.
func (s *store) slowestWall() time.Time {
	slowest := epoch.Add(s.w.now)
	for _, srv := range s.w.servers {
		if at := srv.wall(); at.Before(slowest) {
			slowest = at
		}
	}
	return slowest
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
