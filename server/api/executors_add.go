package api

import (
	"context"

	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/api/stub"
	"github.com/rprp/hivego/server/api/wire"
	"github.com/rprp/hivego/server/hive"
)

func (h *handlers) AddExecutor(ctx context.Context,
	r stub.AddExecutorRequestObject,
) (stub.AddExecutorResponseObject, error) {
	if err := administrator(ctx); err != nil {
		return nil, err
	}
	v, err := h.Executors.Add(ctx, hive.NewExecutor{
		Address: r.Body.Address, Group: r.Body.Group, Name: r.Body.Name, TLS: r.Body.TLS, Token: r.Body.Token,
		Slots: r.Body.Slots, Labels: r.Body.Labels,
	})
	if err != nil {
		return nil, err
	}
	return stub.AddExecutor201JSONResponse(executor(&v)), nil
}

func (h *handlers) SetDrain(ctx context.Context, r stub.SetDrainRequestObject) (stub.SetDrainResponseObject, error) {
	if err := administrator(ctx); err != nil {
		return nil, err
	}
	if err := h.Executors.SetDrained(ctx, r.Name, r.Body.Drained); err != nil {
		return nil, err
	}
	return stub.SetDrain200JSONResponse{Drained: r.Body.Drained}, nil
}

func (h *handlers) ListExecutorAttempts(
	ctx context.Context, r stub.ListExecutorAttemptsRequestObject,
) (stub.ListExecutorAttemptsResponseObject, error) {
	list, err := h.Executors.Held(ctx, r.Name)
	if err != nil {
		return nil, err
	}
	out := stub.ListExecutorAttempts200JSONResponse{Items: make([]model.Held, 0, len(list))}
	for i := range list {
		out.Items = append(out.Items, held(&list[i]))
	}
	return out, nil
}

func held(v *hive.HeldView) model.Held {
	return model.Held{
		Attempt: v.ID, Batch: v.BatchID, Schedule: v.Schedule, Task: v.Task, State: heldState(v),
		OfferedAt: wire.At(v.OfferedAt), StartedAt: wire.At(v.StartedAt),
	}
}

// heldState returns the state to show for a held attempt. A kill comes before lost contact, and lost contact before all
// other states.
func heldState(v *hive.HeldView) model.HeldState {
	switch {
	case !v.KillingAt.IsZero():
		return model.HeldStateKilling
	case v.RunState == hive.RunUnknown:
		return model.HeldStateUnknown
	case v.State == hive.AttemptRunning:
		return model.HeldStateRunning
	default:
		return model.HeldStateOffered
	}
}
