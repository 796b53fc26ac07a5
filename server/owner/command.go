package owner

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/rprp/hivego/server/expression"
	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/state"
)

// HandleCommand carries out a person's command on a batch in memory. The same commit stores the change and the answer.
// latest and rev are the revision that a repair asks for, if it is not the batch's own.
func (o *Owner) HandleCommand(now time.Time, c hive.Command, latest *graph.Graph, rev hive.Revision) {
	o.answer(now, &c, func(l *liveBatch) (any, error) { return o.command(now, l, &c, latest, rev) })
}

// RefuseCommand stores a refusal as the command's answer, for instance because the revision that it asks for was
// deleted.
func (o *Owner) RefuseCommand(now time.Time, c hive.Command, err error) {
	o.answer(now, &c, func(*liveBatch) (any, error) { return nil, err })
}

// answer handles a command unless it was handled before, and adds the answer to the next commit.
func (o *Owner) answer(now time.Time, c *hive.Command, do func(*liveBatch) (any, error)) {
	l := o.live[c.BatchID]
	if l == nil || o.commands[c.ID] || c.State != hive.CommandPending {
		if l != nil {
			o.unload(now, l) // the batch may have been loaded for this command alone
		}
		return
	}
	o.commands[c.ID] = true
	answer, err := do(l)
	done := hive.CommandDone{ID: c.ID, State: hive.CommandApplied, At: now}
	if err != nil {
		done.State, answer = hive.CommandRefused, problem(l.id, err)
		if hive.CodeOf(err) == hive.CodeInternal {
			o.noteFailure(l, err)
		}
	}
	if done.Answer, err = json.Marshal(answer); err != nil {
		o.noteFailure(l, err)
	}
	p := o.changesOf(l)
	p.commands = append(p.commands, done)
	o.requestFlush(now, true)
}

func (o *Owner) command(now time.Time, l *liveBatch, c *hive.Command, latest *graph.Graph,
	rev hive.Revision,
) (any, error) {
	switch c.Kind {
	case hive.CommandWish:
		var w hive.WishPayload
		if err := json.Unmarshal(c.Payload, &w); err != nil {
			return nil, unreadable(err)
		}
		if _, err := o.apply(now, l, state.Wish{Wish: w.Wish, Reason: w.Reason}, true); err != nil {
			return nil, err
		}
		if b := l.machine.Batch(); b.Wish == hive.WishRun && b.State == hive.BatchQueued {
			o.startNext(now, b.ScheduleID, l) // it was paused when the batches before it ended
		}
		return map[string]any{"wish": w.Wish}, nil
	case hive.CommandRepair:
		return o.repair(now, l, c, latest, rev)
	default:
		return nil, unreadable(fmt.Errorf("its kind %q is not known", c.Kind))
	}
}

// unreadable refuses a stored command that this version of the server does not understand.
func unreadable(err error) error {
	return hive.Errorf(hive.CodeInvalid, "the server cannot read this command: %w; another version of HiveGo stored "+
		"it: give all servers of the database the same version, then send it again", err).
		WithReason(hive.ErrorCommandUnread)
}

// repair computes the plan from the present state and applies it.
func (o *Owner) repair(now time.Time, l *liveBatch, c *hive.Command, latest *graph.Graph,
	rev hive.Revision,
) (any, error) {
	var req hive.PlanRequest
	if err := json.Unmarshal(c.Payload, &req); err != nil {
		return nil, unreadable(err)
	}
	step, err := o.apply(now, l, state.ApplyPlan{
		Request: req, Latest: latest, Revision: rev, By: c.CreatedBy, RunIDs: o.runIDs.remaining(),
	}, true)
	if err != nil {
		return nil, err
	}
	if latest != nil {
		l.revision = rev.Number
		l.params = expression.Values(latest.Def, l.machine.Batch().Params)
	}
	return step.Plan, nil
}

// problem returns the refusal of a command in the form that the API sends.
func problem(batch int64, err error) hive.Problem {
	p := hive.Problem{Code: hive.CodeOf(err), Words: err.Error()}
	if p.Code == hive.CodeInternal {
		defect := hive.Errorf(p.Code, "the server met a defect at this command, so nothing was changed; its log has "+
			"the details to report, under batch %d", batch).
			WithReason(hive.ErrorCommandDefect, "batch", batch)
		p.Words, p.Reason, p.Params = defect.Words, defect.Reason, defect.Params
	} else if e, ok := errors.AsType[*hive.Error](err); ok {
		p.Reason, p.Params = e.Reason, e.Params
	}
	return p
}
