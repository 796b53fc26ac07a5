package dbtest_test

import (
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// over is a lease that has ended when it begins.
const over = -time.Second

func (x *fixture) session(id string, d time.Duration) hive.Server {
	x.Helper()
	s := hive.Server{ID: id, Address: id + ":3000", Version: "1", StartedAt: t0}
	s.Epoch = must(x.StartSession(x.Context(), s, d))(x)
	return s
}

func TestSessionEpochsGrow(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		a := x.session("a", lease)
		b := x.session("b", lease)
		again := x.session("a", lease)
		if x.me.Epoch >= a.Epoch || a.Epoch >= b.Epoch || b.Epoch >= again.Epoch {
			x.Fatalf("epochs %d, %d, %d, %d do not grow", x.me.Epoch, a.Epoch, b.Epoch, again.Epoch)
		}
		servers := must(x.Servers(ctx))(x)
		same(x, "servers", len(servers), 3)
		if got := servers[0].LeaseUntil; time.Until(got) < lease/2 || time.Until(got) > 2*lease {
			x.Fatalf("lease until %s", got)
		}
		servers[0].LeaseUntil = time.Time{}
		same(x, "server", servers[0], again)

		x.ok(x.Heartbeat(ctx, "a", again.Epoch, 0, lease))
		x.is(hive.ErrSessionLost, x.Heartbeat(ctx, "a", a.Epoch, 0, lease))
		x.is(hive.ErrSessionLost, x.Heartbeat(ctx, "c", 1, 0, lease))
		x.is(hive.ErrSessionLost, x.EndSession(ctx, "a", a.Epoch))
	})
}

// Nothing is written for a session that is not there any more.
func TestLostSessionWritesNothing(t *testing.T) {
	each(t, func(x *fixture) {
		ctx, img := x.Context(), x.batch(1)
		ready, attempt := x.offer(img.Runs[0])
		w := hive.BatchWrite{BatchID: img.Batch.ID, Runs: []hive.RunChange{ready}, Offers: []hive.Attempt{attempt}}
		refused := func(who hive.Server) {
			x.Helper()
			x.is(hive.ErrSessionLost,
				x.Commit(ctx, hive.Group{Server: who.ID, Epoch: who.Epoch, Batches: []hive.BatchWrite{w}}))
			_, err := x.CreateBatch(ctx, who, x.newBatch(1))
			x.is(hive.ErrSessionLost, err)
			_, err = x.DecideTicks(ctx, who, x.schedule.ID, t0, func(hive.TickView) ([]hive.TickWrite, error) {
				x.Error("a lost session was asked to decide")
				return nil, nil
			})
			x.is(hive.ErrSessionLost, err)
			_, _, err = x.TakeOver(ctx, who.ID, who.Epoch, lease)
			x.is(hive.ErrSessionLost, err)
		}
		earlier := x.me
		earlier.Epoch--
		refused(earlier)
		refused(hive.Server{ID: "nobody", Epoch: x.me.Epoch})
		x.ok(x.Heartbeat(ctx, x.me.ID, x.me.Epoch, 0, over)) // its lease ends
		refused(x.me)
		same(x, "batch", x.snapshot(img.Batch.ID), img)

		x.ok(x.Heartbeat(ctx, x.me.ID, x.me.Epoch, 0, lease)) // nobody took it over: it lives again
		x.ok(x.commit(w))

		restarted := x.session(x.me.ID, lease) // its batches are the new session's at once
		refused(x.me)
		same(x, "live batches", must(x.LiveBatches(ctx, restarted.ID))(x), []int64{img.Batch.ID})
	})
}

