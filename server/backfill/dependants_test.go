package backfill

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// A day is made as soon as its hours have succeeded, while the hours of later days still wait.
func TestDependantsInTurn(t *testing.T) {
	t.Parallel()
	for order, want := range map[hive.BackfillOrder][]string{
		hive.OrderAscending: {
			"orders 01T00, orders 01T08", "orders 01T16, orders 02T00", "mart 01T23, orders 02T08",
			"report 01T23, orders 02T16", "mart 02T23", "report 02T23", "",
		},
		hive.OrderDescending: {
			"orders 02T16, orders 02T08", "orders 02T00, orders 01T16", "mart 02T23, orders 01T08",
			"report 02T23, orders 01T00", "mart 01T23", "report 01T23", "",
		},
	} {
		eachChain(t, func(h *harness) {
			b := h.createWide(hive.BackfillRequest{Order: order, Parallel: 2, Params: map[string]any{"region": "us"}})
			h.expectOf(b.ID, "orders 6/0/0/0, mart 2/0/0/0, report 2/0/0/0")
			known := 0
			for i, names := range want {
				h.run()
				h.run()
				if got := h.begun(b.ID, &known); got != names {
					h.Fatalf("%s, step %d: %s, want %s", order, i, got, names)
				}
				h.endAll(b.ID, hive.BatchSucceeded)
			}
			h.run()
			h.expect(b.ID, "done, 0 waiting, 0 running, 10 succeeded, 0 failed, 0 canceled, 0 kept")
			mart, orders := h.find(b.ID, "mart 01T23"), h.find(b.ID, "orders 01T08")
			if mart.Kind != hive.KindBackfill || mart.Backfill != b.ID || mart.Params != nil ||
				orders.Params["region"] != "us" {
				h.Fatalf("mart %+v, params of orders %v", mart, orders.Params)
			}
			causes, _, err := h.store.Causes(h.Context(), mart.ID, 10)
			h.ok(err)
			if len(causes) != 3 || causes[0].Schedule != "orders" {
				h.Fatalf("the causes of the mart: %+v", causes)
			}
			for _, name := range []string{"orders", "mart", "report"} {
				list, err := h.service.List(h.Context(), hive.BackfillFilter{Schedule: name})
				h.ok(err)
				if len(list) != 1 || len(list[0].Schedules) != 3 {
					h.Fatalf("the backfills of %s: %+v", name, list)
				}
			}
		})
	}
}

// Only what reads a failed moment is skipped. It follows if that moment succeeds after all.
func TestDependantsOfFailure(t *testing.T) {
	t.Parallel()
	eachChain(t, func(h *harness) {
		b := h.createWide(hive.BackfillRequest{Parallel: 9, OnFailure: hive.OnFailureContinue})
		h.run()
		failed := h.find(b.ID, "orders 01T08")
		h.end(failed, hive.BatchFailed)
		h.end(h.find(b.ID, "orders 01T00"), hive.BatchSucceeded)
		h.run()
		h.expectOf(b.ID, "orders 0/4/1/0, mart 1/0/0/1, report 1/0/0/1")
		skips := h.get(b.ID).Skipped
		day := time.Date(2026, time.March, 1, 0, 0, 0, 0, time.UTC)
		want := hive.BackfillSkip{
			Schedule: "report", Moment: day.Add(23*time.Hour + 30*time.Minute), Upstream: "orders",
			UpstreamMoment: day.Add(8 * time.Hour), Batch: failed.ID,
		}
		if len(skips) != 2 || skips[0].Schedule != "mart" || skips[1] != want {
			h.Fatalf("skipped: %+v", skips)
		}
		h.resume(h.find(b.ID, "orders 01T08"))
		h.run()
		h.expectOf(b.ID, "orders 0/5/1/0, mart 2/0/0/0, report 2/0/0/0")
		h.endAll(b.ID, hive.BatchSucceeded)
		h.run()
		h.end(h.find(b.ID, "mart 01T23"), hive.BatchSucceeded)
		h.end(h.find(b.ID, "mart 02T23"), hive.BatchCanceled)
		h.run()
		h.endAll(b.ID, hive.BatchSucceeded)
		h.run()
		h.expect(b.ID, "done, 0 waiting, 0 running, 8 succeeded, 0 failed, 1 canceled, 0 kept")
		h.expectOf(b.ID, "orders 0/0/6/0, mart 0/0/1/0, report 0/0/1/1")
	})
}

