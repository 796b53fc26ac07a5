package backfill

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// A backfill makes one batch for each moment, so many at once as it may, and is done when all have ended.
func TestBackfill(t *testing.T) {
	t.Parallel()
	each(t, func(h *harness) {
		b := h.create(hive.BackfillRequest{
			Parallel: 2, Order: hive.OrderDescending, Params: map[string]any{"region": "us"}, Note: "for the audit",
		})
		h.expect(b.ID, "running, 5 waiting, 0 running, 0 succeeded, 0 failed, 0 canceled, 0 kept")
		h.run()
		h.run()
		h.expect(b.ID, "running, 3 waiting, 2 running, 0 succeeded, 0 failed, 0 canceled, 0 kept")
		first := h.batches(b.ID)[0]
		if first.Kind != hive.KindBackfill || first.Backfill != b.ID || first.Revision != 1 || !first.Live ||
			first.Params["region"] != "us" || first.CreatedBy != "ada" || first.Owner != h.me.ID ||
			!first.Moment.Equal(time.Date(2026, time.March, 5, 3, 0, 0, 0, time.UTC)) {
			t.Fatalf("the first batch: %+v", first)
		}
		img, err := h.store.BatchSnapshot(h.Context(), first.ID)
		h.ok(err)
		if len(img.Runs) != 2 {
			t.Fatalf("the runs: %+v", img.Runs)
		}
		for range 3 {
			h.endAll(b.ID, hive.BatchSucceeded)
			h.run()
		}
		h.expect(b.ID, "done, 0 waiting, 0 running, 5 succeeded, 0 failed, 0 canceled, 0 kept")
		if days := h.days(b.ID); days != "5 4 3 2 1" || len(h.made) != 5 {
			t.Fatalf("the batches of %s, and the owner knows %v", days, h.made)
		}
		if got := h.get(b.ID); got.FinishedAt.IsZero() || got.Note != "for the audit" || got.Params["region"] != "us" {
			t.Fatalf("the backfill: %+v", got)
		}
		sched, err := h.store.Schedule(h.Context(), "nightly")
		h.ok(err)
		usual, err := h.store.UsualDurations(h.Context(), []int64{sched.ID})
		h.ok(err)
		if sched.Counted != 0 || len(usual) != 0 {
			t.Fatalf("its batches count for maxBatches: %d, or for the usual duration: %v", sched.Counted, usual)
		}
	})
}

// A failed batch stops the backfill. It goes on when the batch was resumed, or when a person continues it.
func TestStopOnFailure(t *testing.T) {
	t.Parallel()
	each(t, func(h *harness) {
		b := h.create(hive.BackfillRequest{})
		h.run()
		h.endAll(b.ID, hive.BatchFailed)
		h.run()
		h.expect(b.ID, "stopped, 4 waiting, 0 running, 0 succeeded, 1 failed, 0 canceled, 0 kept")
		failed := h.batches(b.ID)[0]
		if got := h.get(b.ID); got.StoppedBy != failed.ID {
			t.Fatalf("stopped by %d, want %d", got.StoppedBy, failed.ID)
		}
		h.resume(failed)
		h.run()
		h.expect(b.ID, "running, 4 waiting, 1 running, 0 succeeded, 0 failed, 0 canceled, 0 kept")
		h.endAll(b.ID, hive.BatchSucceeded)
		h.run()
		h.expect(b.ID, "running, 3 waiting, 1 running, 1 succeeded, 0 failed, 0 canceled, 0 kept")

		h.endAll(b.ID, hive.BatchCanceled)
		h.run()
		h.expect(b.ID, "stopped, 3 waiting, 0 running, 1 succeeded, 0 failed, 1 canceled, 0 kept")
		_, err := h.service.SetWish(h.Context(), b.ID, hive.WishRun, "ben")
		h.ok(err)
		h.run()
		h.expect(b.ID, "running, 2 waiting, 1 running, 1 succeeded, 0 failed, 1 canceled, 0 kept")
		if got := h.get(b.ID); got.ChangedBy != "ben" || got.StoppedBy != 0 {
			t.Fatalf("continued: %+v", got)
		}
	})
}

// resume does what the owner does for a person's plan.
func (h *harness) resume(b hive.Batch) {
	h.Helper()
	to := b
	to.State, to.Live, to.Round, to.FinishedAt = hive.BatchRunning, true, b.Round+1, time.Time{}
	h.ok(h.store.Commit(h.Context(), hive.Group{Server: h.me.ID, Epoch: h.me.Epoch, Batches: []hive.BatchWrite{
		{BatchID: b.ID, Batch: &hive.BatchChange{From: b.State, To: to}},
	}}))
}

func TestContinueOnFailure(t *testing.T) {
	t.Parallel()
	each(t, func(h *harness) {
		b := h.create(hive.BackfillRequest{OnFailure: hive.OnFailureContinue})
		for range 6 {
			h.run()
			h.endAll(b.ID, hive.BatchFailed)
		}
		h.run()
		h.expect(b.ID, "done, 0 waiting, 0 running, 0 succeeded, 5 failed, 0 canceled, 0 kept")
	})
}

