package session

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/hive"
)

// queuedBehind begins a session with the queued batch 3 in memory. Batch 2 of the same schedule runs on another server.
func queuedBehind(t *testing.T) *fixture {
	t.Helper()
	f := newFixture(t)
	f.Add(2, 7, hive.BatchRunning, "", "b")
	f.Store.Batches[2].Batch.Owner = "another"
	f.addQueued()
	f.Adopt(3)
	f.turn(0)
	f.loads(t, 3)
	return f
}

// addQueued stores the batch 3, which waits for other batches of schedule 7.
func (f *fixture) addQueued() {
	f.Add(3, 7, hive.BatchQueued, hive.ReasonQueued, "c")
	f.Store.Batches[3].Batch.Moment = f.now // it has not expired
}

// loads has batches read that the keeper asks for, and loaded.
func (f *fixture) loads(t *testing.T, ids ...int64) {
	t.Helper()
	read := request[ReadBatches](t, f)
	require.Equal(t, ids, read.IDs)
	var snapshots []hive.BatchSnapshot
	for _, id := range ids {
		snapshots = append(snapshots, f.Snapshot(id))
	}
	f.BatchesRead(f.now, read, snapshots, nil)
	f.turn(0)
	f.GraphsCompiled(f.now, request[CompileGraphs](t, f))
	f.turn(0)
}

// check has the store answer which queued batches wait.
func (f *fixture) check(t *testing.T, batches ...int64) {
	t.Helper()
	r := request[CheckQueued](t, f)
	require.Equal(t, batches, r.Batches)
	waiting, err := f.QueuedBehind(t.Context(), r.Batches)
	f.QueuedChecked(f.now, r, waiting, err)
	f.turn(0)
}

// end stores the end of batch 2.
func (f *fixture) end() {
	b := &f.Store.Batches[2].Batch
	b.State, b.Live = hive.BatchSucceeded, false
}

// A queued batch waits for a batch of its schedule that another server runs.
func TestQueuedBatchWaitsForAnotherServer(t *testing.T) {
	t.Parallel()
	f := queuedBehind(t)
	f.check(t, 3)
	assert.False(t, pends[Commit](f), "batch 2 runs")
	f.turn(recheckQueued / 2)
	assert.False(t, pends[CheckQueued](f), "the store is asked once in a while")
	f.turn(recheckQueued / 2)
	f.QueuedChecked(f.now, request[CheckQueued](t, f), nil, hive.ErrConnection)
	f.turn(0)
	assert.False(t, pends[Commit](f), "nobody knows what runs")
	assert.Equal(t, f.now.Add(recheckQueued), f.overlap.wakeup())
	f.end()
	f.turn(recheckQueued)
	f.check(t, 3)
	f.commit(t)
	b, _ := f.Stored(3)
	assert.Equal(t, hive.BatchRunning, b.State)
	f.turn(recheckQueued)
	assert.False(t, pends[CheckQueued](f), "it does not wait any more")
}

// The store is not asked about a batch that was paused or has ended meanwhile. A batch that continues is checked anew.
func TestPausedQueuedBatch(t *testing.T) {
	t.Parallel()
	f := queuedBehind(t)
	r := request[CheckQueued](t, f)
	wish := func(id int64, wish string) {
		f.owner.HandleCommand(f.now, f.Command(id, 3, hive.CommandWish, `{"wish":"`+wish+`"}`), nil, hive.Revision{})
		f.turn(0)
		f.commit(t)
	}
	wish(7, "pause")
	f.QueuedChecked(f.now, r, nil, nil)
	f.turn(recheckQueued)
	assert.False(t, pends[Commit](f), "it is paused")
	assert.False(t, pends[CheckQueued](f))
	wish(8, "run")
	f.check(t, 3)
	assert.False(t, pends[Commit](f), "batch 2 runs")
	wish(9, "cancel")
	f.turn(recheckQueued)
	assert.False(t, pends[CheckQueued](f))
}

// Another server starts a batch after the store was asked. The commit fails, and the queued batch waits again.
func TestQueuedBatchStartsAlone(t *testing.T) {
	t.Parallel()
	f := queuedBehind(t)
	other := &f.Store.Batches[2].Batch
	other.State, other.Reason = hive.BatchQueued, hive.ReasonQueued
	f.check(t, 3)
	assert.False(t, pends[Commit](f), "batch 2 is older")
	other.Wish = hive.WishPause
	f.turn(recheckQueued)
	f.check(t, 3)
	start := request[Commit](t, f)
	other.State, other.Reason, other.Wish = hive.BatchRunning, "", hive.WishRun
	err := f.Store.Commit(t.Context(), *start.Group)
	_, ok := errors.AsType[*hive.GuardError](err)
	require.True(t, ok, "%v", err)
	f.Committed(f.now, start, err)
	f.turn(0)
	f.loads(t, 3)
	f.check(t, 3)
	assert.False(t, pends[Commit](f), "batch 2 runs")
	f.end()
	f.turn(recheckQueued)
	f.check(t, 3)
	f.commit(t)
}

// A running batch that cannot be read still holds up the queued batches of its schedule.
func TestQueuedBatchWaitsForAnUnreadableOne(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Add(2, 7, hive.BatchRunning, "", "b")
	f.addQueued()
	f.loader.enqueue(listOwned{})
	f.turn(0)
	f.OwnedListed(f.now, request[ListOwned](t, f), nil, []int64{2, 3}, nil)
	f.turn(0)
	damaged := errors.New("a row is damaged")
	f.BatchesRead(f.now, request[ReadBatches](t, f), nil, damaged)
	f.turn(0)
	f.BatchesRead(f.now, request[ReadBatches](t, f), nil, damaged) // batch 2 alone
	f.turn(0)
	f.BatchesRead(f.now, request[ReadBatches](t, f), []hive.BatchSnapshot{f.Snapshot(3)}, nil)
	f.turn(0)
	f.loads(t, 3)
	require.NotEmpty(t, f.stuck.why(2))
	f.check(t, 3)
	assert.False(t, pends[Commit](f), "batch 2 runs")
	delete(f.Store.Batches, 2) // the database went back to a time before it
	f.turn(recheckQueued)
	f.check(t, 3)
	assert.True(t, pends[Commit](f))
}
