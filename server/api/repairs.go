package api

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/rprp/hivego/server/api/edge"
	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/api/stub"
	"github.com/rprp/hivego/server/api/wire"
	"github.com/rprp/hivego/server/hive"
)

// Limits of a repair.
const (
	maxTasks = 100_000
	maxNote  = 1000 // characters
)

func (h *handlers) PlanRepair(ctx context.Context,
	r stub.PlanRepairRequestObject,
) (stub.PlanRepairResponseObject, error) {
	req, err := repairRequest(ctx, r.ID, r.Body, nil)
	if err != nil {
		return nil, err
	}
	p, err := h.Commands.Plan(ctx, req)
	if err != nil {
		return nil, err
	}
	out := repairPlan(&p)
	if r.Body.Dependants {
		if out.Dependants, err = h.planDependants(ctx, &req); err != nil {
			return nil, err
		}
	}
	return stub.PlanRepair200JSONResponse(out), nil
}

func (h *handlers) Repair(ctx context.Context, r stub.RepairRequestObject) (stub.RepairResponseObject, error) {
	req, err := repairRequest(ctx, r.ID, r.Body, r.Params.IdempotencyKey)
	if err != nil {
		return nil, err
	}
	c, chain, err := h.repairWith(ctx, &req, r.Body)
	if err != nil {
		return nil, err
	}
	out, err := answered(&c)
	if err != nil {
		return nil, err
	}
	out.ChainRepair = chain
	if c.State == hive.CommandPending {
		return stub.Repair202JSONResponse(out), nil
	}
	return stub.Repair200JSONResponse(out), nil
}

func repairRequest(ctx context.Context, batch int64, b *model.RepairRequest, given *string) (hive.RepairRequest,
	error,
) {
	fail := func(e *hive.Error) (hive.RepairRequest, error) { return hive.RepairRequest{}, e }
	invalid := func(format string, args ...any) *hive.Error { return hive.Errorf(hive.CodeInvalid, format, args...) }
	key, err := idempotencyKey(given)
	switch {
	case err != nil:
		return hive.RepairRequest{}, err
	case len(b.Tasks) > maxTasks || len(b.RerunKept) > maxTasks:
		return fail(invalid("a repair may name at most %d tasks", maxTasks).WithReason(hive.ErrorLong, "name", "tasks",
			"most", maxTasks))
	case len([]rune(b.Note)) > maxNote:
		return fail(invalid("note may have at most %d characters", maxNote).WithReason(hive.ErrorLong, "name", "note",
			"most", maxNote))
	case len(b.Hash) > maxKey || len(b.DependantsHash) > maxKey:
		return fail(invalid("hash is not that of a plan").WithReason(hive.ErrorValue, "name", "hash"))
	case b.Revision < 0:
		return fail(invalid("revision must be 1 or more").WithReason(hive.ErrorRange, "name", "revision", "least", 1))
	case b.Latest && b.Revision != 0:
		return fail(invalid("latest and revision exclude each other; give one of them").WithReason(hive.ErrorLatest))
	}
	return hive.RepairRequest{
		PlanRequest: hive.PlanRequest{
			Action: hive.PlanAction(b.Action), Tasks: b.Tasks, Downstream: b.Downstream, RerunKept: b.RerunKept,
			Note: b.Note, Hash: b.Hash,
		},
		Batch: batch, Latest: b.Latest, Revision: b.Revision, By: edge.Identity(ctx).User.Name, Key: key,
	}, nil
}

func (h *handlers) SetWish(ctx context.Context, r stub.SetWishRequestObject) (stub.SetWishResponseObject, error) {
	key, err := idempotencyKey(r.Params.IdempotencyKey)
	if err != nil {
		return nil, err
	}
	if len([]rune(r.Body.Note)) > maxNote {
		return nil, hive.Errorf(hive.CodeInvalid, "note may have at most %d characters", maxNote).
			WithReason(hive.ErrorLong, "name", "note", "most", maxNote)
	}
	c, err := h.Commands.Wish(ctx, hive.WishRequest{
		Batch: r.ID, Wish: hive.Wish(r.Body.Wish), Note: r.Body.Note, By: edge.Identity(ctx).User.Name, Key: key,
	})
	if err != nil {
		return nil, err
	}
	out, err := answered(&c)
	if err != nil {
		return nil, err
	}
	if c.State == hive.CommandPending {
		return stub.SetWish202JSONResponse(out), nil
	}
	return stub.SetWish200JSONResponse(out), nil
}

