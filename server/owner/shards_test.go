package owner_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/owner"
)

// sharded adds a batch of two tasks, the first with shards.
func (f *fixture) sharded(id int64, shard string) {
	f.Add(id, 1, hive.BatchQueued, "", "a", "b")
	doc := &f.Batches[id].Revision.Document
	*doc = strings.Replace(*doc, "handler: shell", "handler: shell, shard: "+shard, 1)
	f.Batches[id].Revision.ID = id // the graphs are cached by it
}

// shards returns the stored shards of task a, by index.
func (f *fixture) shards(batch int64) []hive.Run {
	var out []hive.Run
	for _, r := range f.Batches[batch].Runs {
		if r.Task == "a" && r.Shard > 0 {
			out = append(out, r)
		}
	}
	return out
}

// The shards are stored with the count, and before the first of them is offered. A server that dies before that splits
// the task again; one that dies after it finds the shards.
func TestShardsAreStoredBeforeTheirOffers(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.sharded(1, "{count: 3}")
	f.load(1)
	assert.Empty(t, f.Offered)
	f.begin() // nothing was stored
	f.load(1)
	require.Empty(t, f.shards(1))
	f.commit(nil)
	f.settle()
	require.Len(t, f.Offered, 3)
	for i, a := range f.Offered {
		require.NotNil(t, a.Shard)
		assert.Equal(t, hive.Shard{Index: i, Total: 3}, *a.Shard)
		assert.Equal(t, "3", a.Env["HIVEGO_SHARD_TOTAL"])
	}
	stored := f.shards(1)
	require.Len(t, stored, 3)
	ids := map[int64]bool{}
	for _, r := range stored {
		ids[r.ID] = true
	}
	assert.Len(t, ids, 3, "each run has an id of its own")

	f.begin()
	f.Number = 0 // a new session counts its commits anew
	f.owner.AddIDs(owner.AttemptIDs, 50_000, 1000)
	f.load(1)
	f.settle()
	assert.Len(t, f.shards(1), 3)
	assert.Empty(t, f.Offered, "the attempts are adopted")
	assert.Len(t, f.Adopted, 3)
	for _, id := range f.Adopted {
		f.deliver(hive.AttemptEvent{
			Attempt: id, Kind: hive.EventEnded, Seq: 2, Outcome: hive.OutcomeSuccess, At: f.now,
		})
	}
	f.settle()
	f.ends(1, "b")
	f.settle()
	b, _ := f.Stored(1)
	assert.Equal(t, hive.BatchSucceeded, b.State)
	assert.Equal(t, hive.Counts{hive.RunSucceeded: 2}, b.Counts, "a task counts once")
}

// Each shard of a broadcast is bound to its executor. One that is gone costs its own shard.
func TestBroadcast(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.All = []hive.ExecutorRef{{ID: "x1", Name: "first"}, {ID: "x2", Name: "second"}}
	f.Gone = map[string]bool{"x2": true}
	f.sharded(1, "broadcast")
	f.load(1)
	f.settle()
	require.Len(t, f.Offered, 1)
	assert.Equal(t, "x1", f.Offered[0].Executor)
	assert.Equal(t, "x1", f.Wanted[f.Offered[0].Attempt].Bound)
	shards := f.shards(1)
	require.Len(t, shards, 2)
	assert.Equal(t, hive.RunFailed, shards[1].State)
	assert.Equal(t, hive.ReasonLost, shards[1].Reason)
	assert.Contains(t, shards[1].Detail, "second")
	assert.Equal(t, "first", shards[0].Part.ExecutorName)
	f.ends(1, "a")
	f.settle()
	_, states := f.Stored(1)
	assert.Equal(t, hive.RunSkipped, states["b"])
}

