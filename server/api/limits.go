package api

import (
	"context"

	"github.com/rprp/hivego/server/api/edge"
	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/api/stub"
	"github.com/rprp/hivego/server/api/wire"
	"github.com/rprp/hivego/server/hive"
)

func (h *handlers) ListLimits(
	ctx context.Context, _ stub.ListLimitsRequestObject,
) (stub.ListLimitsResponseObject, error) {
	list, err := h.Limits.List(ctx)
	if err != nil {
		return nil, err
	}
	out := stub.ListLimits200JSONResponse{Items: make([]model.RunLimit, 0, len(list))}
	for i := range list {
		out.Items = append(out.Items, limitOf(&list[i]))
	}
	return out, nil
}

func (h *handlers) SetLimit(
	ctx context.Context, r stub.SetLimitRequestObject,
) (stub.SetLimitResponseObject, error) {
	if err := administrator(ctx); err != nil {
		return nil, err
	}
	key := hive.LimitKey{Kind: hive.LimitKind(r.Body.Kind), Name: r.Body.Name}
	if (key.Kind == hive.LimitServer) != (key.Name == "") {
		return nil, hive.Errorf(hive.CodeInvalid, "a limit of the server has no name, and all others have one").
			WithReason(hive.ErrorLimitName, "kind", key.Kind)
	}
	u, err := h.Limits.Set(ctx, hive.Limit{
		LimitKey: key, Most: r.Body.Most, Reason: r.Body.Reason, SetBy: edge.Identity(ctx).User.Name,
	})
	if err != nil {
		return nil, err
	}
	return stub.SetLimit200JSONResponse(limitOf(&u)), nil
}

func (h *handlers) DeleteLimit(
	ctx context.Context, r stub.DeleteLimitRequestObject,
) (stub.DeleteLimitResponseObject, error) {
	if err := administrator(ctx); err != nil {
		return nil, err
	}
	if r.Params.Kind == nil { // the schema does not require it, so that a name with a fault is named first
		return nil, hive.Errorf(hive.CodeInvalid, "say what kind of limit to remove, such as kind=server").
			WithReason(hive.ErrorLimitKind)
	}
	key := hive.LimitKey{Kind: hive.LimitKind(*r.Params.Kind)}
	if r.Params.Name != nil {
		key.Name = *r.Params.Name
	}
	if err := h.Limits.Delete(ctx, key, edge.Identity(ctx).User.Name); err != nil {
		return nil, err
	}
	return stub.DeleteLimit204Response{}, nil
}

func limitOf(u *hive.LimitUse) model.RunLimit {
	return model.RunLimit{
		Kind: model.LimitKind(u.Kind), Name: u.Name, Most: u.Most, Used: u.Used, Reason: u.Reason,
		SetAt: wire.At(u.SetAt), SetBy: u.SetBy,
	}
}
