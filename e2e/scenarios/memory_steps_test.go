package scenarios

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/hook"
	"github.com/rprp/hivego/server/state"
)

// openAttempt finds the open attempt of a task.
func (d *machineDriver) openAttempt(task string) (int64, error) {
	for _, r := range d.m.Runs() {
		if runName(&r) == task && r.Attempt != 0 {
			return r.Attempt, nil
		}
	}
	return 0, fmt.Errorf("%s has no attempt in hand", task)
}

// callHooks keeps which hooks the machine calls. They do not run.
func (d *machineDriver) callHooks(calls []hive.HookCall) error {
	for i := range calls {
		e := &calls[i].Event
		def := hook.Definition(d.m.Graph(), e)
		key := hooksKey(e)
		if def == nil || d.hooks[key] != nil {
			return fmt.Errorf("hooks of %s are called, and there are none, or once more", key)
		}
		for j := range def.Jobs {
			d.hooks[key] = append(d.hooks[key], def.Jobs[j].Tasks[0].Key)
		}
	}
	return nil
}

func (d *machineDriver) Hooks(context.Context) (map[string][]string, error) { return d.hooks, nil }

func (d *machineDriver) End(_ context.Context, task string, behavior Behavior) error {
	for _, names := range d.hooks {
		if slices.Contains(names, task) {
			return nil // hooks do not run here
		}
	}
	id, err := d.openAttempt(task)
	if err != nil {
		return err
	}
	d.behaviors[id] = behavior
	d.ending = append(d.ending, id)
	return d.apply(state.Due{})
}

func (d *machineDriver) Signal(_ context.Context, task string, s Signal) error {
	if s == Repeat {
		return d.repeat(task)
	}
	id, err := d.openAttempt(task)
	if err != nil {
		return err
	}
	switch s {
	case Receipt:
		d.behaviors[id] = Behavior{Kind: Run}
		if a, _ := d.m.Attempt(id); !a.KillingAt.IsZero() { // the kill arrives now
			d.behaviors[id] = Behavior{Kind: Killed}
			d.ending = append(d.ending, id)
		}
		return d.apply(state.Started{Attempt: id, At: d.now})
	case Return:
		return d.apply(state.Returned{Attempt: id, Note: hive.Plain("it never arrived")})
	case Silence:
		return d.apply(state.Silent{Attempt: id})
	case Back:
		return d.apply(state.Back{Attempt: id})
	default:
		return d.apply(state.Lost{Attempt: id, Words: hive.Plain("the executor's lease is over")})
	}
}

// repeat sends copies of earlier events; they must change nothing.
func (d *machineDriver) repeat(task string) error {
	end, ok := d.latest[task]
	if !ok {
		return fmt.Errorf("%s has ended no attempt", task)
	}
	for _, ev := range []state.Event{end, state.Started{Attempt: end.Attempt}, state.Silent{Attempt: end.Attempt}} {
		step, err := d.m.Apply(d.now, ev)
		if err != nil || !reflect.DeepEqual(step, state.Step{}) {
			return fmt.Errorf("a late %T changed something: %+v %w", ev, step, err)
		}
	}
	return nil
}

func (d *machineDriver) Advance(_ context.Context, by time.Duration) error {
	until := d.now.Add(by)
	for {
		at := d.m.NextTimer()
		if offer := d.nextOffer(); at.IsZero() || !offer.IsZero() && offer.Before(at) {
			at = offer
		}
		if at.IsZero() || at.After(until) {
			d.now = until
			return d.apply(state.Due{})
		}
		d.now = at
		if err := d.apply(state.Due{}); err != nil {
			return err
		}
	}
}

func (d *machineDriver) Wish(_ context.Context, w hive.Wish) error {
	return d.apply(state.Wish{Wish: w})
}

func (d *machineDriver) revision(req *hive.PlanRequest, latest bool) (*graph.Graph, hive.Revision) {
	if !latest {
		return nil, hive.Revision{}
	}
	n := int64(len(d.revisions))
	req.RevisionID = n
	return d.revisions[n-1], hive.Revision{ID: n, Number: n}
}

func (d *machineDriver) Plan(_ context.Context, req hive.PlanRequest, latest bool) (hive.Plan, error) {
	batch, runs := d.m.Batch(), slices.Clone(d.m.Runs())
	g, rev := d.revision(&req, latest)
	plan, err := d.m.Plan(req, g, rev)
	if !reflect.DeepEqual(batch, d.m.Batch()) || !reflect.DeepEqual(runs, d.m.Runs()) {
		return plan, errors.New("looking at a plan changed the batch")
	}
	return plan, err
}

func (d *machineDriver) Repair(_ context.Context, req hive.PlanRequest, latest bool) error {
	g, rev := d.revision(&req, latest)
	return d.apply(state.ApplyPlan{Request: req, Latest: g, Revision: rev, By: "somebody", RunIDs: 1000})
}

func (d *machineDriver) Look(context.Context) (hive.Batch, []hive.Run, error) {
	return d.m.Batch(), d.m.Runs(), nil
}
