package dbtest_test

import (
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// runsOn makes a batch with an attempt on an executor.
func (x *fixture) runsOn(executor string) hive.BatchSnapshot {
	x.Helper()
	img := x.batch(1)
	ready, attempt := x.offer(img.Runs[0])
	attempt.Executor = executor
	x.ok(x.commit(hive.BatchWrite{
		BatchID: img.Batch.ID, Runs: []hive.RunChange{ready},
		Offers: []hive.Attempt{attempt},
	}))
	return x.snapshot(img.Batch.ID)
}

func (x *fixture) handOver(executor string) hive.HandOver {
	x.Helper()
	return must(x.HandOver(x.Context(), x.me.ID, x.me.Epoch, executor))(x)
}

func (x *fixture) anyDead(who hive.Server) bool {
	x.Helper()
	return must(x.AnyDead(x.Context(), who.ID))(x)
}

// A server gives away what others can go on with, and keeps what runs on its own executor until its lease is over.
func TestHandOver(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		idle, elsewhere, here := x.batch(1), x.runsOn("far"), x.runsOn("own")
		done := x.runsOn("own")
		ended := done.Attempts[0]
		ended.State, ended.Outcome, ended.FinishedAt = hive.AttemptEnded, hive.OutcomeSuccess, t0
		x.ok(x.commit(hive.BatchWrite{BatchID: done.Batch.ID, Attempts: []hive.AttemptChange{{To: ended}}}))
		asked := x.batch(1)
		to := asked.Batch
		to.State, to.Live = hive.BatchFailed, false
		x.ok(x.commit(hive.BatchWrite{BatchID: to.ID, Batch: &hive.BatchChange{From: hive.BatchRunning, To: to}}))
		_, _, err := x.AddCommand(ctx, wish(asked.Batch.ID, "k", `{}`))
		x.ok(err)
		all := []int64{idle.Batch.ID, elsewhere.Batch.ID, here.Batch.ID, done.Batch.ID}

		same(x, "nobody is there", x.handOver("own"), hive.HandOver{})
		same(x, "all stays", must(x.LiveBatches(ctx, x.me.ID))(x), all)
		x.ok(x.commit())

		heir := x.session("heir", lease)
		same(x, "nobody is dead", x.anyDead(heir), false)
		same(x, "handed over", x.handOver("own"), hive.HandOver{Heir: true, Kept: []int64{here.Batch.ID}})
		x.is(hive.ErrSessionLost, x.commit()) // what comes late
		x.is(hive.ErrSessionLost, x.Heartbeat(ctx, x.me.ID, x.me.Epoch, 0, lease))
		same(x, "something is to be taken", x.anyDead(heir), true)
		same(x, "servers", len(must(x.Servers(ctx))(x)), 2)

		_, epoch, err := x.TakeOver(ctx, heir.ID, heir.Epoch, lease)
		x.ok(err)
		if epoch <= heir.Epoch {
			x.Fatalf("epoch %d after a takeover, was %d", epoch, heir.Epoch)
		}
		heir.Epoch = epoch
		same(x, "taken", must(x.LiveBatches(ctx, heir.ID))(x),
			[]int64{idle.Batch.ID, elsewhere.Batch.ID, done.Batch.ID})
		same(x, "commands of the heir", len(must(x.PendingCommands(ctx, heir.ID))(x)), 1)
		same(x, "kept", must(x.LiveBatches(ctx, x.me.ID))(x), []int64{here.Batch.ID})
		same(x, "all is taken", x.anyDead(heir), false)

		x.me = x.session(x.me.ID, lease) // it is back, and goes on with what it kept
		if x.me.Epoch <= heir.Epoch {
			x.Fatalf("epoch %d after %d", x.me.Epoch, heir.Epoch)
		}
		next := x.batch(1).Batch.ID
		same(x, "its batches", must(x.LiveBatches(ctx, x.me.ID))(x), []int64{here.Batch.ID, next})
		same(x, "again", x.handOver("own"), hive.HandOver{Heir: true, Kept: []int64{here.Batch.ID}})
		same(x, "to be taken again", x.anyDead(heir), true)
		_, _, err = x.TakeOver(ctx, heir.ID, heir.Epoch, lease)
		x.ok(err)
		same(x, "owner", must(x.Batch(ctx, next))(x).Owner, heir.ID)
	})
}

// Without anything to keep the session itself is given back. One that was lost gives nothing.
func TestHandOverOfAll(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		live := x.runsOn("far").Batch.ID
		heir := x.session("heir", lease)
		x.session("dead", -time.Second)
		same(x, "handed over", x.handOver("own"), hive.HandOver{Heir: true})
		_, err := x.HandOver(ctx, x.me.ID, x.me.Epoch, "own")
		x.is(hive.ErrSessionLost, err)
		taken, epoch, err := x.TakeOver(ctx, heir.ID, heir.Epoch, lease)
		x.ok(err)
		same(x, "taken", taken, []string{"dead", x.me.ID})
		same(x, "live batches", must(x.LiveBatches(ctx, heir.ID))(x), []int64{live})

		x.me.ID, x.me.Epoch = heir.ID, epoch
		same(x, "no other server lives", x.handOver("own"), hive.HandOver{})
	})
}
