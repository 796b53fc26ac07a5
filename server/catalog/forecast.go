package catalog

import (
	"context"
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/schedule"
)

// Limits of a forecast.
const (
	MaxForecast     = 10_000                   // ticks
	maxForecastTime = 2 * 366 * 24 * time.Hour // from now on
)

// ForecastTicks tells which decisions are to be expected, by the code that will make them.
func (s *Service) ForecastTicks(ctx context.Context, r hive.TickForecastRequest) (hive.TickForecast, error) {
	now := s.moment()
	down, err := checkForecast(&r, now)
	if err != nil {
		return hive.TickForecast{}, err
	}
	schedules, err := s.chosen(ctx, r.Schedule)
	if err != nil {
		return hive.TickForecast{}, err
	}
	simulations, err := s.simulations(ctx, schedules, down, now)
	if err != nil {
		return hive.TickForecast{}, err
	}
	out := hive.TickForecast{From: now}
	out.Ticks, out.Until = schedule.Merge(simulations, r.Until, r.Most)
	return out, nil
}

// chosen returns one schedule, or all for an empty name.
func (s *Service) chosen(ctx context.Context, name string) ([]hive.Schedule, error) {
	if name == "" {
		return s.schedules.Schedules(ctx)
	}
	h, err := s.schedules.Schedule(ctx, name)
	return []hive.Schedule{h}, err
}

// simulations begins a simulation of each schedule that has triggers.
func (s *Service) simulations(ctx context.Context, all []hive.Schedule, down []hive.Span, now time.Time) (
	[]*schedule.Simulation, error,
) {
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
	calendars, err := s.calendars.CalendarsVersion(ctx)
	if err != nil {
		return nil, err
	}
	var out []*schedule.Simulation
	for i := range all {
		h := &all[i]
		d, err := s.digestOf(ctx, h, calendars)
		if err != nil {
			return nil, err
		}
		if len(d.view.Triggers) == 0 {
			continue
		}
		out = append(out, schedule.NewSimulation(schedule.Outlook{
			View: hive.TickView{
				Schedule: *h, Revision: h.Revision, Live: live[h.ID], Counted: h.Counted, EndedAt: ends[h.ID],
			},
			Period: schedule.Period{
				Revision: h.Revision, Definition: &hive.Definition{Policy: d.policy}, Timetable: d.times,
			},
			Usual: usual[h.ID], Down: down,
		}, now))
	}
	return out, nil
}

// checkForecast checks a request, and returns the times without a server in their order, joined where they overlap.
func checkForecast(r *hive.TickForecastRequest, now time.Time) ([]hive.Span, error) {
	if !r.Until.After(now) || r.Until.Sub(now) > maxForecastTime {
		return nil, hive.Errorf(hive.CodeInvalid, "until must be in the future, and at most two years from now").
			WithReason(hive.ErrorForecastUntil)
	}
	if r.Most < 1 || r.Most > MaxForecast {
		return nil, hive.Errorf(hive.CodeInvalid, "limit must be 1 to %d", MaxForecast).
			WithReason(hive.ErrorRange, "name", "limit", "least", 1, "most", MaxForecast)
	}
	down := slices.Clone(r.Down)
	slices.SortFunc(down, func(a, b hive.Span) int { return a.From.Compare(b.From) })
	joined := down[:0]
	for _, d := range down {
		if !d.From.Before(d.To) {
			return nil, hive.Errorf(hive.CodeInvalid, "down: a time without a server must end after it begins").
				WithReason(hive.ErrorForecastDown)
		}
		if n := len(joined); n > 0 && !d.From.After(joined[n-1].To) {
			joined[n-1].To = latest(joined[n-1].To, d.To)
			continue
		}
		joined = append(joined, d)
	}
	return joined, nil
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
