package schedule

import (
	"container/heap"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// entry is one schedule that the ticker knows.
type entry struct {
	row     hive.Schedule
	eras    []Era         // from the one in force after the mark on; the last is the newest revision known
	mark    time.Time     // of the decision that is being stored
	due     time.Time     // earliest undecided moment; zero if it has none
	wake    time.Time     // when to look at it: due, or later after a failure
	retryIn time.Duration // the last delay after failures
	place   int           // in the agenda; -1 if it is not there
}

// since is after when moments are not decided yet.
func (e *entry) since() time.Time {
	if e.row.Mark.IsZero() {
		return e.row.CreatedAt
	}
	return e.row.Mark
}

// newest is the number of the newest revision known; 0 for none.
func (e *entry) newest() int64 {
	if len(e.eras) == 0 {
		return 0
	}
	return e.eras[len(e.eras)-1].Revision
}

// decided takes over that everything up to now is decided, and stored.
func (e *entry) decided(now time.Time) {
	e.row.Mark, e.retryIn = later(e.row.Mark, e.mark), 0
	e.plan()
	e.trim(now)
	if !e.due.IsZero() && !e.due.After(now) {
		e.wake = now.Add(firstRetry) // the store knows nothing of it: do not spin
	}
}

// trim forgets revisions that are no longer in force and have nothing undecided.
func (e *entry) trim(now time.Time) {
	if n := len(e.eras); n > 1 && (e.due.IsZero() || e.due.After(now)) {
		e.eras = append([]Era(nil), e.eras[n-1])
	}
}

// plan finds the next due moment.
func (e *entry) plan() {
	e.due = time.Time{}
	since := e.since()
	for i := range e.eras {
		m, ok := e.eras[i].Timetable.Next(later(since, justBefore(e.eras[i].From)))
		if ok && (i+1 == len(e.eras) || m.At.Before(e.eras[i+1].From)) {
			e.due = m.At
			break
		}
	}
	e.wake = e.due
}

// agenda orders schedules by when to look at them.
type agenda struct {
	byID  map[int64]*entry
	queue queue
}

type queue []*entry

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].wake.Before(q[j].wake) }
func (q queue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].place, q[j].place = i, j
}

// Push is for package heap.
func (q *queue) Push(x any) {
	if e, ok := x.(*entry); ok {
		e.place = len(*q)
		*q = append(*q, e)
	}
}

// Pop is for package heap.
func (q *queue) Pop() any {
	last := len(*q) - 1
	e := (*q)[last]
	(*q)[last] = nil
	*q, e.place = (*q)[:last], -1
	return e
}

// put adds e or moves it to its place; one that is never due leaves.
func (a *agenda) put(e *entry) {
	a.byID[e.row.ID] = e
	switch {
	case e.due.IsZero() && e.place >= 0:
		heap.Remove(&a.queue, e.place)
	case e.due.IsZero():
	case e.place >= 0:
		heap.Fix(&a.queue, e.place)
	default:
		heap.Push(&a.queue, e)
	}
}

func (a *agenda) remove(id int64) {
	e := a.byID[id]
	delete(a.byID, id)
	if e != nil && e.place >= 0 {
		heap.Remove(&a.queue, e.place)
	}
}

// take removes at most limit schedules that are due; each must be put back.
func (a *agenda) take(now time.Time, limit int) []*entry {
	var due []*entry
	for len(a.queue) > 0 && len(due) < limit && !a.queue[0].wake.After(now) {
		if e, ok := heap.Pop(&a.queue).(*entry); ok {
			due = append(due, e)
		}
	}
	return due
}

func (a *agenda) next() (time.Time, bool) {
	if len(a.queue) == 0 {
		return time.Time{}, false
	}
	return a.queue[0].wake, true
}

// reset gives up all delays.
func (a *agenda) reset() {
	for _, e := range a.queue {
		e.wake = e.due
	}
	heap.Init(&a.queue)
}
