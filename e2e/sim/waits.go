package sim

import (
	"context"
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// This file is what a ticker reads about the schedules that others wait for, by the rules of package db.

// waitingTicks lists the waiting ticks of a schedule in the order of their moments.
func (s *store) waitingTicks(schedule int64) []hive.Tick {
	var out []hive.Tick
	for _, key := range s.tickKeys(schedule) {
		if t := s.ticks[key]; t.Decision == hive.DecisionWaiting {
			out = append(out, *t)
		}
	}
	return out
}

// results lists the moments of a schedule that have a tick or a batch and that keep selects, oldest first.
func (s *store) results(schedule int64, keep func(*hive.MomentResult) bool) []hive.MomentResult {
	at := map[int64]*hive.MomentResult{}
	for _, key := range s.tickKeys(schedule) {
		t := s.ticks[key]
		at[key.moment] = &hive.MomentResult{Moment: t.Moment, Decision: t.Decision}
	}
	for id, b := range s.batches {
		if b.ScheduleID != schedule {
			continue
		}
		m := at[b.Moment.UnixMilli()]
		if m == nil {
			m = &hive.MomentResult{Moment: b.Moment}
			at[b.Moment.UnixMilli()] = m
		}
		if id > m.Batch {
			m.Batch, m.State = id, b.State
		}
	}
	var out []hive.MomentResult
	for _, m := range at {
		if keep(m) {
			out = append(out, *m)
		}
	}
	slices.SortFunc(out, func(a, b hive.MomentResult) int { return a.Moment.Compare(b.Moment) })
	return out
}

// WaitingSchedules implements schedule.Results.
func (k *ticker) WaitingSchedules(context.Context) (ids []int64, err error) {
	err = k.query("waiting schedules", func() error {
		for id := range k.s.w.store.schedules {
			x := k.s.w.store.schedules[id]
			if x.follows() || len(k.s.w.store.waitingTicks(id))+len(k.s.w.store.changesToCome(x))+
				len(k.s.w.store.pendingCalls(id)) > 0 {
				ids = append(ids, id)
			}
		}
		return nil
	})
	return ids, err
}

// MomentResults implements schedule.Results.
func (k *ticker) MomentResults(_ context.Context, id int64, after, until time.Time, limit int) (
	list []hive.MomentResult, err error,
) {
	err = k.query("moments", func() error {
		list = k.s.w.store.results(id, func(m *hive.MomentResult) bool {
			return m.Moment.After(after) && !m.Moment.After(until)
		})
		return nil
	})
	return list[:min(limit, len(list))], err
}

// MomentBefore implements schedule.Results.
func (k *ticker) MomentBefore(_ context.Context, id int64, before time.Time) (
	m hive.MomentResult, found bool, err error,
) {
	err = k.query("moment before", func() error {
		list := k.s.w.store.results(id, func(m *hive.MomentResult) bool {
			return m.Expected() && m.Moment.Before(before)
		})
		if found = len(list) > 0; found {
			m = list[len(list)-1]
		}
		return nil
	})
	return m, found, err
}

// LastOfTrigger implements schedule.Results.
func (k *ticker) LastOfTrigger(_ context.Context, id int64, trigger string) (last time.Time, err error) {
	err = k.query("last tick", func() error {
		for _, key := range k.s.w.store.tickKeys(id) {
			if t := k.s.w.store.ticks[key]; t.Trigger == trigger {
				last = t.Moment
			}
		}
		return nil
	})
	return last, err
}

// ExpectedTicks implements schedule.Results.
func (k *ticker) ExpectedTicks(_ context.Context, id int64, since time.Time, above int64, limit int) (
	moments []time.Time, last int64, err error,
) {
	err = k.query("expected ticks", func() error {
		moments, last = k.s.w.store.expectedTicks(id, since, above, limit)
		return nil
	})
	return moments, last, err
}

func (s *store) expectedTicks(id int64, since time.Time, above int64, limit int) (moments []time.Time, last int64) {
	var ticks []*hive.Tick
	for _, key := range s.tickKeys(id) {
		t := s.ticks[key]
		m := hive.MomentResult{Decision: t.Decision}
		if m.Expected() && t.ID > above && t.Moment.After(since) {
			ticks = append(ticks, t)
		}
	}
	slices.SortFunc(ticks, func(a, b *hive.Tick) int { return int(a.ID - b.ID) })
	last = above
	for _, t := range ticks[:min(limit, len(ticks))] {
		moments, last = append(moments, t.Moment), t.ID
	}
	return moments, last
}

// Successes implements schedule.Results.
func (k *ticker) Successes(_ context.Context, id int64, since time.Time, manual bool, limit int) (
	list []hive.MomentResult, err error,
) {
	err = k.query("successes", func() error {
		list = k.s.w.store.results(id, func(m *hive.MomentResult) bool {
			return m.State == hive.BatchSucceeded && m.Moment.After(since) && (manual || m.Decision != "")
		})
		slices.Reverse(list)
		return nil
	})
	return list[:min(limit, len(list))], err
}

// LastEnds implements schedule.Results.
func (k *ticker) LastEnds(_ context.Context, ids []int64) (ends map[int64]time.Time, err error) {
	ends = map[int64]time.Time{}
	err = k.query("last ends", func() error {
		for _, b := range k.s.w.store.batches {
			counts := b.Kind != hive.KindBackfill || b.Round > 1
			if counts && slices.Contains(ids, b.ScheduleID) && b.FinishedAt.After(ends[b.ScheduleID]) {
				ends[b.ScheduleID] = b.FinishedAt
			}
		}
		return nil
	})
	return ends, err
}
