package owner

import (
	"cmp"
	"time"

	"github.com/rprp/hivego/internal/heap"
)

// timers holds what batches and runs wait for. A timer that is not needed any more is removed at once: it would keep
// its whole batch in memory until it is due, which may be days after the batch has ended.
type timers struct{ heap *heap.Heap[*timer] }

// timer is due when the delay of a run is over, or when a batch has something to do.
type timer struct {
	at    time.Time
	batch *liveBatch
	run   int // number; wholeBatch for the timer of the batch
	index int // in the heap
}

// wholeBatch is the run of a batch's own timer.
const wholeBatch = -1

func newTimers() timers { return timers{heap.New((*timer).before, (*timer).moved)} }

// before orders by time. Timers of the same time have an order too, so that every decision is deterministic.
func (t *timer) before(other *timer) bool {
	return cmp.Or(t.at.Compare(other.at), cmp.Compare(t.batch.id, other.batch.id), cmp.Compare(t.run, other.run)) < 0
}

func (t *timer) moved(index int) { t.index = index }

// set sets or moves the timer of a run.
func (ts timers) set(l *liveBatch, run int, at time.Time) {
	if t := l.timers[run]; t != nil {
		t.at = at
		ts.heap.Fix(t.index)
		return
	}
	t := &timer{at: at, batch: l, run: run}
	ts.heap.Push(t)
	l.timers[run] = t
}

// stop removes the timer of a run, if it has one.
func (ts timers) stop(l *liveBatch, run int) {
	if t := l.timers[run]; t != nil {
		ts.heap.Remove(t.index)
		delete(l.timers, run)
	}
}

// stopAll removes all timers of a batch and of its runs.
func (ts timers) stopAll(l *liveBatch) {
	for run := range l.timers {
		ts.stop(l, run)
	}
}

// next returns when the earliest timer is due; zero means never.
func (ts timers) next() time.Time {
	if t, ok := ts.heap.First(); ok {
		return t.at
	}
	return time.Time{}
}

// takeDue removes the earliest timer and returns it; nil if no timer is due.
func (ts timers) takeDue(now time.Time) *timer {
	t, ok := ts.heap.First()
	if !ok || t.at.After(now) {
		return nil
	}
	ts.stop(t.batch, t.run)
	return t
}
