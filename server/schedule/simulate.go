package schedule

import (
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Outlook is a schedule as a simulation finds it.
type Outlook struct {
	View   hive.TickView
	Period Period        // of the newest revision; the past is decided already
	Usual  time.Duration // of a batch; 0 if it is not known: batches are then assumed to end at once
	Down   []hive.Span   // times in which no server runs, by From, without overlaps

	Following Following // of its triggers that follow other schedules
	Hidden    bool      // it is simulated only because others wait for it

	// Shift moves the moments that are still to come: later, or earlier if it is negative. What was decided already is
	// not due again.
	Shift time.Duration
}

// Simulation decides the coming ticks of a schedule by Decide, as the ticker will if nobody changes anything. It
// assumes that each batch succeeds after the usual duration, that a canceled one ends at once, that nobody continues a
// paused one, and that a server that starts notices ends before it decides.
type Simulation struct {
	outlook Outlook
	view    hive.TickView
	now     time.Time // of the simulation; it never goes back
	batches []*simulated
	lastID  int64                        // of batches that do not exist, below 0
	net     *network                     // nil if it neither waits for another schedule nor is waited for
	entry   *entry                       // what the ticker would know of it; nil without net
	waiting map[int64]*hive.ForecastTick // by id
}

// simulated is a live batch. Its tick is nil if the batch exists already.
type simulated struct {
	batch hive.Batch
	end   time.Time // of a running one
	tick  *hive.ForecastTick
}

// NewSimulation begins a simulation at the given time.
func NewSimulation(o Outlook, now time.Time) *Simulation {
	if o.View.Schedule.Archived() {
		o.Period.Timetable, o.View.Waiting = new(Timetable), nil // nothing comes of it
	}
	o.View.Changes = slices.Clone(o.View.Changes)
	s := &Simulation{outlook: o, view: o.View, now: now, waiting: map[int64]*hive.ForecastTick{}}
	if s.view.Schedule.Mark.IsZero() {
		s.view.Schedule.Mark = s.view.Schedule.CreatedAt
	}
	if o.Shift != 0 {
		s.outlook.Period.Timetable = o.Period.Timetable.shifted(o.Shift)
		mark := s.view.Schedule.Mark.Add(o.Shift)
		if o.Shift < 0 {
			mark = later(mark, now) // nothing can be due before now
		}
		s.view.Schedule.Mark = mark
	}
	for _, b := range o.View.Live {
		x := &simulated{batch: b}
		switch {
		case b.State == hive.BatchRunning && b.Wish == hive.WishPause:
			x.end = never() // until a person continues it
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
	m = changes(s.view.Changes).due(m)
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
	c.net = nil
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
	s.setLive()
	writes := Decide(s.view, []Period{s.outlook.Period}, at)
	ticks := make([]*hive.ForecastTick, 0, len(writes))
	for i := range writes {
		if writes[i].Passed {
			s.view.Schedule.Mark = later(s.view.Schedule.Mark, writes[i].Tick.Moment)
			continue
		}
		t := s.take(&writes[i], at)
		ticks = append(ticks, t)
		s.view.Schedule.Mark = later(s.view.Schedule.Mark, later(t.Moment, t.Until))
	}
	s.startQueued(at)
	return ticks
}

func (s *Simulation) setLive() {
	s.view.Live = s.view.Live[:0:0]
	for _, x := range s.batches {
		s.view.Live = append(s.view.Live, x.batch)
	}
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
	t := s.waiting[w.Tick.ID]
	if t == nil {
		t = &hive.ForecastTick{Schedule: s.view.Schedule.Name}
	}
	t.Tick = w.Tick
	if c := changes(s.view.Changes).of(t.Moment); c != nil {
		c.Decided = true
	}
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
		if replaced {
			s.ends(x, hive.BatchCanceled)
		}
		return replaced
	})
	var x *simulated
	batch := int64(0)
	if w.Batch != nil {
		x = &simulated{batch: w.Batch.Batch, tick: t}
		batch = s.newID()
		x.batch.ID = batch
	}
	if s.net != nil {
		s.net.keep(s, t, batch, w.Causes)
	}
	if x == nil {
		return t
	}
	s.view.Counted++
	s.batches = append(s.batches, x)
	if x.batch.Reason != hive.ReasonQueued {
		s.start(x, at)
	}
	return t
}

func (s *Simulation) newID() int64 {
	if s.net != nil {
		s.net.lastBatch--
		return s.net.lastBatch
	}
	s.lastID--
	return s.lastID
}

func (s *Simulation) start(x *simulated, at time.Time) {
	x.batch.State, x.end = hive.BatchRunning, at.Add(s.outlook.Usual)
	if s.net != nil && s.outlook.Usual == 0 {
		x.end = at.Add(time.Second) // what waits for it waits, for how long nobody knows
	}
	if x.tick == nil || !at.Before(never()) {
		return
	}
	if s.net != nil && (x.tick.Unsure || s.outlook.Usual == 0) {
		s.net.unsure[x.batch.ID] = true
	}
	if x.tick.Unsure {
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
			s.ends(x, hive.BatchCanceled)
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
			ended := x.batch.State == hive.BatchRunning && !x.end.After(next)
			if ended {
				s.ends(x, hive.BatchSucceeded)
			}
			return ended
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
