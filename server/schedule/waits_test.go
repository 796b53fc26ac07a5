package schedule_test

import (
	"context"
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// This file is the part of the store in memory that has waiting ticks.

func (s *store) waiting(id int64) []hive.Tick {
	var out []hive.Tick
	for _, i := range s.waitingAt(id) {
		out = append(out, s.ticks[id][i])
	}
	slices.SortFunc(out, func(a, b hive.Tick) int { return a.Moment.Compare(b.Moment) })
	return out
}

func (s *store) endWait(id int64, now hive.Tick) {
	for _, i := range s.waitingAt(id) {
		if s.ticks[id][i].ID == now.ID {
			s.ticks[id][i] = now
		}
	}
}

// PendingCalls lists calls that have no tick.
func (s *store) PendingCalls(_ context.Context, id int64, limit int) ([]hive.WebhookCall, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []hive.WebhookCall
	for _, c := range s.called {
		if c.ScheduleID == id && s.result(id, c.Moment).Decision == "" && len(out) < limit {
			out = append(out, c)
		}
	}
	return out, nil
}

func (s *store) WaitingSchedules(context.Context) ([]int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var ids []int64
	for id := range s.rows {
		called := slices.ContainsFunc(s.called, func(c hive.WebhookCall) bool {
			return c.ScheduleID == id && s.result(id, c.Moment).Decision == ""
		})
		if called || len(s.waiting(id)) > 0 || len(s.toCome(id)) > 0 {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

func (s *store) MomentResults(_ context.Context, id int64, after, until time.Time, limit int) (
	[]hive.MomentResult, error,
) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.indexOf(id)
	var out []hive.MomentResult
	for i := x.after(after); i < len(x.moments) && !x.moments[i].After(until) && len(out) < limit; i++ {
		out = append(out, s.result(id, x.moments[i]))
	}
	return out, nil
}

func (s *store) MomentBefore(_ context.Context, id int64, before time.Time) (hive.MomentResult, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.indexOf(id)
	for i := x.after(before.Add(-1)) - 1; i >= 0; i-- {
		if m := s.result(id, x.moments[i]); m.Expected() {
			return m, true, nil
		}
	}
	return hive.MomentResult{}, false, nil
}

func (s *store) LastOfTrigger(_ context.Context, id int64, trigger string) (time.Time, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.indexOf(id)
	for _, at := range slices.Backward(x.moments) {
		if i, found := x.tickAt[at.UnixMilli()]; found && s.ticks[id][i].Trigger == trigger {
			return at, nil
		}
	}
	return time.Time{}, nil
}

func (s *store) ExpectedTicks(_ context.Context, id int64, since time.Time, above int64, limit int) (
	moments []time.Time, last int64, err error,
) {
	s.mu.Lock()
	defer s.mu.Unlock()
	last = above
	first, _ := slices.BinarySearchFunc(s.ticks[id], above+1, func(t hive.Tick, id int64) int { return int(t.ID - id) })
	for _, t := range s.ticks[id][first:] {
		m := hive.MomentResult{Decision: t.Decision}
		if t.Moment.After(since) && m.Expected() && len(moments) < limit {
			moments, last = append(moments, t.Moment), t.ID
		}
	}
	return moments, last, nil
}

func (s *store) LastEnds(_ context.Context, schedules []int64) (map[int64]time.Time, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := map[int64]time.Time{}
	for _, id := range schedules {
		out[id] = s.endedAt[id]
	}
	return out, nil
}

func (s *store) Successes(_ context.Context, id int64, since time.Time, manual bool, limit int) (
	[]hive.MomentResult, error,
) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.indexOf(id)
	var out []hive.MomentResult
	for i, first := len(x.moments)-1, x.after(since); i >= first && len(out) < limit; i-- {
		if m := s.result(id, x.moments[i]); m.State == hive.BatchSucceeded && (manual || m.Decision != "") {
			out = append(out, m)
		}
	}
	return out, nil
}
