package api

import (
	"context"

	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/api/stub"
	"github.com/rprp/hivego/server/api/wire"
	"github.com/rprp/hivego/server/hive"
)

func (h *handlers) GetOverview(ctx context.Context,
	_ stub.GetOverviewRequestObject,
) (stub.GetOverviewResponseObject, error) {
	o, err := h.Batches.Overview(ctx)
	if err != nil {
		return nil, err
	}
	list, err := h.Executors.List(ctx)
	if err != nil {
		return nil, err
	}
	out := stub.GetOverview200JSONResponse{
		NeedsPerson: o.NeedsPerson, Running: o.Running, Queued: o.Queued, Late: o.Late, Succeeded: o.Succeeded,
		Ended: o.Ended,
	}
	for _, a := range h.System.TickAlarms() {
		out.Alarms = append(out.Alarms, model.TickAlarm{
			Reason: model.TickAlarmReason(a.Reason), Schedule: a.Schedule, Params: a.Params, Detail: a.Words,
			Since: wire.At(a.Since),
		})
	}
	for i := range list {
		if e := &list[i]; e.State == hive.ExecutorOnline || e.State == hive.ExecutorDraining {
			out.Executors++
			out.Slots += e.Slots
			out.Busy += e.Running
		}
	}
	return out, nil
}
