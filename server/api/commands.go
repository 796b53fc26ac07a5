package api

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/api/stub"
	"github.com/rprp/hivego/server/api/wire"
	"github.com/rprp/hivego/server/hive"
)

// maxNamed is the number of tasks that a command of a list names.
const maxNamed = 5

func (h *handlers) ListCommands(ctx context.Context,
	r stub.ListCommandsRequestObject,
) (stub.ListCommandsResponseObject, error) {
	limit, err := pageSize(r.Params.Limit)
	if err != nil {
		return nil, err
	}
	before, err := positive("before", r.Params.Before)
	if err != nil {
		return nil, err
	}
	list, err := h.Commands.Commands(ctx, hive.CommandFilter{Batch: r.ID, Before: before, Limit: limit})
	if err != nil {
		return nil, err
	}
	out := stub.ListCommands200JSONResponse{Items: make([]model.BatchCommand, 0, len(list))}
	for i := range list {
		c, err := batchCommand(&list[i])
		if err != nil {
			return nil, err
		}
		out.Items = append(out.Items, c)
	}
	if len(list) == limit {
		out.Next = list[limit-1].ID
	}
	return out, nil
}

// batchCommand turns a command into an entry of the list: what was asked, and in short what it changed.
func batchCommand(c *hive.Command) (model.BatchCommand, error) {
	out := model.BatchCommand{
		ID: c.ID, Kind: model.BatchCommandKind(c.Kind), State: model.BatchCommandState(c.State),
		Tasks: []string{}, Changes: []model.StateChange{},
		CreatedAt: wire.At(c.CreatedAt), CreatedBy: c.CreatedBy, DoneAt: wire.At(c.DoneAt),
	}
	if c.State == hive.CommandRefused {
		p, err := refusalProblem(c)
		if err != nil {
			return out, err
		}
		out.Problem = p
	}
	if c.Kind == hive.CommandWish {
		var w hive.WishPayload
		if err := json.Unmarshal(c.Payload, &w); err != nil {
			return out, fmt.Errorf("read command %d: %w", c.ID, err)
		}
		out.Wish, out.Note, out.Replaced = model.Wish(w.Wish), w.Note, w.Reason == hive.ReasonReplaced
		return out, nil
	}
	var req hive.PlanRequest
	if err := json.Unmarshal(c.Payload, &req); err != nil {
		return out, fmt.Errorf("read command %d: %w", c.ID, err)
	}
	out.Action, out.Note, out.Asked = model.PlanAction(req.Action), req.Note, len(req.Tasks)
	out.Tasks = append(out.Tasks, req.Tasks[:min(len(req.Tasks), maxNamed)]...)
	if c.State != hive.CommandApplied {
		return out, nil
	}
	var p hive.Plan
	if err := json.Unmarshal(c.Answer, &p); err != nil {
		return out, fmt.Errorf("read the answer of command %d: %w", c.ID, err)
	}
	out.Round, out.Revision = p.Round, p.Revision
	summarizePlan(&out, p.Rows)
	return out, nil
}

// summarizePlan counts the rows of a plan by the states that they lead from and to, in the order of the plan. It names
// the first tasks that the plan repaired, if the request named none.
func summarizePlan(out *model.BatchCommand, rows []hive.PlanRow) {
	places := map[model.StateChange]int{}
	for i := range rows {
		r := &rows[i]
		change := model.StateChange{From: model.RunState(r.From), To: model.RunState(r.To)}
		at, known := places[change]
		if !known {
			at = len(out.Changes)
			places[change] = at
			out.Changes = append(out.Changes, change)
		}
		out.Changes[at].Count++
		if out.Asked == 0 && len(out.Tasks) < maxNamed && repairs(r.Why) {
			out.Tasks = append(out.Tasks, r.Task)
		}
	}
}

// repairs reports whether a plan changes a task because of its own state.
func repairs(w hive.PlanWhy) bool {
	return w == hive.WhyFailed || w == hive.WhyCanceled || w == hive.WhyHeld || w == hive.WhyAsked
}
