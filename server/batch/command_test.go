package batch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// failed makes a batch in which a succeeded, b failed, and the others were skipped.
func (w *world) failed() int64 {
	w.Helper()
	id := w.create(hive.RunRequest{}).Batch.ID
	b := &w.db.batches[id-1].Batch
	b.State, b.Live, b.StartedAt, b.RoundAt, b.FinishedAt = hive.BatchFailed, false, t0, t0, t0
	w.set(id, "a", func(r *hive.Run) { r.State = hive.RunSucceeded })
	w.set(id, "b", func(r *hive.Run) { r.State, r.Reason = hive.RunFailed, hive.ReasonExit })
	w.set(id, "c", func(r *hive.Run) { r.State, r.Reason = hive.RunIgnored, hive.ReasonDisabled })
	w.set(id, "d", func(r *hive.Run) { r.State, r.Reason, r.Cause = hive.RunSkipped, hive.ReasonUpstreamFailed, "b" })
	return id
}

func rows(p hive.Plan) string {
	var out []string
	for _, r := range p.Rows {
		out = append(out, r.Task)
	}
	return strings.Join(out, " ")
}

func TestPlan(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.failed()
	resume := hive.RepairRequest{Batch: id, PlanRequest: hive.PlanRequest{Action: hive.PlanResume}}
	p, err := w.Plan(t.Context(), resume)
	if err != nil || rows(p) != "b d" || p.Revision != 1 || p.Round != 2 || p.Hash == "" {
		t.Errorf("%+v %v", p, err)
	}
	if len(w.db.commands) != 0 || len(w.eng.notified) != 0 {
		t.Error("a plan left a trace")
	}
	w.db.save(strings.Replace(warehouse, "{key: d,", "{key: e, handler: shell, params: {command: x}}\n      - {key: d,",
		1))
	resume.Latest = true
	if p, err = w.Plan(t.Context(), resume); err != nil || !strings.Contains(rows(p), "e") || p.Revision != 2 {
		t.Errorf("%+v %v", p, err)
	}
	resume.Latest, resume.Revision = false, 1
	if p, err = w.Plan(t.Context(), resume); err != nil || rows(p) != "b d" || p.RevisionID != 100 {
		t.Errorf("%+v %v", p, err)
	}
	resume.Revision = 9
	_, err = w.Plan(t.Context(), resume)
	refused(t, err, hive.CodeNotFound, "9")
	_, err = w.Plan(t.Context(), hive.RepairRequest{Batch: 99})
	refused(t, err, hive.CodeNotFound, "99")
	_, err = w.Plan(t.Context(), hive.RepairRequest{Batch: id, PlanRequest: hive.PlanRequest{Action: "fix"}})
	refused(t, err, hive.CodeInvalid, "fix")
	adhoc := w.create(hive.RunRequest{Task: "a"}).Batch.ID
	_, err = w.Plan(t.Context(),
		hive.RepairRequest{Batch: adhoc, Latest: true, PlanRequest: hive.PlanRequest{Action: hive.PlanResume}})
	refused(t, err, hive.CodeInvalid, "adhoc")
}

// A plan of a live batch is made from the state in the owner's memory. From stored rows its hash would never match.
func TestPlanOfALiveBatch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.failed()
	b := &w.db.batches[id-1].Batch
	b.State, b.Live = hive.BatchRunning, true
	w.set(id, "a", func(r *hive.Run) { r.State, r.Attempt = hive.RunRunning, 1 })
	w.attempt(id, "a", func(*hive.Attempt) {})
	live := hive.LiveView{Batch: *b}
	for _, r := range w.db.batches[id-1].Runs {
		if r.Task == "a" { // its end is only in memory
			r.State, r.Attempt, r.Reason = hive.RunFailed, 0, hive.ReasonExit
		}
		live.Runs = append(live.Runs, r)
	}
	w.eng.live[id] = live
	p, err := w.Plan(t.Context(), hive.RepairRequest{Batch: id, PlanRequest: hive.PlanRequest{Action: hive.PlanResume}})
	if err != nil || rows(p) != "a b d" {
		t.Errorf("%+v %v", p, err)
	}
}