func (h *handlers) GetCommand(ctx context.Context,
	r stub.GetCommandRequestObject,
) (stub.GetCommandResponseObject, error) {
	c, err := h.Commands.Command(ctx, r.ID)
	if err != nil {
		return nil, err
	}
	out, err := command(&c)
	if err != nil {
		return nil, err
	}
	return stub.GetCommand200JSONResponse(out), nil
}

// answered turns a command into the answer of its call. The error of a refused command becomes the call's own error.
func answered(c *hive.Command) (model.Command, error) {
	if c.State == hive.CommandRefused {
		p, err := refusal(c)
		if err != nil {
			return model.Command{}, err
		}
		return model.Command{},
			&hive.Error{Code: p.Code, Words: p.Words, Reason: p.Reason, Params: p.Params, Faults: p.Faults}
	}
	return command(c)
}

func refusal(c *hive.Command) (hive.Problem, error) {
	var p hive.Problem
	if err := json.Unmarshal(c.Answer, &p); err != nil {
		return p, fmt.Errorf("read the answer of command %d: %w", c.ID, err)
	}
	return p, nil
}

// refusalProblem returns why a command was refused, as the API sends it.
func refusalProblem(c *hive.Command) (model.Problem, error) {
	p, err := refusal(c)
	if err != nil {
		return model.Problem{}, err
	}
	problem := newProblem(statusOf(p.Code), string(p.Code), p.Words)
	problem.Reason, problem.Params, problem.Faults = model.ProblemReason(p.Reason), p.Params, faults(p.Faults)
	return problem, nil
}

func command(c *hive.Command) (model.Command, error) {
	out := model.Command{
		ID: c.ID, Batch: c.BatchID, Kind: model.CommandKind(c.Kind), State: model.CommandState(c.State),
		CreatedAt: wire.At(c.CreatedAt), CreatedBy: c.CreatedBy, DoneAt: wire.At(c.DoneAt),
	}
	switch {
	case c.State == hive.CommandRefused:
		p, err := refusalProblem(c)
		if err != nil {
			return out, err
		}
		out.Problem = p
	case c.State == hive.CommandApplied && c.Kind == hive.CommandRepair:
		var p hive.Plan
		if err := json.Unmarshal(c.Answer, &p); err != nil {
			return out, fmt.Errorf("read the answer of command %d: %w", c.ID, err)
		}
		out.Plan = repairPlan(&p)
	}
	return out, nil
}

func repairPlan(p *hive.Plan) model.RepairPlan {
	out := model.RepairPlan{
		Batch: p.BatchID, Action: model.PlanAction(p.Action), Round: p.Round, Revision: p.Revision, Hash: p.Hash,
		Rows: make([]model.PlanRow, 0, len(p.Rows)), Kept: make([]model.PlanKept, 0, len(p.Kept)),
	}
	for _, r := range p.Rows {
		out.Rows = append(out.Rows, model.PlanRow{
			Number: r.Number, Task: r.Task, Job: r.Job, Shard: r.Shard,
			From: model.RunState(r.From), To: model.RunState(r.To), Kill: r.Kill,
			Why: model.PlanRowWhy(r.Why), Cause: r.Cause,
		})
	}
	for _, k := range p.Kept {
		out.Kept = append(out.Kept, model.PlanKept{
			Number: k.Number, Task: k.Task, State: model.RunState(k.State), Changed: k.Changed,
			RanOnFailed: k.RanOnFailed,
		})
	}
	return out
}
