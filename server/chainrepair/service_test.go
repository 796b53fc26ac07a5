package chainrepair

import (
	"encoding/json"
	"testing"

	"github.com/rprp/hivego/server/hive"
)

// A preview lists what followed by the windows of the schedules, and changes nothing.
func TestPreview(t *testing.T) {
	t.Parallel()
	each(t, func(h *harness) {
		ids := h.day()
		p, err := h.service.Preview(h.Context(), ids["orders"])
		h.ok(err)
		want := "orders rerun, mart rerun [0], report rerun [1], mail rerun [1], summary rerun [2 3]"
		if got := describe(p.Steps); got != want {
			h.Fatal(got)
		}
		if s := p.Steps[1]; s.Batch != ids["mart"] || s.Tasks != 2 || s.Round != 1 || p.Busy != 0 || p.Reruns() != 4 {
			h.Fatalf("%+v", p)
		}
		again, err := h.service.Preview(h.Context(), ids["orders"])
		h.ok(err)
		if again.Hash != p.Hash {
			h.Error("the hash of what has not changed differs")
		}
		sched, err := h.store.Schedule(h.Context(), "mart")
		h.ok(err)
		h.ok(h.store.SetEnabled(h.Context(), sched.Name, false, testNow()))
		p, err = h.service.Preview(h.Context(), ids["orders"])
		h.ok(err)
		if got := describe(p.Steps); got != "orders rerun, mart disabled [0]" {
			h.Fatal(got)
		}
		if _, chain, err := h.service.Apply(h.Context(), h.request(ids["orders"], "k")); err != nil || chain != 0 {
			h.Fatalf("nothing runs again after it, so it is a single repair: %d, %v", chain, err)
		}
	})
}

// The steps run one after another, each with the name and the reason of the person.
func TestChainRepair(t *testing.T) {
	t.Parallel()
	each(t, func(h *harness) {
		ids := h.day()
		id := h.apply(ids["orders"])
		h.run()
		h.expect(id, "running, orders running, mart waiting, report waiting, mail waiting, summary waiting")
		h.end(ids["orders"], hive.BatchSucceeded)
		h.run()
		h.expect(id, "running, orders succeeded, mart running, report waiting, mail waiting, summary waiting")
		h.end(ids["mart"], hive.BatchSucceeded)
		h.run()
		h.end(ids["report"], hive.BatchSucceeded)
		h.run()
		h.expect(id, "running, orders succeeded, mart succeeded, report succeeded, mail running, summary waiting")
		h.end(ids["mail"], hive.BatchSucceeded)
		h.run()
		h.end(ids["summary"], hive.BatchSucceeded)
		h.run()
		h.expect(id, "done, orders succeeded, mart succeeded, report succeeded, mail succeeded, summary succeeded")

		c, err := h.store.CommandByKey(h.Context(), "chain-repair:1:1")
		h.ok(err)
		var req hive.PlanRequest
		h.ok(json.Unmarshal(c.Payload, &req))
		if c.CreatedBy != "ada" || c.BatchID != ids["mart"] || len(req.Tasks) != 2 || req.Action != hive.PlanRerun ||
			req.Note != "chain repair 1, after batch 3: late file" {
			h.Errorf("%+v %+v", c, req)
		}
		list, err := h.service.List(h.Context(), hive.ChainRepairFilter{Batch: ids["mail"]})
		h.ok(err)
		if len(list) != 1 || list[0].ID != id || list[0].FinishedAt.IsZero() {
			h.Errorf("%+v", list)
		}
	})
}

// A failed step holds up those behind it until a person has repaired it; then it goes on by itself.
func TestFailureInTheMiddle(t *testing.T) {
	t.Parallel()
	each(t, func(h *harness) {
		ids := h.day()
		id := h.apply(ids["orders"])
		h.end(ids["orders"], hive.BatchSucceeded)
		h.run()
		h.end(ids["mart"], hive.BatchFailed)
		h.run()
		h.expect(id, "stopped, orders succeeded, mart failed, report waiting, mail waiting, summary waiting")
		r, err := h.service.Get(h.Context(), id)
		h.ok(err)
		if r.StoppedBy != ids["mart"] {
			h.Errorf("stopped by %d", r.StoppedBy)
		}
		_, err = single{h}.Repair(h.Context(), hive.RepairRequest{
			Batch: ids["mart"], By: "bob", Key: "resume", PlanRequest: hive.PlanRequest{Action: hive.PlanResume},
		})
		h.ok(err)
		h.run()
		h.expect(id, "running, orders succeeded, mart running, report waiting, mail waiting, summary waiting")
		h.end(ids["mart"], hive.BatchSucceeded)
		h.run()
		h.expect(id, "running, orders succeeded, mart succeeded, report running, mail running, summary waiting")
	})
}

// A batch that another person runs again meanwhile is left alone.
func TestSuperseded(t *testing.T) {
	t.Parallel()
	each(t, func(h *harness) {
		ids := h.day()
		id := h.apply(ids["orders"])
		_, err := single{h}.Repair(h.Context(), hive.RepairRequest{
			Batch: ids["mart"], By: "bob", Key: "own", PlanRequest: hive.PlanRequest{Action: hive.PlanRerun},
		})
		h.ok(err)
		h.end(ids["orders"], hive.BatchSucceeded)
		h.run()
		h.expect(id, "running, orders succeeded, mart superseded, report waiting, mail waiting, summary waiting")
		h.end(ids["mart"], hive.BatchSucceeded)
		h.run()
		h.expect(id, "running, orders succeeded, mart superseded, report running, mail running, summary waiting")
		if round := h.batch(ids["mart"]).Round; round != 2 {
			h.Errorf("round %d", round)
		}
	})
}

