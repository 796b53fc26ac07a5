package dbtest_test

import (
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// What counts or compares tasks has a sharded task once, with the times of its own run.
func TestShardsAreOneTask(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		nb := x.newBatch(3) // the run of the task, and its two shards
		nb.Batch.State, nb.Batch.Live, nb.Batch.FinishedAt = hive.BatchSucceeded, false, after(time.Minute)
		for i := range nb.Runs {
			r := &nb.Runs[i]
			r.Task, r.Shard, r.Part = "copy", i, &hive.Shard{Index: max(0, i-1), Total: 2}
			r.State, r.StartedAt, r.FinishedAt = hive.RunSucceeded, t0, after(time.Duration(9-i)*time.Second)
		}
		b := must(x.CreateBatch(ctx, x.me, nb))(x)
		ids := []int64{b.ID}
		same(x, "runs", len(must(x.Runs(ctx, b.ID))(x)), 3)
		same(x, "a shard", must(x.Runs(ctx, b.ID))(x)[2].Part, &hive.Shard{Index: 1, Total: 2})
		same(x, "counts", must(x.CountRuns(ctx, ids))(x), map[int64]hive.Counts{b.ID: {hive.RunSucceeded: 1}})
		same(x, "grid", must(x.RunColumns(ctx, ids))(x),
			map[int64]hive.RunColumn{b.ID: {Tasks: "load/copy", Cells: "s", Took: []int64{9000}}})
		same(x, "report", must(x.ReportRuns(ctx, ids))(x)[b.ID].Tasks, "load/copy")
		same(x, "usual", len(must(x.UsualTasks(ctx, []int64{x.schedule.ID}))(x)[x.schedule.ID]), 1)
		same(x, "past", must(x.PastTimes(ctx, x.schedule.ID, b.ID+1))(x),
			map[string][]hive.TaskTime{"copy": {{Begin: 0, End: 9 * time.Second}}})
	})
}

// Who holds a slot is named as a shard.
func TestHoldersAreShards(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		nb := x.newBatch(2)
		nb.Runs[0].Part, nb.Runs[1].Part = &hive.Shard{Total: 1}, &hive.Shard{Total: 1}
		nb.Runs[1].Task, nb.Runs[1].Shard = nb.Runs[0].Task, 1
		b := must(x.CreateBatch(ctx, x.me, nb))(x)
		change, attempt := x.offer(must(x.Runs(ctx, b.ID))(x)[1])
		x.ok(x.commit(hive.BatchWrite{
			BatchID: b.ID, Runs: []hive.RunChange{change}, Offers: []hive.Attempt{attempt},
		}))
		same(x, "on an executor", must(x.Held(ctx, attempt.Executor))(x)[0].Task, "task-0.0")
		holders := must(x.LimitHolders(ctx, hive.LimitKey{Kind: hive.LimitServer}, nil))(x)
		same(x, "of a limit", holders[0].Task, "task-0.0")
	})
}
