package api

import (
	"context"
	"time"

	"github.com/rprp/hivego/server/api/edge"
	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/api/stub"
	"github.com/rprp/hivego/server/api/wire"
	"github.com/rprp/hivego/server/hive"
)

// plannedChange converts a planned change; nil stays nil.
func plannedChange(c *hive.PlannedChange) *model.PlannedChange {
	if c == nil {
		return nil
	}
	return &model.PlannedChange{
		Moment: wire.At(c.Moment), Action: model.ChangeAction(c.Action), To: wire.At(c.To), Params: c.Params, By: c.By,
		Reason: c.Reason, At: wire.At(c.At), State: model.PlannedChangeState(c.State),
	}
}

// momentOf reads the moment in a path.
func momentOf(text string) (time.Time, error) {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		value := hive.Clean(text, 40)
		return at, hive.Errorf(hive.CodeInvalid, "%q is not a moment; write one such as 2026-12-01T02:00:00Z", value).
			WithReason(hive.ErrorChangeForm, "value", value)
	}
	return at, nil
}

// ListPlannedChanges is of the generated interface.
func (h *handlers) ListPlannedChanges(
	ctx context.Context, r stub.ListPlannedChangesRequestObject,
) (stub.ListPlannedChangesResponseObject, error) {
	list, err := h.Changes.PlannedChanges(ctx, r.Name)
	if err != nil {
		return nil, err
	}
	out := stub.ListPlannedChanges200JSONResponse{Items: make([]model.PlannedChange, 0, len(list))}
	for i := range list {
		out.Items = append(out.Items, *plannedChange(&list[i]))
	}
	return out, nil
}

// PlanChange is of the generated interface.
func (h *handlers) PlanChange(
	ctx context.Context, r stub.PlanChangeRequestObject,
) (stub.PlanChangeResponseObject, error) {
	at, err := momentOf(r.Moment)
	if err != nil {
		return nil, err
	}
	c, err := h.Changes.PlanChange(ctx, hive.ChangeRequest{Schedule: r.Name, Change: hive.PlannedChange{
		Moment: at, Action: hive.ChangeAction(r.Body.Action), To: r.Body.To.Time, Params: r.Body.Params,
		By: edge.Identity(ctx).User.Name, Reason: r.Body.Reason,
	}})
	if err != nil {
		return nil, err
	}
	return stub.PlanChange200JSONResponse(*plannedChange(&c)), nil
}

// UndoChange is of the generated interface.
func (h *handlers) UndoChange(
	ctx context.Context, r stub.UndoChangeRequestObject,
) (stub.UndoChangeResponseObject, error) {
	at, err := momentOf(r.Moment)
	if err != nil {
		return nil, err
	}
	if err := h.Changes.UndoChange(ctx, r.Name, at); err != nil {
		return nil, err
	}
	return stub.UndoChange204Response{}, nil
}
