package api

import (
	"context"

	"github.com/rprp/hivego/server/api/edge"
	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/api/stub"
	"github.com/rprp/hivego/server/api/wire"
	"github.com/rprp/hivego/server/hive"
)

func (h *handlers) CreateBackfill(ctx context.Context,
	r stub.CreateBackfillRequestObject,
) (stub.CreateBackfillResponseObject, error) {
	req, err := backfillRequest(r.Name, r.Body)
	if err != nil {
		return nil, err
	}
	if req.Key, err = idempotencyKey(r.Params.IdempotencyKey); err != nil {
		return nil, err
	}
	req.By = edge.Identity(ctx).User.Name
	b, err := h.Backfills.Create(ctx, req)
	if err != nil {
		return nil, err
	}
	return stub.CreateBackfill201JSONResponse(backfillModel(&b)), nil
}

func (h *handlers) PreviewBackfill(ctx context.Context,
	r stub.PreviewBackfillRequestObject,
) (stub.PreviewBackfillResponseObject, error) {
	req, err := backfillRequest(r.Name, r.Body)
	if err != nil {
		return nil, err
	}
	p, err := h.Backfills.Preview(ctx, req)
	if err != nil {
		return nil, err
	}
	return stub.PreviewBackfill200JSONResponse{
		Schedule: p.Schedule, Revision: p.Revision, First: wire.At(p.First), Last: wire.At(p.Last), Moments: p.Moments,
		Existing: p.Existing, Kept: p.Kept, UsualSeconds: seconds(p.Usual), ExpectedSeconds: seconds(p.Expected),
	}, nil
}

func backfillRequest(schedule string, b *model.BackfillRequest) (hive.BackfillRequest, error) {
	r := hive.BackfillRequest{
		Schedule: schedule, From: b.From, To: b.To, Moments: b.Moments, Order: hive.BackfillOrder(b.Order),
		Parallel: b.Parallel, Existing: hive.BackfillExisting(b.Existing),
		OnFailure: hive.BackfillOnFailure(b.OnFailure), Params: b.Params, Note: b.Note,
	}
	if b.Step == "" {
		return r, nil
	}
	step, err := hive.ParseDuration(b.Step)
	if err != nil {
		return r, &hive.Error{
			Code: hive.CodeInvalid, Words: "the step of the backfill cannot be read", Reason: hive.ErrorBackfill,
			Faults: []hive.Fault{hive.FaultOf(err, "bad_range").At("step")},
		}
	}
	r.Step = step
	return r, nil
}

func (h *handlers) ListBackfills(ctx context.Context,
	r stub.ListBackfillsRequestObject,
) (stub.ListBackfillsResponseObject, error) {
	limit, err := pageSize(r.Params.Limit)
	if err != nil {
		return nil, err
	}
	before, err := positive("before", r.Params.Before)
	if err != nil {
		return nil, err
	}
	list, err := h.Backfills.List(ctx, hive.BackfillFilter{
		Schedule: orZero(r.Params.Schedule), Live: orZero(r.Params.Live), Before: before, Limit: limit,
	})
	if err != nil {
		return nil, err
	}
	out := stub.ListBackfills200JSONResponse{Items: make([]model.Backfill, 0, len(list))}
	for i := range list {
		out.Items = append(out.Items, backfillModel(&list[i]))
	}
	if len(list) == limit {
		out.Next = list[limit-1].ID
	}
	return out, nil
}

func (h *handlers) GetBackfill(ctx context.Context,
	r stub.GetBackfillRequestObject,
) (stub.GetBackfillResponseObject, error) {
	b, err := h.Backfills.Get(ctx, r.ID)
	if err != nil {
		return nil, err
	}
	return stub.GetBackfill200JSONResponse(backfillModel(&b)), nil
}

func (h *handlers) SetBackfillWish(ctx context.Context,
	r stub.SetBackfillWishRequestObject,
) (stub.SetBackfillWishResponseObject, error) {
	b, err := h.Backfills.SetWish(ctx, r.ID, hive.Wish(r.Body.Wish), edge.Identity(ctx).User.Name)
	if err != nil {
		return nil, err
	}
	return stub.SetBackfillWish200JSONResponse(backfillModel(&b)), nil
}

func backfillModel(b *hive.Backfill) model.Backfill {
	c := &b.Counts
	out := model.Backfill{
		ID: b.ID, Schedule: b.Schedule, Revision: b.Revision, State: model.BackfillState(b.State),
		First: wire.At(b.First), Last: wire.At(b.Last), Moments: c.Moments(), Order: model.BackfillOrder(b.Order),
		Parallel: b.Parallel, Existing: model.BackfillExisting(b.Existing),
		OnFailure: model.BackfillOnFailure(b.OnFailure), Params: b.Params, Note: b.Note,
		CreatedAt: wire.At(b.CreatedAt), CreatedBy: b.CreatedBy, ChangedAt: wire.At(b.ChangedAt),
		ChangedBy: b.ChangedBy, FinishedAt: wire.At(b.FinishedAt), StoppedBy: b.StoppedBy,
		Counts: model.BackfillCounts{
			Waiting: c.Waiting, Running: c.Running, Succeeded: c.Succeeded, Failed: c.Failed, Canceled: c.Canceled,
			Kept: c.Kept,
		},
	}
	if out.Params == nil {
		out.Params = map[string]any{}
	}
	return out
}