func TestTakeOver(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		mine, live := x.batch(1), x.batch(1)
		x.session("other", lease) // goes on to live
		nb := x.newBatch(1)
		nb.Batch.Owner = "other"
		other := must(x.CreateBatch(ctx, x.me, nb))(x)
		waiting, final := x.batch(1), x.batch(1)
		for _, img := range []hive.BatchSnapshot{waiting, final} {
			to := img.Batch
			to.State, to.Live = hive.BatchFailed, false
			x.ok(x.commit(hive.BatchWrite{BatchID: to.ID, Batch: &hive.BatchChange{From: hive.BatchRunning, To: to}}))
		}
		_, _, err := x.AddCommand(ctx, wish(waiting.Batch.ID, "k", `{}`))
		x.ok(err)
		heir := x.session("heir", lease)

		taken, epoch, err := x.TakeOver(ctx, heir.ID, heir.Epoch, lease)
		x.ok(err)
		same(x, "nobody is dead", []any{len(taken), epoch}, []any{0, heir.Epoch})

		x.ok(x.EndSession(ctx, x.me.ID, x.me.Epoch))
		taken, epoch, err = x.TakeOver(ctx, heir.ID, heir.Epoch, lease)
		x.ok(err)
		same(x, "taken", taken, []string{x.me.ID})
		if epoch <= heir.Epoch {
			x.Fatalf("epoch %d after a takeover, was %d", epoch, heir.Epoch)
		}
		same(x, "batches of the heir", must(x.LiveBatches(ctx, heir.ID))(x), []int64{mine.Batch.ID, live.Batch.ID})
		same(x, "commands of the heir", len(must(x.PendingCommands(ctx, heir.ID))(x)), 1)
		same(x, "owner of what is over", must(x.Batch(ctx, final.Batch.ID))(x).Owner, x.me.ID)
		same(x, "owner of another's", must(x.Batch(ctx, other.ID))(x).Owner, "other")

		x.is(hive.ErrSessionLost, x.Heartbeat(ctx, x.me.ID, x.me.Epoch, 0, lease)) // thawed
		for _, dead := range must(x.Servers(ctx))(x) {
			if dead.ID == x.me.ID { // of a history that the database went back from
				x.is(hive.ErrSessionLost, x.Heartbeat(ctx, dead.ID, dead.Epoch, 0, lease))
				x.is(hive.ErrSessionLost, x.EndSession(ctx, dead.ID, dead.Epoch))
				x.is(hive.ErrSessionLost, x.Commit(ctx, hive.Group{Server: dead.ID, Epoch: dead.Epoch}))
			}
		}
		x.is(hive.ErrSessionLost, x.commit())
		x.is(hive.ErrSessionLost, x.Commit(ctx, hive.Group{Server: heir.ID, Epoch: heir.Epoch}))
		x.ok(x.Commit(ctx, hive.Group{Server: heir.ID, Epoch: epoch}))
		taken, again, err := x.TakeOver(ctx, heir.ID, epoch, lease)
		x.ok(err)
		same(x, "nothing is taken twice", []any{len(taken), again}, []any{0, epoch})

		back := x.session(x.me.ID, lease) // the dead one comes back as a new session, without batches
		same(x, "its batches", len(must(x.LiveBatches(ctx, back.ID))(x)), 0)
		x.ok(x.EndSession(ctx, back.ID, back.Epoch))
		taken, _, err = x.TakeOver(ctx, heir.ID, epoch, lease)
		x.ok(err)
		same(x, "taken again", taken, []string{x.me.ID})
	})
}

// Live batches of an owner without a row, as after a copy of the database, are taken too.
func TestTakeOverOfUnknownOwners(t *testing.T) {
	each(t, func(x *fixture) {
		nb := x.newBatch(1)
		nb.Batch.Owner = "gone"
		b := must(x.CreateBatch(x.Context(), x.me, nb))(x)
		same(x, "owner", b.Owner, "gone")
		taken, _, err := x.TakeOver(x.Context(), x.me.ID, x.me.Epoch, lease)
		x.ok(err)
		same(x, "taken", taken, []string{"gone"})
		same(x, "live batches", must(x.LiveBatches(x.Context(), x.me.ID))(x), []int64{b.ID})
	})
}
