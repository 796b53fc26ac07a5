package api

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/api/stub"
	"github.com/rprp/hivego/server/api/wire"
	"github.com/rprp/hivego/server/hive"
)

func (h *handlers) ListExecutors(ctx context.Context,
	_ stub.ListExecutorsRequestObject,
) (stub.ListExecutorsResponseObject, error) {
	list, err := h.Executors.List(ctx)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b hive.ExecutorView) int {
		return cmp.Or(strings.Compare(a.Group, b.Group), strings.Compare(a.Name, b.Name))
	})
	out := stub.ListExecutors200JSONResponse{Items: make([]model.Executor, 0, len(list))}
	for i := range list {
		out.Items = append(out.Items, executor(&list[i]))
	}
	return out, nil
}

func executor(e *hive.ExecutorView) model.Executor {
	out := model.Executor{
		ID: e.ID, Name: e.Name, Group: e.Group, Address: e.Address, State: model.ExecutorState(e.State),
		Offline: e.Offline,
		Labels:  e.Labels, Slots: e.Slots, Running: e.Running, Version: e.Version, TLS: e.TLS, Durable: e.Durable,
		Origin: model.ExecutorOrigin(cmp.Or(e.Origin, hive.OriginRegistered)), Drained: e.Drained,
		Trouble:       e.Trouble.Text,
		TroubleReason: textReason(e.Trouble.Text, e.Trouble.Reason),
		SeenAt:        wire.At(e.SeenAt), Handlers: make([]model.Handler, 0, len(e.Handlers)),
	}
	for _, hd := range e.Handlers {
		out.Handlers = append(out.Handlers, model.Handler{
			Name: hd.Name, Title: hd.Title, Description: hd.Description, Schema: hd.Schema, Survives: hd.Survives,
		})
	}
	return out
}

func (h *handlers) DeleteExecutor(ctx context.Context,
	r stub.DeleteExecutorRequestObject,
) (stub.DeleteExecutorResponseObject, error) {
	if err := administrator(ctx); err != nil {
		return nil, err
	}
	if err := h.Executors.Delete(ctx, r.Name); err != nil {
		return nil, err
	}
	return stub.DeleteExecutor204Response{}, nil
}

func (h *handlers) SetOffline(ctx context.Context,
	r stub.SetOfflineRequestObject,
) (stub.SetOfflineResponseObject, error) {
	if err := administrator(ctx); err != nil {
		return nil, err
	}
	if err := h.Executors.SetOffline(ctx, r.Name, r.Body.Offline); err != nil {
		return nil, err
	}
	return stub.SetOffline200JSONResponse{Offline: r.Body.Offline}, nil
}