// A failure stops the whole, and without it only what reads it is left out.
func TestDependantsStop(t *testing.T) {
	t.Parallel()
	eachChain(t, func(h *harness) {
		b := h.createWide(hive.BackfillRequest{Parallel: 9})
		h.run()
		h.end(h.find(b.ID, "orders 01T08"), hive.BatchFailed)
		h.endAll(b.ID, hive.BatchSucceeded)
		h.run()
		h.expect(b.ID, "stopped, 4 waiting, 0 running, 5 succeeded, 1 failed, 0 canceled, 0 kept")
		_, err := h.service.SetWish(h.Context(), b.ID, hive.WishRun, "ben")
		h.ok(err)
		for range 3 {
			h.run()
			h.endAll(b.ID, hive.BatchSucceeded)
		}
		h.expect(b.ID, "done, 0 waiting, 0 running, 7 succeeded, 1 failed, 0 canceled, 0 kept")
		h.expectOf(b.ID, "orders 0/0/5/0, mart 0/0/1/1, report 0/0/1/1")
	})
}

// Pause and cancel are of all schedules.
func TestDependantsPauseAndCancel(t *testing.T) {
	t.Parallel()
	eachChain(t, func(h *harness) {
		b := h.createWide(hive.BackfillRequest{Parallel: 9})
		h.run()
		wish := func(w hive.Wish) {
			_, err := h.service.SetWish(h.Context(), b.ID, w, "ben")
			h.ok(err)
		}
		wish(hive.WishPause)
		h.endAll(b.ID, hive.BatchSucceeded)
		h.run()
		h.expectOf(b.ID, "orders 0/0/6/0, mart 2/0/0/0, report 2/0/0/0")
		wish(hive.WishRun)
		h.run()
		h.expectOf(b.ID, "orders 0/0/6/0, mart 0/2/0/0, report 2/0/0/0")
		h.commanded = nil
		wish(hive.WishCancel)
		h.endAll(b.ID, hive.BatchSucceeded)
		h.run()
		h.expectOf(b.ID, "orders 0/0/6/0, mart 0/0/2/0, report 2/0/0/0")
		if len(h.commanded) != 2 || h.get(b.ID).State != hive.BackfillCanceled {
			h.Fatalf("commanded %v, %s", h.commanded, h.get(b.ID).State)
		}
	})
}

// What is kept counts by its own result, and what failed before may be resumed and followed.
func TestDependantsOfExisting(t *testing.T) {
	t.Parallel()
	eachChain(t, func(h *harness) {
		first := h.createWide(hive.BackfillRequest{Parallel: 9, OnFailure: hive.OnFailureContinue})
		h.run()
		h.end(h.find(first.ID, "orders 01T08"), hive.BatchFailed)
		for range 3 {
			h.endAll(first.ID, hive.BatchSucceeded)
			h.run()
		}
		h.expectOf(first.ID, "orders 0/0/5/0, mart 0/0/1/1, report 0/0/1/1")
		p, err := h.service.Preview(h.Context(), hive.BackfillRequest{
			Schedule: "orders", From: "2026-03-01", To: "2026-03-02", WithDependants: true,
			Existing: hive.ExistingFailed,
		})
		h.ok(err)
		var parts []string
		for _, s := range p.Schedules {
			parts = append(parts, fmt.Sprintf("%s %d/%d/%d", s.Schedule, s.Moments, s.Existing, s.Kept))
		}
		if got := strings.Join(parts, ", "); got != "orders 6/6/5, mart 2/1/1, report 2/1/1" || p.Moments != 10 ||
			p.Existing != 8 || p.Kept != 7 || len(p.LeftOut) != 0 {
			h.Fatalf("preview: %s, %+v", got, p)
		}
		kept := h.createWide(hive.BackfillRequest{Parallel: 9})
		h.run()
		h.expect(kept.ID, "done, 0 waiting, 0 running, 0 succeeded, 0 failed, 0 canceled, 8 kept")
		h.expectOf(kept.ID, "orders 0/0/0/0, mart 0/0/0/1, report 0/0/0/1")

		again := h.createWide(hive.BackfillRequest{Parallel: 9, Existing: hive.ExistingFailed})
		h.run()
		h.expectOf(again.ID, "orders 0/1/0/0, mart 1/0/0/0, report 1/0/0/0")
		commands, err := h.store.PendingCommands(h.Context(), h.me.ID)
		h.ok(err)
		h.answer(commands[0], hive.CommandApplied)
		h.resume(h.find(first.ID, "orders 01T08"))
		h.endAll(again.ID, hive.BatchSucceeded)
		h.run()
		h.endAll(again.ID, hive.BatchSucceeded)
		h.run()
		h.endAll(again.ID, hive.BatchSucceeded)
		h.run()
		h.expect(again.ID, "done, 0 waiting, 0 running, 3 succeeded, 0 failed, 0 canceled, 7 kept")
	})
}

