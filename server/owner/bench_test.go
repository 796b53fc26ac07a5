package owner_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/hive"
)

// BenchmarkRepair resumes a batch of 10,000 tasks, all of them skipped because the first has failed.
func BenchmarkRepair(b *testing.B) {
	const tasks = 10_000
	keys := make([]string, tasks)
	for i := range keys {
		keys[i] = fmt.Sprintf("t%d", i)
	}
	f := newFixture(b)
	f.Add(1, 1, hive.BatchFailed, "", keys...)
	stored := f.Batches[1]
	stored.Batch.Live = false
	for i := range stored.Runs {
		r := &stored.Runs[i]
		r.State, r.Reason, r.Cause = hive.RunSkipped, hive.ReasonUpstreamFailed, "t0"
	}
	stored.Runs[0].State, stored.Runs[0].Reason, stored.Runs[0].Cause = hive.RunFailed, hive.ReasonExit, ""
	command := f.Command(1, 1, hive.CommandRepair, `{"action":"resume"}`)
	for b.Loop() {
		b.StopTimer()
		f.begin()
		require.NoError(b, f.owner.Load(f.now, f.Snapshot(1)))
		b.StartTimer()
		f.owner.HandleCommand(f.now, command, nil, hive.Revision{})
		require.NotNil(b, f.owner.NextCommit(f.now))
	}
}
