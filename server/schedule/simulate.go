package schedule

import (
	"slices"
	"time"

	"github.com/rprp/hivego/internal/heap"
	"github.com/rprp/hivego/server/hive"
)

// Outlook is a schedule as a simulation finds it.
type Outlook struct {
	View   hive.TickView
	Period Period        // of the newest revision; the past is decided already
	Usual  time.Duration // of a batch; 0 if it is not known: batches are then assumed to end at once
	Down   []hive.Span   // times in which no server runs, by From, without overlaps
}

// Simulation decides the coming ticks of a schedule by Decide, as the ticker will if nobody changes anything. It
// assumes that each batch succeeds after the usual duration, that a canceled one ends at once, that nobody continues a
// paused one, and that a server that starts notices ends before it decides.
type Simulation struct {
	outlook Outlook
	view    hive.TickView
	now     time.Time // of the simulation; it never goes back
	batches []*simulated
	lastID  int64 // of batches that do not exist, below 0
}

// simulated is a live batch. Its tick is nil if the batch exists already.
type simulated struct {
	batch hive.Batch
	end   time.Time // of a running one
	tick  *hive.ForecastTick
}

// NewSimulation begins a simulation at the given time.
func NewSimulation(o Outlook, now time.Time) *Simulation {
	s := &Simulation{outlook: o, view: o.View, now: now}
	if s.view.Schedule.Mark.IsZero() {
		s.view.Schedule.Mark = s.view.Schedule.CreatedAt
	}
	for _, b := range o.View.Live {
		x := &simulated{batch: b}
		switch {
		case b.State == hive.BatchRunning && b.Wish == hive.WishPause:
			x.end = time.Date(lastYear, time.December, 31, 0, 0, 0, 0, time.UTC) // until a person continues it
		case b.State == hive.BatchRunning:
			x.end = later(now, b.RoundAt.Add(o.Usual+b.PausedFor))
		case b.Reason != hive.ReasonQueued:
			s.start(x, now)
		}
		s.batches = append(s.batches, x)
	}
	return s
}

// Next returns the moment of the next tick; false if there is none.
func (s *Simulation) Next() (time.Time, bool) {
	m, ok := s.next()
	return m.At, ok
}

func (s *Simulation) next() (Moment, bool) {
	p := &s.outlook.Period
	m, ok := p.Timetable.Next(later(s.view.Schedule.Mark, justBefore(p.From)))
	if !p.Timetable.Delayed() {
		return m, ok
	}
	v := s.view
	v.Live = nil
	if len(s.batches) > 0 {
		ends := s.withoutTicks()
		ends.Finish()
		if len(ends.batches) > 0 {
			return m, ok // some are paused
		}
		v.EndedAt = ends.view.EndedAt
	}
	if d, found := p.Timetable.NextDelayed(&v, p.From); found && (!ok || d.At.Before(m.At)) {
		return d, true
	}
	return m, ok
}

// withoutTicks returns a copy that can go on by itself.
func (s *Simulation) withoutTicks() *Simulation {
	c := *s
	c.batches = make([]*simulated, len(s.batches))
	for i, x := range s.batches {
		c.batches[i] = &simulated{batch: x.batch, end: x.end}
	}
	return &c
}

// Step decides the next tick, and with it those that are due at the same time, for example after a time without a
// server. The starts and ends of their batches may be added by later steps, and by Finish.
func (s *Simulation) Step() []*hive.ForecastTick {
	moment, ok := s.next()
	if !ok {
		return nil
	}
	at := s.up(later(moment.Due, s.now))
	s.advance(at)
	s.view.Live = s.view.Live[:0:0]
	for _, x := range s.batches {
		s.view.Live = append(s.view.Live, x.batch)
	}
	writes := Decide(s.view, []Period{s.outlook.Period}, at)
	ticks := make([]*hive.ForecastTick, 0, len(writes))
	for i := range writes {
		t := s.take(&writes[i], at)
		ticks = append(ticks, t)
		s.view.Schedule.Mark = later(s.view.Schedule.Mark, later(t.Moment, t.Until))
	}
	s.startQueued(at)
	return ticks
}

// Finish lets all batches end, so that the ticks of all steps are complete.
func (s *Simulation) Finish() {
	for {
		next, ok := s.nextEnd()
		if !ok {
			return
		}
		s.advance(s.up(next))
	}
}

