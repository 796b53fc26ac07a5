package db

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/server/hive"
)

// roundRow is how the first round of a batch ended.
type roundRow struct {
	ID       int64  `bun:"id"`
	Schedule int64  `bun:"schedule_id"`
	State    string `bun:"state"`
	Round    int    `bun:"round"`
	RoundAt  int64  `bun:"round_at"`
	Paused   int64  `bun:"paused_for"`
}

// UsualTasks returns by schedule when the tasks of its latest batch ran that succeeded in its first round and was
// never paused. Batches of backfills do not count. A schedule without such a batch among its latest is left out.
func (s *Store) UsualTasks(ctx context.Context, schedules []int64) (map[int64][]hive.TaskTime, error) {
	rows, err := forSchedules[roundRow](ctx, s, schedules, "SELECT id, schedule_id, state, round, round_at, "+
		"paused_for FROM batches WHERE schedule_id = ? AND kind <> 'backfill' ORDER BY id DESC LIMIT ?",
		hive.UsualWithin)
	if err != nil {
		return nil, s.fault("read the latest batches", err)
	}
	slices.SortFunc(rows, func(a, b roundRow) int { return cmp.Compare(b.ID, a.ID) })
	chosen := map[int64]roundRow{} // by batch
	out := make(map[int64][]hive.TaskTime, len(schedules))
	for _, r := range rows {
		if _, ok := out[r.Schedule]; !ok && r.State == string(hive.BatchSucceeded) && r.Round == 1 && r.Paused == 0 {
			chosen[r.ID], out[r.Schedule] = r, nil
		}
	}
	ids := make([]int64, 0, len(chosen))
	for id := range chosen {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for chunk := range slices.Chunk(ids, schedulesAtOnce) {
		var runs []struct {
			BatchID    int64
			StartedAt  int64
			FinishedAt int64
		}
		err := s.r.NewRaw("SELECT batch_id, started_at, finished_at FROM runs WHERE batch_id IN (?) "+
			"AND started_at > 0 ORDER BY batch_id, number", bun.List(chunk)).Scan(ctx, &runs)
		if err != nil {
			return nil, s.fault("read when tasks ran", err)
		}
		for _, run := range runs {
			b := chosen[run.BatchID]
			out[b.Schedule] = append(out[b.Schedule], hive.TaskTime{
				Begin: time.Duration(run.StartedAt-b.RoundAt) * time.Millisecond,
				End:   time.Duration(run.FinishedAt-b.RoundAt) * time.Millisecond,
			})
		}
	}
	return out, nil
}
