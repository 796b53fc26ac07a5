package owner_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/owner"
)

// of finds the change of a run among those of a commit.
func of(t *testing.T, fx owner.Effects, run int) hive.Delta {
	t.Helper()
	for _, d := range fx.Deltas {
		if d.Run == run {
			return d
		}
	}
	require.Failf(t, "nothing is published", "of run %d: %+v", run, fx.Deltas)
	return hive.Delta{}
}

// Observers get the whole row of a run, with its executor, and the row of its batch after the commit.
func TestPublished(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Add(1, 1, hive.BatchQueued, "", "a", "b")
	f.load(1)
	before, ok := f.owner.Published(1)
	require.True(t, ok)
	assert.Equal(t, []hive.RunState{hive.RunWaiting, hive.RunWaiting}, before.States,
		"what is not stored is not published")
	assert.Equal(t, hive.BatchQueued, f.owner.PublishedRows()[0].State)
	f.commit(hive.ErrConnection)
	assert.False(t, f.owner.AllPublished(), "it may be stored, and is not published")
	fx := f.commit(nil)
	assert.True(t, f.owner.AllPublished())

	a := of(t, fx, 0)
	assert.Equal(t, hive.RunReady, a.Now.State)
	assert.Equal(t, 1, a.Now.Attempts)
	assert.NotEmpty(t, a.Now.Executor)
	assert.False(t, a.Partial)
	assert.Equal(t, hive.BatchRunning, a.BatchRow.State)
	assert.Equal(t, hive.Counts{hive.RunReady: 1, hive.RunWaiting: 1}, a.BatchRow.Counts)

	f.deliver(hive.AttemptEvent{Attempt: f.Attempt(1, "a"), Kind: hive.EventReturned, Words: hive.Plain("busy")})
	fx = f.commit(nil)
	a = of(t, fx, 0)
	assert.Empty(t, a.Now.Executor, "it was given back")
	assert.Zero(t, a.Now.Attempts)
	fx = f.commit(nil)
	assert.NotEmpty(t, of(t, fx, 0).Now.Executor)

	f.deliver(hive.AttemptEvent{
		Attempt: f.Attempt(1, "a"), Kind: hive.EventEnded, Outcome: hive.OutcomeFailure,
		Words: hive.Plain("no such table"),
		At:    f.now,
	})
	fx = f.commit(nil)
	a = of(t, fx, 0)
	assert.Equal(t, hive.RunFailed, a.Now.State)
	assert.Equal(t, "no such table", a.Now.Error)
	assert.NotEmpty(t, a.Now.Executor)
	assert.Equal(t, hive.Counts{hive.RunFailed: 1, hive.RunSkipped: 1}, a.BatchRow.Counts)
	assert.False(t, a.BatchRow.Live)
}

// A server that loads a batch in the middle publishes what is ready in it, and knows the executor of what runs. It
// marks a run as partial if only the store knows its latest attempt.
func TestPublishedAfterARestart(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Add(1, 1, hive.BatchQueued, "", "a", "b")
	f.load(1)
	f.settle()
	f.ends(1, "a")
	f.commit(nil)

	next := newFixture(t)
	next.Store, f.Number = f.Store, 0 // another session
	next.load(1)
	loaded := next.owner.LoadedDeltas(1)
	require.NotEmpty(t, loaded)
	assert.Equal(t, -1, loaded[0].Run)
	assert.Equal(t, hive.BatchRunning, loaded[0].BatchRow.State)
	b, ok := next.owner.Published(1)
	require.True(t, ok)
	assert.Equal(t, hive.RunSucceeded, b.States[0])

	next.deliver(hive.AttemptEvent{Attempt: f.Attempt(1, "b"), Kind: hive.EventStarted, At: next.now})
	next.now = next.now.Add(time.Second)
	fx := next.commit(nil)
	assert.Equal(t, hive.RunRunning, of(t, fx, 1).Now.State)
	assert.NotEmpty(t, of(t, fx, 1).Now.Executor)
}
