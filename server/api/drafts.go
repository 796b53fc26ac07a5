package api

import (
	"context"
	"encoding/json"

	"github.com/rprp/hivego/server/api/edge"
	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/api/stub"
	"github.com/rprp/hivego/server/api/wire"
	"github.com/rprp/hivego/server/hive"
)

func (h *handlers) ListDrafts(ctx context.Context,
	_ stub.ListDraftsRequestObject,
) (stub.ListDraftsResponseObject, error) {
	list, err := h.Drafts.Drafts(ctx, edge.Identity(ctx).User.ID)
	if err != nil {
		return nil, err
	}
	out := stub.ListDrafts200JSONResponse{Items: make([]model.DraftHead, 0, len(list))}
	for i := range list {
		out.Items = append(out.Items, draftHead(&list[i]))
	}
	return out, nil
}

func (h *handlers) GetDraft(ctx context.Context, r stub.GetDraftRequestObject) (stub.GetDraftResponseObject, error) {
	d, err := h.Drafts.Draft(ctx, edge.Identity(ctx).User.ID, r.Name)
	if hive.CodeOf(err) == hive.CodeNotFound {
		return stub.GetDraft204Response{}, nil // having no draft is no error: most schedules are opened without one
	}
	if err != nil {
		return nil, err
	}
	return stub.GetDraft200JSONResponse{
		Name: d.Name, Base: d.Base, Version: d.Version, UpdatedAt: wire.At(d.UpdatedAt),
		Definition: json.RawMessage(d.Document),
	}, nil
}

func (h *handlers) PutDraft(ctx context.Context, r stub.PutDraftRequestObject) (stub.PutDraftResponseObject, error) {
	for name, v := range map[string]int64{"base": r.Body.Base, "version": r.Body.Version} {
		if _, err := atLeast(name, &v, 0); err != nil {
			return nil, err
		}
	}
	d, err := h.Drafts.PutDraft(ctx, hive.Draft{
		User: edge.Identity(ctx).User.ID, Name: r.Name, Base: r.Body.Base, Version: r.Body.Version,
		Document: string(r.Body.Definition),
	})
	if err != nil {
		return nil, err
	}
	return stub.PutDraft200JSONResponse(draftHead(&d)), nil
}

func (h *handlers) DeleteDraft(ctx context.Context,
	r stub.DeleteDraftRequestObject,
) (stub.DeleteDraftResponseObject, error) {
	version, err := positive("version", r.Params.Version)
	if err != nil {
		return nil, err
	}
	if err := h.Drafts.DeleteDraft(ctx, edge.Identity(ctx).User.ID, r.Name, version); err != nil {
		return nil, err
	}
	return stub.DeleteDraft204Response{}, nil
}

func draftHead(d *hive.Draft) model.DraftHead {
	return model.DraftHead{Name: d.Name, Base: d.Base, Version: d.Version, UpdatedAt: wire.At(d.UpdatedAt)}
}
