package backfill

import (
	"context"
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

func (c *crashing) ActiveBackfills(ctx context.Context) ([]int64, error) {
	if c.fail() {
		return nil, hive.ErrConnection
	}
	return c.Store.ActiveBackfills(ctx)
}

func (c *crashing) DecideBackfill(ctx context.Context, server hive.Server, id int64, now time.Time,
	decide func(hive.BackfillView) (hive.BackfillWrite, error),
) (made, commanded []int64, err error) {
	failing := c.fail()
	if failing && !c.after {
		return nil, nil, hive.ErrConnection
	}
	made, commanded, err = c.Store.DecideBackfill(ctx, server, id, now, decide)
	if failing {
		return nil, nil, hive.ErrConnection
	}
	return made, commanded, err
}

// Whenever a server dies, another one goes on: each moment gets one batch, and no more are live than the backfill
// allows.
func TestTakeover(t *testing.T) {
	t.Parallel()
	each(t, func(h *harness) {
		other := newHarness(h.T, h.store, "two")
		month := time.Date(2024, time.January, 1, 0, 0, 0, 0, time.UTC)
		for point := 1; point <= 8; point++ {
			for _, after := range []bool{false, true} {
				b := h.create(hive.BackfillRequest{
					Parallel: 2, From: month.Format(time.DateOnly), To: month.AddDate(0, 0, 4).Format(time.DateOnly),
				})
				month = month.AddDate(0, 1, 0)
				c := &crashing{Store: h.store, at: point, after: after}
				h.use(c)
				for step := 0; h.get(b.ID).State != hive.BackfillDone; step++ {
					if step > 20 {
						h.Fatalf("crash at call %d: no end: %+v", point, h.get(b.ID))
					}
					if c.calls < point {
						h.run()
					} else {
						other.run() // the first server is dead
					}
					if live := h.get(b.ID).Counts.Running; live > 2 {
						h.Fatalf("crash at call %d: %d batches are live", point, live)
					}
					h.endAll(b.ID, hive.BatchSucceeded)
				}
				if days := h.days(b.ID); days != "1 2 3 4 5" {
					h.Fatalf("crash at call %d: batches of %s", point, days)
				}
			}
		}
	})
}

// Two servers that try at once make each batch once.
func TestTwoServers(t *testing.T) {
	t.Parallel()
	each(t, func(h *harness) {
		other := newHarness(h.T, h.store, "two")
		b := h.create(hive.BackfillRequest{Parallel: 3, From: "2026-02-01", To: "2026-02-28"})
		for range 11 {
			var both sync.WaitGroup
			both.Go(h.run)
			both.Go(other.run)
			both.Wait()
			if live := h.get(b.ID).Counts.Running; live > 3 {
				h.Fatalf("%d batches are live", live)
			}
			h.endAll(b.ID, hive.BatchSucceeded)
		}
		h.run()
		h.expect(b.ID, "done, 0 waiting, 0 running, 28 succeeded, 0 failed, 0 canceled, 0 kept")
		if n := len(h.made) + len(other.made); n != 28 || len(h.batches(b.ID)) != 28 {
			h.Fatalf("%d batches made", n)
		}
	})
}
