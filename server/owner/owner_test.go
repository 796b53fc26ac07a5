package owner_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/owner"
	"github.com/rprp/hivego/server/owner/ownertest"
)

var errRefused = errors.New("value too long for the column")

// fixture is an owner without its loop: the test says when a group is committed, and what becomes of it.
type fixture struct {
	*ownertest.Store
	*ownertest.Fleet
	t      testing.TB
	graphs owner.Graphs
	owner  *owner.Owner
	now    time.Time
	drawn  int     // keys
	queued []int64 // batches that wait for another one in the store
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	f := &fixture{Store: ownertest.NewStore(), t: t, graphs: &document.Graphs{}, now: ownertest.Start()}
	f.Epoch = 1
	f.begin()
	return f
}

// begin makes a new owner, with nothing in memory.
func (f *fixture) begin() {
	f.Fleet = ownertest.NewFleet()
	f.owner = owner.New(owner.Config{
		Fleet: f.Fleet, Chooser: f.Fleet, Graphs: f.graphs, NewKey: f.newKey,
		Session: owner.Session{Server: ownertest.Server, Epoch: 1},
	})
	f.owner.AddIDs(owner.AttemptIDs, 10_000, 1000)
	f.owner.AddIDs(owner.RunIDs, 20_000, 1000)
}

// newKey makes keys that can be told apart.
func (f *fixture) newKey() string {
	f.drawn++
	return fmt.Sprintf("key-%d", f.drawn)
}

func (f *fixture) load(ids ...int64) {
	f.t.Helper()
	for _, id := range ids {
		require.NoError(f.t, f.owner.Load(f.now, f.Snapshot(id)))
	}
	f.startQueued()
	f.owner.DispatchReady(f.now)
}

// startQueued starts the queued batches that wait for no other batch in the store.
func (f *fixture) startQueued() {
	f.t.Helper()
	ids := slices.Concat(f.queued, f.owner.TakeQueued())
	waiting, err := f.QueuedBehind(context.Background(), ids)
	require.NoError(f.t, err)
	f.queued = waiting
	for _, id := range ids {
		if !slices.Contains(waiting, id) {
			f.owner.StartQueued(f.now, id)
		}
	}
}

// commit takes the next group; without err the store decides.
func (f *fixture) commit(err error) owner.Effects {
	f.t.Helper()
	g := f.owner.NextCommit(f.now)
	require.NotNil(f.t, g, "there is something to commit")
	require.Nil(f.t, f.owner.NextCommit(f.now), "one group is under way at a time")
	if err == nil {
		err = f.Commit(context.Background(), *g)
	}
	fx := f.owner.CommitDone(f.now, err)
	f.owner.DispatchReady(f.now)
	return fx
}

// settle commits until nothing is left to store.
func (f *fixture) settle() {
	f.t.Helper()
	for range 20 {
		f.now = f.now.Add(time.Second)
		f.owner.FireTimers(f.now)
		f.startQueued()
		f.owner.DispatchReady(f.now)
		g := f.owner.NextCommit(f.now)
		if g == nil {
			return
		}
		fx := f.owner.CommitDone(f.now, f.Commit(context.Background(), *g))
		require.Empty(f.t, fx.Stuck)
		f.load(fx.Reload...)
	}
	f.t.Fatal("there is always something to store")
}

// ends tells the owner that an attempt ended well.
func (f *fixture) ends(batch int64, task string) {
	f.t.Helper()
	id := f.Attempt(batch, task)
	require.NotZero(f.t, id, "%s of batch %f was offered", task, batch)
	f.deliver(hive.AttemptEvent{Attempt: id, Kind: hive.EventEnded, Seq: 2, Outcome: hive.OutcomeSuccess, At: f.now})
	f.owner.DispatchReady(f.now)
}

// deliver tells the owner what has happened to attempts of the fleet, unless an event has a key of its own.
func (f *fixture) deliver(events ...hive.AttemptEvent) {
	for i := range events {
		f.Tell(events[i])
	}
	f.owner.Deliver(f.now, f.Events(f.now))
}

func (f *fixture) states(batch int64) map[string]hive.RunState {
	_, states := f.Stored(batch)
	return states
}

