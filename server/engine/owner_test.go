package engine_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/engine"
	"github.com/rprp/hivego/server/hive"
)

var (
	errHangs   = errors.New("no answer")
	errRefused = errors.New("value too long for the column")
)

// desk is an owner without its loop: the test says when a group is committed, and what becomes of it.
type desk struct {
	*store
	*fleet
	t     *testing.T
	owner *engine.Owner
	now   time.Time
	drawn int // keys
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{store: newStore(), fleet: newFleet(), t: t, now: epochStart()}
	d.epoch = 1
	d.owner = engine.NewOwner(d.fleet, engine.Session{Server: me, Epoch: 1}, d.newKey, slog.New(slog.DiscardHandler))
	d.owner.AddIDs("attempt", 10_000, 1000)
	d.owner.AddIDs("run", 20_000, 1000)
	return d
}

// newKey makes keys that can be told apart.
func (d *desk) newKey() string {
	d.drawn++
	return fmt.Sprintf("key-%d", d.drawn)
}

func (d *desk) load(ids ...int64) {
	d.t.Helper()
	for _, id := range ids {
		require.NoError(d.t, d.owner.Load(d.now, d.image(id)))
	}
	d.owner.Fill(d.now)
}

// commit takes the next group; without err the store decides.
func (d *desk) commit(err error) engine.Effects {
	d.t.Helper()
	g := d.owner.Take(d.now)
	require.NotNil(d.t, g, "there is something to commit")
	require.Nil(d.t, d.owner.Take(d.now), "one group is under way at a time")
	if err == nil {
		err = d.Commit(context.Background(), *g)
	}
	fx := d.owner.Done(d.now, err)
	d.owner.Fill(d.now)
	return fx
}

// settle commits until nothing is left to store.
func (d *desk) settle() {
	d.t.Helper()
	for range 20 {
		d.now = d.now.Add(time.Second)
		d.owner.Due(d.now)
		d.owner.Fill(d.now)
		g := d.owner.Take(d.now)
		if g == nil {
			return
		}
		fx := d.owner.Done(d.now, d.Commit(context.Background(), *g))
		require.Empty(d.t, fx.Stuck)
		d.load(fx.Reload...)
	}
	d.t.Fatal("there is always something to store")
}

// ends tells the owner that an attempt ended well.
func (d *desk) ends(batch int64, task string) {
	d.t.Helper()
	id := d.attempt(batch, task)
	require.NotZero(d.t, id, "%s of batch %d was offered", task, batch)
	d.deliver(hive.AttemptEvent{Attempt: id, Kind: hive.EventEnded, Seq: 2, Outcome: hive.OutcomeSuccess, At: d.now})
	d.owner.Fill(d.now)
}

// deliver tells the owner what has happened to attempts of the fleet, unless an event has a key of its own.
func (d *desk) deliver(events ...hive.AttemptEvent) {
	for i := range events {
		d.tell(events[i])
	}
	d.owner.Deliver(d.now, d.Events(d.now))
}

func (d *desk) states(batch int64) map[string]hive.RunState {
	_, states := d.stored(batch)
	return states
}

// Nothing leaves before its commit, and a dependant's offer rides in the commit that ends its need.
func TestEffectsFollowTheCommit(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.add(1, 1, hive.BatchQueued, "", "a", "b")
	d.load(1)
	assert.Empty(t, d.tasks(), "not durable yet")
	d.commit(nil)
	assert.Equal(t, []string{"1.a"}, d.tasks())

	d.ends(1, "a")
	assert.Equal(t, []string{"1.a"}, d.tasks(), "the end of a is not durable yet")
	assert.Empty(t, d.acks)
	fx := d.commit(nil)
	assert.Equal(t, []string{"1.a", "1.b"}, d.tasks(), "one commit for a link of the chain")
	assert.Len(t, d.acks, 1)
	assert.NotEmpty(t, fx.Deltas)
	assert.Empty(t, fx.Final)

	s, ok := d.owner.Summaries(1)
	assert.True(t, ok)
	assert.Equal(t, hive.BatchSummary{Counts: hive.Counts{hive.RunSucceeded: 1, hive.RunReady: 1}}, s)

	d.ends(1, "b")
	fx = d.commit(nil)
	require.Len(t, fx.Final, 1)
	assert.Equal(t, hive.BatchSucceeded, fx.Final[0].State)
	assert.Zero(t, d.owner.Size(), "an ended batch leaves memory")
}

// The database is out of reach: the same group again, and nothing takes effect meanwhile.
func TestConnectionFailure(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.add(1, 1, hive.BatchQueued, "", "a")
	d.load(1)
	first := d.owner.Take(d.now)
	require.NotNil(t, first)
	fx := d.owner.Done(d.now, fmt.Errorf("commit: %w", hive.ErrConnection))
	assert.True(t, fx.Retry)
	assert.Empty(t, d.tasks())

	d.add(2, 2, hive.BatchQueued, "", "a") // it comes meanwhile, and waits for the next group
	d.load(2)
	second := d.owner.Take(d.now)
	assert.Equal(t, first, second, "the same group again")
	d.owner.Done(d.now, d.Commit(t.Context(), *second))
	assert.Equal(t, []string{"1.a"}, d.tasks())
	d.commit(nil)
	assert.Equal(t, []string{"1.a", "2.a"}, d.tasks())
}