// take carries a decision out.
func (s *Simulation) take(w *hive.TickWrite, at time.Time) *hive.ForecastTick {
	t := &hive.ForecastTick{Tick: w.Tick, Schedule: s.view.Schedule.Name}
	if t.Rule == ruleOverlap && len(s.view.Live) > 0 && s.view.Live[0].ID < 0 {
		t.Detail = "the batch of " + s.view.Live[0].Moment.Format(time.RFC3339) + " is live"
	}
	s.batches = slices.DeleteFunc(s.batches, func(x *simulated) bool {
		replaced := slices.Contains(w.Replace, x.batch.ID)
		if replaced {
			s.view.EndedAt = at
		}
		if replaced && x.tick != nil {
			x.tick.EndsAt, x.tick.Ends = at, hive.ForecastReplaced
		}
		return replaced
	})
	if w.Batch == nil {
		return t
	}
	s.lastID--
	s.view.Counted++
	x := &simulated{batch: w.Batch.Batch, tick: t}
	x.batch.ID = s.lastID
	s.batches = append(s.batches, x)
	if x.batch.Reason != hive.ReasonQueued {
		s.start(x, at)
	}
	return t
}

func (s *Simulation) start(x *simulated, at time.Time) {
	x.batch.State, x.end = hive.BatchRunning, at.Add(s.outlook.Usual)
	if x.tick == nil {
		return
	}
	x.tick.StartsAt = at
	if s.outlook.Usual > 0 {
		x.tick.EndsAt = x.end
	}
}

// startQueued starts the oldest batch that waits for others, if none runs. It cancels those that have expired.
func (s *Simulation) startQueued(at time.Time) {
	if _, busy := s.nextEnd(); busy {
		return
	}
	expire := s.outlook.Period.Definition.Policy.Expire.Std()
	for i := 0; i < len(s.batches); {
		x := s.batches[i]
		switch {
		case x.batch.Wish == hive.WishPause:
			i++
		case expire > 0 && x.batch.Kind == hive.KindScheduled && at.Sub(x.batch.Moment) > expire:
			if x.tick != nil {
				x.tick.Ends = hive.ForecastExpired
			}
			s.batches = slices.Delete(s.batches, i, i+1)
		default:
			s.start(x, at)
			return
		}
	}
}

// advance lets batches end and start up to a time.
func (s *Simulation) advance(to time.Time) {
	for {
		next, ok := s.nextEnd()
		if !ok || s.up(next).After(to) {
			break
		}
		s.now = later(s.now, s.up(next))
		s.view.EndedAt = later(s.view.EndedAt, s.now)
		s.batches = slices.DeleteFunc(s.batches, func(x *simulated) bool {
			return x.batch.State == hive.BatchRunning && !x.end.After(next)
		})
		s.startQueued(s.now)
	}
	s.now = later(s.now, to)
}

// nextEnd returns when the next running batch ends; false if none runs.
func (s *Simulation) nextEnd() (first time.Time, ok bool) {
	for _, x := range s.batches {
		if x.batch.State == hive.BatchRunning && (!ok || x.end.Before(first)) {
			first, ok = x.end, true
		}
	}
	return first, ok
}

// up returns the first time from t on at which a server runs.
func (s *Simulation) up(t time.Time) time.Time {
	for _, d := range s.outlook.Down {
		if !t.Before(d.From) && t.Before(d.To) {
			t = d.To
		}
	}
	return t
}

// coming is a simulation with the moment of its next tick.
type coming struct {
	*Simulation
	at time.Time
}

// Merge decides the ticks of several schedules up to a time, and returns them by moment. It stops after the given
// number of ticks. end is the time up to which the answer has all ticks.
func Merge(simulations []*Simulation, until time.Time, most int) (ticks []hive.ForecastTick, end time.Time) {
	queue := heap.New(func(a, b coming) bool { return a.at.Before(b.at) }, nil)
	for _, s := range simulations {
		if at, ok := s.Next(); ok && !at.After(until) {
			queue.Push(coming{s, at})
		}
	}
	var found []*hive.ForecastTick
	for c, ok := queue.Pop(); ok; c, ok = queue.Pop() {
		if len(found) >= most {
			until = c.at.Add(-time.Second)
			break
		}
		ticks := c.Step()
		if found = append(found, ticks...); len(ticks) == 0 {
			continue
		}
		if at, more := c.Next(); more && !at.After(until) {
			queue.Push(coming{c.Simulation, at})
		}
	}
	for _, s := range simulations {
		s.Finish()
	}
	for _, t := range found {
		if !t.Moment.After(until) {
			ticks = append(ticks, *t)
		}
	}
	slices.SortStableFunc(ticks, func(a, b hive.ForecastTick) int { return a.Moment.Compare(b.Moment) })
	return ticks, until
}
