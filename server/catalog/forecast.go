package catalog

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/schedule"
)

// Limits of a forecast.
const (
	MaxForecast     = 10_000                   // ticks
	maxForecastTime = 2 * 366 * 24 * time.Hour // from now on
	maxShift        = 24 * time.Hour           // of a schedule, in both directions
)

// ResultStore reads what moments wait for.
type ResultStore interface {
	schedule.Results
	// WaitingTicks reads the waiting ticks of schedules, by schedule and in the order of their moments.
	WaitingTicks(ctx context.Context, schedules []int64) (map[int64][]hive.Tick, error)
}

// ForecastTicks tells which decisions are to be expected, by the code that will make them.
func (s *Service) ForecastTicks(ctx context.Context, r hive.TickForecastRequest) (hive.TickForecast, error) {
	now := s.moment()
	if err := checkForecast(&r, now); err != nil {
		return hive.TickForecast{}, err
	}
	down, err := joined(r.Down)
	if err != nil {
		return hive.TickForecast{}, err
	}
	schedules, hidden, err := s.chosen(ctx, r.Schedule)
	if err != nil {
		return hive.TickForecast{}, err
	}
	simulations, err := s.simulations(ctx, schedules, hidden, assumptions{down, r.Shift}, now)
	if err != nil {
		return hive.TickForecast{}, err
	}
	out := hive.TickForecast{From: now}
	out.Ticks, out.Until, err = schedule.Merge(ctx, schedule.Merged{
		Simulations: simulations, Stored: s.results, From: now, Until: r.Until, Listed: r.From,
		Most: r.Most,
	})
	return out, err
}

// all lists all schedules. It refuses more than a forecast can read in a request.
func (s *Service) all(ctx context.Context) ([]hive.Schedule, error) {
	n, err := s.directory.CountSchedules(ctx)
	if err != nil {
		return nil, err
	}
	if n > hive.MaxForecast {
		const words = "there are %d schedules, and a forecast of all is made for %d at most; choose a schedule"
		return nil, hive.Errorf(hive.CodeInvalid, words, n, hive.MaxForecast).
			WithReason(hive.ErrorForecastMany, "count", n, "most", hive.MaxForecast)
	}
	return s.schedules.Schedules(ctx)
}

