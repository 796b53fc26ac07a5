package state

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/hive"
)

// copies returns a schedule with the task copy in so many shards, and the task after that needs it.
func copies(shards int) *hive.Definition {
	parts := task("copy")
	parts.Shard.Count = shards
	return schedule(job("one", parts), job("two", task("after", "copy")))
}

// split fixes the shards of a task, as many as it says.
func (b *bench) split(key string) {
	b.t.Helper()
	n := b.run(key).Number
	b.do(Split{Run: n, Shards: make([]hive.Shard, b.m.spec(n).Shard.Count)})
}

// shard returns the run of a shard of a task.
func (b *bench) shard(key string, index int) hive.Run {
	b.t.Helper()
	return b.m.runs[b.m.present(b.run(key).Number)[index]]
}

// beginShard starts an attempt of a shard, and returns it.
func (b *bench) beginShard(key string, index int) int64 {
	b.t.Helper()
	id := b.next
	b.next++
	b.do(Offered{Run: b.shard(key, index).Number, Attempt: id, Executor: "x", ExecutorName: "X"})
	b.do(Started{Attempt: id})
	return id
}

// endShards ends all shards of a task that was split: with an outcome for each, by index.
func (b *bench) endShards(key string, outcomes ...hive.Outcome) {
	b.t.Helper()
	for i, o := range outcomes {
		b.do(Ended{Attempt: b.beginShard(key, i), Outcome: o})
	}
}

// A request may name a shard several times; it means the same as once.
func TestAShardNamedTwice(t *testing.T) {
	t.Parallel()
	b := start(t, copies(2))
	b.split("copy")
	b.endShards("copy", hive.OutcomeSuccess, hive.OutcomeSuccess)
	once := b.plan(hive.PlanRequest{Action: hive.PlanRerun, Tasks: []string{"copy.1"}})
	require.Len(t, once.Rows, 2, "the shard, and its task")
	twice := hive.PlanRequest{Action: hive.PlanRerun, Tasks: []string{"copy.1", "copy.1"}}
	require.Equal(t, once.Rows, b.plan(twice).Rows)
	b.apply(twice)
	require.Equal(t, hive.RunReady, b.shard("copy", 1).State)
	require.Equal(t, hive.RunSucceeded, b.shard("copy", 0).State)
}

// Only whole tasks are kept: a shard in RerunKept is refused, and does not narrow the plan to that shard.
func TestRerunKeptNamesNoShard(t *testing.T) {
	t.Parallel()
	b := start(t, copies(2))
	b.split("copy")
	b.endShards("copy", hive.OutcomeFailure, hive.OutcomeFailure)
	b.refused(hive.PlanRequest{Action: hive.PlanResume, RerunKept: []string{"copy.1"}}, hive.CodeInvalid,
		"no task copy.1")
	b.refused(hive.PlanRequest{Action: hive.PlanResume, Tasks: []string{"copy.2"}}, hive.CodeInvalid, "no task copy.2")
}