// Another person is a moment faster than the command: the owner refuses it, and the step is superseded.
func TestSupersededAtTheOwner(t *testing.T) {
	t.Parallel()
	each(t, func(h *harness) {
		ids := h.day()
		id := h.apply(ids["orders"])
		h.end(ids["orders"], hive.BatchSucceeded)
		h.driver.RunOnce(h.Context())
		b := h.batch(ids["mart"])
		to := b
		to.Round, to.State, to.Live = 2, hive.BatchRunning, true
		h.commit(hive.BatchWrite{BatchID: b.ID, Batch: &hive.BatchChange{From: b.State, To: to}})
		h.obey()
		h.end(ids["mart"], hive.BatchSucceeded)
		h.run()
		h.expect(id, "running, orders succeeded, mart superseded, report running, mail running, summary waiting")
	})
}

// A request that comes twice makes one chain repair, and a second person cannot run the same batches.
func TestApplyTwice(t *testing.T) {
	t.Parallel()
	each(t, func(h *harness) {
		ids := h.day()
		id := h.apply(ids["orders"])
		if again := h.apply(ids["orders"]); again != id {
			h.Errorf("%d, then %d", id, again)
		}
		other := h.request(ids["orders"], "k")
		other.Tasks = []string{"b"}
		_, _, err := h.service.Apply(h.Context(), other)
		h.refusal(hive.ErrorKeyReused, err)
		_, _, err = h.service.Apply(h.Context(), h.request(ids["mart"], "k"))
		h.refusal(hive.ErrorChainBusy, err)
		p, err := h.service.Preview(h.Context(), ids["mart"])
		h.ok(err)
		if p.Busy != id {
			h.Errorf("busy %d", p.Busy)
		}
		if round := h.batch(ids["orders"]).Round; round != 2 {
			h.Errorf("round %d", round)
		}
		_, err = h.service.Cancel(h.Context(), id, "bob")
		h.ok(err)
		if _, chain, err := h.service.Apply(h.Context(), h.request(ids["mart"], "k2")); err != nil || chain <= id {
			h.Errorf("after the cancel: %d, %v", chain, err)
		}
	})
}

// What changed since the preview refuses the request.
func TestMoved(t *testing.T) {
	t.Parallel()
	each(t, func(h *harness) {
		ids := h.day()
		p, err := h.service.Preview(h.Context(), ids["orders"])
		h.ok(err)
		_, err = single{h}.Repair(h.Context(), hive.RepairRequest{
			Batch: ids["report"], By: "bob", Key: "own", PlanRequest: hive.PlanRequest{Action: hive.PlanRerun},
		})
		h.ok(err)
		r := h.request(ids["orders"], "k")
		r.ChainHash = p.Hash
		_, _, err = h.service.Apply(h.Context(), r)
		h.refusal(hive.ErrorChainMoved, err)
		if round := h.batch(ids["orders"]).Round; round != 1 {
			h.Errorf("round %d", round)
		}
	})
}

// A refusal of the first repair ends everything, and the batches are free for the next one.
func TestFirstRefused(t *testing.T) {
	t.Parallel()
	each(t, func(h *harness) {
		ids := h.day()
		r := h.request(ids["orders"], "k")
		r.Note = "refuse"
		c, id, err := h.service.Apply(h.Context(), r)
		h.ok(err)
		if c.State != hive.CommandRefused {
			h.Errorf("%+v", c)
		}
		h.run()
		h.expect(id, "canceled, orders refused, mart waiting, report waiting, mail waiting, summary waiting")
		if _, chain, err := h.service.Apply(h.Context(), h.request(ids["orders"], "k2")); err != nil || chain != id+1 {
			h.Errorf("%d, %v", chain, err)
		}
	})
}

// A canceled chain repair starts nothing more; what runs goes on. A done one cannot be canceled.
func TestCancel(t *testing.T) {
	t.Parallel()
	each(t, func(h *harness) {
		ids := h.day()
		id := h.apply(ids["orders"])
		h.end(ids["orders"], hive.BatchSucceeded)
		h.run()
		r, err := h.service.Cancel(h.Context(), id, "bob")
		h.ok(err)
		if r.ChangedBy != "bob" || r.FinishedAt.IsZero() {
			h.Errorf("%+v", r)
		}
		_, err = h.service.Cancel(h.Context(), id, "cy")
		h.ok(err)
		h.end(ids["mart"], hive.BatchSucceeded)
		h.run()
		h.expect(id, "canceled, orders succeeded, mart succeeded, report waiting, mail waiting, summary waiting")

		_, next, err := h.service.Apply(h.Context(), h.request(ids["report"], "k2"))
		h.ok(err)
		h.end(ids["report"], hive.BatchSucceeded)
		h.run()
		h.end(ids["summary"], hive.BatchFailed)
		h.run()
		h.expect(next, "done, report succeeded, summary failed")
		_, err = h.service.Cancel(h.Context(), next, "bob")
		h.refusal(hive.ErrorChainCanceling, err)
		_, err = h.service.Get(h.Context(), 99)
		h.refusal(hive.ErrorNoChainRepair, err)
	})
}

func TestActions(t *testing.T) {
	t.Parallel()
	each(t, func(h *harness) {
		r := h.request(1, "k")
		r.Action = hive.PlanMarkSkip
		_, _, err := h.service.Apply(h.Context(), r)
		h.refusal(hive.ErrorChainAction, err)
		_, err = h.service.Preview(h.Context(), 99)
		h.refusal(hive.ErrorNoBatch, err)
	})
}
