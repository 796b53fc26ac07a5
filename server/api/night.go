package api

import (
	"context"

	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/api/stub"
	"github.com/rprp/hivego/server/api/wire"
	"github.com/rprp/hivego/server/hive"
)

// The sizes that a request leaves open.
const (
	nightRows  = 12
	nightParts = 288
	openLimit  = 20
)

func (h *handlers) GetNight(ctx context.Context, r stub.GetNightRequestObject) (stub.GetNightResponseObject, error) {
	req := hive.NightRequest{
		From: orZero(r.Params.From).Time, To: orZero(r.Params.To).Time, Rows: nightRows, Parts: nightParts,
	}
	if r.Params.Rows != nil {
		req.Rows = *r.Params.Rows
	}
	if r.Params.Parts != nil {
		req.Parts = *r.Params.Parts
	}
	req.All, req.Find, req.Skip = orZero(r.Params.All), orZero(r.Params.Find), orZero(r.Params.Skip)
	n, err := h.Night.Night(ctx, req)
	if err != nil {
		return nil, err
	}
	there, err := h.slotsThere(ctx)
	if err != nil {
		return nil, err
	}
	out := stub.GetNight200JSONResponse{
		Now: wire.At(n.Now), From: wire.At(n.From), To: wire.At(n.To), Schedules: n.Schedules, More: n.More,
		Rows: make([]model.NightRow, 0, len(n.Rows)),
		Slots: model.NightSlots{
			UsedFrom: wire.At(n.Slots.UsedFrom), Used: append([]int{}, n.Slots.Used...),
			WantedUntil: wire.At(n.Slots.WantedUntil), Wanted: append([]int{}, n.Slots.Wanted...),
			There: there, Unknown: n.Slots.Unknown,
		},
	}
	for i := range n.Rows {
		out.Rows = append(out.Rows, nightRow(&n.Rows[i]))
	}
	return out, nil
}

func nightRow(r *hive.NightRow) model.NightRow {
	out := model.NightRow{
		Schedule: r.Schedule, State: model.NightRowState(r.State), UsualSeconds: seconds(r.Usual), Cut: r.Cut,
		Bars: make([]model.NightBar, 0, len(r.Bars)), Ticks: make([]model.NightTick, 0, len(r.Ticks)),
	}
	for i := range r.Bars {
		b := &r.Bars[i]
		out.Bars = append(out.Bars, model.NightBar{
			ID: b.ID, Batches: several(b.Batches), State: model.BatchState(b.State), Moment: wire.At(b.Moment),
			Begin: wire.At(b.Begin), End: wire.At(b.End), Open: b.Open, Late: b.Late,
		})
	}
	for i := range r.Ticks {
		t := &r.Ticks[i]
		out.Ticks = append(out.Ticks, model.NightTick{
			Moment: wire.At(t.Moment), Ticks: several(t.Ticks), Begin: wire.At(t.Begin), End: wire.At(t.End),
			Waits: t.Waits, WaitsFor: t.WaitsFor, Late: t.Late,
		})
	}
	return out
}

// several leaves out a number that says nothing.
func several(n int) int {
	if n == 1 {
		return 0
	}
	return n
}

func (h *handlers) ListOpenBatches(ctx context.Context,
	r stub.ListOpenBatchesRequestObject,
) (stub.ListOpenBatchesResponseObject, error) {
	limit := openLimit
	if r.Params.Limit != nil {
		limit = *r.Params.Limit
	}
	before, err := positive("before", r.Params.Before)
	if err != nil {
		return nil, err
	}
	list, err := h.Night.Open(ctx, before, limit)
	if err != nil {
		return nil, err
	}
	out := stub.ListOpenBatches200JSONResponse{
		Count: list.Count, Items: make([]model.OpenBatch, 0, len(list.Batches)),
	}
	for i := range list.Batches {
		b := &list.Batches[i]
		out.Items = append(out.Items, model.OpenBatch{
			ID: b.ID, Schedule: b.Schedule, Kind: model.BatchKind(b.Kind), Round: b.Round, Moment: wire.At(b.Moment),
			FailedAt: wire.At(b.FailedAt), Counts: counts(b.Counts), Job: b.Job, Task: b.Task, Error: b.Error,
			ErrorReason: textReason(b.Error, b.Reason), TakenBy: b.TakenBy, Waiting: b.Waiting,
		})
	}
	if n := len(list.Batches); n == limit && list.Count > n {
		out.Next = list.Batches[n-1].ID
	}
	return out, nil
}
