package api

import (
	"context"

	"github.com/rprp/hivego/server/api/edge"
	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/api/stub"
	"github.com/rprp/hivego/server/hive"
)

func (h *handlers) ConvertAlertDocument(ctx context.Context,
	r stub.ConvertAlertDocumentRequestObject,
) (stub.ConvertAlertDocumentResponseObject, error) {
	doc, err := document(r.Body, (*[]byte)(r.JSONBody))
	if err != nil {
		return nil, err
	}
	c, err := h.Alerts.Convert(ctx, string(r.Params.Kind), doc)
	if err != nil {
		return nil, err
	}
	out := stub.ConvertAlertDocument200JSONResponse{
		Valid: c.Valid, Name: c.Name, Document: c.Canonical, Hash: c.Hash, Definition: c.Definition,
		Faults: faults(c.Faults), Secrets: channelSecrets(c.Secrets),
	}
	if r.JSONBody != nil {
		withoutPlaces(out.Faults)
	}
	return out, nil
}

// withoutPlaces removes lines and columns: they are those of a text that the caller has not seen.
func withoutPlaces(faults []model.Fault) {
	for i := range faults {
		faults[i].Line, faults[i].Column = 0, 0
	}
}

func (h *handlers) TryChannel(ctx context.Context,
	r stub.TryChannelRequestObject,
) (stub.TryChannelResponseObject, error) {
	if err := administrator(ctx); err != nil {
		return nil, err
	}
	result, err := h.AlertLog.Try(ctx, hive.ChannelTrial{
		Document: r.Body.Definition, Secrets: r.Body.Secrets, Language: string(orZero(r.Body.Language)),
		By: edge.Identity(ctx).User.Name,
	})
	if err != nil {
		return nil, err
	}
	return stub.TryChannel200JSONResponse{Sent: result.Sent, Detail: result.Detail}, nil
}
