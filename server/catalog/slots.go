package catalog

import (
	"context"
	"time"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/schedule"
)

// MaxSlotParts bounds the parts of a forecast of slots.
const MaxSlotParts = 1000

// ForecastSlots tells how many slots of executors are to be wanted. It assumes that the tasks of a coming batch run as
// in the latest one of the schedule that succeeded, counted from its start, however many slots there are.
func (s *Service) ForecastSlots(ctx context.Context, r hive.SlotsRequest) (hive.SlotsForecast, error) {
	if r.Parts < 1 || r.Parts > MaxSlotParts {
		return hive.SlotsForecast{}, hive.Errorf(hive.CodeInvalid, "parts must be 1 to %d", MaxSlotParts).
			WithReason(hive.ErrorRange, "name", "parts", "least", 1, "most", MaxSlotParts)
	}
	from, now := r.From, s.moment()
	if from.Before(now) {
		from = now
	}
	r.From = time.Time{} // what began earlier still runs
	f, err := s.ForecastTicks(ctx, r.TickForecastRequest)
	if err != nil {
		return hive.SlotsForecast{}, err
	}
	all, hidden, err := s.chosen(ctx, r.Schedule)
	if err != nil {
		return hive.SlotsForecast{}, err
	}
	ids, byName := make([]int64, 0, len(all)), make(map[string]int64, len(all))
	for i := range all {
		if !hidden[all[i].ID] {
			ids, byName[all[i].Name] = append(ids, all[i].ID), all[i].ID
		}
	}
	usual, err := s.batches.UsualTasks(ctx, ids)
	if err != nil {
		return hive.SlotsForecast{}, err
	}
	live, err := s.batches.Overlapping(ctx, ids)
	if err != nil {
		return hive.SlotsForecast{}, err
	}
	out := hive.SlotsForecast{From: from, Until: f.Until}
	var batches []schedule.BatchTime
	add := func(id int64, starts time.Time) {
		tasks, known := usual[id]
		if !known && !starts.Before(from) {
			out.Unknown++
		}
		batches = append(batches, schedule.BatchTime{Starts: starts, Tasks: tasks})
	}
	for _, id := range ids {
		for i := range live[id] {
			if b := &live[id][i]; b.State == hive.BatchRunning {
				add(id, b.RoundAt)
			}
		}
	}
	for i := range f.Ticks {
		if t := &f.Ticks[i]; !t.StartsAt.IsZero() {
			add(byName[t.Schedule], t.StartsAt)
		}
	}
	out.Wanted = schedule.SlotsWanted(batches, from, f.Until, r.Parts)
	return out, nil
}