// A rerun with a revision that does not split the task offers it once the last of its former shards has ended.
func TestRerunWithoutShardsWaitsForTheFormerOnes(t *testing.T) {
	t.Parallel()
	latest, err := graph.Compile(&hive.Definition{
		APIVersion: hive.APIVersion, Kind: hive.KindSchedule, Name: "s1",
		Jobs: []hive.Job{{Key: "ja", Tasks: []hive.Task{{Key: "a", Handler: "shell"}}}},
	})
	require.NoError(t, err)
	f := newFixture(t)
	f.sharded(1, "{count: 2}")
	f.load(1)
	f.settle()
	require.Len(t, f.Offered, 2)
	for _, a := range f.Offered {
		f.deliver(hive.AttemptEvent{Attempt: a.Attempt, Kind: hive.EventStarted, At: f.now})
	}
	f.settle()
	rerun := f.Command(7, 1, hive.CommandRepair, `{"action":"rerun","tasks":["a"],"revisionId":2}`)
	f.owner.HandleCommand(f.now, rerun, latest, hive.Revision{ID: 2, Number: 2, ScheduleID: 1})
	f.settle()
	require.Len(t, f.Kills, 2)
	for _, k := range f.Kills {
		assert.Len(t, f.Offered, 2, "a former shard still runs")
		f.deliver(hive.AttemptEvent{
			Attempt: k.Attempt, Kind: hive.EventEnded, Seq: 2, Outcome: hive.OutcomeKilled, At: f.now,
		})
		f.settle()
	}
	require.Len(t, f.Offered, 3)
	assert.Nil(t, f.Offered[2].Shard)
	f.ends(1, "a")
	f.settle()
	b, _ := f.Stored(1)
	assert.Equal(t, hive.BatchSucceeded, b.State)
}

// A shard that is held, or has failed for good, needs a person at once, also while another shard of its task runs.
func TestAShardThatNeedsAPerson(t *testing.T) {
	t.Parallel()
	held := hive.AttemptEvent{Kind: hive.EventLost, Seq: 2}
	failed := hive.AttemptEvent{Kind: hive.EventEnded, Seq: 2, Outcome: hive.OutcomeFailure}
	for name, c := range map[string]struct {
		more  string
		event hive.AttemptEvent
		want  bool
	}{
		"held":         {"onLost: {do: hold}", held, true},
		"lost":         {"onLost: {do: fail}", held, true},
		"failed":       {"retry: {max: 0}", failed, true},
		"retried":      {"retry: {max: 1}", failed, false},
		"may fail":     {"allowFailure: true", failed, false},
		"has no fault": {"retry: {max: 0}", hive.AttemptEvent{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.sharded(1, "{count: 2}, "+c.more)
			f.load(1)
			f.settle()
			require.Len(t, f.Offered, 2)
			for _, a := range f.Offered {
				f.deliver(hive.AttemptEvent{Attempt: a.Attempt, Kind: hive.EventStarted, At: f.now})
			}
			c.event.Attempt = f.Offered[0].Attempt
			if c.event.Kind != "" {
				f.deliver(c.event)
			}
			s, ok := f.owner.Summary(1)
			require.True(t, ok)
			assert.Equal(t, c.want, s.NeedsPerson)
			assert.Equal(t, 1, s.Counts[hive.RunRunning], "a task counts once")
		})
	}
}

// Once a sharded task has ended, its own state counts: a person may have skipped it with a failed shard.
func TestAFailedShardOfASkippedTaskNeedsNobody(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.sharded(1, "{count: 2}, onLost: {do: hold}")
	f.load(1)
	f.settle()
	require.Len(t, f.Offered, 2)
	f.deliver(
		hive.AttemptEvent{
			Attempt: f.Offered[0].Attempt, Kind: hive.EventEnded, Seq: 2, Outcome: hive.OutcomeFailure, At: f.now,
		},
		hive.AttemptEvent{Attempt: f.Offered[1].Attempt, Kind: hive.EventStarted, At: f.now},
		hive.AttemptEvent{Attempt: f.Offered[1].Attempt, Kind: hive.EventLost},
	)
	s, _ := f.owner.Summary(1)
	require.True(t, s.NeedsPerson)
	mark := f.Command(7, 1, hive.CommandRepair, `{"action":"mark_skip","tasks":["a"]}`)
	f.owner.HandleCommand(f.now, mark, nil, hive.Revision{})
	s, ok := f.owner.Summary(1)
	require.True(t, ok)
	assert.Equal(t, 1, s.Counts[hive.RunIgnored])
	assert.False(t, s.NeedsPerson)
}
