package dbtest_test

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

func pool(name string) hive.LimitKey { return hive.LimitKey{Kind: hive.LimitPool, Name: name} }

// A limit is kept by its kind and name, and the latest one counts.
func TestLimits(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		same(x, "at first", len(must(x.Limits(ctx))(x)), 0)
		dw := hive.Limit{LimitKey: pool("dw"), Most: 3, Reason: "as many as it has cores", SetAt: t0, SetBy: "ada"}
		all := hive.Limit{LimitKey: hive.LimitKey{Kind: hive.LimitServer}, SetAt: t0, SetBy: "ada"}
		x.ok(x.SetLimit(ctx, dw))
		x.ok(x.SetLimit(ctx, all))
		same(x, "pools are last", must(x.Limits(ctx))(x), []hive.Limit{all, dw})
		dw.Most, dw.Reason, dw.SetAt, dw.SetBy = 0, "", after(time.Minute), "bob"
		x.ok(x.SetLimit(ctx, dw))
		same(x, "changed", must(x.Limits(ctx))(x), []hive.Limit{all, dw})
		x.ok(x.DeleteLimit(ctx, all.LimitKey))
		same(x, "deleted", must(x.Limits(ctx))(x), []hive.Limit{dw})
		x.code(hive.CodeNotFound, x.DeleteLimit(ctx, all.LimitKey))
	})
}

// pooled stores a batch of n runs, and returns the write that offers its first run with slots of a pool.
func (x *fixture) pooled(name string, slots int) hive.BatchWrite {
	x.Helper()
	return x.offerOf(x.batch(1), name, slots)
}

func (x *fixture) offerOf(img hive.BatchSnapshot, name string, slots int) hive.BatchWrite {
	x.Helper()
	ready, attempt := x.offer(img.Runs[0])
	attempt.Pool, attempt.Slots = name, slots
	return hive.BatchWrite{
		BatchID: img.Batch.ID, Runs: []hive.RunChange{ready}, Offers: []hive.Attempt{attempt},
	}
}

// within commits writes whose offers count for a limit.
func (x *fixture) within(k hive.LimitKey, schedules []int64, writes ...hive.BatchWrite) error {
	g := hive.LimitGuard{LimitKey: k, Schedules: schedules}
	for i := range writes {
		if len(writes[i].Offers) > 0 {
			g.Batches = append(g.Batches, writes[i].BatchID)
		}
	}
	return x.Commit(x.Context(), hive.Group{
		Server: x.me.ID, Epoch: x.me.Epoch, Batches: writes, Limits: []hive.LimitGuard{g},
	})
}

// Attempts of a pool hold its slots until they end. If the offers of a group of writes need more slots than are free,
// the guard refuses their batches, and nothing of the group is stored.
func TestPoolGuard(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		x.ok(x.SetLimit(ctx, hive.Limit{LimitKey: pool("dw"), Most: 3, SetAt: t0, SetBy: "ada"}))
		two, one, more := x.pooled("dw", 2), x.pooled("dw", 1), x.pooled("dw", 1)
		x.ok(x.within(pool("dw"), nil, two))
		same(x, "held", must(x.HeldSlots(ctx))(x), []hive.HeldSlots{{
			Batch: two.BatchID, Schedule: x.schedule.ID, Pool: "dw", Attempts: 1, Slots: 2,
		}})
		err := x.within(pool("dw"), nil, one, more)
		x.guards(err, one.BatchID, more.BatchID)
		guard, _ := errors.AsType[*hive.GuardError](err)
		same(x, "because of the limit", guard.Limited, true)
		same(x, "nothing is stored", len(x.snapshot(one.BatchID).Attempts), 0)
		x.ok(x.within(pool("dw"), nil, one))
		x.guards(x.within(pool("dw"), nil, more), more.BatchID)
		none, again := x.pooled("none", 1), x.pooled("dw", 1)
		x.guards(x.within(pool("none"), nil, none), none.BatchID)

		// The end of an attempt frees its slots in the same commit.
		img := x.snapshot(two.BatchID)
		ended, done := end(img.Runs[0], img.Attempts[0], after(time.Minute))
		x.ok(x.within(pool("dw"), nil, more, hive.BatchWrite{
			BatchID: two.BatchID, Runs: []hive.RunChange{ended}, Attempts: []hive.AttemptChange{done},
		}))
		holders := must(x.LimitHolders(ctx, pool("dw"), nil))(x)
		ids := []int64{holders[0].BatchID, holders[1].BatchID}
		slices.Sort(ids)
		same(x, "holders", ids, []int64{one.BatchID, more.BatchID})
		same(x, "of the schedule", holders[0].Schedule, x.schedule.Name)
		x.ok(x.DeleteLimit(ctx, pool("dw")))
		x.guards(x.within(pool("dw"), nil, again), again.BatchID)
	})
}

