package schedule

import (
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// perTrigger is how many due moments of one trigger are decided one by one; older ones are one range row.
const perTrigger = 100

// Era is the time in which one revision of a schedule was in force: from From on, until the next era's From.
type Era struct {
	From       time.Time
	RevisionID int64
	Revision   int64
	Definition *hive.Definition
	Timetable  *Timetable // of Definition
}

// candidate is one due moment, with the era that it lies in.
type candidate struct {
	Moment
	era *Era
}

// backlog is the older moments of one trigger in one era.
type backlog struct {
	older
	trigger string
	cron    *Cron
	era     *Era
}

// collect finds what is due after the first and up to the second time: single moments, oldest first, unique; and
// one backlog for each trigger that has more than perTrigger.
func collect(eras []Era, after, until time.Time) ([]candidate, []backlog) {
	var due []candidate
	var old []backlog
	for i := range eras {
		e := &eras[i]
		from, to := later(after, justBefore(e.From)), until
		if i+1 < len(eras) && justBefore(eras[i+1].From).Before(to) {
			to = justBefore(eras[i+1].From)
		}
		if !from.Before(to) {
			continue
		}
		for _, l := range e.Timetable.lines {
			moments, o := l.cron.newest(from, to, perTrigger)
			for _, at := range moments {
				due = append(due, candidate{Moment: Moment{At: at, Trigger: l.trigger}, era: e})
			}
			if o.count > 0 {
				old = append(old, backlog{older: o, trigger: l.trigger, cron: l.cron, era: e})
			}
		}
	}
	slices.SortStableFunc(due, func(a, b candidate) int { return a.At.Compare(b.At) })
	due = slices.CompactFunc(due, func(a, b candidate) bool { return a.At.Equal(b.At) })
	return due, apart(due, old)
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// justBefore turns "from t on" into "after".
func justBefore(t time.Time) time.Time { return t.Add(-1) }

// apart takes out of the backlogs what is decided one by one for another trigger, and gives each its own first
// moment, as a row of the ledger must. A moment inside two backlogs counts in both.
func apart(due []candidate, old []backlog) []backlog {
	taken := make(map[int64]bool, len(due)+len(old))
	for i := range due {
		taken[due[i].At.Unix()] = true
	}
	out := old[:0]
	for _, b := range old {
		for i := range due {
			if at := due[i].At; !at.Before(b.first) && !at.After(b.last) && b.cron.fires(at) {
				b.count--
			}
		}
		for b.count > 0 && taken[b.first.Unix()] {
			next, ok := b.cron.Next(b.first)
			if !ok || next.After(b.last) {
				b.count = 0
				break
			}
			if !isDue(due, b.first) {
				b.count-- // it is the first moment of another backlog
			}
			b.first = next
		}
		if b.count > 0 {
			taken[b.first.Unix()] = true
			out = append(out, b)
		}
	}
	return out
}

func isDue(due []candidate, at time.Time) bool {
	_, found := slices.BinarySearchFunc(due, at, func(c candidate, t time.Time) int { return c.At.Compare(t) })
	return found
}

// fires says that at is a moment of c.
func (c *Cron) fires(at time.Time) bool {
	next, ok := c.Next(at.Add(-time.Second))
	return ok && next.Equal(at)
}
