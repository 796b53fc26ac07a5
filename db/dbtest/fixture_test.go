package dbtest_test

import (
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/rprp/hivego/db"
	"github.com/rprp/hivego/db/dbtest"
	"github.com/rprp/hivego/server/hive"
)

// The clock of the tests: what is stored has milliseconds.
var t0 = time.Date(2024, 2, 29, 3, 20, 0, 123e6, time.UTC)

func after(d time.Duration) time.Time { return t0.Add(d) }

// lease is long enough never to end within a test.
const lease = time.Hour

// fixture is a store with a session and a schedule.
type fixture struct {
	*testing.T
	*db.Store

	me       hive.Server
	schedule hive.Schedule
	revision hive.Revision
}

// each runs f with a fixture on each kind of database.
func each(t *testing.T, f func(x *fixture)) {
	t.Helper()
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, open func() *db.Store) {
		f(newFixture(t, open()))
	})
}

func newFixture(t *testing.T, s *db.Store) *fixture {
	t.Helper()
	x := &fixture{
		T: t, Store: s,
		me: hive.Server{ID: "server-1", Address: "127.0.0.1:3000", Version: "1", StartedAt: t0},
	}
	x.me.Epoch = must(s.StartSession(t.Context(), x.me, lease))(t)
	x.schedule, x.revision = x.save("warehouse", "document 1", t0)
	return x
}

// must fails the test unless a call went well.
func must[V any](v V, err error) func(testing.TB) V {
	return func(t testing.TB) V {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func (x *fixture) ok(err error) {
	x.Helper()
	if err != nil {
		x.Fatal(err)
	}
}

// code demands a *hive.Error of this code.
func (x *fixture) code(want hive.Code, err error) {
	x.Helper()
	he, ok := errors.AsType[*hive.Error](err)
	if !ok || he.Code != want {
		x.Fatalf("error %v, want a *hive.Error with code %s", err, want)
	}
	if he.Words == "" {
		x.Fatal("the error has no words for people")
	}
}

// is demands an error that wraps want.
func (x *fixture) is(want, err error) {
	x.Helper()
	if !errors.Is(err, want) {
		x.Fatalf("error %v, want %v", err, want)
	}
}

// guards demands a *hive.GuardError that names just these batches.
func (x *fixture) guards(err error, batches ...int64) {
	x.Helper()
	ge, ok := errors.AsType[*hive.GuardError](err)
	if !ok {
		x.Fatalf("error %v, want a *hive.GuardError", err)
	}
	same(x, "batches of the guard error", ge.Batches, batches)
}

func same[V any](t testing.TB, what string, got, want V) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%s:\n got %+v\nwant %+v", what, got, want)
	}
}

func (x *fixture) save(name, document string, now time.Time) (hive.Schedule, hive.Revision) {
	x.Helper()
	s, r, _, err := x.SaveSchedule(x.Context(), hive.SaveSchedule{
		Name: name, Document: document, Hash: "hash of " + document, By: "ada", Now: now,
	})
	x.ok(err)
	return s, r
}

// newBatch returns a running batch of the fixture's schedule with n waiting runs.
func (x *fixture) newBatch(n int) hive.NewBatch {
	nb := hive.NewBatch{Batch: hive.Batch{
		ScheduleID: x.schedule.ID, Schedule: x.schedule.Name, RevisionID: x.revision.ID, Revision: x.revision.Number,
		Kind: hive.KindManual, State: hive.BatchRunning, Wish: hive.WishRun, Round: 1, Live: true,
		Moment: t0, CreatedAt: t0, CreatedBy: "ada", StartedAt: t0, RoundAt: t0,
	}}
	for i := range n {
		nb.Runs = append(nb.Runs, hive.Run{
			Number: i, Job: "load", Task: fmt.Sprintf("task-%d", i), State: hive.RunWaiting, Round: 1, ChangedAt: t0,
		})
	}
	return nb
}

// batch stores a batch of n waiting runs and reads it back.
func (x *fixture) batch(n int) hive.BatchSnapshot {
	x.Helper()
	b := must(x.CreateBatch(x.Context(), x.me, x.newBatch(n)))(x)
	return x.snapshot(b.ID)
}

func (x *fixture) snapshot(id int64) hive.BatchSnapshot {
	x.Helper()
	return must(x.BatchSnapshot(x.Context(), id))(x)
}

// commit sends one group of this session.
func (x *fixture) commit(writes ...hive.BatchWrite) error {
	return x.Commit(x.Context(), hive.Group{Server: x.me.ID, Epoch: x.me.Epoch, Batches: writes})
}

// offer makes a run ready with an attempt in hand.
func (x *fixture) offer(r hive.Run) (hive.RunChange, hive.Attempt) {
	x.Helper()
	id := must(x.NextIDs(x.Context(), db.CounterAttempt, 1))(x)
	change := hive.RunChange{From: r.State, To: r}
	change.To.State, change.To.Attempt, change.To.ChangedAt = hive.RunReady, id, after(time.Second)
	return change, hive.Attempt{
		ID: id, Key: "key of an attempt", BatchID: r.BatchID, RunID: r.ID, Number: r.Attempts +
			1, Round: r.Round, Executor: "e1",
		ExecutorName: "alpha", State: hive.AttemptOffered, OfferedAt: after(time.Second),
	}
}

// end makes a run and its attempt succeed.
func end(r hive.Run, a hive.Attempt, now time.Time) (hive.RunChange, hive.AttemptChange) {
	zero := 0
	change := hive.RunChange{From: r.State, To: r}
	change.To.State, change.To.Attempt, change.To.Attempts = hive.RunSucceeded, 0, r.Attempts+1
	change.To.StartedAt, change.To.FinishedAt, change.To.ChangedAt = a.OfferedAt, now, now
	change.To.ExitCode = &zero
	a.State, a.Outcome, a.ExitCode = hive.AttemptEnded, hive.OutcomeSuccess, &zero
	a.StartedAt, a.FinishedAt, a.LogBytes = a.OfferedAt, now, 1<<33
	return change, hive.AttemptChange{To: a}
}
