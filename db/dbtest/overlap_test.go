package dbtest_test

import (
	"sync"
	"testing"

	"github.com/rprp/hivego/server/hive"
)

// queued stores a batch of a server that waits for other batches of its schedule.
func (x *fixture) queued(owner hive.Server) hive.Batch {
	x.Helper()
	nb := x.newBatch(1)
	nb.Batch.State, nb.Batch.Reason, nb.Batch.StartedAt = hive.BatchQueued, hive.ReasonQueued, nb.Batch.FinishedAt
	return must(x.CreateBatch(x.Context(), owner, nb))(x)
}

// another begins a session of another server.
func (x *fixture) another() hive.Server {
	x.Helper()
	s := hive.Server{ID: "server-2", StartedAt: t0}
	s.Epoch = must(x.StartSession(x.Context(), s, lease))(x)
	return s
}

// starts returns the change that starts a queued batch.
func starts(b hive.Batch) hive.BatchWrite {
	b.State, b.Reason, b.StartedAt = hive.BatchRunning, hive.ReasonNone, t0
	return hive.BatchWrite{BatchID: b.ID, Batch: &hive.BatchChange{From: hive.BatchQueued, To: b, Alone: true}}
}

// group is a group with the changes of a server.
func group(s hive.Server, writes ...hive.BatchWrite) hive.Group {
	return hive.Group{Server: s.ID, Epoch: s.Epoch, Batches: writes}
}

func (x *fixture) behind(batches ...hive.Batch) []int64 {
	x.Helper()
	var ids []int64
	for i := range batches {
		ids = append(ids, batches[i].ID)
	}
	return must(x.QueuedBehind(x.Context(), ids))(x)
}

// A queued batch waits for the running batches of its schedule, for those that are about to start, and for the older
// queued ones of other servers, whichever server owns them.
func TestQueuedBehind(t *testing.T) {
	each(t, func(x *fixture) {
		second := x.another()
		first, older, newer := x.queued(x.me), x.queued(second), x.queued(x.me)
		same(x, "the oldest goes first", x.behind(first, older, newer), []int64{older.ID, newer.ID})
		paused := older
		paused.Wish = hive.WishPause
		x.ok(x.Commit(x.Context(), group(second, hive.BatchWrite{
			BatchID: older.ID, Batch: &hive.BatchChange{From: hive.BatchQueued, To: paused},
		})))
		same(x, "a paused one holds nobody up", x.behind(first, newer), nil)

		for what, state := range map[string]hive.BatchState{
			"runs": hive.BatchRunning, "is about to start": hive.BatchQueued,
		} {
			manual := x.newBatch(1)
			manual.Batch.State = state
			b := must(x.CreateBatch(x.Context(), second, manual))(x)
			same(x, "another one "+what, x.behind(first, newer), []int64{first.ID, newer.ID})
			x.guards(x.commit(starts(first)), first.ID)
			to := b
			to.State, to.Live = hive.BatchSucceeded, false
			x.ok(x.Commit(x.Context(), group(second, hive.BatchWrite{
				BatchID: b.ID, Batch: &hive.BatchChange{From: state, To: to},
			})))
			same(x, "the other one has ended", x.behind(first), nil)
		}
		other, rev := x.save("other", "another document", t0)
		foreign := x.newBatch(1)
		foreign.Batch.ScheduleID, foreign.Batch.RevisionID = other.ID, rev.ID
		must(x.CreateBatch(x.Context(), second, foreign))(x)
		same(x, "a batch of another schedule", x.behind(first), nil)
		backfill := x.newBatch(1)
		backfill.Batch.Kind = hive.KindBackfill
		must(x.CreateBatch(x.Context(), second, backfill))(x)
		same(x, "a batch of a backfill", x.behind(first), nil)
		x.ok(x.commit(starts(first)))
		same(x, "all wait for the first", x.behind(older, newer), []int64{older.ID, newer.ID})
		x.guards(x.Commit(x.Context(), group(second, starts(paused))), older.ID)
		same(x, "a batch that is gone", x.behind(hive.Batch{ID: 1 << 40}), nil)
	})
}

// A start that fails its guard stores nothing of its group.
func TestStartAloneIsAllOrNothing(t *testing.T) {
	each(t, func(x *fixture) {
		b, img := x.queued(x.me), x.batch(1)
		ready, attempt := x.offer(img.Runs[0])
		fits := hive.BatchWrite{BatchID: img.Batch.ID, Runs: []hive.RunChange{ready}, Offers: []hive.Attempt{attempt}}
		x.guards(x.commit(fits, starts(b)), b.ID)
		same(x, "the batch that runs", x.snapshot(img.Batch.ID), img)
		same(x, "the batch that waits", x.snapshot(b.ID).Batch, b)
	})
}

// Of two servers that start a batch of one schedule at the same time, one does.
func TestTwoServersStart(t *testing.T) {
	each(t, func(x *fixture) {
		servers := [2]hive.Server{x.me, x.another()}
		for range 20 {
			var batches [2]hive.Batch
			for i, s := range servers {
				batches[i] = x.queued(s)
			}
			var wg sync.WaitGroup
			var errs [2]error
			for i, s := range servers {
				wg.Go(func() { errs[i] = x.Commit(x.Context(), group(s, starts(batches[i]))) })
			}
			wg.Wait()
			winner, loser := 0, 1
			if errs[winner] != nil {
				winner, loser = loser, winner
			}
			x.ok(errs[winner])
			x.guards(errs[loser], batches[loser].ID)
			for i, s := range servers {
				b := x.snapshot(batches[i].ID).Batch
				to := b
				to.State, to.Live = hive.BatchCanceled, false
				x.ok(x.Commit(x.Context(), group(s, hive.BatchWrite{
					BatchID: b.ID, Batch: &hive.BatchChange{From: b.State, To: to},
				})))
			}
		}
	})
}
