package night

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// candidate is a schedule that a row may be made of.
type candidate struct {
	id    int64
	name  string
	state hive.NightState
	away  time.Duration // from now to what it does next, or did last
}

// found is what a first look has found.
type found struct {
	list          []candidate
	more          bool
	live          map[int64][]hive.Batch // by schedule
	running       []int64                // of the live batches, oldest first
	ended         []hive.NightBatch      // latest ends first
	readable      int                    // of ended: their runs are few enough to be read
	waiting, soon []int64
	forecast      []int64          // the schedules whose ticks are forecast
	ids           map[string]int64 // of the schedules that a forecast may name
}

// states have the order of rows.
var states = []hive.NightState{hive.NightFailed, hive.NightRunning, hive.NightQuiet} //nolint:gochecknoglobals // fixed

// sortRows puts rows in their order. It depends only on states and names, so that rows seldom move.
func sortRows(rows []hive.NightRow) {
	slices.SortFunc(rows, func(a, b hive.NightRow) int {
		return cmp.Or(cmp.Compare(slices.Index(states, a.State), slices.Index(states, b.State)),
			cmp.Compare(a.Schedule, b.Schedule))
	})
}

// candidates finds the schedules that do something in a window: first those that failed, then those that run, then the
// others by how far away from now it is.
func (s *Service) candidates(ctx context.Context, r *hive.NightRequest, now time.Time) (*found, error) {
	f := &found{live: map[int64][]hive.Batch{}, ids: map[string]int64{}}
	live, err := s.store.AllLive(ctx)
	if err != nil {
		return nil, err
	}
	in := hive.Span{From: r.From, To: r.To}
	if f.ended, err = s.store.LatestEnds(ctx, in, false, mostEnds); err != nil {
		return nil, err
	}
	failed, err := s.store.LatestEnds(ctx, in, true, mostFailures)
	if err != nil {
		return nil, err
	}
	if f.waiting, f.soon, err = s.store.SoonSchedules(ctx, r.To, mostSoon); err != nil {
		return nil, err
	}
	c := collector{byID: map[int64]int{}}
	for i := range failed {
		if b := &failed[i]; b.Open {
			c.add(b.Schedule, hive.NightFailed, now.Sub(b.End).Abs())
		}
	}
	for i := range live {
		b := &live[i]
		if b.ScheduleID == 0 || b.Hook != nil {
			continue
		}
		f.live[b.ScheduleID] = append(f.live[b.ScheduleID], *b)
		if b.State == hive.BatchRunning {
			f.running = append(f.running, b.ID)
		}
		if !now.Before(r.From) && beginOf(b).Before(r.To) {
			c.add(b.ScheduleID, hive.NightRunning, 0)
		}
	}
	if !now.Before(r.To) {
		f.waiting, f.soon = nil, nil
	}
	for _, id := range f.waiting {
		c.add(id, hive.NightQuiet, 0)
	}
	for i := range f.ended {
		c.add(f.ended[i].Schedule, hive.NightQuiet, now.Sub(f.ended[i].End).Abs())
	}
	for _, id := range f.soon {
		c.add(id, hive.NightQuiet, -1) // the schedule says when
	}
	f.more = c.more || len(f.ended) >= mostEnds || len(f.soon) >= mostSoon || len(f.waiting) >= mostSoon
	return f, s.name(ctx, f, c.list, now)
}

// name reads the schedules of candidates, and leaves out those that are archived.
func (s *Service) name(ctx context.Context, f *found, list []candidate, now time.Time) error {
	ids := make([]int64, len(list))
	for i := range list {
		ids[i] = list[i].id
	}
	all, err := s.open.SchedulesByID(ctx, ids)
	if err != nil {
		return err
	}
	byID := make(map[int64]*hive.Schedule, len(all))
	for i := range all {
		byID[all[i].ID], f.ids[all[i].Name] = &all[i], all[i].ID
	}
	for _, c := range list {
		h := byID[c.id]
		if h == nil || h.Archived() {
			continue
		}
		if c.name = h.Name; c.away < 0 {
			c.away = max(0, h.NextAt.Sub(now))
		}
		f.list = append(f.list, c)
	}
	slices.SortStableFunc(f.list, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(slices.Index(states, a.state), slices.Index(states, b.state)),
			cmp.Compare(a.away, b.away), cmp.Compare(a.name, b.name))
	})
	return nil
}

// all makes candidates of all schedules that a request asks for. Those that failed or run come first, as the first look
// has found them.
func (s *Service) all(ctx context.Context, r *hive.NightRequest, f *found) error {
	names, err := s.open.NamedSchedules(ctx, r.Find)
	if err != nil {
		return err
	}
	seen := make(map[int64]hive.NightState, len(f.list))
	for i := range f.list {
		seen[f.list[i].id] = f.list[i].state
	}
	f.list, f.more = make([]candidate, len(names)), false
	for i, n := range names {
		f.list[i] = candidate{id: n.ID, name: n.Name, state: cmp.Or(seen[n.ID], hive.NightQuiet)}
	}
	slices.SortStableFunc(f.list, func(a, b candidate) int {
		return cmp.Compare(slices.Index(states, a.state), slices.Index(states, b.state))
	})
	return nil
}