func TestRepairAndWish(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		id := w.failed()
		w.db.save(warehouse + "# again\n")
		w.db.onLook = func(c *hive.Command, looks int) {
			if looks%3 == 0 {
				c.State, c.Answer = hive.CommandApplied, []byte("{}")
			}
		}
		c, err := w.Repair(t.Context(), hive.RepairRequest{
			Batch: id, By: "ada", Key: "k", Latest: true,
			PlanRequest: hive.PlanRequest{Action: hive.PlanResume, Hash: "h"},
		})
		if err != nil || c.State != hive.CommandApplied || c.Kind != hive.CommandRepair || c.CreatedBy != "ada" ||
			len(w.eng.notified) != 1 {
			t.Errorf("%+v %v", c, err)
		}
		var req hive.PlanRequest
		if err := json.Unmarshal(c.Payload, &req); err != nil || req.Action != hive.PlanResume ||
			req.RevisionID != 101 || req.Hash != "h" {
			t.Errorf("%s %v", c.Payload, err)
		}
		w.db.batches[id-1].Batch.RevisionID, w.db.batches[id-1].Batch.Revision = 101, 2 // as the repair leaves it
		same, err := w.Repair(t.Context(), hive.RepairRequest{
			Batch: id, By: "ada", Revision: 2,
			PlanRequest: hive.PlanRequest{Action: hive.PlanResume, Hash: "h"},
		})
		if err != nil || !bytes.Equal(same.Payload, c.Payload) {
			t.Errorf("sent again after it was done it reads %s, not %s: %v", same.Payload, c.Payload, err)
		}
		w.db.save(warehouse + "# and again\n") // a repeat still means the revision that the first one found
		repeat := hive.RepairRequest{
			Batch: id, By: "ada", Key: "k", Latest: true,
			PlanRequest: hive.PlanRequest{Action: hive.PlanResume, Hash: "h"},
		}
		again, err := w.Repair(t.Context(), repeat)
		if err != nil || again.ID != c.ID {
			t.Errorf("the same key: %+v %v", again, err)
		}
		repeat.Hash = "other"
		_, err = w.Repair(t.Context(), repeat)
		refused(t, err, hive.CodeConflict, "key")
		repeat.Latest, repeat.Hash = false, "h"
		_, err = w.Repair(t.Context(), repeat)
		refused(t, err, hive.CodeConflict, "key")
		w.db.batches[id-1].Batch.State, w.db.batches[id-1].Batch.Live = hive.BatchRunning, true
		c, err = w.Wish(t.Context(), hive.WishRequest{Batch: id, Wish: hive.WishCancel, Note: "n", By: "ada"})
		if err != nil || c.State != hive.CommandApplied || string(c.Payload) != `{"wish":"cancel","note":"n"}` {
			t.Errorf("%+v %s %v", c, c.Payload, err)
		}
		other, err := w.Wish(t.Context(), hive.WishRequest{Batch: id, Wish: hive.WishCancel, Note: "n", By: "ada"})
		if err != nil || other.ID == c.ID {
			t.Errorf("two calls without a key are two commands: %v", err)
		}
		if found, err := w.Command(t.Context(), c.ID); err != nil || found.ID != c.ID {
			t.Errorf("%+v %v", found, err)
		}
		_, err = w.Repair(t.Context(), hive.RepairRequest{Batch: 99})
		refused(t, err, hive.CodeNotFound, "99")
		_, err = w.Wish(t.Context(), hive.WishRequest{Batch: 99})
		refused(t, err, hive.CodeNotFound, "99")
	})
}

// A wish for a batch that has ended needs no owner, because there may be none. A repeated wish from before the end gets
// its earlier answer, even if the batch has changed since.
func TestWishOfAnEndedBatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		id := w.failed()
		b := &w.db.batches[id-1].Batch
		before := time.Now()
		for _, key := range []string{"", "k1"} {
			_, err := w.Wish(t.Context(), hive.WishRequest{Batch: id, Wish: hive.WishPause, By: "ada", Key: key})
			refused(t, err, hive.CodeConflict, "the batch has ended (failed)")
		}
		if time.Since(before) != 0 || len(w.eng.notified) != 0 {
			t.Errorf("an owner was asked, and waited for %s", time.Since(before))
		}
		w.db.onLook = func(c *hive.Command, _ int) { c.State, c.Answer = hive.CommandApplied, []byte("{}") }
		b.State, b.Live = hive.BatchRunning, true
		given := hive.WishRequest{Batch: id, Wish: hive.WishPause, By: "ada", Key: "k2"}
		first, err := w.Wish(t.Context(), given)
		if err != nil {
			t.Fatal(err)
		}
		b.State, b.Live = hive.BatchFailed, false
		again, err := w.Wish(t.Context(), given)
		if err != nil || again.ID != first.ID || again.State != hive.CommandApplied {
			t.Errorf("%+v %v", again, err)
		}
	})
}

// live makes a running batch.
func (w *world) live() *hive.Batch {
	w.Helper()
	b := &w.db.batches[w.failed()-1].Batch
	b.State, b.Live = hive.BatchRunning, true
	return b
}

