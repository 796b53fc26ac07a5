package night

import (
	"context"
	"slices"

	"github.com/rprp/hivego/server/hive"
)

// Open lists the failed batches that nobody has settled, newest first, from those with an id below before on; from the
// newest if before is 0. Each has the schedules whose ticks wait for it.
func (s *Service) Open(ctx context.Context, before int64, limit int) (hive.OpenList, error) {
	if limit < 1 || limit > hive.MostOpen {
		return hive.OpenList{}, hive.Errorf(hive.CodeInvalid, "limit must be 1 to %d", hive.MostOpen).
			WithReason(hive.ErrorRange, "name", "limit", "least", 1, "most", hive.MostOpen)
	}
	var out hive.OpenList
	var err error
	if out.Count, err = s.open.CountOpen(ctx); err != nil || out.Count == 0 {
		return out, err
	}
	if out.Batches, err = s.open.OpenBatches(ctx, before, limit); err != nil {
		return out, err
	}
	return out, s.addWaiting(ctx, out.Batches)
}

// addWaiting adds to batches the schedules with a tick that waits for just this batch.
func (s *Service) addWaiting(ctx context.Context, list []hive.OpenBatch) error {
	of := make([]int64, 0, len(list))
	byID := make(map[int64]*hive.OpenBatch, len(list))
	for i := range list {
		of, byID[list[i].ID] = append(of, list[i].ScheduleID), &list[i]
	}
	slices.Sort(of)
	dependants, err := s.open.Dependants(ctx, slices.Compact(of))
	if err != nil || len(dependants) == 0 {
		return err
	}
	ids := make([]int64, len(dependants))
	for i := range dependants {
		ids[i] = dependants[i].ScheduleID
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	ticks, err := s.open.WaitingTicks(ctx, ids)
	if err != nil || len(ticks) == 0 {
		return err
	}
	schedules, err := s.open.SchedulesByID(ctx, ids)
	if err != nil {
		return err
	}
	for i := range schedules {
		h := &schedules[i]
		if !h.Active() {
			continue
		}
		for _, t := range ticks[h.ID] {
			for _, m := range t.Wait.Missing {
				if b := byID[m.Batch]; b != nil && !slices.Contains(b.Waiting, h.Name) {
					b.Waiting = append(b.Waiting, h.Name)
				}
			}
		}
	}
	return nil
}
