package session

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/owner/ownertest"
)

// testDriver is a fleet in memory that makes no calls.
type testDriver struct {
	*ownertest.Fleet
	launches int
}

func (d *testDriver) Launch(time.Time)                            { d.launches++ }
func (d *testDriver) Wake() time.Time                             { return time.Time{} }
func (d *testDriver) Learn(time.Time, []hive.Executor, time.Time) {}
func (d *testDriver) SetEpoch(int64, string)                      {}
func (d *testDriver) Later() (hive.Later, bool)                   { return hive.Later{}, false }
func (d *testDriver) Reset()                                      {}

// fixture is a keeper whose requests a test answers.
type fixture struct {
	*Keeper
	*ownertest.Store
	driver  *testDriver
	now     time.Time
	pending []Request
}

// newFixture begins a session that owns batch 1 with the one task "a", which is running.
func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{
		Store: ownertest.NewStore(), driver: &testDriver{Fleet: ownertest.NewFleet()},
		now: time.Date(2026, 3, 1, 4, 0, 0, 0, time.UTC),
	}
	f.Epoch = 1
	f.Add(1, 1, hive.BatchRunning, "", "a")
	f.Keeper = New(Config{
		Server: ownertest.Server, Fleet: f.driver, Chooser: f.driver, Driver: f.driver, Graphs: new(document.Graphs),
		Shared: true,
		Sweep:  time.Minute,
		NewKey: func() string { return "key" }, NewSession: func() string { return "text" }, Limits: DefaultLimits(),
	})
	f.SessionStarted(f.now, f.Start(f.now), 1, map[string]int64{"attempt": 1000, "run": 1000}, nil)
	f.turn(0)
	f.LimitsRead(request[ReadLimits](t, f), hive.LimitState{}, nil)
	f.OwnedListed(f.now, request[ListOwned](t, f), nil, []int64{1}, nil)
	f.turn(0)
	read := request[ReadBatches](t, f)
	f.BatchesRead(f.now, read, []hive.BatchSnapshot{f.Snapshot(1)}, nil)
	f.turn(0)
	f.GraphsCompiled(f.now, request[CompileGraphs](t, f))
	f.turn(0)
	f.CommandsRead(request[ReadCommands](t, f), nil, nil)
	f.commit(t)
	return f
}

// turn lets time pass, and the keeper decide.
func (f *fixture) turn(d time.Duration) {
	f.now = f.now.Add(d)
	f.Turn(f.now)
	f.pending = append(f.pending, f.TakeRequests()...)
}

// request takes the pending request of a kind.
func request[R Request](t *testing.T, f *fixture) (r R) {
	t.Helper()
	for i, p := range f.pending {
		if r, ok := p.(R); ok {
			f.pending = append(f.pending[:i:i], f.pending[i+1:]...)
			return r
		}
	}
	require.Failf(t, "no such request", "%T among %T", r, f.pending)
	return r
}

// pends reports whether a request of a kind is pending.
func pends[R Request](f *fixture) bool {
	for _, p := range f.pending {
		if _, ok := p.(R); ok {
			return true
		}
	}
	return false
}

// commit has the pending commit stored.
func (f *fixture) commit(t *testing.T) {
	t.Helper()
	r := request[Commit](t, f)
	require.NoError(t, f.Store.Commit(t.Context(), *r.Group))
	f.Committed(f.now, r, nil)
	f.turn(0)
}

// ends has the task end, so that there is something to commit.
func (f *fixture) ends() {
	f.driver.Tell(hive.AttemptEvent{
		Attempt: f.driver.Attempt(1, "a"), Key: "key", Kind: hive.EventEnded, Outcome: hive.OutcomeSuccess,
	})
	f.turn(0)
}

// A takeover waits for the commit under way and keeps the next one back; the lease is renewed meanwhile.
func TestTakeOverWaitsForTheCommit(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.ends()
	require.True(t, pends[Commit](f))
	f.turn(time.Second)
	f.Renewed(f.now, request[Heartbeat](t, f), nil)
	f.turn(2 * time.Second)
	f.Renewed(f.now, request[Heartbeat](t, f), nil)
	f.turn(0) // the first look is a thorough one
	assert.False(t, pends[TakeOver](f), "a commit is under way")
	f.turn(time.Second)
	f.Renewed(f.now, request[Heartbeat](t, f), nil)
	assert.False(t, pends[TakeOver](f))

	f.commit(t)
	r := request[TakeOver](t, f)
	assert.Equal(t, int64(1), r.Epoch)
	f.Command(9, 1, hive.CommandRepair, `{"action":"rerun","tasks":["a"]}`)
	f.CommandStored(1)
	f.turn(0)
	f.CommandsRead(request[ReadCommands](t, f), f.Snapshot(1).Commands, nil)
	f.turn(0)
	f.BatchesRead(f.now, request[ReadBatches](t, f), []hive.BatchSnapshot{f.Snapshot(1)}, nil)
	f.turn(0)
	f.GraphsCompiled(f.now, request[CompileGraphs](t, f))
	f.turn(0)
	assert.False(t, pends[Commit](f), "the store may refuse the epoch of the next one")
	f.TakenOver(r, []string{"another"}, 2, nil)
	f.turn(0)
	assert.Equal(t, int64(2), request[Commit](t, f).Group.Epoch)
	assert.True(t, pends[ListOwned](f))
}

// Answers of requests that were made in a session which is over are dropped: they say nothing of the present one.
func TestAnswersOfAFormerSession(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Adopt(2)
	f.turn(0)
	read := request[ReadBatches](t, f)
	f.turn(time.Second)
	f.Renewed(f.now, request[Heartbeat](t, f), hive.ErrSessionLost)
	f.turn(0)
	assert.True(t, f.Over())
	before := f.driver.launches
	f.Add(2, 2, hive.BatchQueued, "", "a")
	f.BatchesRead(f.now, read, []hive.BatchSnapshot{f.Snapshot(2)}, nil)
	f.turn(0)
	assert.Empty(t, f.pending[1:], "only the next session is requested")
	assert.Equal(t, before, f.driver.launches, "no call leaves")

	f.SessionStarted(f.now, request[StartSession](t, f), 2, map[string]int64{"attempt": 5000, "run": 5000}, nil)
	f.BatchesRead(f.now, read, []hive.BatchSnapshot{f.Snapshot(2)}, nil)
	f.turn(0)
	assert.False(t, pends[CompileGraphs](f))
	assert.True(t, pends[ListOwned](f))
	assert.Equal(t, before+1, f.driver.launches)
}

// The totals tell how long the lease still runs, and how many batches are stuck.
func TestTotals(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	before := f.Totals(f.now)
	assert.Equal(t, map[hive.BatchState]int{hive.BatchRunning: 1}, before.Batches)
	assert.Positive(t, before.LeaseLeft)
	assert.Zero(t, before.Stuck)
	assert.Equal(t, before.LeaseLeft-time.Second, f.Totals(f.now.Add(time.Second)).LeaseLeft)
	assert.Zero(t, f.Totals(f.now.Add(time.Hour)).LeaseLeft)
	f.markStuck(f.now, 1, hive.Plain("it cannot be stored"), errBroken)
	assert.Equal(t, 1, f.Totals(f.now).Stuck)
}