// Nothing leaves before its commit, and a dependant's offer rides in the commit that ends its need.
func TestEffectsFollowTheCommit(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Add(1, 1, hive.BatchQueued, "", "a", "b")
	f.load(1)
	assert.Empty(t, f.Tasks(), "not durable yet")
	f.commit(nil)
	assert.Equal(t, []string{"1.a"}, f.Tasks())

	f.ends(1, "a")
	assert.Equal(t, []string{"1.a"}, f.Tasks(), "the end of a is not durable yet")
	assert.Empty(t, f.Acks)
	fx := f.commit(nil)
	assert.Equal(t, []string{"1.a", "1.b"}, f.Tasks(), "one commit for a link of the chain")
	assert.Len(t, f.Acks, 1)
	assert.NotEmpty(t, fx.Deltas)
	assert.Empty(t, fx.Final)

	s, ok := f.owner.Summary(1)
	assert.True(t, ok)
	assert.Equal(t, hive.BatchSummary{Counts: hive.Counts{hive.RunSucceeded: 1, hive.RunReady: 1}}, s)

	f.ends(1, "b")
	fx = f.commit(nil)
	require.Len(t, fx.Final, 1)
	assert.Equal(t, hive.BatchSucceeded, fx.Final[0].State)
	assert.Empty(t, f.owner.LiveBatches(), "an ended batch leaves memory")
}

// The database is out of reach: the same group again, and nothing takes effect meanwhile.
func TestConnectionFailure(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Add(1, 1, hive.BatchQueued, "", "a")
	f.load(1)
	first := f.owner.NextCommit(f.now)
	require.NotNil(t, first)
	fx := f.owner.CommitDone(f.now, fmt.Errorf("commit: %w", hive.ErrConnection))
	assert.True(t, fx.Retry)
	assert.Empty(t, f.Tasks())

	f.Add(2, 2, hive.BatchQueued, "", "a") // it comes meanwhile, and waits for the next group
	f.load(2)
	second := f.owner.NextCommit(f.now)
	assert.Equal(t, first, second, "the same group again")
	f.owner.CommitDone(f.now, f.Commit(t.Context(), *second))
	assert.Equal(t, []string{"1.a"}, f.Tasks())
	f.commit(nil)
	assert.Equal(t, []string{"1.a", "2.a"}, f.Tasks())
}

// A commit was stored and its answer lost: the second try meets its own rows, the batch is read again, and what was
// stored counts.
func TestDoubtfulCommit(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Add(1, 1, hive.BatchQueued, "", "a")
	f.load(1)
	g := f.owner.NextCommit(f.now)
	require.NoError(t, f.Commit(t.Context(), *g))
	f.owner.CommitDone(f.now, fmt.Errorf("%w: no answer", hive.ErrConnection))

	fx := f.commit(nil)
	assert.Equal(t, []int64{1}, fx.Reload)
	assert.Empty(t, f.Tasks())
	f.load(1)
	require.Len(t, f.Adopted, 1, "the executor is asked about the attempt that is stored")
	assert.Nil(t, f.owner.NextCommit(f.now), "no second attempt is made")
	assert.Equal(t, hive.RunReady, f.states(1)["a"])
}

// A row that the database refuses: batch by batch, the culprit is stuck and named, the others go on.
func TestCulprit(t *testing.T) {
	t.Parallel()
	for _, guard := range []error{errRefused, &hive.GuardError{Detail: "it names nobody"}} {
		f := newFixture(t)
		for id := range int64(3) {
			f.Add(1+id, 1+id, hive.BatchQueued, "", "a")
			f.load(1 + id)
		}
		f.SetFault(func(op string, batches []int64) error {
			for _, id := range batches {
				if op == "commit" && id == 2 {
					return guard
				}
			}
			return nil
		})
		fx := f.commit(nil)
		assert.Empty(t, fx.Stuck, "it is not known yet who it is")
		assert.Empty(t, f.Tasks())
		var stuck []int64
		for range 3 {
			for id, why := range f.commit(nil).Stuck {
				require.ErrorIs(t, why, guard)
				stuck = append(stuck, id)
			}
		}
		assert.Equal(t, []int64{2}, stuck)
		assert.ElementsMatch(t, []string{"1.a", "3.a"}, f.Tasks())
		assert.False(t, f.owner.Has(2))
		assert.Nil(t, f.owner.NextCommit(f.now), "what was provisional of it is forgotten")

		f.SetFault(nil)
		f.load(2)
		f.commit(nil)
		assert.Contains(t, f.Tasks(), "2.a", "it goes on once it can be stored")
	}
}

