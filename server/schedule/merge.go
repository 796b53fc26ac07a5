package schedule

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/rprp/hivego/internal/heap"
	"github.com/rprp/hivego/server/hive"
)

// maxSimulated bounds the decisions of one forecast, with those of schedules that are simulated only because others
// wait for them.
const maxSimulated = 100_000

// never is the end of what does not end by itself.
func never() time.Time { return time.Date(lastYear, time.December, 31, 0, 0, 0, 0, time.UTC) }

// coming is a simulation with the time of its next event.
type coming struct {
	*Simulation
	at    time.Time
	ends  bool // the event is the end of a batch
	index int  // in the queue; -1 if it is not there
}

// Merged is what Merge needs.
type Merged struct {
	Simulations []*Simulation
	Stored      Results // what moments wait for so far
	From        time.Time
	Until       time.Time
	Listed      time.Time // earlier ticks are simulated, and not listed
	Most        int       // listed ticks after which the forecast ends
}

// Merge decides the ticks of several schedules up to a time, and returns them by moment. It stops after the given
// number of ticks. Schedules that wait for others are judged whenever one of these decides or ends; ticks that do not
// start in this way still wait in the answer. end is the time up to which the answer has all ticks.
func Merge(ctx context.Context, m Merged) (ticks []hive.ForecastTick, end time.Time, err error) {
	run := merging{Merged: m, net: connect(ctx, m.Stored, m.Simulations, m.From), byID: map[int64]*coming{}}
	run.net.until = m.Until
	run.queue = heap.New(func(a, b *coming) bool {
		if c := a.at.Compare(b.at); c != 0 {
			return c < 0
		}
		return a.ends && !b.ends
	}, func(c *coming, index int) { c.index = index })
	for _, s := range m.Simulations {
		c := &coming{Simulation: s, index: -1}
		run.byID[s.view.Schedule.ID] = c
		run.add(s, s.stored()...)
		run.plan(c)
	}
	for more := true; more && run.net.err == nil && ctx.Err() == nil; {
		more = run.step()
	}
	if err := cmp.Or(ctx.Err(), run.net.err); err != nil {
		return nil, end, err
	}
	return run.answer(), run.Until, nil
}

// merging is a running Merge.
type merging struct {
	Merged
	net     *network
	byID    map[int64]*coming
	queue   *heap.Heap[*coming]
	found   []*hive.ForecastTick
	decided int  // with ticks of hidden schedules
	full    bool // there are no further moments
}

// stored lists the ticks that wait already.
func (s *Simulation) stored() []*hive.ForecastTick {
	out := make([]*hive.ForecastTick, 0, len(s.waiting))
	for _, t := range s.waiting {
		out = append(out, t)
	}
	return out
}

func (r *merging) add(s *Simulation, ticks ...*hive.ForecastTick) {
	r.decided += len(ticks)
	if s.outlook.Hidden {
		return
	}
	for _, t := range ticks {
		if !t.Moment.Before(r.Listed) {
			r.found = append(r.found, t)
		}
	}
}

// plan finds the next event of a simulation. Without a network, only moments are events.
func (r *merging) plan(c *coming) {
	m, ok := c.next()
	at := m.At
	ok, c.ends = ok && !at.After(r.Until), false
	if c.net != nil {
		at = c.up(later(m.Due, c.now))
		if end, busy := c.nextEnd(); busy && end.Before(never()) && (!ok || !c.up(end).After(at)) {
			at, ok, c.ends = c.up(end), true, true
		}
	}
	switch {
	case !ok && c.index >= 0:
		r.queue.Remove(c.index)
	case !ok:
	case c.index >= 0:
		c.at = at
		r.queue.Fix(c.index)
	default:
		c.at = at
		r.queue.Push(c)
	}
}

// step carries out the next event; false if there is none.
func (r *merging) step() bool {
	if !r.full && (len(r.found) >= r.Most || r.decided >= maxSimulated) {
		r.cut()
	}
	c, ok := r.queue.First()
	if at, waits := r.net.next(); waits && (!ok || r.net.up(at).Before(c.at)) {
		r.judge(r.net.due(at))
		return true
	}
	switch {
	case !ok:
		return false
	case c.net == nil:
		ticks := c.Step()
		if r.add(c.Simulation, ticks...); len(ticks) == 0 {
			r.queue.Remove(c.index)
			return true
		}
	case c.ends:
		r.net.now = later(r.net.now, c.at)
		c.advance(c.at)
	default:
		r.judge(r.together(c.at))
		return true
	}
	r.plan(c)
	return true
}

// together takes the simulations of the network that have a moment at a time.
func (r *merging) together(at time.Time) (due []*Simulation) {
	r.net.now = later(r.net.now, at)
	for c, ok := r.queue.First(); ok && c.at.Equal(at) && c.net != nil && !c.ends; c, ok = r.queue.First() {
		r.queue.Pop()
		due = append(due, c.Simulation)
	}
	return due
}

// judge decides schedules together, so that none knows the decision of another one: the ticker stores them at once.
func (r *merging) judge(due []*Simulation) {
	writes := make([][]hive.TickWrite, len(due))
	for i, s := range due {
		writes[i] = s.judge(s.up(r.net.now))
	}
	for i, s := range due {
		r.add(s, s.carry(writes[i], s.up(r.net.now))...)
		r.plan(r.byID[s.view.Schedule.ID])
	}
}

// cut ends the forecast before the first moment that is not decided. Batches still end, and what waits for them starts.
func (r *merging) cut() {
	r.full = true
	first := r.Until.Add(time.Second)
	for _, c := range r.queue.Items() {
		if at, ok := c.Next(); ok && at.Before(first) {
			first = at
		}
	}
	r.Until = first.Add(-time.Second)
	r.net.until = r.Until
	for _, c := range r.byID {
		r.plan(c)
	}
}

// answer lets all batches end, and returns the ticks by moment.
func (r *merging) answer() []hive.ForecastTick {
	for _, s := range r.Simulations {
		if s.net == nil {
			s.Finish()
		}
	}
	ticks := make([]hive.ForecastTick, 0, len(r.found))
	for _, t := range r.found {
		if !t.Moment.After(r.Until) {
			ticks = append(ticks, *t)
			ticks[len(ticks)-1].ID = 0
		}
	}
	slices.SortStableFunc(ticks, func(a, b hive.ForecastTick) int { return a.Moment.Compare(b.Moment) })
	return ticks
}
