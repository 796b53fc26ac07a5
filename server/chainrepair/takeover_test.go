package chainrepair

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/rprp/hivego/db"
	"github.com/rprp/hivego/server/hive"
)

// crashing is a store that loses its connection at one of its calls, before the database has done anything or after
// everything was stored.
type crashing struct {
	*db.Store
	calls, at int
	after     bool
}

func (c *crashing) fail() bool {
	c.calls++
	return c.calls == c.at
}

func (c *crashing) ActiveChainRepairs(ctx context.Context) ([]int64, error) {
	if c.fail() {
		return nil, hive.ErrConnection
	}
	return c.Store.ActiveChainRepairs(ctx)
}

func (c *crashing) DecideChainRepair(ctx context.Context, server hive.Server, id int64, now time.Time,
	decide func(hive.ChainRepair) (hive.ChainRepairWrite, error),
) ([]int64, error) {
	failing := c.fail()
	if failing && !c.after {
		return nil, hive.ErrConnection
	}
	commanded, err := c.Store.DecideChainRepair(ctx, server, id, now, decide)
	if failing {
		return nil, hive.ErrConnection
	}
	return commanded, err
}

// endAll lets the live batches end.
func (h *harness) endAll(ids map[string]int64) {
	h.Helper()
	for _, id := range ids {
		if h.batch(id).Live {
			h.end(id, hive.BatchSucceeded)
		}
	}
}

// Whenever the server dies, its next process or another server goes on, and each batch runs again once.
func TestTakeover(t *testing.T) {
	t.Parallel()
	each(t, func(h *harness) {
		other := newHarness(h.T, h.store, "two")
		ids := h.day()
		round := 1
		for point := 1; point <= 6; point++ {
			for _, after := range []bool{false, true} {
				c := &crashing{Store: h.store, at: point, after: after}
				h.use(c)
				key := fmt.Sprint(point, after)
				made, chain, err := h.service.Apply(h.Context(), h.request(ids["orders"], key))
				h.ok(err)
				if made.State != hive.CommandApplied {
					h.Fatalf("%+v", made)
				}
				round++
				for step := 0; ; step++ {
					r, err := h.store.ChainRepair(h.Context(), chain)
					h.ok(err)
					if r.State == hive.ChainRepairDone {
						break
					}
					if step > 20 {
						h.Fatalf("crash at call %d: no end: %+v", point, r)
					}
					if c.calls < point {
						h.run()
					} else {
						other.driver.RunOnce(h.Context()) // the first server is dead
						h.obey()
					}
					h.endAll(ids)
				}
				for name, id := range ids {
					if got := h.batch(id).Round; got != round {
						h.Fatalf("crash at call %d: %s is in round %d, not %d", point, name, got, round)
					}
				}
			}
		}
	})
}

// Two servers that try at once run each batch again once.
func TestTwoServers(t *testing.T) {
	t.Parallel()
	each(t, func(h *harness) {
		other := newHarness(h.T, h.store, "two")
		ids := h.day()
		id := h.apply(ids["orders"])
		for range 6 {
			var both sync.WaitGroup
			both.Go(func() { h.driver.RunOnce(h.Context()) })
			both.Go(func() { other.driver.RunOnce(h.Context()) })
			both.Wait()
			h.obey()
			h.endAll(ids)
		}
		h.expect(id, "done, orders succeeded, mart succeeded, report succeeded, mail succeeded, summary succeeded")
		for name, id := range ids {
			if got := h.batch(id).Round; got != 2 {
				h.Errorf("%s is in round %d", name, got)
			}
		}
	})
}

// Two requests at once make one chain repair.
func TestTwoApplications(t *testing.T) {
	t.Parallel()
	each(t, func(h *harness) {
		ids := h.day()
		p, err := h.service.Preview(h.Context(), ids["orders"])
		h.ok(err)
		r := h.request(ids["orders"], "k")
		repair := h.service.newRepair(&r, p.Steps)
		first, err := single{h}.RepairCommand(h.Context(), r.RepairRequest)
		h.ok(err)
		var both sync.WaitGroup
		made := make([]hive.ChainRepair, 2)
		errs := make([]error, 2)
		for i := range 2 {
			both.Go(func() {
				made[i], _, _, errs[i] = h.store.CreateChainRepair(h.Context(),
					hive.NewChainRepair{Key: "k", Repair: repair, First: first})
			})
		}
		both.Wait()
		if errs[0] != nil || errs[1] != nil || made[0].ID != made[1].ID || len(made[0].Steps) != 5 {
			h.Fatalf("%+v %v", made, errs)
		}
	})
}