// Rows that moved: the batch is dropped and read again, the rest of the group is written at once.
func TestGuardMiss(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Add(1, 1, hive.BatchQueued, "", "a")
	f.Add(2, 2, hive.BatchQueued, "", "a")
	f.load(1, 2)
	f.Batches[1].Runs[0].State = hive.RunIgnored // somebody else wrote it
	f.Batches[1].Batch.State = hive.BatchRunning
	fx := f.commit(nil)
	assert.Equal(t, []int64{1}, fx.Reload)
	assert.Len(t, f.Held, 1, "the slot of the offer that never left is free again")
	f.commit(nil)
	assert.Equal(t, []string{"2.a"}, f.Tasks())

	f.load(1)
	f.settle()
	b, states := f.Stored(1)
	assert.Equal(t, hive.RunIgnored, states["a"])
	assert.Equal(t, hive.BatchSucceeded, b.State)
}

// The session is over: everything is dropped, and nothing of it ever takes effect.
func TestSessionLost(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Add(1, 1, hive.BatchQueued, "", "a")
	f.load(1)
	f.Epoch = 2
	fx := f.commit(nil)
	assert.True(t, fx.SessionLost)
	assert.Empty(t, f.Tasks())
	assert.Empty(t, f.owner.LiveBatches())
	assert.Nil(t, f.owner.NextCommit(f.now.Add(time.Hour)))
}

// What an executor says twice, or of what nobody knows, is answered and changes nothing.
func TestEventsTwice(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Add(1, 1, hive.BatchQueued, "", "a", "b")
	f.load(1)
	f.commit(nil)
	f.ends(1, "a")
	f.ends(1, "a")
	f.commit(nil)
	assert.Equal(t, []string{"1.a", "1.b"}, f.Tasks())
	f.ends(1, "a") // durable long ago: only the ack was lost
	assert.Nil(t, f.owner.NextCommit(f.now.Add(time.Hour)))
	assert.Equal(t, f.Attempt(1, "a"), f.Acks[len(f.Acks)-1])

	f.deliver(hive.AttemptEvent{Attempt: 77, Kind: hive.EventEnded},
		hive.AttemptEvent{Attempt: 78, Kind: hive.EventStarted})
	assert.Equal(t, int64(77), f.Acks[len(f.Acks)-1])
	assert.NotContains(t, f.Acks, int64(78))
}

// The end of an attempt whose batch was dropped is not acknowledged before the batch was read again.
func TestEventsOfADroppedBatch(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Add(1, 1, hive.BatchQueued, "", "a")
	f.load(1)
	f.commit(nil)
	f.ends(1, "a")
	fx := f.commit(&hive.GuardError{Batches: []int64{1}})
	assert.Equal(t, []int64{1}, fx.Reload)
	f.ends(1, "a")
	assert.Empty(t, f.Acks)
	f.load(1)
	f.ends(1, "a")
	f.settle()
	assert.Equal(t, hive.RunSucceeded, f.states(1)["a"])
	assert.Equal(t, []int64{f.Attempt(1, "a")}, f.Acks)
}

// What an executor tells of an attempt with this id and another key is not of this attempt.
func TestEventOfAnotherKey(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Add(1, 1, hive.BatchQueued, "", "a", "b")
	f.load(1)
	f.commit(nil)
	id := f.Attempt(1, "a")
	f.deliver(
		hive.AttemptEvent{Attempt: id, Key: "another", Kind: hive.EventStarted, At: f.now},
		hive.AttemptEvent{
			Attempt: id, Key: "another", Kind: hive.EventEnded, Seq: 2, Outcome: hive.OutcomeSuccess,
			At: f.now,
		},
	)
	assert.Nil(t, f.owner.NextCommit(f.now.Add(time.Hour)), "nothing of it is stored")
	assert.Equal(t, hive.RunReady, f.states(1)["a"])
	f.ends(1, "a")
	f.commit(nil)
	assert.Equal(t, hive.RunSucceeded, f.states(1)["a"])
}