// A commit was stored and its answer lost: the second try meets its own rows, the batch is read again, and what was
// stored counts.
func TestDoubtfulCommit(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.add(1, 1, hive.BatchQueued, "", "a")
	d.load(1)
	g := d.owner.Take(d.now)
	require.NoError(t, d.Commit(t.Context(), *g))
	d.owner.Done(d.now, fmt.Errorf("%w: no answer", hive.ErrConnection))

	fx := d.commit(nil)
	assert.Equal(t, []int64{1}, fx.Reload)
	assert.Empty(t, d.tasks())
	d.load(1)
	require.Len(t, d.adopted, 1, "the executor is asked about the attempt that is stored")
	assert.Nil(t, d.owner.Take(d.now), "no second attempt is made")
	assert.Equal(t, hive.RunReady, d.states(1)["a"])
}

// A row that the database refuses: batch by batch, the culprit is stuck and named, the others go on.
func TestCulprit(t *testing.T) {
	t.Parallel()
	for _, guard := range []error{errRefused, &hive.GuardError{Detail: "it names nobody"}} {
		d := newDesk(t)
		for id := range int64(3) {
			d.add(1+id, 1+id, hive.BatchQueued, "", "a")
			d.load(1 + id)
		}
		d.setFault(func(op string, batches []int64) error {
			for _, id := range batches {
				if op == "commit" && id == 2 {
					return guard
				}
			}
			return nil
		})
		fx := d.commit(nil)
		assert.Empty(t, fx.Stuck, "it is not known yet who it is")
		assert.Empty(t, d.tasks())
		var stuck []int64
		for range 3 {
			for id, why := range d.commit(nil).Stuck {
				require.ErrorIs(t, why, guard)
				stuck = append(stuck, id)
			}
		}
		assert.Equal(t, []int64{2}, stuck)
		assert.ElementsMatch(t, []string{"1.a", "3.a"}, d.tasks())
		assert.False(t, d.owner.Has(2))
		assert.Nil(t, d.owner.Take(d.now), "what was provisional of it is forgotten")

		d.setFault(nil)
		d.load(2)
		d.commit(nil)
		assert.Contains(t, d.tasks(), "2.a", "it goes on once it can be stored")
	}
}

// Rows that moved: the batch is dropped and read again, the rest of the group is written at once.
func TestGuardMiss(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.add(1, 1, hive.BatchQueued, "", "a")
	d.add(2, 2, hive.BatchQueued, "", "a")
	d.load(1, 2)
	d.images[1].Runs[0].State = hive.RunIgnored // somebody else wrote it
	d.images[1].Batch.State = hive.BatchRunning
	fx := d.commit(nil)
	assert.Equal(t, []int64{1}, fx.Reload)
	assert.Len(t, d.held, 1, "the slot of the offer that never left is free again")
	d.commit(nil)
	assert.Equal(t, []string{"2.a"}, d.tasks())

	d.load(1)
	d.settle()
	b, states := d.stored(1)
	assert.Equal(t, hive.RunIgnored, states["a"])
	assert.Equal(t, hive.BatchSucceeded, b.State)
}

// The session is over: everything is dropped, and nothing of it ever takes effect.
func TestSessionLost(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.add(1, 1, hive.BatchQueued, "", "a")
	d.load(1)
	d.epoch = 2
	fx := d.commit(nil)
	assert.True(t, fx.LostSess)
	assert.Empty(t, d.tasks())
	assert.Zero(t, d.owner.Size())
	assert.Nil(t, d.owner.Take(d.now.Add(time.Hour)))
}

// What an executor says twice, or of what nobody knows, is answered and changes nothing.
func TestEventsTwice(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.add(1, 1, hive.BatchQueued, "", "a", "b")
	d.load(1)
	d.commit(nil)
	d.ends(1, "a")
	d.ends(1, "a")
	d.commit(nil)
	assert.Equal(t, []string{"1.a", "1.b"}, d.tasks())
	d.ends(1, "a") // durable long ago: only the ack was lost
	assert.Nil(t, d.owner.Take(d.now.Add(time.Hour)))
	assert.Equal(t, d.attempt(1, "a"), d.acks[len(d.acks)-1])

	d.deliver(hive.AttemptEvent{Attempt: 77, Kind: hive.EventEnded},
		hive.AttemptEvent{Attempt: 78, Kind: hive.EventStarted})
	assert.Equal(t, int64(77), d.acks[len(d.acks)-1])
	assert.NotContains(t, d.acks, int64(78))
}

// The end of an attempt whose batch was dropped is not acknowledged before the batch was read again.
func TestEventsOfADroppedBatch(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.add(1, 1, hive.BatchQueued, "", "a")
	d.load(1)
	d.commit(nil)
	d.ends(1, "a")
	fx := d.commit(&hive.GuardError{Batches: []int64{1}})
	assert.Equal(t, []int64{1}, fx.Reload)
	d.ends(1, "a")
	assert.Empty(t, d.acks)
	d.load(1)
	d.ends(1, "a")
	d.settle()
	assert.Equal(t, hive.RunSucceeded, d.states(1)["a"])
	assert.Equal(t, []int64{d.attempt(1, "a")}, d.acks)
}