// A paused backfill starts nothing, and its live batches go on. A canceled one cancels them.
func TestPauseAndCancel(t *testing.T) {
	t.Parallel()
	each(t, func(h *harness) {
		b := h.create(hive.BackfillRequest{Parallel: 2})
		h.run()
		wish := func(w hive.Wish) error {
			_, err := h.service.SetWish(h.Context(), b.ID, w, "ben")
			return err
		}
		h.ok(wish(hive.WishPause))
		h.end(h.batches(b.ID)[0], hive.BatchSucceeded)
		h.run()
		h.expect(b.ID, "paused, 3 waiting, 1 running, 1 succeeded, 0 failed, 0 canceled, 0 kept")
		h.ok(wish(hive.WishRun))
		h.run()
		h.expect(b.ID, "running, 2 waiting, 2 running, 1 succeeded, 0 failed, 0 canceled, 0 kept")
		h.commanded = nil
		h.ok(wish(hive.WishCancel))
		h.ok(wish(hive.WishCancel))
		h.run()
		h.expect(b.ID, "canceled, 2 waiting, 2 running, 1 succeeded, 0 failed, 0 canceled, 0 kept")
		commands, err := h.store.PendingCommands(h.Context(), h.me.ID)
		h.ok(err)
		if len(commands) != 2 || len(h.commanded) != 2 || !strings.Contains(string(commands[0].Payload), `"cancel"`) {
			t.Fatalf("commands %+v, commanded %v", commands, h.commanded)
		}
		h.endAll(b.ID, hive.BatchCanceled)
		h.run()
		h.expect(b.ID, "canceled, 2 waiting, 0 running, 1 succeeded, 0 failed, 2 canceled, 0 kept")
		e, ok := errors.AsType[*hive.Error](wish(hive.WishRun))
		if !ok || e.Code != hive.CodeConflict || e.Reason != hive.ErrorBackfillState {
			t.Fatalf("continue after cancel: %v", e)
		}
	})
}

// Moments that have a batch are kept, run again, or run again if they failed. A repair counts by what becomes of it.
func TestExisting(t *testing.T) {
	t.Parallel()
	each(t, func(h *harness) {
		first := h.create(hive.BackfillRequest{Parallel: 5, OnFailure: hive.OnFailureContinue})
		h.run()
		for i, b := range h.batches(first.ID) {
			h.end(b, []hive.BatchState{hive.BatchSucceeded, hive.BatchFailed}[i%2])
		}
		h.run()
		kept := h.create(hive.BackfillRequest{From: "2026-03-01", To: "2026-03-06"})
		h.run()
		h.expect(kept.ID, "running, 0 waiting, 1 running, 0 succeeded, 0 failed, 0 canceled, 5 kept")
		h.endAll(kept.ID, hive.BatchSucceeded)
		h.run()
		h.expect(kept.ID, "done, 0 waiting, 0 running, 1 succeeded, 0 failed, 0 canceled, 5 kept")

		failed := h.create(hive.BackfillRequest{Existing: hive.ExistingFailed, Parallel: 2})
		h.run()
		h.expect(failed.ID, "running, 0 waiting, 2 running, 0 succeeded, 0 failed, 0 canceled, 3 kept")
		commands, err := h.store.PendingCommands(h.Context(), h.me.ID)
		h.ok(err)
		if len(commands) != 2 || !slices.Equal(h.commanded, []int64{commands[0].BatchID, commands[1].BatchID}) ||
			!strings.Contains(string(commands[0].Payload), `"action":"resume"`) {
			t.Fatalf("commands %+v, commanded %v", commands, h.commanded)
		}
		h.answer(commands[0], hive.CommandApplied)
		h.answer(commands[1], hive.CommandRefused)
		h.run()
		h.expect(failed.ID, "done, 0 waiting, 0 running, 0 succeeded, 2 failed, 0 canceled, 3 kept")

		again := h.create(hive.BackfillRequest{Existing: hive.ExistingRerun, To: "2026-03-01", From: "2026-03-01"})
		h.run()
		h.expect(again.ID, "running, 0 waiting, 1 running, 0 succeeded, 0 failed, 0 canceled, 0 kept")
		commands, err = h.store.PendingCommands(h.Context(), h.me.ID)
		h.ok(err)
		if len(commands) != 1 || !strings.Contains(string(commands[0].Payload), `"tasks":["a","b"]`) {
			t.Fatalf("commands %+v", commands)
		}
		if days := h.days(again.ID); days != "1" {
			t.Fatalf("its batches are of %s", days)
		}
	})
}

// answer answers a command as the owner does.
func (h *harness) answer(c hive.Command, s hive.CommandState) {
	h.Helper()
	h.ok(h.store.Commit(h.Context(), hive.Group{Server: h.me.ID, Epoch: h.me.Epoch, Batches: []hive.BatchWrite{
		{BatchID: c.BatchID, Commands: []hive.CommandDone{{ID: c.ID, State: s, Answer: []byte("{}"), At: testNow()}}},
	}}))
}
