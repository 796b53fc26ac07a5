package api

import (
	"cmp"
	"context"
	"time"

	"github.com/rprp/hivego/server/api/edge"
	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/api/stub"
	"github.com/rprp/hivego/server/api/wire"
	"github.com/rprp/hivego/server/hive"
)

func (h *handlers) ListExecutorGroups(
	ctx context.Context, _ stub.ListExecutorGroupsRequestObject,
) (stub.ListExecutorGroupsResponseObject, error) {
	list, err := h.Executors.Groups(ctx)
	if err != nil {
		return nil, err
	}
	out := stub.ListExecutorGroups200JSONResponse{Items: make([]model.ExecutorGroup, 0, len(list))}
	for i := range list {
		out.Items = append(out.Items, executorGroup(&list[i]))
	}
	return out, nil
}

func (h *handlers) SetExecutorGroup(
	ctx context.Context, r stub.SetExecutorGroupRequestObject,
) (stub.SetExecutorGroupResponseObject, error) {
	if err := administrator(ctx); err != nil {
		return nil, err
	}
	g, err := h.Executors.SetGroup(ctx, hive.ExecutorGroup{
		Name: r.Name, Route: hive.Route(r.Body.Route), Reason: r.Body.Reason, SetAt: time.Now(),
		SetBy: edge.Identity(ctx).User.Name,
	})
	if err != nil {
		return nil, err
	}
	return stub.SetExecutorGroup200JSONResponse(executorGroup(&g)), nil
}

func executorGroup(g *hive.ExecutorGroupView) model.ExecutorGroup {
	return model.ExecutorGroup{
		Name: g.Name, Route: model.Route(cmp.Or(g.Route, hive.RouteLeastLoaded)), Executors: g.Executors,
		Reason: g.Reason, SetAt: wire.At(g.SetAt), SetBy: g.SetBy,
	}
}
