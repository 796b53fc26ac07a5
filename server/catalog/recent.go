package catalog

import (
	"context"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// BatchStore reads batches of schedules.
type BatchStore interface {
	// Overlapping lists by schedule the live batches that count for overlap, oldest first.
	Overlapping(ctx context.Context, schedules []int64) (map[int64][]hive.Batch, error)
	RecentBatches(ctx context.Context, schedules []int64, limit int) (map[int64][]hive.Batch, error)
	UsualDurations(ctx context.Context, schedules []int64) (map[int64]time.Duration, error)
	// UsualTasks returns by schedule when the tasks of its latest batch ran that succeeded at once.
	UsualTasks(ctx context.Context, schedules []int64) (map[int64][]hive.TaskTime, error)
	// LastEnds returns when the last batch of each schedule ended, of those that count for overlap.
	LastEnds(ctx context.Context, schedules []int64) (map[int64]time.Time, error)
	// CountOpenOf counts by schedule the failed batches that nobody has settled. Archived schedules have none.
	CountOpenOf(ctx context.Context, schedules []int64) (map[int64]int, error)
}

// recent is the number of batches that a schedule's view shows.
const recent = 24

// addRecent adds the latest batches and the usual duration of each schedule. The number of SQL statements grows only
// with hundreds of schedules.
func (s *Service) addRecent(ctx context.Context, views []hive.ScheduleView) error {
	ids := make([]int64, len(views))
	for i := range views {
		ids[i] = views[i].Schedule.ID
	}
	batches, err := s.batches.RecentBatches(ctx, ids, recent)
	if err != nil {
		return err
	}
	usual, err := s.batches.UsualDurations(ctx, ids)
	if err != nil {
		return err
	}
	open, err := s.batches.CountOpenOf(ctx, ids)
	if err != nil {
		return err
	}
	var all []hive.Batch
	for _, id := range ids {
		all = append(all, batches[id]...)
	}
	if err := s.count(ctx, all); err != nil {
		return err
	}
	for i := range views {
		v := &views[i]
		list := batches[v.Schedule.ID]
		copy(list, all)
		all = all[len(list):]
		for j := range list {
			list[j].Schedule = v.Schedule.Name
		}
		v.Recent, v.Usual, v.Open = list, usual[v.Schedule.ID], open[v.Schedule.ID]
	}
	return nil
}
