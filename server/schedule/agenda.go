package schedule

import (
	"time"

	"github.com/rprp/hivego/internal/heap"
	"github.com/rprp/hivego/server/hive"
)

// entry is one schedule that the ticker knows.
type entry struct {
	row     hive.Schedule
	periods []Period      // from the revision in force after the mark to the newest known one
	mark    time.Time     // of the decision that is being stored
	moment  time.Time     // earliest undecided moment; zero if it has none
	due     time.Time     // when that moment is decided: at once, or after its jitter
	wake    time.Time     // when it is looked at next: at due, or later after a failure
	retryIn time.Duration // the last delay after failures
	index   int           // in the agenda's queue; -1 if it is not there
	used    time.Duration // monotonic time of the last use
	wait    waiting       // what the ticker knows of its waits
	changes changes       // planned changes, as of the last decision

	onCalendar bool  // a trigger of the newest revision names a calendar
	calendars  int64 // version of the calendars by which that revision was divided
}

// since returns the time after which no moment is decided yet.
func (e *entry) since() time.Time {
	if e.row.Mark.IsZero() {
		return e.row.CreatedAt
	}
	return e.row.Mark
}

// followsSince returns the time after which its triggers follow moments of others.
func (e *entry) followsSince() time.Time { return later(e.wait.Since, e.row.UnarchivedAt) }

// newest returns the number of the newest revision known; 0 for none.
func (e *entry) newest() int64 {
	if len(e.periods) == 0 {
		return 0
	}
	return e.periods[len(e.periods)-1].Revision
}

// isAhead reports whether the newest revision known is not stored any more: the database went back to an earlier state.
func (e *entry) isAhead(v *hive.TickView) bool {
	n := len(e.periods)
	return n > 0 && (e.newest() > v.Revision ||
		e.newest() == v.Revision && e.periods[n-1].RevisionID != v.RevisionID)
}

// replaced reports whether the database went back to an earlier state. The row may then belong to another schedule or
// revision with the same numbers, which are given out again; or decisions that are known here are not stored any more.
func (e *entry) replaced(row *hive.Schedule) bool {
	return !row.CreatedAt.Equal(e.row.CreatedAt) || row.Mark.Before(e.row.Mark.Truncate(precision)) ||
		row.Revision == e.newest() && !row.UpdatedAt.Equal(e.row.UpdatedAt)
}

// decided notes that everything up to now is decided and stored.
func (e *entry) decided(now time.Time) {
	e.row.Mark, e.retryIn = later(e.row.Mark, e.mark), 0
	e.plan()
	e.trim()
	if !e.due.IsZero() && !e.due.After(now) {
		e.wake = now.Add(firstRetry) // the store has not decided it: wait before the next try
	}
}

// trim drops the revisions that are no longer in force and have no undecided moment. The clock has no say in that: it
// may be slower than the one by which a revision was published.
func (e *entry) trim() {
	if n := len(e.periods); n > 1 && (e.moment.IsZero() || !e.moment.Before(e.periods[n-1].From)) {
		e.periods = append([]Period(nil), e.periods[n-1])
	}
}

// plan finds the next due moment.
func (e *entry) plan() {
	e.moment, e.due = time.Time{}, time.Time{}
	if m, ok := nextMoment(e.periods, e.since()); ok && !e.row.Archived() {
		m = e.changes.due(m)
		e.moment, e.due = m.At, m.Due
	}
	e.wake = e.due
}

// agenda orders schedules by the time at which they are looked at next.
type agenda struct {
	byID  map[int64]*entry
	queue *heap.Heap[*entry] // of the entries that are ever due
}

func newAgenda() agenda {
	return agenda{
		byID: map[int64]*entry{},
		queue: heap.New(
			func(a, b *entry) bool { return a.wake.Before(b.wake) },
			func(e *entry, index int) { e.index = index }),
	}
}

// put adds e, or moves it to its place. An entry that is never due leaves the queue.
func (a *agenda) put(e *entry) {
	a.byID[e.row.ID] = e
	switch {
	case e.due.IsZero() && e.index >= 0:
		a.queue.Remove(e.index)
	case e.due.IsZero():
	case e.index >= 0:
		a.queue.Fix(e.index)
	default:
		a.queue.Push(e)
	}
}

// remove forgets a schedule.
func (a *agenda) remove(id int64) {
	e := a.byID[id]
	delete(a.byID, id)
	if e != nil && e.index >= 0 {
		a.queue.Remove(e.index)
	}
}

// take removes the due entries from the queue, at most limit. The caller puts each of them back.
func (a *agenda) take(now time.Time, limit int) []*entry {
	var due []*entry
	for len(due) < limit {
		if e, ok := a.queue.First(); !ok || e.wake.After(now) {
			break
		}
		e, _ := a.queue.Pop()
		due = append(due, e)
	}
	return due
}

// hasDue reports whether an entry is due.
func (a *agenda) hasDue(now time.Time) bool {
	at, ok := a.next()
	return ok && !at.After(now)
}

// next returns the time of the earliest entry; false if no entry is ever due.
func (a *agenda) next() (time.Time, bool) {
	e, ok := a.queue.First()
	if !ok {
		return time.Time{}, false
	}
	return e.wake, true
}

// reset removes all delays that follow failures.
func (a *agenda) reset() {
	for _, e := range a.queue.Items() {
		e.wake = e.due
	}
	a.queue.Init()
}
