package api

import (
	"context"

	"github.com/rprp/hivego/server/api/edge"
	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/api/stub"
	"github.com/rprp/hivego/server/api/wire"
	"github.com/rprp/hivego/server/hive"
)

func (h *handlers) ListConnections(ctx context.Context,
	_ stub.ListConnectionsRequestObject,
) (stub.ListConnectionsResponseObject, error) {
	list, err := h.Connections.List(ctx)
	if err != nil {
		return nil, err
	}
	out := stub.ListConnections200JSONResponse{
		Items: make([]model.ConnectionSummary, 0, len(list)), Types: []model.ConnectionType{},
	}
	for i := range list {
		v := &list[i]
		out.Items = append(out.Items, model.ConnectionSummary{
			Name: v.Name, Title: v.Definition.Title, Description: v.Definition.Description, Type: v.Definition.Type,
			Groups: v.Definition.EffectiveGroups(), Revision: v.Revision, CreatedAt: wire.At(v.CreatedAt),
			CreatedBy: v.CreatedBy, UpdatedAt: wire.At(v.UpdatedAt), UpdatedBy: v.UpdatedBy,
		})
	}
	for _, t := range h.Connections.Types() {
		kind := model.ConnectionType{
			Name: t.Name, Title: t.Title, Port: t.Port, Handler: t.Handler, Options: []model.ConnectionOption{},
		}
		for _, o := range t.Options {
			kind.Options = append(kind.Options, model.ConnectionOption{
				Name: o.Name, Values: append([]string{}, o.Values...),
			})
		}
		out.Types = append(out.Types, kind)
	}
	return out, nil
}

func (h *handlers) GetConnection(ctx context.Context,
	r stub.GetConnectionRequestObject,
) (stub.GetConnectionResponseObject, error) {
	if err := administrator(ctx); err != nil {
		return nil, err
	}
	v, err := h.Connections.Get(ctx, r.Name)
	if err != nil {
		return nil, err
	}
	d := &v.Definition
	options := d.Options
	if options == nil {
		options = map[string]string{}
	}
	return stub.GetConnection200JSONResponse{
		Name: v.Name, Title: d.Title, Description: d.Description, Type: d.Type, Groups: d.EffectiveGroups(),
		Revision: v.Revision, CreatedAt: wire.At(v.CreatedAt), CreatedBy: v.CreatedBy, UpdatedAt: wire.At(v.UpdatedAt),
		UpdatedBy: v.UpdatedBy, Host: d.Host, Port: d.Port, Database: d.Database, User: d.User,
		PasswordSecret: v.Secret, Options: options, UsedBy: append([]string{}, v.UsedBy...),
		Document: v.Document, Hash: v.Hash,
	}, nil
}

func (h *handlers) PutConnection(ctx context.Context,
	r stub.PutConnectionRequestObject,
) (stub.PutConnectionResponseObject, error) {
	if err := administrator(ctx); err != nil {
		return nil, err
	}
	doc, err := document(r.Body, (*[]byte)(r.JSONBody))
	if err != nil {
		return nil, err
	}
	base := r.Params.Base
	from, err := atLeast("base", base, 0)
	if err != nil {
		return nil, err
	}
	s, err := h.Connections.Save(ctx, hive.SaveRequest{
		Name: r.Name, Document: doc, Base: from, Fresh: base != nil && from == 0, By: edge.Identity(ctx).User.Name,
	})
	if err != nil {
		return nil, err
	}
	return stub.PutConnection200JSONResponse{
		Name: s.Connection.Name, Revision: s.Connection.Revision, Hash: s.Connection.Hash, Changed: s.Changed,
		Faults: faults(s.Faults),
	}, nil
}

func (h *handlers) DeleteConnection(ctx context.Context,
	r stub.DeleteConnectionRequestObject,
) (stub.DeleteConnectionResponseObject, error) {
	if err := administrator(ctx); err != nil {
		return nil, err
	}
	err := h.Connections.Delete(ctx, r.Name, edge.Identity(ctx).User.Name, orZero(r.Params.Force))
	if err != nil {
		return nil, err
	}
	return stub.DeleteConnection204Response{}, nil
}

func (h *handlers) TestConnection(ctx context.Context,
	r stub.TestConnectionRequestObject,
) (stub.TestConnectionResponseObject, error) {
	if err := administrator(ctx); err != nil {
		return nil, err
	}
	t, err := h.Connections.Test(ctx, r.Name, orZero(r.Body.Group), edge.Identity(ctx).User.Name)
	if err != nil {
		return nil, err
	}
	return stub.TestConnection200JSONResponse{
		Ok: t.OK, Detail: t.Detail, Group: t.Group, Executor: t.Executor, TookMillis: t.Took.Milliseconds(),
		Batch: t.Batch,
	}, nil
}
