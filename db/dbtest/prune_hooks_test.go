package dbtest_test

import (
	"testing"

	"github.com/rprp/hivego/server/hive"
)

// TestPruneHooks lets hooks go with the batch that they follow, not before and not after.
func TestPruneHooks(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		ids := x.old(hive.BatchSucceeded, hive.BatchSucceeded)
		hooks := make([]int64, 101) // more than one transaction deletes
		for i := range hooks {
			hooks[i] = x.hooks(ids[0], i, hive.BatchFailed)
		}
		adhoc := x.rule(1000)
		adhoc.ScheduleID = 0
		same(x, "not by themselves", x.prunable(adhoc), []int64(nil))
		r := x.rule(100)
		same(x, "with the batch", x.prunable(r), ids[:1])
		same(x, "what would go", must(x.PruneTotals(ctx, r))(x), hive.PruneCounts{Batches: 102, Runs: 103})
		command, _, err := x.AddCommand(ctx, x.repair(hooks[0], "again"))
		x.ok(err)
		same(x, "with a command", x.prunable(r), []int64(nil))
		x.ok(x.commit(hive.BatchWrite{
			BatchID: hooks[0], Commands: []hive.CommandDone{{ID: command.ID, State: hive.CommandRefused}},
		}))
		live := x.hooks(ids[0], 1000, hive.BatchRunning)
		same(x, "with live hooks", x.prunable(r), []int64(nil))
		same(x, "nothing", x.prune(r, ids[:1]), 0)
		x.ok(x.commit(hive.BatchWrite{BatchID: live, Batch: &hive.BatchChange{
			From: hive.BatchRunning, To: ended(must(x.Batch(ctx, live))(x)),
		}}))
		n, more, err := x.PruneBatches(ctx, x.me, r, ids[:1])
		x.ok(err)
		same(x, "first some hooks", []any{n, more}, []any{100, true})
		_ = must(x.Batch(ctx, ids[0]))(x)
		same(x, "then the rest", x.prune(r, ids[:1]), 3)
		x.code(hive.CodeNotFound, second(x.Batch(ctx, ids[0])))
		same(x, "no hooks", len(must(x.Batches(ctx, hive.BatchFilter{Kind: hive.KindHook}))(x)), 0)
		late := hive.NewBatch{Key: "late", Batch: hive.Batch{
			Kind: hive.KindHook, Hook: &hive.HookEvent{Batch: ids[0]}, RevisionID: x.revision.ID,
		}}
		x.code(hive.CodeNotFound, second(x.CreateBatch(ctx, x.me, late)))
	})
}