// Each kind of limit counts its own attempts. A limit that was removed allows all.
func TestLimitGuards(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		x.ok(x.SaveExecutor(ctx, hive.Executor{ID: "id-x", Name: "x", Group: "etl", Address: "127.0.0.1:1", Slots: 9}))
		for _, k := range []hive.LimitKey{
			{Kind: hive.LimitServer},
			{Kind: hive.LimitGroup, Name: "etl"},
			{Kind: hive.LimitTag, Name: "night"},
			{Kind: hive.LimitSchedule, Name: x.schedule.Name},
		} {
			free, bound := []int64{x.schedule.ID + 1000}, []int64{x.schedule.ID}
			used := len(must(x.LimitHolders(ctx, k, bound))(x))
			x.ok(x.SetLimit(ctx, hive.Limit{LimitKey: k, Most: used + 1, SetAt: t0, SetBy: "ada"}))
			first, second := x.pooled("", 0), x.pooled("", 0)
			first.Offers[0].Executor, second.Offers[0].Executor = "id-x", "id-x"
			x.ok(x.within(k, bound, first))
			x.guards(x.within(k, bound, second), second.BatchID)
			if k.Kind == hive.LimitTag || k.Kind == hive.LimitSchedule {
				x.ok(x.within(k, free, second))
			} else {
				x.ok(x.DeleteLimit(ctx, k))
				x.ok(x.within(k, bound, second))
			}
			if got := len(must(x.LimitHolders(ctx, k, bound))(x)); got != used+2 {
				x.Fatalf("%s: %d holders, want %d", k, got, used+2)
			}
		}
	})
}

// Two servers that offer at the same time never exceed a pool, in whatever order their commits come.
func TestPoolOfTwoServers(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		const slots, rounds = 3, 12
		x.ok(x.SetLimit(ctx, hive.Limit{LimitKey: pool("dw"), Most: slots, SetAt: t0, SetBy: "ada"}))
		other := &fixture{T: x.T, Store: x.Store, schedule: x.schedule, revision: x.revision, me: x.me}
		other.me.ID = "server-2"
		other.me.Epoch = must(x.StartSession(ctx, other.me, lease))(x)
		var wait sync.WaitGroup
		won := make([][]hive.BatchWrite, 2)
		for n, server := range []*fixture{x, other} {
			writes := make([]hive.BatchWrite, rounds)
			for i := range writes {
				writes[i] = server.pooled("dw", 1)
			}
			wait.Go(func() {
				for i := range writes {
					err := server.Commit(ctx, hive.Group{
						Server: server.me.ID, Epoch: server.me.Epoch, Batches: writes[i : i+1],
						Limits: []hive.LimitGuard{{LimitKey: pool("dw"), Batches: []int64{writes[i].BatchID}}},
					})
					if guard, ok := errors.AsType[*hive.GuardError](err); ok && guard.Limited {
						continue
					}
					if err != nil {
						x.Errorf("server %d: %v", n, err)
						return
					}
					won[n] = append(won[n], writes[i])
				}
			})
		}
		wait.Wait()
		same(x, "offers that were stored", len(won[0])+len(won[1]), slots)
		same(x, "holders", len(must(x.LimitHolders(ctx, pool("dw"), nil))(x)), slots)
	})
}

// A renamed schedule keeps its limit. A limit that waited for its new name goes, unless the schedule had none itself.
func TestLimitOfARenamedSchedule(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		of := func(name string) hive.LimitKey { return hive.LimitKey{Kind: hive.LimitSchedule, Name: name} }
		set := func(k hive.LimitKey, most int) hive.Limit {
			l := hive.Limit{LimitKey: k, Most: most, Reason: "why", SetAt: t0, SetBy: "ada"}
			x.ok(x.SetLimit(ctx, l))
			return l
		}
		tag := set(hive.LimitKey{Kind: hive.LimitTag, Name: "warehouse"}, 7)
		set(of("store"), 9)
		own := set(of("warehouse"), 2)
		_ = must(x.RenameSchedule(ctx, toBe("warehouse", "store", 1)))(x)
		own.Name = "store"
		same(x, "moved", must(x.Limits(ctx))(x), []hive.Limit{tag, own})

		x.ok(x.DeleteLimit(ctx, own.LimitKey))
		waiting := set(of("depot"), 4)
		_ = must(x.RenameSchedule(ctx, toBe("store", "depot", 2)))(x)
		same(x, "without a limit of its own", must(x.Limits(ctx))(x), []hive.Limit{tag, waiting})
	})
}
