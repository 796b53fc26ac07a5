package dbtest_test

import (
	"testing"
	"time"

	"github.com/rprp/hivego/db"
	"github.com/rprp/hivego/server/hive"
)

// Batches that had slots of an executor during a time are found, whether they have ended or not, and by how long.
func TestSlotHolders(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		other, rev := x.save("other", "other", t0)
		ended := func(begin, end time.Duration) hive.NewBatch {
			nb := x.ended(other, rev, hive.BatchSucceeded, end)
			nb.Batch.RoundAt, nb.Batch.Live = after(begin), false
			return nb
		}
		running := x.newBatch(1)
		running.Batch.RoundAt = t0
		list := must(x.CreateBatches(ctx, x.me, []hive.NewBatch{
			x.newBatch(1), ended(0, 2*time.Minute), ended(0, 10*time.Minute), running, ended(0, time.Minute),
			ended(8*time.Minute, 20*time.Minute), ended(0, 9*time.Minute),
		}))(x)
		attempt := func(i int, executor string, begin, end time.Duration) {
			t.Helper()
			run := x.snapshot(list[i].ID).Runs[0]
			a := hive.Attempt{
				ID: must(x.NextIDs(ctx, db.CounterAttempt, 1))(x), Key: "key", BatchID: run.BatchID, RunID: run.ID,
				Number: 1, Round: 1, Executor: executor, ExecutorName: executor, State: hive.AttemptRunning,
				OfferedAt: after(begin), StartedAt: after(begin),
			}
			if end > 0 {
				a.State, a.Outcome, a.FinishedAt = hive.AttemptEnded, hive.OutcomeSuccess, after(end)
			}
			x.ok(x.commit(hive.BatchWrite{BatchID: run.BatchID, Offers: []hive.Attempt{a}}))
		}
		attempt(0, "e1", 0, 0)
		attempt(1, "e1", 0, 2*time.Minute)
		attempt(2, "e2", time.Minute, 10*time.Minute)
		attempt(3, "e1", 4*time.Minute, 0)
		attempt(4, "e1", 0, time.Minute)               // it ended before
		attempt(5, "e1", 8*time.Minute, 9*time.Minute) // it began after
		attempt(6, "e3", 0, 9*time.Minute)             // on another executor
		in := hive.Span{From: after(90 * time.Second), To: after(5 * time.Minute)}
		got := must(x.SlotHolders(ctx, list[0].ID, []string{"e1", "e2"}, in))(x)
		same(x, "holders", got, hive.SlotHolders{List: []hive.SlotHolder{
			{Batch: list[2].ID, Schedule: "other", Moment: list[2].Moment, Tasks: 1, Held: 210 * time.Second},
			{Batch: list[3].ID, Schedule: "warehouse", Moment: list[3].Moment, Tasks: 1, Held: time.Minute},
			{Batch: list[1].ID, Schedule: "other", Moment: list[1].Moment, Tasks: 1, Held: 30 * time.Second},
		}})
		late := hive.Span{From: after(time.Hour), To: after(2 * time.Hour)}
		got = must(x.SlotHolders(ctx, list[0].ID, []string{"e2"}, late))(x)
		same(x, "nobody", len(got.List), 0)
	})
}
