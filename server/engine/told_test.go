package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/engine"
	"github.com/rprp/hivego/server/hive"
)

// of is the change of a run among those of a commit.
func of(t *testing.T, fx engine.Effects, run int) hive.Delta {
	t.Helper()
	for _, d := range fx.Deltas {
		if d.Run == run {
			return d
		}
	}
	require.Failf(t, "nothing is told", "of run %d: %+v", run, fx.Deltas)
	return hive.Delta{}
}

// What observers are told of a run is its whole row, with its executor, and how its batch stands after the commit.
func TestTold(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.add(1, 1, hive.BatchQueued, "", "a", "b")
	d.load(1)
	before, ok := d.owner.Told(1)
	require.True(t, ok)
	assert.Equal(t, []hive.RunState{hive.RunWaiting, hive.RunWaiting}, before.States, "what is not stored is not told")
	assert.Equal(t, hive.BatchQueued, before.Whole.State)
	d.commit(hive.ErrConnection)
	assert.False(t, d.owner.Settled(), "it may be stored, and is not told")
	fx := d.commit(nil)
	assert.True(t, d.owner.Settled())

	a := of(t, fx, 0)
	assert.Equal(t, hive.RunReady, a.Now.State)
	assert.Equal(t, 1, a.Now.Attempts)
	assert.NotEmpty(t, a.Now.Executor)
	assert.False(t, a.Partial)
	assert.Equal(t, hive.BatchRunning, a.Whole.State)
	assert.Equal(t, hive.Counts{hive.RunReady: 1, hive.RunWaiting: 1}, a.Whole.Counts)

	d.deliver(hive.AttemptEvent{Attempt: d.attempt(1, "a"), Kind: hive.EventReturned, Words: "busy"})
	fx = d.commit(nil)
	a = of(t, fx, 0)
	assert.Empty(t, a.Now.Executor, "it was given back")
	assert.Zero(t, a.Now.Attempts)
	fx = d.commit(nil)
	assert.NotEmpty(t, of(t, fx, 0).Now.Executor)

	d.deliver(hive.AttemptEvent{
		Attempt: d.attempt(1,
			"a"), Kind: hive.EventEnded, Outcome: hive.OutcomeFailure, Words: "no such table", At: d.now,
	})
	fx = d.commit(nil)
	a = of(t, fx, 0)
	assert.Equal(t, hive.RunFailed, a.Now.State)
	assert.Equal(t, "no such table", a.Now.Error)
	assert.NotEmpty(t, a.Now.Executor)
	assert.Equal(t, hive.Counts{hive.RunFailed: 1, hive.RunSkipped: 1}, a.Whole.Counts)
	assert.False(t, a.Whole.Live)
}

// A server that loads a batch in the middle tells what is ready in it, knows the executor of what runs, and says where
// it does not know of an attempt that ended before its time.
func TestToldAfterARestart(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.add(1, 1, hive.BatchQueued, "", "a", "b")
	d.load(1)
	d.settle()
	d.ends(1, "a")
	d.commit(nil)

	next := newDesk(t)
	next.store, d.number = d.store, 0 // another session
	next.load(1)
	told := next.owner.Loaded(1)
	require.NotEmpty(t, told)
	assert.Equal(t, -1, told[0].Run)
	assert.Equal(t, hive.BatchRunning, told[0].Whole.State)
	b, ok := next.owner.Told(1)
	require.True(t, ok)
	assert.Equal(t, hive.RunSucceeded, b.States[0])

	next.deliver(hive.AttemptEvent{Attempt: d.attempt(1, "b"), Kind: hive.EventStarted, At: next.now})
	next.now = next.now.Add(time.Second)
	fx := next.commit(nil)
	assert.Equal(t, hive.RunRunning, of(t, fx, 1).Now.State)
	assert.NotEmpty(t, of(t, fx, 1).Now.Executor)
}
