package schedule

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// network is what the simulations of schedules that wait for each other share. Their moments are judged by the ticker's
// own lookout, on simulated results.
type network struct {
	ctx       context.Context //nolint:containedctx // it lives for one forecast
	ticker    *Ticker         // only its agenda and its waits are used
	results   *simulatedResults
	byID      map[int64]*Simulation
	now       time.Time
	until     time.Time      // no later moments are decided
	lastTick  int64          // ids of waiting ticks that are not stored, above firstSimulated
	lastBatch int64          // ids of batches that do not exist, below 0
	unsure    map[int64]bool // batches whose end is not known
	err       error          // the first one
}

// connect lets the simulations of schedules that wait for others judge their moments. Those of schedules that neither
// wait nor are waited for stay as they are.
func connect(ctx context.Context, stored Results, all []*Simulation, now time.Time) *network {
	n := &network{
		ctx: ctx, results: newSimulatedResults(stored, now), byID: map[int64]*Simulation{}, now: now,
		lastTick: firstSimulated, unsure: map[int64]bool{},
	}
	n.ticker = &Ticker{config: Config{Results: n.results, Links: n.results}, agenda: newAgenda(), waits: newWaitlist()}
	named := map[string]bool{}
	for _, s := range all {
		for _, name := range s.upstreams() {
			named[name] = true
		}
	}
	for _, s := range all {
		judged := len(s.outlook.Period.Timetable.gates()) > 0 || len(s.view.Changes) > 0 || len(s.view.Waiting) > 0
		if judged || named[s.view.Schedule.Name] {
			n.add(s, judged)
		}
	}
	return n
}

// upstreams lists the schedules that a simulated one waits for, each once.
func (s *Simulation) upstreams() []string {
	var names []string
	for _, g := range s.outlook.Period.Timetable.gates() {
		for i := range g.gate.after {
			names = append(names, g.gate.after[i].schedule)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (n *network) add(s *Simulation, judged bool) {
	id := s.view.Schedule.ID
	s.net, n.byID[id] = n, s
	s.entry = &entry{
		row: s.view.Schedule, periods: []Period{s.outlook.Period}, index: -1,
		changes: s.view.Changes,
		wait:    waiting{judged: judged, Following: s.outlook.Following},
	}
	n.ticker.agenda.byID[id] = s.entry
	waits := &n.ticker.waits
	waits.ids[s.view.Schedule.Name] = id
	n.results.link(s, judged)
	for i := range s.view.Waiting {
		row := &s.view.Waiting[i]
		t := &hive.ForecastTick{Tick: *row, Schedule: s.view.Schedule.Name}
		t.Change = changes(s.view.Changes).of(row.Moment)
		s.waiting[row.ID] = t
	}
	for _, x := range s.batches {
		if x.batch.State == hive.BatchRunning && s.outlook.Usual == 0 {
			n.unsure[x.batch.ID] = true
		}
	}
	if judged {
		waits.put(id, n.now)
	}
}

// next returns when a schedule is judged again, and false if none is.
func (n *network) next() (time.Time, bool) {
	if err := n.ticker.rouse(n.ctx); err != nil {
		n.err = err
	}
	at, ok := n.ticker.waits.next()
	return later(at, n.now), ok
}

// up returns the first time from t on at which a server runs. What falls due meanwhile is judged then, together.
func (n *network) up(t time.Time) time.Time {
	for _, s := range n.byID {
		return s.up(t) // all have the same times without a server
	}
	return t
}

// due takes the schedules that are to be judged at a time.
func (n *network) due(at time.Time) (due []*Simulation) {
	n.now = later(n.now, at)
	for _, e := range n.ticker.takeWaiting(n.now, nil) {
		due = append(due, n.byID[e.row.ID])
	}
	return due
}

// judge decides what is due in a schedule and what its waiting ticks still need, as Ticker.decide does. It carries
// nothing out.
func (s *Simulation) judge(at time.Time) []hive.TickWrite {
	n := s.net
	n.now = later(n.now, at)
	s.advance(at)
	s.setLive()
	s.entry.row, s.entry.changes = s.view.Schedule, s.view.Changes
	v := s.view
	if moment, ok := s.Next(); ok && moment.After(n.until) {
		v.Schedule.Mark = later(v.Schedule.Mark, at) // the forecast has no further moments
	}
	writes, err := n.ticker.decideWaits(n.ctx, at, s.entry, v)
	if err != nil {
		n.err = err
	}
	if s.entry.wait.delayed.After(n.until) {
		s.entry.wait.delayed = time.Time{} // each one would lead to the next, without an end
	}
	return writes
}

// carry carries decisions out, and returns the new ticks.
func (s *Simulation) carry(writes []hive.TickWrite, at time.Time) (found []*hive.ForecastTick) {
	for i := range writes {
		w := &writes[i]
		if w.Passed {
			s.view.Schedule.Mark = later(s.view.Schedule.Mark, w.Tick.Moment)
			continue
		}
		known := s.waiting[w.Tick.ID] != nil
		t := s.take(w, at)
		if !known {
			found = append(found, t)
		}
		if !known && !w.Follows {
			s.view.Schedule.Mark = later(s.view.Schedule.Mark, later(t.Moment, t.Until))
		}
	}
	s.view.Waiting = s.view.Waiting[:0:0]
	for _, id := range slices.Sorted(maps.Keys(s.waiting)) {
		s.view.Waiting = append(s.view.Waiting, s.waiting[id].Tick)
	}
	slices.SortStableFunc(s.view.Waiting, func(a, b hive.Tick) int { return a.Moment.Compare(b.Moment) })
	s.entry.row = s.view.Schedule
	s.net.ticker.noteDecided(s.entry, at)
	s.startQueued(at)
	return found
}

// ends notes the end of a batch, so that what waits for it is judged.
func (s *Simulation) ends(x *simulated, state hive.BatchState) {
	if s.net != nil {
		s.net.results.end(&x.batch, state)
		s.net.ticker.wake(s.view.Schedule.ID)
	}
}

// keep notes a decision for those who wait for it. A tick that begins to wait gets an id.
func (n *network) keep(s *Simulation, t *hive.ForecastTick, batch int64, causes []int64) {
	n.results.note(&t.Tick, batch)
	if t.Decision == hive.DecisionWaiting {
		if t.ID == 0 {
			n.lastTick++
			t.ID = n.lastTick
		}
		s.waiting[t.ID] = t
	} else {
		delete(s.waiting, t.ID)
	}
	t.Unsure = slices.ContainsFunc(causes, func(id int64) bool { return n.unsure[id] })
}
