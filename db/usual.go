package db

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
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
			"AND started_at > 0 AND shard = 0 ORDER BY batch_id, number", bun.List(chunk)).Scan(ctx, &runs)
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

// timesRow is when the tasks of one batch ran, as texts.
type timesRow struct {
	Batch    int64  `bun:"batch_id"`
	Tasks    string `bun:"tasks"`
	Started  string `bun:"started"`
	Finished string `bun:"finished"`
}

// PastTimes returns by task when it ran in the latest batches of a schedule before a batch, newest first. Only batches
// count that succeeded in their first round and were never paused, at most hive.UsualRunsOf; batches of backfills do
// not count. As in RunColumns, the database joins the runs of a batch to texts.
func (s *Store) PastTimes(ctx context.Context, schedule, before int64) (map[string][]hive.TaskTime, error) {
	var rounds []roundRow
	err := s.r.NewRaw("SELECT id, state, round, round_at, paused_for FROM batches WHERE schedule_id = ? AND id < ? "+
		"AND kind <> 'backfill' ORDER BY id DESC LIMIT ?", schedule, before, hive.UsualWithin).Scan(ctx, &rounds)
	if err != nil {
		return nil, s.fault("read the batches before one", err)
	}
	begun := map[int64]int64{} // by batch
	var ids []int64
	for _, r := range rounds {
		if r.State == string(hive.BatchSucceeded) && r.Round == 1 && r.Paused == 0 && len(ids) < hive.UsualRunsOf {
			begun[r.ID], ids = r.RoundAt, append(ids, r.ID)
		}
	}
	out := map[string][]hive.TaskTime{}
	if len(ids) == 0 {
		return out, nil
	}
	var rows []timesRow
	err = s.r.NewRaw("SELECT batch_id, "+s.joined("task")+" AS tasks, "+s.joined("CAST(started_at AS TEXT)")+
		" AS started, "+s.joined("CAST(finished_at AS TEXT)")+" AS finished FROM runs WHERE batch_id IN (?) "+
		"AND started_at > 0 AND finished_at >= started_at AND shard = 0 GROUP BY batch_id ORDER BY batch_id DESC",
		bun.List(ids)).Scan(ctx, &rows)
	if err != nil {
		return nil, s.fault("read when tasks ran", err)
	}
	for i := range rows {
		if err := rows[i].add(out, begun[rows[i].Batch]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// joined is an expression that joins a value of the runs of a batch, by commas.
func (s *Store) joined(value string) string {
	if s.file != "" {
		return "group_concat(" + value + ", ',' ORDER BY number)"
	}
	return "string_agg(" + value + ", ',' ORDER BY number)"
}

// add adds the times of a batch whose round began at a time.
func (r *timesRow) add(to map[string][]hive.TaskTime, begun int64) error {
	started, finished := strings.Split(r.Started, ","), strings.Split(r.Finished, ",")
	n := 0
	for task := range strings.SplitSeq(r.Tasks, ",") {
		if n >= len(started) || n >= len(finished) {
			break
		}
		begin, err := strconv.ParseInt(started[n], 10, 64)
		end, other := strconv.ParseInt(finished[n], 10, 64)
		if err := cmp.Or(err, other); err != nil {
			return fmt.Errorf("read when the tasks of batch %d ran: %w", r.Batch, err)
		}
		to[task] = append(to[task], hive.TaskTime{
			Begin: time.Duration(begin-begun) * time.Millisecond,
			End:   time.Duration(end-begun) * time.Millisecond,
		})
		n++
	}
	return nil
}
