package api

import (
	"context"

	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/api/stub"
	"github.com/rprp/hivego/server/api/wire"
	"github.com/rprp/hivego/server/hive"
)

func (h *handlers) ConvertDocument(ctx context.Context,
	r stub.ConvertDocumentRequestObject,
) (stub.ConvertDocumentResponseObject, error) {
	doc, err := document(r.Body, (*[]byte)(r.JSONBody))
	if err != nil {
		return nil, err
	}
	c, err := h.Documents.Convert(ctx, doc)
	if err != nil {
		return nil, err
	}
	out := stub.ConvertDocument200JSONResponse{
		Valid: c.Valid, Name: c.Name, Document: c.Canonical, Hash: c.Hash, Definition: c.Definition,
		Faults: faults(c.Faults),
	}
	if r.JSONBody != nil {
		withoutPlaces(out.Faults)
	}
	return out, nil
}

// someMoments is the default number of moments of a forecast.
const someMoments = 5

func (h *handlers) ForecastTriggers(
	ctx context.Context, r stub.ForecastTriggersRequestObject,
) (stub.ForecastTriggersResponseObject, error) {
	b := r.Body
	count := b.Count
	if count == 0 {
		count = someMoments
	}
	f, err := h.Documents.Forecast(ctx, hive.ForecastRequest{
		Schedule: b.Schedule, Timezone: b.Timezone, Triggers: b.Triggers, After: orZero(b.After).Time, Count: count,
	})
	if err != nil {
		return nil, err
	}
	out := stub.ForecastTriggers200JSONResponse{
		Moments: make([]model.ForecastMoment, 0, len(f.Moments)),
		Faults:  faults(f.Faults),
	}
	for _, m := range f.Moments {
		out.Moments = append(out.Moments, model.ForecastMoment{At: wire.At(m.At), Trigger: m.Trigger})
	}
	return out, nil
}

func (h *handlers) PreviewTask(ctx context.Context,
	r stub.PreviewTaskRequestObject,
) (stub.PreviewTaskResponseObject, error) {
	b := r.Body
	p, err := h.Documents.Preview(ctx, hive.PreviewRequest{
		Definition: b.Definition, Task: b.Task, Params: b.Params, At: orZero(b.At).Time,
	})
	if err != nil {
		return nil, err
	}
	return stub.PreviewTask200JSONResponse{
		Params: p.Params, Env: p.Env, Values: p.Values, When: p.When, Faults: faults(p.Faults),
	}, nil
}
