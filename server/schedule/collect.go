package schedule

import (
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// perTrigger is how many due moments of one trigger are decided one by one; older ones are one range row.
const perTrigger = 100

// Period is the time in which one revision of a schedule was in force. It begins at From and ends where the next period
// begins.
type Period struct {
	From       time.Time
	RevisionID int64
	Revision   int64
	Definition *hive.Definition
	Timetable  *Timetable // of Definition
}

// candidate is one due moment, with the period that it lies in. A waiting tick is in the newest period.
type candidate struct {
	Moment
	period  *Period
	series  series              // of its trigger; nil if it follows
	gate    *gate               // what it waits for; nil: nothing
	row     *hive.Tick          // of a waiting tick
	follows bool                // other schedules or a call give the moment
	called  bool                // a call of a webhook gives the moment
	params  map[string]any      // of the batch
	met     bool                // it is known that its needs are met
	gone    bool                // of a waiting tick: no trigger gives the moment any more
	causes  []int64             // batches that let it start
	change  *hive.PlannedChange // of the moment; nil for none
	early   bool                // it is moved to a time before its moment
}

// onlyDue reports whether the moment comes from a trigger's own series, and has not waited yet.
func (c *candidate) onlyDue() bool { return c.row == nil && !c.follows }

// kind returns the kind of the batch.
func (c *candidate) kind() hive.BatchKind {
	if c.gate != nil && len(c.gate.after) > 0 {
		return hive.KindDependent
	}
	return hive.KindScheduled
}

// backlog is the older moments of one trigger in one period.
type backlog struct {
	older
	trigger string
	series  series
	period  *Period
}

// collect finds what is due after one time and up to another: single moments, unique and oldest first, and one backlog
// for each trigger that has more than perTrigger. What a person has planned is never in a backlog. It ends before the
// first moment whose jitter is not over, so that moments are decided in their order. A moment whose time a planned
// change gives has no jitter.
func collect(periods []Period, after, until time.Time, planned changes) ([]candidate, []backlog) {
	due, old := collectMoments(periods, after, until, planned)
	for i := range due {
		if due[i].Due.After(until) {
			return collectMoments(periods, after, justBefore(due[i].At), planned)
		}
	}
	return due, old
}

// collectMoments is collect without regard to jitter.
func collectMoments(periods []Period, after, until time.Time, planned changes) ([]candidate, []backlog) {
	var due []candidate
	var old []backlog
	for i := range periods {
		p := &periods[i]
		from, to := later(after, justBefore(p.From)), until
		if i+1 < len(periods) && justBefore(periods[i+1].From).Before(to) {
			to = justBefore(periods[i+1].From)
		}
		if !from.Before(to) {
			continue
		}
		for j := range p.Timetable.entries {
			e := &p.Timetable.entries[j]
			moments, o := newest(e.series, from, to, perTrigger)
			if o.count > 0 {
				moments = slices.Concat(planned.within(e.series, o.first, o.last), moments)
			}
			for _, at := range moments {
				due = append(due, candidate{
					Moment: planned.due(p.Timetable.moment(e, at)), period: p, series: e.series, gate: e.gate,
					change: planned.of(at),
				})
			}
			if o.count > 0 {
				old = append(old, backlog{older: o, trigger: e.trigger, series: e.series, period: p})
			}
		}
	}
	slices.SortStableFunc(due, func(a, b candidate) int { return a.At.Compare(b.At) })
	due = slices.CompactFunc(due, func(a, b candidate) bool { return a.At.Equal(b.At) })
	return due, splitBacklogs(due, old)
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// justBefore turns "from t on" into "after".
func justBefore(t time.Time) time.Time { return t.Add(-1) }

// splitBacklogs removes from the backlogs the moments that are decided one by one for another trigger. It gives each
// backlog a first moment of its own, because a row of the ledger is identified by its moment. A moment that lies in two
// backlogs counts in both.
func splitBacklogs(due []candidate, old []backlog) []backlog {
	taken := make(map[int64]bool, len(due)+len(old))
	for i := range due {
		taken[due[i].At.Unix()] = true
	}
	out := old[:0]
	for _, b := range old {
		for i := range due {
			if at := due[i].At; !at.Before(b.first) && !at.After(b.last) && isMoment(b.series, at) {
				b.count--
			}
		}
		for b.count > 0 && taken[b.first.Unix()] {
			next, ok := b.series.Next(b.first)
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
