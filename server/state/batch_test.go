package state

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/hive"
)

func TestKillsAreAskedOnce(t *testing.T) {
	t.Parallel()
	k := task("a")
	k.KillGrace = hive.Duration(3 * time.Second)
	b := start(t, schedule(job("one", k, task("b"), task("c"))))
	a, offered := b.begin("a"), b.offer("b")
	step := b.do(Wish{Wish: hive.WishCancel})
	require.Equal(t, []Kill{
		{Attempt: a, Executor: "x", Grace: 3 * time.Second, Reason: hive.ReasonBatchCanceled},
		{Attempt: offered, Executor: "x", Grace: 10 * time.Second, Reason: hive.ReasonBatchCanceled},
	}, step.Kills)
	require.Equal(t, Step{}, b.do(Wish{Wish: hive.WishCancel}))
	b.do(Returned{Attempt: offered})
	b.succeed("a")
	b.want(map[string]string{"a": "succeeded", "b": "canceled(batch_canceled)", "c": "canceled(batch_canceled)"})
	require.Equal(t, hive.BatchCanceled, b.m.Batch().State)
	require.Equal(t, Step{}, b.do(Wish{Wish: hive.WishCancel}))
	for _, w := range []hive.Wish{hive.WishRun, hive.WishPause} {
		_, err := b.m.Apply(b.now, Wish{Wish: w})
		require.Equal(t, hive.CodeConflict, hive.CodeOf(err))
	}
}

func TestBatchTimeoutStandsStillInAPause(t *testing.T) {
	t.Parallel()
	def := schedule(job("one", task("a")))
	def.Policy.Timeout = hive.Duration(time.Hour)
	b := start(t, def)
	require.Equal(t, b.now.Add(time.Hour), b.m.NextTimer())
	b.now = b.now.Add(30 * time.Minute)
	b.do(Wish{Wish: hive.WishPause})
	require.True(t, b.m.NextTimer().IsZero())
	b.now = b.now.Add(5 * time.Hour)
	require.Equal(t, Step{}, b.do(Due{}))
	b.do(Wish{Wish: hive.WishRun})
	require.Equal(t, 5*time.Hour, b.m.Batch().PausedFor)
	require.Equal(t, b.now.Add(30*time.Minute), b.m.NextTimer())
	b.now = b.m.NextTimer()
	require.True(t, b.do(Due{}).BatchChanged)
	require.Equal(t, hive.BatchFailed, b.m.Batch().State)
	require.Equal(t, hive.ReasonBatchTimeout, b.m.Batch().Reason)
}

func TestJobClocks(t *testing.T) {
	t.Parallel()
	one := job("one", task("a"), task("b"))
	one.Timeout = hive.Duration(10 * time.Minute)
	b := start(t, schedule(one, job("two", task("c", "a"))))
	require.True(t, b.m.NextTimer().IsZero(), "the clock counts from the first start")
	b.now = b.now.Add(time.Hour)
	b.begin("a")
	require.Equal(t, b.now.Add(10*time.Minute), b.m.NextTimer())
	started := b.now
	b.now = b.now.Add(4 * time.Minute)
	b.do(Wish{Wish: hive.WishPause})
	b.now = b.now.Add(time.Hour)
	b.do(Wish{Wish: hive.WishRun})
	require.Equal(t, started.Add(70*time.Minute), b.m.NextTimer(), "pauses do not count")
	m := New(stored(b.m), whens{})
	require.Equal(t, b.m.NextTimer(), m.NextTimer(), "a restart changes nothing")
	b.succeed("a")
	b.now = b.m.NextTimer()
	b.do(Due{})
	b.want(map[string]string{"a": "succeeded", "b": "canceled(job_timeout)", "c": "ready"})
	require.Empty(t, b.m.Batch().JobClocks)
	b.succeed("c")
	require.Equal(t, hive.BatchFailed, b.m.Batch().State)
}

func TestSnapshotThatLacksADecision(t *testing.T) {
	t.Parallel()
	b := start(t, schedule(job("one", task("a")), job("two", task("b", "a"), task("c", "a"))))
	b.begin("a")
	img := stored(b.m)
	img.Runs[0].State, img.Runs[0].Reason, img.Runs[0].Attempt, img.Attempts = hive.RunFailed, hive.ReasonExit, 0, nil
	m := New(img, whens{})
	require.Equal(t, hive.RunWaiting, m.Run(1).State, "New itself changes no final state")
	require.False(t, m.NextTimer().IsZero())
	require.False(t, m.NextTimer().After(b.now.Add(time.Second)))
	step, err := m.Apply(b.now, Due{})
	require.NoError(t, err)
	require.Equal(t, []int{1, 2}, step.Runs)
	require.Equal(t, hive.BatchFailed, m.Batch().State)
}

func TestABatchWithoutTasksEndsAtOnce(t *testing.T) {
	t.Parallel()
	b := start(t, schedule(job("one"), job("two")))
	require.Equal(t, hive.BatchSucceeded, b.m.Batch().State)
	require.Equal(t, Step{}, b.do(Start{}))
	require.Equal(t, Step{}, b.do(Due{}))
}

func TestEnvOfConditions(t *testing.T) {
	t.Parallel()
	def := schedule(job("one", task("a")))
	def.Timezone = "Asia/Shanghai"
	def.Params = map[string]any{"region": "east", "n": 1}
	b := start(t, def)
	b.m.batch.Params = map[string]any{"region": "west"}
	b.m.rebuild()
	e := b.m.Env()
	require.Equal(t, map[string]any{"region": "west", "n": 1}, e.Params)
	require.Equal(t, "Asia/Shanghai", e.Zone)
	require.Empty(t, e.Outputs)
	b.do(Ended{Attempt: b.begin("a"), Outcome: hive.OutcomeSuccess, Outputs: map[string]string{"rows": "3"}})
	require.Equal(t, map[string]map[string]string{"a": {"rows": "3"}}, b.m.Env().Outputs)
	require.Equal(t, b.m.Env().Outputs, New(stored(b.m), whens{}).Env().Outputs)
}
