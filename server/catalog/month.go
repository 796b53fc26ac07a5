package catalog

import (
	"context"
	"time"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/schedule"
)

// ForecastMonth tells what the days of a month do, by the triggers that are published now.
func (s *Service) ForecastMonth(ctx context.Context, r hive.MonthRequest) (hive.ForecastMonth, error) {
	now := s.moment()
	zone, err := schedule.Zone(r.Timezone)
	if err != nil {
		return hive.ForecastMonth{}, err
	}
	if r.Month == "" {
		r.Month = now.In(zone).Format("2006-01")
	}
	first, err := time.ParseInLocation("2006-01", r.Month, zone)
	if err != nil || first.Sub(now).Abs() > maxForecastTime {
		value := hive.Clean(r.Month, 40)
		return hive.ForecastMonth{}, hive.Errorf(hive.CodeInvalid,
			"month: %q is not a month such as 2026-12, at most two years from now", value).
			WithReason(hive.ErrorForecastMonth, "value", value)
	}
	if r.Down, err = joined(r.Down); err != nil {
		return hive.ForecastMonth{}, err
	}
	var all []hive.Schedule
	if r.Schedule == "" {
		all, err = s.all(ctx)
	} else {
		all = make([]hive.Schedule, 1)
		all[0], err = s.schedules.Schedule(ctx, r.Schedule)
	}
	if err != nil {
		return hive.ForecastMonth{}, err
	}
	around, err := s.around(ctx)
	if err != nil {
		return hive.ForecastMonth{}, err
	}
	ids := make([]int64, len(all))
	for i := range all {
		ids[i] = all[i].ID
	}
	planned, err := s.changes.ChangesToCome(ctx, ids)
	if err != nil {
		return hive.ForecastMonth{}, err
	}
	list := make([]schedule.MonthSchedule, 0, len(all))
	for i := range all {
		if all[i].Archived() {
			continue
		}
		d, err := s.digestOf(ctx, &all[i], around)
		if err != nil {
			return hive.ForecastMonth{}, err
		}
		ended := d.policy.MaxBatches > 0 && all[i].Counted >= d.policy.MaxBatches
		list = append(list, schedule.MonthSchedule{
			Name: all[i].Name, Enabled: all[i].Enabled && !ended, Times: d.times,
			Changes: planned[all[i].ID],
		})
	}
	return schedule.Month(list, first, r.Down, now), nil
}
