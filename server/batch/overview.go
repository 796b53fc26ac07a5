package batch

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/rprp/hivego/server/hive"
)

const (
	successOver = 30 * 24 * time.Hour
	// successFor is how long the counts of ended batches are cached. One batch more or less in a month does not matter.
	successFor = 10 * time.Second
	// queuedLate is the time after its moment at which a queued batch counts as late.
	queuedLate = time.Minute
)

// StatisticsStore counts and measures many batches at once.
type StatisticsStore interface {
	AllLive(ctx context.Context) ([]hive.Batch, error)
	CountRuns(ctx context.Context, batches []int64) (map[int64]hive.Counts, error)
	UsualDurations(ctx context.Context, schedules []int64) (map[int64]time.Duration, error)
	// PastTimes returns by task when it ran in the latest batches of a schedule before a batch that succeeded at once.
	PastTimes(ctx context.Context, schedule, before int64) (map[string][]hive.TaskTime, error)
	// CountOpen counts the failed batches of schedules that nobody has settled.
	CountOpen(ctx context.Context) (int, error)
	// RunColumns reads the runs of batches in short, by batch. A batch without runs may be left out.
	RunColumns(ctx context.Context, batches []int64) (map[int64]hive.RunColumn, error)
	// Ended counts the batches that ended since a time.
	Ended(ctx context.Context, since time.Time) (succeeded, ended int, err error)
}

// endedCounts caches the number of batches that ended in the last days.
type endedCounts struct {
	mu             sync.Mutex
	at             time.Time
	succeeded, all int
}

// Overview counts the batches that run, wait, are late, need a person, and succeeded lately.
func (s *Service) Overview(ctx context.Context) (hive.Overview, error) {
	var o hive.Overview
	live, err := s.statistics.AllLive(ctx)
	if err != nil {
		return o, err
	}
	usual, err := s.Usual(ctx, live)
	if err != nil {
		return o, err
	}
	seen := s.engine.Summaries(ctx)
	now := s.now()
	for i := range live {
		b := &live[i]
		if b.State == hive.BatchQueued {
			o.Queued++
		} else {
			o.Running++
		}
		if late(b, usual[b.ScheduleID], now) {
			o.Late++
		}
	}
	failed, err := s.statistics.CountOpen(ctx)
	if err != nil {
		return o, err
	}
	o.NeedsPerson = failed + len(urgent(live, seen))
	o.Succeeded, o.Ended, err = s.lately(ctx, now)
	return o, err
}

// urgent returns the batches that cannot go on without a person: stuck ones, and live ones with a held or failed run.
func urgent(live []hive.Batch, seen map[int64]hive.BatchSummary) []int64 {
	var ids []int64
	for id, v := range seen {
		if v.Stuck {
			ids = append(ids, id)
		}
	}
	for i := range live {
		if v := seen[live[i].ID]; v.NeedsPerson && !v.Stuck {
			ids = append(ids, live[i].ID)
		}
	}
	return ids
}

// UrgentSchedules lists the schedules with a live batch that cannot go on without a person.
func (s *Service) UrgentSchedules(ctx context.Context) ([]int64, error) {
	seen := s.engine.Summaries(ctx)
	anyone := false
	for _, v := range seen {
		anyone = anyone || v.NeedsPerson || v.Stuck
	}
	if !anyone {
		return nil, nil
	}
	live, err := s.statistics.AllLive(ctx)
	if err != nil {
		return nil, err
	}
	return schedulesWith(live, func(b *hive.Batch) bool { return seen[b.ID].NeedsPerson || seen[b.ID].Stuck }), nil
}

// LateSchedules lists the schedules with a live batch that is late.
func (s *Service) LateSchedules(ctx context.Context) ([]int64, error) {
	live, err := s.statistics.AllLive(ctx)
	if err != nil {
		return nil, err
	}
	usual, err := s.Usual(ctx, live)
	if err != nil {
		return nil, err
	}
	now := s.now()
	return schedulesWith(live, func(b *hive.Batch) bool { return late(b, usual[b.ScheduleID], now) }), nil
}

// schedulesWith lists the schedules of the batches for which a condition holds, sorted.
func schedulesWith(list []hive.Batch, holds func(*hive.Batch) bool) []int64 {
	var ids []int64
	for i := range list {
		if b := &list[i]; b.ScheduleID != 0 && holds(b) {
			ids = append(ids, b.ScheduleID)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// late reports whether a live batch takes too long. usual is the usual duration; 0 if unknown.
func late(b *hive.Batch, usual time.Duration, now time.Time) bool {
	if b.State == hive.BatchQueued {
		since := b.Moment
		if b.CreatedAt.After(since) { // its moment was already past
			since = b.CreatedAt
		}
		return now.Sub(since) > queuedLate
	}
	return b.RunsLate(usual, now)
}

// lately counts the batches that ended in the last days. Concurrent callers share one read.
func (s *Service) lately(ctx context.Context, now time.Time) (succeeded, all int, err error) {
	s.ended.mu.Lock()
	defer s.ended.mu.Unlock()
	if age := now.Sub(s.ended.at); s.ended.at.IsZero() || age < 0 || age >= successFor {
		succeeded, all, err := s.statistics.Ended(ctx, now.Add(-successOver))
		if err != nil {
			return 0, 0, err
		}
		s.ended.at, s.ended.succeeded, s.ended.all = now, succeeded, all
	}
	return s.ended.succeeded, s.ended.all, nil
}
