package catalog

import (
	"context"
	"time"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/schedule"
)

// mostUpstreams bounds the schedules that are simulated only because others wait for them.
const mostUpstreams = 500

// Coming tells which decisions about some schedules are to be expected, as ForecastTicks does for all of them. So it
// costs no more if there are thousands of others. With very many upstreams, some are left out: what waits for them then
// waits in the forecast, too.
func (s *Service) Coming(ctx context.Context, ids []int64, until time.Time, most int) (hive.TickForecast, error) {
	now := s.moment()
	out := hive.TickForecast{From: now, Until: until}
	if len(ids) == 0 || !until.After(now) {
		return out, nil
	}
	all, hidden, err := s.withUpstreams(ctx, ids)
	if err != nil {
		return out, err
	}
	simulations, err := s.simulations(ctx, all, hidden, assumptions{}, now)
	if err != nil {
		return out, err
	}
	out.Ticks, out.Until, err = schedule.Merge(ctx, schedule.Merged{
		Simulations: simulations, Stored: s.results, From: now, Until: until, Most: most,
	})
	return out, err
}

// withUpstreams reads schedules and those that they wait for. hidden are the latter.
func (s *Service) withUpstreams(ctx context.Context, ids []int64) (
	all []hive.Schedule, hidden map[int64]bool, err error,
) {
	if all, err = s.directory.SchedulesByID(ctx, ids); err != nil {
		return nil, nil, err
	}
	around, err := s.around(ctx)
	if err != nil {
		return nil, nil, err
	}
	seen, hidden := make(map[string]bool, len(all)), map[int64]bool{}
	for i := range all {
		seen[all[i].Name] = true
	}
	for done := 0; done < len(all) && len(hidden) < mostUpstreams; {
		var names []string
		for ; done < len(all); done++ {
			d, err := s.digestOf(ctx, &all[done], around)
			if err != nil {
				return nil, nil, err
			}
			for _, name := range d.after {
				if !seen[name] {
					seen[name], names = true, append(names, name)
				}
			}
		}
		if len(names) == 0 {
			break
		}
		found, err := s.directory.SchedulesNamed(ctx, names)
		if err != nil {
			return nil, nil, err
		}
		for i := range found {
			hidden[found[i].ID] = true
		}
		all = append(all, found...)
	}
	return all, hidden, nil
}
