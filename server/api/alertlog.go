package api

import (
	"context"

	"github.com/rprp/hivego/server/api/edge"
	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/api/stub"
	"github.com/rprp/hivego/server/api/wire"
	"github.com/rprp/hivego/server/hive"
)

func (h *handlers) ListAlerts(ctx context.Context,
	r stub.ListAlertsRequestObject,
) (stub.ListAlertsResponseObject, error) {
	before, err := positive("before", r.Params.Before)
	if err != nil {
		return nil, err
	}
	limit, err := pageSize(r.Params.Limit)
	if err != nil {
		return nil, err
	}
	batch, err := positive("batch", r.Params.Batch)
	if err != nil {
		return nil, err
	}
	since, until, err := h.times(r.Params.Since, r.Params.Until)
	if err != nil {
		return nil, err
	}
	if name := orZero(r.Params.Schedule); name != "" { // an unknown schedule is an error, not an empty list
		if _, err := h.Schedules.Get(ctx, name); hive.CodeOf(err) == hive.CodeNotFound {
			return nil, err
		}
	}
	list, err := h.AlertLog.Events(ctx, hive.AlertFilter{
		Before: before, Limit: limit, Open: orZero(r.Params.Open), Batch: batch, Taken: orZero(r.Params.Taken),
		Schedule: orZero(r.Params.Schedule), Since: since, Until: until,
	})
	if err != nil {
		return nil, err
	}
	return stub.ListAlerts200JSONResponse(alertList(list)), nil
}

func alertList(list []hive.AlertLogEntry) model.AlertList {
	out := model.AlertList{Items: make([]model.Alert, 0, len(list))}
	for i := range list {
		out.Items = append(out.Items, alertEvent(&list[i]))
	}
	return out
}

func (h *handlers) TakeAlert(ctx context.Context,
	r stub.TakeAlertRequestObject,
) (stub.TakeAlertResponseObject, error) {
	list, err := h.take(ctx, hive.TakeAlerts{Event: r.Alert}, r.Body.Note)
	if err != nil {
		return nil, err
	}
	return stub.TakeAlert200JSONResponse(list.Items[0]), nil
}

// take notes that the caller is on problems.
func (h *handlers) take(ctx context.Context, in hive.TakeAlerts, note string) (model.AlertList, error) {
	words, err := revisionNote(note)
	if err != nil {
		return model.AlertList{}, err
	}
	in.By, in.Note = edge.Identity(ctx).User.Name, words
	list, err := h.AlertLog.Take(ctx, in)
	return alertList(list), err
}

func (h *handlers) TakeBatch(ctx context.Context,
	r stub.TakeBatchRequestObject,
) (stub.TakeBatchResponseObject, error) {
	id, err := positive("id", &r.ID)
	if err != nil {
		return nil, err
	}
	list, err := h.take(ctx, hive.TakeAlerts{Batch: id}, r.Body.Note)
	return stub.TakeBatch200JSONResponse(list), err
}

func (h *handlers) ReleaseBatch(ctx context.Context,
	r stub.ReleaseBatchRequestObject,
) (stub.ReleaseBatchResponseObject, error) {
	id, err := positive("id", &r.ID)
	if err != nil {
		return nil, err
	}
	list, err := h.AlertLog.Take(ctx, hive.TakeAlerts{Batch: id})
	return stub.ReleaseBatch200JSONResponse(alertList(list)), err
}

func (h *handlers) SendAgain(ctx context.Context,
	r stub.SendAgainRequestObject,
) (stub.SendAgainResponseObject, error) {
	d, err := h.AlertLog.SendAgain(ctx, r.Delivery)
	return stub.SendAgain200JSONResponse(alertDelivery(&d)), err
}

func (h *handlers) ReleaseAlert(ctx context.Context,
	r stub.ReleaseAlertRequestObject,
) (stub.ReleaseAlertResponseObject, error) {
	list, err := h.AlertLog.Take(ctx, hive.TakeAlerts{Event: r.Alert})
	if err != nil {
		return nil, err
	}
	return stub.ReleaseAlert200JSONResponse(alertEvent(&list[0])), nil
}

func alertEvent(v *hive.AlertLogEntry) model.Alert {
	e := &v.Event
	out := model.Alert{
		ID: e.ID, Kind: model.AlertKind(e.Kind), Of: model.AlertKind(e.Of), Open: e.Open, At: wire.At(e.At),
		OverAt: wire.At(e.OverAt), Schedule: e.Schedule, Batch: e.BatchID, BatchGone: e.Gone, Moment: wire.At(e.Moment),
		Due: wire.At(e.Due), Task: e.Task, Error: e.Error, Executor: e.Executor, Channel: e.Channel, Count: e.Count,
		Deliveries: make([]model.AlertDelivery, len(v.Deliveries)),
	}
	if e.TakenBy != "" {
		out.Taker = model.Taker{Name: e.TakenBy, At: wire.At(e.TakenAt), Note: e.TakenNote}
	}
	for i := range v.Deliveries {
		out.Deliveries[i] = alertDelivery(&v.Deliveries[i])
	}
	return out
}

func alertDelivery(d *hive.AlertDelivery) model.AlertDelivery {
	return model.AlertDelivery{
		ID: d.ID, Rule: d.Rule, Channel: d.Channel, State: model.AlertDeliveryState(d.State), Escalation: d.Escalation,
		DueAt: wire.At(d.DueAt), Tries: d.Tries, Error: d.Error, DoneAt: wire.At(d.DoneAt),
	}
}

func (h *handlers) ListDeliveryTries(ctx context.Context,
	r stub.ListDeliveryTriesRequestObject,
) (stub.ListDeliveryTriesResponseObject, error) {
	list, err := h.AlertLog.Tries(ctx, r.Delivery)
	if err != nil {
		return nil, err
	}
	out := stub.ListDeliveryTries200JSONResponse{Items: make([]model.DeliveryTry, len(list))}
	for i := range list {
		t := &list[i]
		out.Items[i] = model.DeliveryTry{
			Message: t.Message, At: wire.At(t.At), Took: t.Took.Milliseconds(), Done: t.Done, Detail: t.Detail,
		}
	}
	return out, nil
}
