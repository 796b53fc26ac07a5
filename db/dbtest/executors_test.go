package dbtest_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Draining holds until the executor has another boot id, and no longer.
func TestDrainedExecutors(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		e := hive.Executor{
			ID: "e1", Name: "alpha", BootID: "b1", Origin: hive.OriginAddress, SlotsByPerson: true,
			Slots: 2,
		}
		x.ok(x.SaveExecutor(ctx, e))
		drained := func() bool { return must(x.Executor(ctx, "e1"))(x).Drained }
		same(x, "at first", drained(), false)
		x.ok(x.SetDrained(ctx, "alpha", true))
		x.ok(x.SetDrained(ctx, "alpha", true))
		same(x, "drained", drained(), true)
		x.ok(x.SaveExecutor(ctx, e))
		same(x, "saved again", drained(), true)
		e.BootID = "b2"
		x.ok(x.SaveExecutor(ctx, e))
		same(x, "started anew", drained(), false)
		x.ok(x.SetDrained(ctx, "alpha", true))
		same(x, "drained again", must(x.Executors(ctx))(x)[0].Drained, true)
		x.ok(x.SetDrained(ctx, "alpha", false))
		same(x, "given work again", drained(), false)
		x.code(hive.CodeNotFound, x.SetDrained(ctx, "beta", true))
	})
}

// What an executor says of itself is kept, but not what a person said of it, nor for one that was deleted or registers.
func TestDescribedExecutors(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		e := hive.Executor{
			ID: "e1", Name: "alpha", Group: "etl", Address: "127.0.0.1:1", Secret: "s", Slots: 1,
			Origin: hive.OriginAddress, CreatedAt: t0, SeenAt: t0, Labels: map[string]string{"zone": "a"},
		}
		x.ok(x.SaveExecutor(ctx, e))
		now := e
		now.Slots, now.Version, now.BootID, now.Durable, now.SeenAt = 4, "2", "b2", true, after(time.Minute)
		now.Handlers = []hive.Handler{{Name: "train"}}
		text := now
		text.Name, text.Group, text.Address, text.Secret, text.Labels = "beta", "other", "10.0.0.1:1", "x", nil
		x.ok(x.DescribeExecutor(ctx, text))
		same(x, "described", must(x.Executor(ctx, "e1"))(x), now)

		now.Origin = hive.OriginRegistered
		x.ok(x.SaveExecutor(ctx, now))
		text.Version = "3"
		x.ok(x.DescribeExecutor(ctx, text))
		same(x, "one that registers", must(x.Executor(ctx, "e1"))(x), now)
		x.ok(x.DeleteExecutor(ctx, "e1"))
		x.ok(x.DescribeExecutor(ctx, text))
		same(x, "a deleted one", len(must(x.Executors(ctx))(x)), 0)
	})
}

// What an executor has is told with the names that people know, and only what has not ended.
func TestHeldAttempts(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		img := x.batch(2)
		first, held := x.offer(img.Runs[0])
		second, done := x.offer(img.Runs[1])
		x.ok(x.commit(hive.BatchWrite{
			BatchID: img.Batch.ID, Runs: []hive.RunChange{first, second}, Offers: []hive.Attempt{held, done},
		}))
		same(x, "offered", len(must(x.Held(ctx, held.Executor))(x)), 2)
		run := x.snapshot(img.Batch.ID).Runs[1]
		ended, over := end(run, done, after(time.Minute))
		x.ok(x.commit(hive.BatchWrite{
			BatchID: img.Batch.ID, Runs: []hive.RunChange{ended}, Attempts: []hive.AttemptChange{over},
		}))
		same(x, "held", must(x.Held(ctx, held.Executor))(x), []hive.HeldView{{
			Attempt: held, Schedule: img.Batch.Schedule, Task: img.Runs[0].Task, RunState: first.To.State,
		}})
		same(x, "another executor", len(must(x.Held(ctx, "nobody"))(x)), 0)
		same(x, "of several executors", len(must(x.Held(ctx, "nobody", held.Executor))(x)), 1)
		same(x, "of no executor", len(must(x.Held(ctx))(x)), 0)
	})
}

// Two executors that register under one new id at once do not overwrite each other: the later one is asked about.
func TestRegisteredAtOnce(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		refused := errors.New("another secret")
		register := func(e hive.Executor) error {
			return x.RegisterExecutor(ctx, e, func(known hive.Executor) error {
				if known.Secret != e.Secret {
					return refused
				}
				return nil
			})
		}
		results := make([]error, 4)
		var wg sync.WaitGroup
		for i := range results {
			wg.Go(func() { results[i] = register(hive.Executor{ID: "e1", Name: "alpha", Secret: fmt.Sprint("s", i)}) })
		}
		wg.Wait()
		stored := must(x.Executor(ctx, "e1"))(x)
		for i, err := range results {
			if won := stored.Secret == fmt.Sprint("s", i); won {
				x.ok(err)
			} else {
				x.is(refused, err)
			}
		}
		stored.Version, stored.SeenAt = "2", after(time.Minute)
		x.ok(register(stored))
		same(x, "registered again", must(x.Executor(ctx, "e1"))(x), stored)
		err := register(hive.Executor{ID: "e2", Name: "alpha", Secret: "s"})
		x.code(hive.CodeConflict, err)
	})
}