// A disabled schedule is left out, with what follows only through it.
func TestDependantsLeftOut(t *testing.T) {
	t.Parallel()
	eachChain(t, func(h *harness) {
		h.ok(h.store.SetEnabled(h.Context(), "mart", false, testNow()))
		p, err := h.service.Preview(h.Context(), hive.BackfillRequest{
			Schedule: "orders", From: "2026-03-01", WithDependants: true,
		})
		h.ok(err)
		want := []hive.BackfillLeftOut{{Schedule: "mart", Reason: "disabled"}, {Schedule: "report", Reason: "upstream"}}
		if len(p.Schedules) != 1 || !slices.Equal(p.LeftOut, want) {
			h.Fatalf("preview: %+v", p)
		}
		if b := h.createWide(hive.BackfillRequest{}); !b.WithDependants || len(b.Schedules) != 1 {
			h.Fatalf("the backfill: %+v", b)
		}
		one := hive.BackfillRequest{Schedule: "orders", By: "ada", Key: "k", From: "2026-03-01", To: "2026-03-02"}
		_, err = h.service.Create(h.Context(), one)
		h.ok(err)
		one.WithDependants = true
		if _, err = h.service.Create(h.Context(), one); hive.CodeOf(err) != hive.CodeConflict {
			h.Fatalf("the same key with dependants: %v", err)
		}
	})
}

// wait stores a waiting tick of a moment.
func (h *harness) wait(name string, moment time.Time) {
	h.Helper()
	row, err := h.store.Schedule(h.Context(), name)
	h.ok(err)
	_, err = h.store.DecideTicks(h.Context(), h.me, row.ID, testNow(), func(v hive.TickView) ([]hive.TickWrite, error) {
		return []hive.TickWrite{{Tick: hive.Tick{
			ScheduleID: row.ID, Moment: moment, Count: 1, Trigger: "30 23 * * *", Decision: hive.DecisionWaiting,
			Rule: "after", RevisionID: v.RevisionID, DecidedAt: testNow(),
		}}}, nil
	})
	h.ok(err)
}

// A moment whose tick waits fires once: the backfill ends the wait with its batch, or keeps the batch that the tick
// made after its upstreams had succeeded.
func TestDependantsAndWaits(t *testing.T) {
	t.Parallel()
	eachChain(t, func(h *harness) {
		moment := time.Date(2026, time.March, 1, 23, 30, 0, 0, time.UTC)
		h.wait("mart", moment)
		b := h.createWide(hive.BackfillRequest{Parallel: 9, Existing: hive.ExistingRerun})
		h.run()
		h.endAll(b.ID, hive.BatchSucceeded)
		row, err := h.store.Schedule(h.Context(), "mart")
		h.ok(err)
		// The tick of the second day has fired by itself meanwhile, and its batch has succeeded already.
		_, err = h.store.CreateBatch(h.Context(), h.me, hive.NewBatch{Batch: hive.Batch{
			ScheduleID: row.ID, RevisionID: b.Schedules[1].RevisionID, Revision: 1, Kind: hive.KindDependent,
			State: hive.BatchSucceeded, Moment: moment.AddDate(0, 0, 1), Round: 1, CreatedAt: testNow(),
		}})
		h.ok(err)
		h.run()
		h.expect(b.ID, "running, 1 waiting, 2 running, 6 succeeded, 0 failed, 0 canceled, 1 kept")
		ticks, err := h.store.Ticks(h.Context(), row.ID, time.Time{}, 5)
		h.ok(err)
		made := h.find(b.ID, "mart 01T23")
		if len(ticks) != 1 || ticks[0].Decision != hive.DecisionFired || ticks[0].Rule != hive.RuleBackfill ||
			ticks[0].BatchID != made.ID || ticks[0].Detail != fmt.Sprintf("backfill %d", b.ID) {
			h.Fatalf("ticks: %+v", ticks)
		}
		results, err := h.store.MomentResults(h.Context(), row.ID, moment.Add(-time.Second), moment, 5)
		h.ok(err)
		if len(results) != 1 || !results[0].Filled || !results[0].Expected() {
			h.Fatalf("results: %+v", results)
		}
	})
}
