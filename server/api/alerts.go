package api

import (
	"context"

	"github.com/rprp/hivego/server/api/edge"
	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/api/stub"
	"github.com/rprp/hivego/server/api/wire"
	"github.com/rprp/hivego/server/hive"
)

func (h *handlers) ListAlertRules(ctx context.Context,
	_ stub.ListAlertRulesRequestObject,
) (stub.ListAlertRulesResponseObject, error) {
	list, err := h.Alerts.List(ctx, hive.KindAlert)
	if err != nil {
		return nil, err
	}
	out := stub.ListAlertRules200JSONResponse{Items: make([]model.AlertRuleSummary, 0, len(list))}
	for i := range list {
		out.Items = append(out.Items, alertRule(&list[i]))
	}
	return out, nil
}

func alertRule(v *hive.AlertDocumentView) model.AlertRuleSummary {
	on := make([]model.AlertKind, len(v.On))
	for i, kind := range v.On {
		on[i] = model.AlertKind(kind)
	}
	return model.AlertRuleSummary{
		Name: v.Name, Title: v.Title, Description: v.Description, Revision: v.Revision,
		CreatedAt: wire.At(v.CreatedAt), UpdatedAt: wire.At(v.UpdatedAt), UpdatedBy: v.Current.CreatedBy, On: on,
		Schedules: append([]string{}, v.Schedules...), Tags: append([]string{}, v.Tags...),
		Channels: append([]string{}, v.Channels...),
	}
}

func (h *handlers) GetAlertRule(ctx context.Context,
	r stub.GetAlertRuleRequestObject,
) (stub.GetAlertRuleResponseObject, error) {
	v, err := h.Alerts.Get(ctx, hive.KindAlert, r.Name)
	if err != nil {
		return nil, err
	}
	s := alertRule(&v)
	return stub.GetAlertRule200JSONResponse{
		Name: s.Name, Title: s.Title, Description: s.Description, Revision: s.Revision, CreatedAt: s.CreatedAt,
		UpdatedAt: s.UpdatedAt, UpdatedBy: s.UpdatedBy, On: s.On, Schedules: s.Schedules, Tags: s.Tags,
		Channels: s.Channels, Document: v.Current.Document, Hash: v.Current.Hash, Definition: v.Definition,
	}, nil
}

func (h *handlers) PutAlertRule(ctx context.Context,
	r stub.PutAlertRuleRequestObject,
) (stub.PutAlertRuleResponseObject, error) {
	doc, err := document(r.Body, (*[]byte)(r.JSONBody))
	if err != nil {
		return nil, err
	}
	s, err := h.saveAlert(ctx, hive.KindAlert, r.Name, doc, r.Params.Base, r.Params.Note)
	return stub.PutAlertRule200JSONResponse(s), err
}

// saveAlert saves the document of a rule or a channel.
func (h *handlers) saveAlert(ctx context.Context, kind, name string, doc []byte, base *int64, note *string) (
	model.Saved, error,
) {
	from, err := atLeast("base", base, 0)
	if err != nil {
		return model.Saved{}, err
	}
	words, err := revisionNote(orZero(note))
	if err != nil {
		return model.Saved{}, err
	}
	s, err := h.Alerts.Save(ctx, kind, hive.SaveRequest{
		Name: name, Document: doc, Base: from, Fresh: base != nil && from == 0, By: edge.Identity(ctx).User.Name,
		Note: words,
	})
	if err != nil {
		return model.Saved{}, err
	}
	return model.Saved{
		Name: s.Document.Name, Revision: s.Revision.Number, Hash: s.Revision.Hash, Changed: s.Changed,
		Faults: faults(s.Faults),
	}, nil
}

func (h *handlers) DeleteAlertRule(ctx context.Context,
	r stub.DeleteAlertRuleRequestObject,
) (stub.DeleteAlertRuleResponseObject, error) {
	if err := h.Alerts.Delete(ctx, hive.KindAlert, r.Name); err != nil {
		return nil, err
	}
	return stub.DeleteAlertRule204Response{}, nil
}

func (h *handlers) ListAlertRuleRevisions(ctx context.Context,
	r stub.ListAlertRuleRevisionsRequestObject,
) (stub.ListAlertRuleRevisionsResponseObject, error) {
	list, err := h.alertRevisions(ctx, hive.KindAlert, r.Name)
	return stub.ListAlertRuleRevisions200JSONResponse(list), err
}

func (h *handlers) alertRevisions(ctx context.Context, kind, name string) (model.RevisionList, error) {
	list, err := h.Alerts.Revisions(ctx, kind, name)
	out := model.RevisionList{Items: make([]model.Revision, 0, len(list))}
	for i := range list {
		list[i].Document = ""
		out.Items = append(out.Items, alertRevision(&list[i]))
	}
	return out, err
}

func alertRevision(r *hive.AlertRevision) model.Revision {
	return model.Revision{
		Number: r.Number, Hash: r.Hash, CreatedAt: wire.At(r.CreatedAt), CreatedBy: r.CreatedBy, Document: r.Document,
		Note: r.Note,
	}
}

func (h *handlers) GetAlertRuleRevision(ctx context.Context,
	r stub.GetAlertRuleRevisionRequestObject,
) (stub.GetAlertRuleRevisionResponseObject, error) {
	rev, err := h.alertRevisionAt(ctx, hive.KindAlert, r.Name, r.Number)
	return stub.GetAlertRuleRevision200JSONResponse(rev), err
}

func (h *handlers) alertRevisionAt(ctx context.Context, kind, name string, number int64) (model.Revision, error) {
	if _, err := positive("number", &number); err != nil {
		return model.Revision{}, err
	}
	v, err := h.Alerts.Revision(ctx, kind, name, number)
	out := alertRevision(&v.AlertRevision)
	out.Definition = v.Definition
	return out, err
}
