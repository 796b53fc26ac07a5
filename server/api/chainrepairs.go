package api

import (
	"context"

	"github.com/rprp/hivego/server/api/edge"
	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/api/stub"
	"github.com/rprp/hivego/server/api/wire"
	"github.com/rprp/hivego/server/hive"
)

// planDependants tells what followed the batch of a repair.
func (h *handlers) planDependants(ctx context.Context, r *hive.RepairRequest) (model.ChainPreview, error,
) {
	if r.Action != hive.PlanRerun && r.Action != hive.PlanResume {
		return model.ChainPreview{}, hive.Errorf(hive.CodeInvalid,
			"only a rerun or a resume can include what followed, not %s", r.Action).
			WithReason(hive.ErrorChainAction, "action", r.Action)
	}
	p, err := h.Chains.Preview(ctx, r.Batch)
	if err != nil {
		return model.ChainPreview{}, err
	}
	return model.ChainPreview{Steps: chainSteps(p.Steps, false), Hash: p.Hash, Busy: p.Busy}, nil
}

// repairWith repairs a batch, and what followed it if the request says so.
func (h *handlers) repairWith(ctx context.Context, r *hive.RepairRequest, b *model.RepairRequest) (c hive.Command,
	chain int64, err error,
) {
	if !b.Dependants {
		c, err = h.Commands.Repair(ctx, *r)
		return c, 0, err
	}
	return h.Chains.Apply(ctx, hive.ChainRepairRequest{RepairRequest: *r, ChainHash: b.DependantsHash})
}

func (h *handlers) ListChainRepairs(ctx context.Context,
	r stub.ListChainRepairsRequestObject,
) (stub.ListChainRepairsResponseObject, error) {
	limit, err := pageSize(r.Params.Limit)
	if err != nil {
		return nil, err
	}
	before, err := positive("before", r.Params.Before)
	if err != nil {
		return nil, err
	}
	batch, err := positive("batch", r.Params.Batch)
	if err != nil {
		return nil, err
	}
	list, err := h.Chains.List(ctx, hive.ChainRepairFilter{
		Batch: batch, Live: orZero(r.Params.Live), Before: before, Limit: limit,
	})
	if err != nil {
		return nil, err
	}
	out := stub.ListChainRepairs200JSONResponse{Items: make([]model.ChainRepair, 0, len(list))}
	for i := range list {
		out.Items = append(out.Items, chainRepair(&list[i]))
	}
	if len(list) == limit {
		out.Next = list[limit-1].ID
	}
	return out, nil
}

func (h *handlers) GetChainRepair(ctx context.Context,
	r stub.GetChainRepairRequestObject,
) (stub.GetChainRepairResponseObject, error) {
	c, err := h.Chains.Get(ctx, r.ID)
	if err != nil {
		return nil, err
	}
	return stub.GetChainRepair200JSONResponse(chainRepair(&c)), nil
}

func (h *handlers) SetChainRepairWish(ctx context.Context,
	r stub.SetChainRepairWishRequestObject,
) (stub.SetChainRepairWishResponseObject, error) {
	c, err := h.Chains.Cancel(ctx, r.ID, edge.Identity(ctx).User.Name)
	if err != nil {
		return nil, err
	}
	return stub.SetChainRepairWish200JSONResponse(chainRepair(&c)), nil
}

func chainRepair(r *hive.ChainRepair) model.ChainRepair {
	return model.ChainRepair{
		ID: r.ID, Batch: r.Batch, State: model.ChainRepairState(r.State), Note: r.Note,
		CreatedAt: wire.At(r.CreatedAt), CreatedBy: r.CreatedBy, ChangedAt: wire.At(r.ChangedAt),
		ChangedBy: r.ChangedBy, FinishedAt: wire.At(r.FinishedAt), StoppedBy: r.StoppedBy,
		Steps: chainSteps(r.Steps, true),
	}
}

func chainSteps(list []hive.ChainStep, stored bool) []model.ChainStep {
	out := make([]model.ChainStep, len(list))
	for i := range list {
		s := &list[i]
		out[i] = model.ChainStep{
			Position: s.Position, Needs: s.Needs, Schedule: s.Schedule, Moment: wire.At(s.Moment), Batch: s.Batch,
			Fate: model.ChainStepFate(s.Fate), State: model.BatchState(s.State), Round: s.Round, Tasks: s.Tasks,
			UsualSeconds: seconds(s.Usual),
		}
		if s.Needs == nil {
			out[i].Needs = []int{}
		}
		if stored {
			out[i].Progress = model.ChainStepProgress(s.Progress())
		}
		if p := s.Refusal; p != nil {
			out[i].Problem = newProblem(statusOf(p.Code), string(p.Code), p.Words)
			out[i].Problem.Reason, out[i].Problem.Params = model.ProblemReason(p.Reason), p.Params
			out[i].Problem.Faults = faults(p.Faults)
		}
	}
	return out
}
