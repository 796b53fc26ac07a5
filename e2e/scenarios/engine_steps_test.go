package scenarios

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// openAttempt finds the open attempt of a task or a hook.
func (d *fullDriver) openAttempt(ctx context.Context, task string) (int64, error) {
	hooks, err := d.hookBatches(ctx)
	if err != nil {
		return 0, err
	}
	ids := append([]int64{d.batch}, d.otherIDs()...)
	for i := range hooks {
		ids = append(ids, hooks[i].ID)
	}
	for _, id := range ids {
		v, _ := d.owner.View(id)
		for i := range v.Runs {
			if r := &v.Runs[i]; runName(r) == task && r.Attempt != 0 {
				return r.Attempt, nil
			}
		}
	}
	return 0, fmt.Errorf("%s has no attempt in hand", task)
}

func (d *fullDriver) End(ctx context.Context, task string, behavior Behavior) error {
	if err := d.restartIfAsked(ctx); err != nil {
		return err
	}
	id, err := d.openAttempt(ctx, task)
	if err != nil {
		return err
	}
	d.fleet.behaviors[id] = behavior
	d.fleet.ready = append(d.fleet.ready, id)
	return d.runToRest(ctx)
}

func (d *fullDriver) Signal(ctx context.Context, task string, s Signal) error {
	if err := d.restartIfAsked(ctx); err != nil {
		return err
	}
	if s == Repeat {
		return d.repeat(ctx, task)
	}
	id, err := d.openAttempt(ctx, task)
	if err != nil {
		return err
	}
	ev := hive.AttemptEvent{Attempt: id}
	switch s {
	case Receipt:
		d.fleet.behaviors[id] = Behavior{Kind: Run}
		ev.Kind, ev.At = hive.EventStarted, d.now
		if d.fleet.kills[id] { // the kill arrives now
			d.fleet.behaviors[id] = Behavior{Kind: Killed}
			d.fleet.ready = append(d.fleet.ready, id)
		}
	case Return:
		ev.Kind, ev.Words = hive.EventReturned, hive.Plain("it never arrived")
	case Silence:
		ev.Kind = hive.EventSilent
	case Back:
		ev.Kind = hive.EventBack
	default:
		ev.Kind, ev.Words = hive.EventLost, hive.Plain("the executor's lease is over")
	}
	d.fleet.tell(ev)
	return d.runToRest(ctx)
}

// repeat sends copies of earlier events; they must change nothing.
func (d *fullDriver) repeat(ctx context.Context, task string) error {
	end, ok := d.fleet.latest[task]
	if !ok {
		return fmt.Errorf("%s has ended no attempt", task)
	}
	for _, ev := range []hive.AttemptEvent{
		end, {Attempt: end.Attempt, Kind: hive.EventStarted}, {Attempt: end.Attempt, Kind: hive.EventSilent},
	} {
		d.owner.Deliver(d.now, []hive.AttemptEvent{ev})
		if g := d.owner.NextCommit(d.now.Add(time.Minute)); g != nil &&
			(len(g.Batches[0].Runs) > 0 || len(g.Batches[0].Attempts) > 0) {
			return fmt.Errorf("a late %q changed something: %+v", ev.Kind, g.Batches)
		} else if g != nil {
			d.owner.CommitDone(d.now, d.store.Commit(ctx, *g))
		}
	}
	return nil
}

func (d *fullDriver) Advance(ctx context.Context, by time.Duration) error {
	if err := d.restartIfAsked(ctx); err != nil {
		return err
	}
	until := d.now.Add(by)
	for {
		at := d.owner.NextTimer()
		if flush := d.owner.NextCommitAt(); !flush.IsZero() && (at.IsZero() || flush.Before(at)) {
			at = flush
		}
		if at.IsZero() || at.After(until) {
			d.now = until
			return d.runToRest(ctx)
		}
		if at.After(d.now) {
			d.now = at
		}
		if err := d.runToRest(ctx); err != nil {
			return err
		}
	}
}

// answered turns the answer of a command into the error that the API would answer.
func answered(c hive.Command, err error) error {
	if err != nil {
		return err
	}
	if c.State != hive.CommandRefused {
		return nil
	}
	var p hive.Problem
	if err := json.Unmarshal(c.Answer, &p); err != nil {
		return err
	}
	return &hive.Error{Code: p.Code, Words: p.Words, Faults: p.Faults}
}

func (d *fullDriver) Wish(ctx context.Context, w hive.Wish) error {
	if err := d.restartIfAsked(ctx); err != nil {
		return err
	}
	return answered(d.batches.Wish(ctx, hive.WishRequest{Batch: d.batch, Wish: w, By: "somebody"}))
}

func (d *fullDriver) Plan(ctx context.Context, req hive.PlanRequest, latest bool) (hive.Plan, error) {
	if err := d.restartIfAsked(ctx); err != nil {
		return hive.Plan{}, err
	}
	return d.batches.Plan(ctx, hive.RepairRequest{PlanRequest: req, Batch: d.batch, Latest: latest, By: "somebody"})
}

func (d *fullDriver) Repair(ctx context.Context, req hive.PlanRequest, latest bool) error {
	return answered(d.batches.Repair(ctx,
		hive.RepairRequest{PlanRequest: req, Batch: d.batch, Latest: latest, By: "somebody"}))
}