// chosen returns one schedule, or all for an empty name. hidden are those that are needed only because others wait for
// them.
func (s *Service) chosen(ctx context.Context, name string) (all []hive.Schedule, hidden map[int64]bool, err error) {
	if name == "" {
		all, err = s.all(ctx)
		return all, nil, err
	}
	h, err := s.schedules.Schedule(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	around, err := s.around(ctx)
	if err != nil {
		return nil, nil, err
	}
	all, hidden = []hive.Schedule{h}, map[int64]bool{}
	seen := map[string]bool{name: true}
	for i := 0; i < len(all); i++ {
		d, err := s.digestOf(ctx, &all[i], around)
		if err != nil {
			return nil, nil, err
		}
		for _, upstream := range d.after {
			if seen[upstream] {
				continue
			}
			seen[upstream] = true
			u, err := s.schedules.Schedule(ctx, upstream)
			if hive.CodeOf(err) == hive.CodeNotFound {
				continue
			}
			if err != nil {
				return nil, nil, err
			}
			all, hidden[u.ID] = append(all, u), true
		}
	}
	return all, hidden, nil
}

// assumptions are what a forecast assumes to be different.
type assumptions struct {
	down  []hive.Span
	shift map[string]time.Duration
}

// check names what cannot be assumed of the schedules. d has their digests in the same order.
func (a *assumptions) check(all []hive.Schedule, d []digest) error {
	known := map[string]bool{}
	for i := range all {
		name := all[i].Name
		known[name] = true
		if by := a.shift[name]; by != 0 && !d[i].times.HasMoments() {
			return hive.Errorf(hive.CodeInvalid,
				"shift: no trigger of schedule %s has moments of its own; move those that it waits for", name).
				WithReason(hive.ErrorShiftNothing, "schedule", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(a.shift)) {
		if by := a.shift[name]; by < -maxShift || by > maxShift {
			return hive.Errorf(hive.CodeInvalid, "shift: a schedule can be moved by at most a day").
				WithReason(hive.ErrorForecastShift)
		}
		if !known[name] {
			return hive.Errorf(hive.CodeNotFound, "shift: the forecast has no schedule %s", name).
				WithReason(hive.ErrorNoSchedule, "schedule", name)
		}
	}
	return nil
}

// simulations begins a simulation of each schedule that has triggers or that others wait for.
func (s *Service) simulations(
	ctx context.Context, all []hive.Schedule, hidden map[int64]bool, assumed assumptions, now time.Time,
) ([]*schedule.Simulation, error) {
	ids := make([]int64, len(all))
	for i := range all {
		ids[i] = all[i].ID
	}
	live, err := s.batches.Overlapping(ctx, ids)
	if err != nil {
		return nil, err
	}
	usual, err := s.batches.UsualDurations(ctx, ids)
	if err != nil {
		return nil, err
	}
	ends, err := s.batches.LastEnds(ctx, ids)
	if err != nil {
		return nil, err
	}
	waiting, err := s.results.WaitingTicks(ctx, ids)
	if err != nil {
		return nil, err
	}
	planned, err := s.changes.ChangesToCome(ctx, ids)
	if err != nil {
		return nil, err
	}
	around, err := s.around(ctx)
	if err != nil {
		return nil, err
	}
	digests := make([]digest, len(all))
	for i := range all {
		if digests[i], err = s.digestOf(ctx, &all[i], around); err != nil {
			return nil, err
		}
	}
	if err := assumed.check(all, digests); err != nil {
		return nil, err
	}
	out := make([]*schedule.Simulation, 0, len(all))
	for i := range all {
		h, d := &all[i], &digests[i]
		out = append(out, schedule.NewSimulation(schedule.Outlook{
			View: hive.TickView{
				Schedule: *h, Revision: h.Revision, Live: live[h.ID], Counted: h.Counted, Waiting: waiting[h.ID],
				EndedAt: ends[h.ID], Changes: planned[h.ID],
			},
			Period: schedule.Period{
				Revision: h.Revision, Definition: &hive.Definition{Policy: d.policy}, Timetable: d.times,
			},
			Usual: usual[h.ID], Down: assumed.down, Following: d.follow, Hidden: hidden[h.ID],
			Shift: assumed.shift[h.Name],
		}, now))
	}
	return out, nil
}

func checkForecast(r *hive.TickForecastRequest, now time.Time) error {
	if !r.Until.After(now) || r.Until.Sub(now) > maxForecastTime {
		return hive.Errorf(hive.CodeInvalid, "until must be in the future, and at most two years from now").
			WithReason(hive.ErrorForecastUntil)
	}
	if r.Most < 1 || r.Most > MaxForecast {
		return hive.Errorf(hive.CodeInvalid, "limit must be 1 to %d", MaxForecast).
			WithReason(hive.ErrorRange, "name", "limit", "least", 1, "most", MaxForecast)
	}
	return nil
}

// joined returns times without a server in their order, joined where they overlap.
func joined(spans []hive.Span) ([]hive.Span, error) {
	down := slices.Clone(spans)
	slices.SortFunc(down, func(a, b hive.Span) int { return a.From.Compare(b.From) })
	out := down[:0]
	for _, d := range down {
		if !d.From.Before(d.To) {
			return nil, hive.Errorf(hive.CodeInvalid, "down: a time without a server must end after it begins").
				WithReason(hive.ErrorForecastDown)
		}
		if n := len(out); n > 0 && !d.From.After(out[n-1].To) {
			out[n-1].To = latest(out[n-1].To, d.To)
			continue
		}
		out = append(out, d)
	}
	return out, nil
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
