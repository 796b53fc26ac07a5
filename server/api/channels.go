package api

import (
	"context"

	"github.com/rprp/hivego/server/api/edge"
	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/api/stub"
	"github.com/rprp/hivego/server/api/wire"
	"github.com/rprp/hivego/server/hive"
)

func (h *handlers) ListChannels(ctx context.Context,
	_ stub.ListChannelsRequestObject,
) (stub.ListChannelsResponseObject, error) {
	list, err := h.Alerts.List(ctx, hive.KindChannel)
	if err != nil {
		return nil, err
	}
	out := stub.ListChannels200JSONResponse{Items: make([]model.ChannelSummary, 0, len(list))}
	for i := range list {
		out.Items = append(out.Items, channelSummary(&list[i]))
	}
	return out, nil
}

func channelSummary(v *hive.AlertDocumentView) model.ChannelSummary {
	return model.ChannelSummary{
		Name: v.Name, Title: v.Title, Description: v.Description, Revision: v.Revision,
		CreatedAt: wire.At(v.CreatedAt), UpdatedAt: wire.At(v.UpdatedAt), UpdatedBy: v.Current.CreatedBy,
		Type: model.ChannelType(v.Type), Language: model.ChannelSummaryLanguage(v.Language),
		Secrets: channelSecrets(v.Secrets), UsedBy: append([]string{}, v.UsedBy...),
	}
}

func channelSecrets(all []hive.ChannelSecretView) []model.ChannelSecret {
	out := make([]model.ChannelSecret, len(all))
	for i, s := range all {
		out[i] = model.ChannelSecret{
			Name: s.Name, Required: s.Required, Set: s.Set, SetAt: wire.At(s.SetAt), SetBy: s.SetBy,
		}
	}
	return out
}

func (h *handlers) GetChannel(ctx context.Context,
	r stub.GetChannelRequestObject,
) (stub.GetChannelResponseObject, error) {
	v, err := h.Alerts.Get(ctx, hive.KindChannel, r.Name)
	if err != nil {
		return nil, err
	}
	s := channelSummary(&v)
	return stub.GetChannel200JSONResponse{
		Name: s.Name, Title: s.Title, Description: s.Description, Revision: s.Revision, CreatedAt: s.CreatedAt,
		UpdatedAt: s.UpdatedAt, UpdatedBy: s.UpdatedBy, Type: s.Type, Language: model.ChannelLanguage(s.Language),
		Secrets: s.Secrets, UsedBy: s.UsedBy, Document: v.Current.Document, Hash: v.Current.Hash,
		Definition: v.Definition,
	}, nil
}

func (h *handlers) PutChannel(ctx context.Context,
	r stub.PutChannelRequestObject,
) (stub.PutChannelResponseObject, error) {
	if err := administrator(ctx); err != nil {
		return nil, err
	}
	doc, err := document(r.Body, (*[]byte)(r.JSONBody))
	if err != nil {
		return nil, err
	}
	s, err := h.saveAlert(ctx, hive.KindChannel, r.Name, doc, r.Params.Base, r.Params.Note)
	return stub.PutChannel200JSONResponse(s), err
}

func (h *handlers) DeleteChannel(ctx context.Context,
	r stub.DeleteChannelRequestObject,
) (stub.DeleteChannelResponseObject, error) {
	if err := administrator(ctx); err != nil {
		return nil, err
	}
	if err := h.Alerts.Delete(ctx, hive.KindChannel, r.Name); err != nil {
		return nil, err
	}
	return stub.DeleteChannel204Response{}, nil
}

func (h *handlers) ListChannelRevisions(ctx context.Context,
	r stub.ListChannelRevisionsRequestObject,
) (stub.ListChannelRevisionsResponseObject, error) {
	list, err := h.alertRevisions(ctx, hive.KindChannel, r.Name)
	return stub.ListChannelRevisions200JSONResponse(list), err
}

func (h *handlers) GetChannelRevision(ctx context.Context,
	r stub.GetChannelRevisionRequestObject,
) (stub.GetChannelRevisionResponseObject, error) {
	rev, err := h.alertRevisionAt(ctx, hive.KindChannel, r.Name, r.Number)
	return stub.GetChannelRevision200JSONResponse(rev), err
}

func (h *handlers) SetChannelSecrets(ctx context.Context,
	r stub.SetChannelSecretsRequestObject,
) (stub.SetChannelSecretsResponseObject, error) {
	if err := administrator(ctx); err != nil {
		return nil, err
	}
	if err := h.AlertLog.SetSecrets(ctx, r.Name, r.Body.Secrets, edge.Identity(ctx).User.Name); err != nil {
		return nil, err
	}
	return stub.SetChannelSecrets204Response{}, nil
}

func (h *handlers) TestChannel(ctx context.Context,
	r stub.TestChannelRequestObject,
) (stub.TestChannelResponseObject, error) {
	if err := administrator(ctx); err != nil {
		return nil, err
	}
	result, err := h.AlertLog.Test(ctx, r.Name, string(orZero(r.Body.Language)))
	if err != nil {
		return nil, err
	}
	return stub.TestChannel200JSONResponse{Sent: result.Sent, Detail: result.Detail}, nil
}
