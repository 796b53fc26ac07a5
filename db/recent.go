package db

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Lists of schedules show the latest batches of each schedule. The statements are unions of one small query for each
// schedule: for these, both databases make one short walk down the index batches_schedule, however many batches there
// are. Window functions would read all batches of each schedule.

// schedulesAtOnce bounds one such statement. SQLite takes 500 parts.
const schedulesAtOnce = 100

// forSchedules runs one statement for each hundred schedules: the union of the query part for each of them. part has
// one placeholder for the schedule's id, and one for each further value.
func forSchedules[R any](ctx context.Context, s *Store, schedules []int64, part string, values ...any) ([]R, error) {
	var all []R
	for chunk := range slices.Chunk(schedules, schedulesAtOnce) {
		parts := make([]string, len(chunk))
		args := make([]any, 0, (1+len(values))*len(chunk))
		for i, id := range chunk {
			parts[i] = "SELECT * FROM (" + part + ") AS p"
			args = append(append(args, id), values...)
		}
		var rows []R
		if err := s.r.NewRaw(strings.Join(parts, " UNION ALL "), args...).Scan(ctx, &rows); err != nil {
			return nil, err
		}
		all = append(all, rows...)
	}
	return all, nil
}

// RecentBatches lists by schedule the latest batches of each, oldest first, at most limit.
func (s *Store) RecentBatches(ctx context.Context, schedules []int64, limit int) (map[int64][]hive.Batch, error) {
	rows, err := forSchedules[*batchRow](ctx, s, schedules,
		"SELECT * FROM batches WHERE schedule_id = ? ORDER BY id DESC LIMIT ?", limit)
	if err != nil {
		return nil, s.fault("list the latest batches", err)
	}
	slices.SortFunc(rows, func(a, b *batchRow) int { return cmp.Compare(a.ID, b.ID) })
	list, err := hiveBatches(rows)
	if err != nil {
		return nil, err
	}
	out := make(map[int64][]hive.Batch, len(schedules))
	for i := range list {
		out[list[i].ScheduleID] = append(out[list[i].ScheduleID], list[i])
	}
	return out, nil
}

// passRow is how a batch ended.
type passRow struct {
	ID       int64  `bun:"id"`
	Schedule int64  `bun:"schedule_id"`
	State    string `bun:"state"`
	Round    int    `bun:"round"`
	Took     int64  `bun:"took"`
}

type endRow struct {
	Schedule int64 `bun:"schedule_id"`
	Ended    int64 `bun:"finished_at"`
}

// LastEnds returns when the last batch of each schedule ended, of those that count for overlap: backfills that nobody
// has resumed do not. A schedule without such a batch is left out.
func (s *Store) LastEnds(ctx context.Context, schedules []int64) (map[int64]time.Time, error) {
	rows, err := forSchedules[endRow](ctx, s, schedules, "SELECT schedule_id, finished_at FROM batches "+
		"WHERE schedule_id = ? AND finished_at > 0 AND (kind <> 'backfill' OR round > 1) "+
		"ORDER BY finished_at DESC LIMIT ?", 1)
	if err != nil {
		return nil, s.fault("read the ends of batches", err)
	}
	out := make(map[int64]time.Time, len(rows))
	for _, r := range rows {
		out[r.Schedule] = at(r.Ended)
	}
	return out, nil
}

// UsualDurations returns, by schedule, the median duration of its latest batches that succeeded in their first round,
// without their pauses. Batches of backfills do not count. A schedule that has no such batch is left out.
func (s *Store) UsualDurations(ctx context.Context, schedules []int64) (map[int64]time.Duration, error) {
	rows, err := forSchedules[passRow](ctx, s, schedules, "SELECT id, schedule_id, state, round, "+
		"finished_at - round_at - paused_for AS took FROM batches WHERE schedule_id = ? "+
		"AND kind <> 'backfill' ORDER BY id DESC LIMIT ?", hive.UsualWithin)
	if err != nil {
		return nil, s.fault("read durations", err)
	}
	slices.SortFunc(rows, func(a, b passRow) int { return cmp.Compare(b.ID, a.ID) })
	took := map[int64][]time.Duration{}
	read := map[int64]int{}
	for _, r := range rows {
		read[r.Schedule]++
		if d := took[r.Schedule]; r.State == string(hive.BatchSucceeded) && r.Round == 1 && len(d) < hive.UsualOf {
			took[r.Schedule] = append(d, time.Duration(max(r.Took, 0))*time.Millisecond)
		}
	}
	if err := s.addKept(ctx, schedules, read, took); err != nil {
		return nil, s.fault("read durations", err)
	}
	out := make(map[int64]time.Duration, len(took))
	for id, d := range took {
		out[id] = hive.Usual(d)
	}
	return out, nil
}

// addKept adds the durations of pruned batches, of schedules that have fewer batches than count. read has how many
// they have.
func (s *Store) addKept(ctx context.Context, schedules []int64, read map[int64]int, took map[int64][]time.Duration,
) error {
	few := slices.DeleteFunc(slices.Clone(schedules), func(id int64) bool { return read[id] >= hive.UsualWithin })
	kept, err := keptDurations(ctx, s.r, few)
	for id, list := range kept {
		for _, v := range list[:min(len(list), hive.UsualOf-len(took[id]))] {
			took[id] = append(took[id], time.Duration(v)*time.Millisecond)
		}
	}
	return err
}
