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
	for _, t := range s.ticks[id] {
		if t.Decision == hive.DecisionWaiting {
			out = append(out, t)
		}
	}
	slices.SortFunc(out, func(a, b hive.Tick) int { return a.Moment.Compare(b.Moment) })
	return out
}

func (s *store) endWait(id int64, now hive.Tick) {
	for i, t := range s.ticks[id] {
		if t.ID == now.ID && t.Decision == hive.DecisionWaiting {
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

// result returns what is known of a moment.
func (s *store) result(id int64, at time.Time) hive.MomentResult {
	m := hive.MomentResult{Moment: at}
	for _, t := range s.ticks[id] {
		if t.Moment.Equal(at) {
			m.Decision = t.Decision
		}
	}
	for i := range s.batches {
		if b := &s.batches[i].Batch; b.ScheduleID == id && b.Moment.Equal(at) {
			m.Batch, m.State = int64(i+1), b.State
			if state := s.ended[m.Batch]; state != "" {
				m.State = state
			}
		}
	}
	return m
}

func (s *store) results(id int64, keep func(*hive.MomentResult) bool) []hive.MomentResult {
	s.mu.Lock()
	defer s.mu.Unlock()
	var moments []time.Time
	for _, t := range s.ticks[id] {
		moments = append(moments, t.Moment)
	}
	for i := range s.batches {
		if s.batches[i].Batch.ScheduleID == id {
			moments = append(moments, s.batches[i].Batch.Moment)
		}
	}
	slices.SortFunc(moments, time.Time.Compare)
	var out []hive.MomentResult
	for _, at := range slices.CompactFunc(moments, time.Time.Equal) {
		if m := s.result(id, at); keep(&m) {
			out = append(out, m)
		}
	}
	return out
}

func (s *store) MomentResults(_ context.Context, id int64, after, until time.Time, limit int) (
	[]hive.MomentResult, error,
) {
	all := s.results(id, func(m *hive.MomentResult) bool { return m.Moment.After(after) && !m.Moment.After(until) })
	return all[:min(limit, len(all))], nil
}

func (s *store) MomentBefore(_ context.Context, id int64, before time.Time) (hive.MomentResult, bool, error) {
	all := s.results(id, func(m *hive.MomentResult) bool { return m.Expected() && m.Moment.Before(before) })
	if len(all) == 0 {
		return hive.MomentResult{}, false, nil
	}
	return all[len(all)-1], true, nil
}

func (s *store) LastOfTrigger(_ context.Context, id int64, trigger string) (last time.Time, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.ticks[id] {
		if t.Trigger == trigger {
			last = latest(last, t.Moment)
		}
	}
	return last, nil
}

func (s *store) ExpectedTicks(_ context.Context, id int64, since time.Time, above int64, limit int) (
	moments []time.Time, last int64, err error,
) {
	s.mu.Lock()
	defer s.mu.Unlock()
	last = above
	for _, t := range s.ticks[id] {
		m := hive.MomentResult{Decision: t.Decision}
		if t.ID > above && t.Moment.After(since) && m.Expected() && len(moments) < limit {
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
	all := s.results(id, func(m *hive.MomentResult) bool {
		return m.State == hive.BatchSucceeded && m.Moment.After(since) && (manual || m.Decision != "")
	})
	slices.Reverse(all)
	return all[:min(limit, len(all))], nil
}