// addNames reads the names of schedules that were not found at the first look.
func (s *Service) addNames(ctx context.Context, f *found, ids []int64) error {
	known := make(map[int64]bool, len(f.ids))
	for _, id := range f.ids {
		known[id] = true
	}
	missing := slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { return known[id] })
	all, err := s.open.SchedulesByID(ctx, missing)
	for i := range all {
		f.ids[all[i].Name] = all[i].ID
	}
	return err
}

// collector gathers candidates, each once.
type collector struct {
	list []candidate
	byID map[int64]int
	more bool
}

// add adds a schedule, unless it is there already with a state that comes before.
func (c *collector) add(id int64, state hive.NightState, away time.Duration) {
	if id == 0 {
		return
	}
	if _, ok := c.byID[id]; ok {
		return
	}
	if len(c.list) >= mostCandidates {
		c.more = true
		return
	}
	c.byID[id] = len(c.list)
	c.list = append(c.list, candidate{id: id, state: state, away: away})
}

// window is a time that is drawn in parts.
type window struct {
	in   hive.Span
	part time.Duration
	now  time.Time
}

// barsOf makes the bars of a row, by their starts. Short batches of one state that follow each other within a part are
// drawn as one: nobody could tell them apart. Open failures and live batches have bars of their own.
func barsOf(ended []hive.NightBatch, live []hive.Batch, w window, usual time.Duration) []hive.NightBar {
	bars := make([]hive.NightBar, 0, len(ended)+len(live))
	for i := range slices.Backward(ended) {
		b := &ended[i]
		bar := hive.NightBar{
			ID: b.ID, Batches: 1, State: b.State, Moment: b.Moment, Begin: b.Begin, End: b.End, Open: b.Open,
		}
		if bar.Begin.IsZero() || bar.End.Before(bar.Begin) {
			bar.Begin = bar.End // it was canceled before it started
		}
		bars = append(bars, bar)
	}
	slices.SortStableFunc(bars, func(a, b hive.NightBar) int { return a.Begin.Compare(b.Begin) })
	out := bars[:0]
	for i := range bars {
		b := &bars[i]
		if n := len(out); n > 0 && joins(&out[n-1], b, w.part) {
			last := &out[n-1]
			last.ID, last.Moment, last.Batches = b.ID, b.Moment, last.Batches+1
			last.End = later(last.End, b.End)
			continue
		}
		out = append(out, *b)
	}
	for i := range live {
		b := &live[i]
		begin := beginOf(b)
		if w.in.From.After(w.now) || !begin.Before(w.in.To) {
			continue
		}
		out = append(out, hive.NightBar{
			ID: b.ID, Batches: 1, State: b.State, Moment: b.Moment, Begin: begin,
			Late: b.State == hive.BatchRunning && b.RunsLate(usual, w.now),
		})
	}
	return out
}

// beginOf returns when the bar of a live batch begins.
func beginOf(b *hive.Batch) time.Time {
	if b.RoundAt.IsZero() {
		return b.CreatedAt // it is queued
	}
	return b.RoundAt
}

func joins(a, b *hive.NightBar, part time.Duration) bool {
	return a.State == b.State && !a.Open && !b.Open && b.Begin.Sub(a.End) < part && b.End.Sub(b.Begin) < 2*part &&
		b.End.Sub(a.Begin) < 2*part
}

// ticksOf makes the ticks of the rows, by the names of their schedules.
func ticksOf(all []hive.ForecastTick, in hive.Span, part time.Duration, now time.Time) map[string][]hive.NightTick {
	out := map[string][]hive.NightTick{}
	for i := range all {
		f := &all[i]
		waits := f.Decision == hive.DecisionWaiting
		if !waits && f.Decision != hive.DecisionFired && f.Decision != hive.DecisionQueued {
			continue // it makes no batch
		}
		if f.Moment.Before(in.From) || !f.Moment.Before(in.To) {
			continue
		}
		t := hive.NightTick{
			Moment: f.Moment, Ticks: 1, Begin: f.StartsAt, End: f.EndsAt, Waits: waits,
			Late: f.Ends == hive.ForecastExpired,
		}
		if waits {
			names, stuck := missing(f.Wait.Missing)
			t.WaitsFor = names
			t.Late = t.Late || stuck && f.Moment.After(now)
		}
		list := out[f.Schedule]
		if n := len(list); n > 0 && list[n-1].Waits == waits && !t.Late && !list[n-1].Late &&
			t.Moment.Sub(list[n-1].Moment) < part {
			list[n-1].Ticks += t.Ticks
			list[n-1].End = t.End
			continue
		}
		out[f.Schedule] = append(list, t)
	}
	return out
}

// mostNames is the number of schedules that a waiting tick names.
const mostNames = 3

// missing names the schedules that a tick waits for. stuck reports that it waits for something that goes on by itself
// no more.
func missing(list []hive.Missing) (names []string, stuck bool) {
	for i := range list {
		m := &list[i]
		if !slices.Contains(names, m.Schedule) && len(names) < mostNames {
			names = append(names, m.Schedule)
		}
		switch m.State {
		case hive.MissingFailed, hive.MissingCanceled, hive.MissingGone, hive.MissingWaiting:
			stuck = true
		default:
		}
	}
	return names, stuck
}