// The wait for an owner ends after some time, on this server or another.
func TestPatience(t *testing.T) {
	t.Parallel()
	for _, owner := range []string{"s1", "s2"} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			w.eng.answers = make(chan hive.CommandDone)
			b := w.live()
			b.Owner = owner
			before := time.Now()
			c, err := w.Wish(t.Context(), hive.WishRequest{Batch: b.ID, Wish: hive.WishPause})
			if err != nil || c.State != hive.CommandPending || time.Since(before) != patience {
				t.Errorf("owner %s: after %s: %+v %v", owner, time.Since(before), c, err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			before = time.Now()
			_, err = w.Wish(ctx, hive.WishRequest{Batch: b.ID, Wish: hive.WishPause})
			if !errors.Is(err, context.DeadlineExceeded) || time.Since(before) != time.Second {
				t.Errorf("owner %s: after %s: %v", owner, time.Since(before), err)
			}
			if w.eng.awaited != w.eng.stopped {
				t.Errorf("%d of %d still wait", w.eng.awaited-w.eng.stopped, w.eng.awaited)
			}
		})
	}
}

// An owner in this process answers with its commit: the row is read only once, for an earlier answer.
func TestAnswerOfALocalOwner(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.eng.answers = make(chan hive.CommandDone, 1)
		b, before := w.live(), time.Now()
		at := time.Now().Add(3*time.Second + 456*time.Microsecond)
		time.AfterFunc(3*time.Second, func() {
			w.eng.answers <- hive.CommandDone{ID: 1, State: hive.CommandApplied, Answer: []byte(`{"a":1}`), At: at}
		})
		c, err := w.Wish(t.Context(), hive.WishRequest{Batch: b.ID, Wish: hive.WishPause, By: "ada"})
		if err != nil || c.ID != 1 || c.State != hive.CommandApplied || string(c.Answer) != `{"a":1}` ||
			!c.DoneAt.Equal(at.Truncate(time.Millisecond)) || c.CreatedBy != "ada" {
			t.Errorf("%+v %v", c, err)
		}
		if time.Since(before) != 3*time.Second || w.db.looks != 1 || len(w.eng.notified) != 1 || w.eng.stopped != 1 {
			t.Errorf("after %s, %d looks, %d notified, %d stopped", time.Since(before), w.db.looks,
				len(w.eng.notified), w.eng.stopped)
		}
	})
}

// The channel does not bring an answer from before the wait. The row has it.
func TestAnswerBeforeTheWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.eng.answers = make(chan hive.CommandDone)
		w.db.onLook = func(c *hive.Command, _ int) { c.State, c.Answer = hive.CommandRefused, []byte("{}") }
		before := time.Now()
		c, err := w.Wish(t.Context(), hive.WishRequest{Batch: w.live().ID, Wish: hive.WishPause})
		if err != nil || c.State != hive.CommandRefused || time.Since(before) != 0 || w.db.looks != 1 {
			t.Errorf("after %s, %d looks: %+v %v", time.Since(before), w.db.looks, c, err)
		}
	})
}

// The answer of another server is only in the row. The row is read at growing intervals, to spare the database.
func TestAnswerOfARemoteOwner(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		b, before := w.live(), time.Now()
		b.Owner = "s2"
		w.db.onLook = func(c *hive.Command, _ int) {
			if time.Since(before) >= time.Second {
				c.State, c.Answer = hive.CommandApplied, []byte("{}")
			}
		}
		c, err := w.Wish(t.Context(), hive.WishRequest{Batch: b.ID, Wish: hive.WishPause})
		if err != nil || c.State != hive.CommandApplied || w.eng.awaited != 0 || len(w.eng.notified) != 1 {
			t.Errorf("%d awaited: %+v %v", w.eng.awaited, c, err)
		}
		if took := time.Since(before); took < time.Second || took > time.Second+lastPause || w.db.looks > 16 {
			t.Errorf("after %s and %d looks", took, w.db.looks)
		}
	})
}

// Another server takes the batch over during the wait. It may answer too, so the row is read from then on.
func TestOwnerChangesDuringTheWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.eng.answers = make(chan hive.CommandDone)
		b, before := w.live(), time.Now()
		time.AfterFunc(time.Second, func() { close(w.eng.answers) })
		w.db.onLook = func(c *hive.Command, looks int) {
			if looks > 1 && time.Since(before) < time.Second {
				t.Errorf("look %d comes after %s", looks, time.Since(before))
			}
			if time.Since(before) >= 2*time.Second {
				c.State, c.Answer = hive.CommandApplied, []byte("{}")
			}
		}
		c, err := w.Wish(t.Context(), hive.WishRequest{Batch: b.ID, Wish: hive.WishPause})
		if err != nil || c.State != hive.CommandApplied || time.Since(before) > 2*time.Second+lastPause {
			t.Errorf("after %s: %+v %v", time.Since(before), c, err)
		}
	})
}
