package session

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/hive"
)

// A takeover that waited for a commit is made before the next renewal, however slow renewals are: no commit leaves
// until it is made.
func TestSlowRenewalsDoNotHoldUpATakeover(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.ends()
	f.turn(time.Second)
	f.Renewed(f.now, request[Heartbeat](t, f), nil)
	f.turn(2 * time.Second)
	f.Renewed(f.now, request[Heartbeat](t, f), nil)
	f.turn(0) // a look finds that a server is dead, while a commit is under way
	f.turn(time.Second)
	slow := request[Heartbeat](t, f)
	f.commit(t)
	assert.False(t, pends[TakeOver](f), "a renewal is under way")
	f.turn(1500 * time.Millisecond) // longer than the time between two renewals
	f.Renewed(f.now, slow, nil)
	f.turn(0)
	assert.True(t, pends[TakeOver](f))
}

// The answer of a command and the offers that follow from it are stored in one commit.
func TestOffersRideWithTheAnswer(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.ends()
	f.commit(t)
	f.Command(9, 1, hive.CommandRepair, `{"action":"rerun","tasks":["a"]}`)
	f.CommandStored(1)
	f.turn(0)
	f.CommandsRead(request[ReadCommands](t, f), f.Snapshot(1).Commands, nil)
	f.turn(0)
	f.BatchesRead(f.now, request[ReadBatches](t, f), []hive.BatchSnapshot{f.Snapshot(1)}, nil)
	f.turn(0)
	f.GraphsCompiled(f.now, request[CompileGraphs](t, f))
	f.turn(0)
	group := request[Commit](t, f).Group
	require.Len(t, group.Batches, 1)
	assert.Len(t, group.Batches[0].Commands, 1)
	assert.Len(t, group.Batches[0].Offers, 1)
}

// When the epoch changes while the first batches are loaded, they are read again before queued ones, which wait for
// them.
func TestQueuedBatchesWaitForOutdatedReads(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Add(2, 7, hive.BatchRunning, "", "b")
	f.Add(3, 7, hive.BatchQueued, hive.ReasonQueued, "c")
	f.loader.enqueue(listOwned{})
	f.turn(0)
	f.OwnedListed(f.now, request[ListOwned](t, f), nil, []int64{2, 3}, nil)
	f.turn(0)
	read := request[ReadBatches](t, f)
	f.BatchesRead(f.now, read, []hive.BatchSnapshot{f.Snapshot(2), f.Snapshot(3)}, nil)
	f.turn(0)
	compile := request[CompileGraphs](t, f)
	f.epoch = 2 // another server was taken over meanwhile
	f.GraphsCompiled(f.now, compile)
	f.turn(0)
	assert.Equal(t, []int64{2}, request[ReadBatches](t, f).IDs)
}

// After an error, the batches of this server are listed again before anything else is loaded: an attempt of a batch
// that a tick has just made might be on an executor that is not known yet.
func TestListIsTriedAgainFirst(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.loader.enqueue(listOwned{})
	f.turn(0)
	list := request[ListOwned](t, f)
	f.Add(3, 7, hive.BatchRunning, "", "c")
	f.Adopt(3)
	f.OwnedListed(f.now, list, nil, nil, hive.ErrConnection)
	f.turn(retryRequest / 2)
	assert.False(t, pends[ReadBatches](f))
	f.turn(retryRequest / 2)
	assert.False(t, pends[ReadBatches](f))
	f.OwnedListed(f.now, request[ListOwned](t, f), nil, []int64{3}, nil)
	f.turn(0)
	f.loads(t, 3)
}
