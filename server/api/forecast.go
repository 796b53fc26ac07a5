package api

import (
	"context"
	"strings"
	"time"

	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/api/stub"
	"github.com/rprp/hivego/server/api/wire"
	"github.com/rprp/hivego/server/hive"
)

// The size of a forecast that a request leaves open.
const (
	forecastTicks = 1000
	forecastTime  = 24 * time.Hour
)

func (h *handlers) ForecastTicks(
	ctx context.Context, r stub.ForecastTicksRequestObject,
) (stub.ForecastTicksResponseObject, error) {
	req := hive.TickForecastRequest{
		Schedule: orZero(r.Params.Schedule), Until: orZero(r.Params.Until).Time, Most: forecastTicks,
	}
	if req.Until.IsZero() {
		req.Until = h.now().Add(forecastTime)
	}
	if r.Params.Limit != nil {
		req.Most = *r.Params.Limit
	}
	for _, text := range orZero(r.Params.Down) {
		d, err := readSpan(text)
		if err != nil {
			return nil, err
		}
		req.Down = append(req.Down, d)
	}
	f, err := h.Schedules.ForecastTicks(ctx, req)
	if err != nil {
		return nil, err
	}
	out := stub.ForecastTicks200JSONResponse{
		From: wire.At(f.From), Until: wire.At(f.Until), Items: make([]model.ForecastTick, 0, len(f.Ticks)),
	}
	for i := range f.Ticks {
		t := &f.Ticks[i]
		out.Items = append(out.Items, model.ForecastTick{
			Schedule: t.Schedule, Moment: wire.At(t.Moment), Until: wire.At(t.Until), Count: t.Count,
			Trigger: t.Trigger, Decision: model.ForecastTickDecision(t.Decision), Rule: t.Rule, Detail: t.Detail,
			DecidedAt: wire.At(t.DecidedAt), StartsAt: wire.At(t.StartsAt), EndsAt: wire.At(t.EndsAt),
			Ends: model.ForecastTickEnds(t.Ends),
		})
	}
	return out, nil
}

// readSpan reads a time without a server, such as 2026-12-01T02:00:00Z..2026-12-01T05:00:00Z.
func readSpan(text string) (hive.Span, error) {
	from, to, _ := strings.Cut(text, "..")
	begin, err := time.Parse(time.RFC3339, from)
	if err == nil {
		var end time.Time
		if end, err = time.Parse(time.RFC3339, to); err == nil {
			return hive.Span{From: begin, To: end}, nil
		}
	}
	return hive.Span{}, hive.Errorf(hive.CodeInvalid,
		"down: %.80q is not FROM..TO; write two moments such as 2026-12-01T02:00:00Z..2026-12-01T05:00:00Z", text).
		WithReason(hive.ErrorForecastDown)
}
