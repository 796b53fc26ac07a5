package backfill

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Whenever a server dies, another one goes on: each moment gets one batch, after all that it reads.
func TestDependantsTakeover(t *testing.T) {
	t.Parallel()
	eachChain(t, func(h *harness) {
		other := newHarness(h.T, h.store, "two")
		month := time.Date(2025, time.January, 1, 0, 0, 0, 0, time.UTC)
		for point := 1; point <= 9; point += 2 {
			for _, after := range []bool{false, true} {
				b := h.createWide(hive.BackfillRequest{
					Parallel: 2, From: month.Format(time.DateOnly), To: month.AddDate(0, 0, 1).Format(time.DateOnly),
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
				h.onceInOrder(b.ID)
			}
		}
	})
}

// onceInOrder checks that each moment has one batch, and that each mart comes after its orders, each report after its
// mart.
func (h *harness) onceInOrder(id int64) {
	h.Helper()
	place := map[string]int{}
	all := h.batches(id)
	for i := range all {
		if place[nameOf(&all[i])] != 0 {
			h.Fatalf("two batches of %s", nameOf(&all[i]))
		}
		place[nameOf(&all[i])] = i + 1
	}
	if len(all) != h.get(id).Counts.Moments() {
		h.Fatalf("%d batches of %d moments", len(all), h.get(id).Counts.Moments())
	}
	for name, at := range place {
		day, isMart := strings.CutPrefix(name, "mart ")
		for _, hour := range []string{"00", "08", "16"} {
			if isMart && place["orders "+day[:3]+hour] > at {
				h.Fatalf("%s came before its orders", name)
			}
		}
		if day, isReport := strings.CutPrefix(name, "report "); isReport && place["mart "+day] > at {
			h.Fatalf("%s came before its mart", name)
		}
	}
}

// Two servers that try at once make each batch once.
func TestDependantsOnTwoServers(t *testing.T) {
	t.Parallel()
	eachChain(t, func(h *harness) {
		other := newHarness(h.T, h.store, "two")
		b := h.createWide(hive.BackfillRequest{Parallel: 3, From: "2026-02-01", To: "2026-02-05"})
		for range 20 {
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
		h.expect(b.ID, "done, 0 waiting, 0 running, 25 succeeded, 0 failed, 0 canceled, 0 kept")
		h.onceInOrder(b.ID)
	})
}
