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
	return stub.PreviewBackfill200JSONResponse(backfillPreviewModel(&p)), nil
}

func backfillPreviewModel(p *hive.BackfillPreview) model.BackfillPreview {
	out := model.BackfillPreview{
		Schedule: p.Schedule, Revision: p.Revision, First: wire.At(p.First), Last: wire.At(p.Last), Moments: p.Moments,
		Existing: p.Existing, Kept: p.Kept, UsualSeconds: seconds(p.Usual), ExpectedSeconds: seconds(p.Expected),
		Schedules: make([]model.BackfillPreviewSchedule, 0, len(p.Schedules)),
		LeftOut:   make([]model.BackfillLeftOut, 0, len(p.LeftOut)),
	}
	for i := range p.Schedules {
		s := &p.Schedules[i]
		out.Schedules = append(out.Schedules, model.BackfillPreviewSchedule{
			Schedule: s.Schedule, Revision: s.Revision, First: wire.At(s.First), Last: wire.At(s.Last),
			Moments: s.Moments, Existing: s.Existing, Kept: s.Kept, UsualSeconds: seconds(s.Usual),
		})
	}
	for _, l := range p.LeftOut {
		out.LeftOut = append(out.LeftOut, model.BackfillLeftOut{
			Schedule: l.Schedule, Reason: model.BackfillLeftOutReason(l.Reason),
		})
	}
	return out
}

func backfillRequest(schedule string, b *model.BackfillRequest) (hive.BackfillRequest, error) {
	r := hive.BackfillRequest{
		Schedule: schedule, From: b.From, To: b.To, Moments: b.Moments, Order: hive.BackfillOrder(b.Order),
		Parallel: b.Parallel, Existing: hive.BackfillExisting(b.Existing),
		OnFailure: hive.BackfillOnFailure(b.OnFailure), Params: b.Params, Note: b.Note,
		WithDependants: b.WithDependants,
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
	since, until, err := h.times(r.Params.Since, r.Params.Until)
	if err != nil {
		return nil, err
	}
	list, err := h.Backfills.List(ctx, hive.BackfillFilter{
		Schedule: orZero(r.Params.Schedule), Live: orZero(r.Params.Live), By: orZero(r.Params.By),
		Since: since, Until: until, Before: before, Limit: limit,
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
	out := model.Backfill{
		ID: b.ID, Schedule: b.Schedule, Revision: b.Revision, State: model.BackfillState(b.State),
		First: wire.At(b.First), Last: wire.At(b.Last), Moments: b.Counts.Moments(),
		Order:    model.BackfillOrder(b.Order),
		Parallel: b.Parallel, Existing: model.BackfillExisting(b.Existing),
		OnFailure: model.BackfillOnFailure(b.OnFailure), Params: b.Params, Note: b.Note,
		CreatedAt: wire.At(b.CreatedAt), CreatedBy: b.CreatedBy, ChangedAt: wire.At(b.ChangedAt),
		ChangedBy: b.ChangedBy, FinishedAt: wire.At(b.FinishedAt), StoppedBy: b.StoppedBy,
		Counts: backfillCounts(&b.Counts), WithDependants: b.WithDependants,
		Schedules: make([]model.BackfillSchedule, 0, len(b.Schedules)),
	}
	for i := range b.Schedules {
		of := &b.Schedules[i]
		out.Schedules = append(out.Schedules, model.BackfillSchedule{
			Schedule: of.Schedule, Revision: of.Revision, First: wire.At(of.First), Last: wire.At(of.Last),
			Moments: of.Counts.Moments(), Counts: backfillCounts(&of.Counts),
		})
	}
	for i := range b.Skipped {
		s := &b.Skipped[i]
		out.Skipped = append(out.Skipped, model.BackfillSkip{
			Schedule: s.Schedule, Moment: wire.At(s.Moment), Upstream: s.Upstream,
			UpstreamMoment: wire.At(s.UpstreamMoment), Batch: s.Batch,
		})
	}
	if out.Params == nil {
		out.Params = map[string]any{}
	}
	return out
}

func backfillCounts(c *hive.BackfillCounts) model.BackfillCounts {
	return model.BackfillCounts{
		Waiting: c.Waiting, Running: c.Running, Succeeded: c.Succeeded, Failed: c.Failed, Canceled: c.Canceled,
		Kept: c.Kept, Skipped: c.Skipped,
	}
}
