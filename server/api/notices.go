package api

import (
	"context"

	"github.com/rprp/hivego/server/api/edge"
	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/api/stub"
	"github.com/rprp/hivego/server/api/wire"
	"github.com/rprp/hivego/server/hive"
)

func (h *handlers) ListNotices(ctx context.Context,
	r stub.ListNoticesRequestObject,
) (stub.ListNoticesResponseObject, error) {
	list, err := h.System.Notices(ctx)
	if err != nil {
		return nil, err
	}
	out := stub.ListNotices200JSONResponse{Items: make([]model.Notice, 0, len(list))}
	for i := range list {
		if n := &list[i]; r.Params.Dismissed || n.DismissedAt.IsZero() {
			out.Items = append(out.Items, notice(n))
		}
	}
	return out, nil
}

func notice(n *hive.Notice) model.Notice {
	out := model.Notice{
		ID: n.ID, At: wire.At(n.At), Heard: n.Epoch, Session: n.Session, Executors: n.Executors, Running: n.Running,
		Ended: n.Ended,
		Attempts: make([]model.NoticedAttempt,
			len(n.Attempts)), DismissedAt: wire.At(n.DismissedAt), DismissedBy: n.DismissedBy,
	}
	for i, a := range n.Attempts {
		out.Attempts[i] = model.NoticedAttempt{
			Executor: a.Executor, ID: a.ID, Key: a.Key, BatchID: a.BatchID, Schedule: a.Schedule, Task: a.Task,
			Running: a.Running,
		}
	}
	return out
}

func (h *handlers) DismissNotice(ctx context.Context,
	r stub.DismissNoticeRequestObject,
) (stub.DismissNoticeResponseObject, error) {
	if err := administrator(ctx); err != nil {
		return nil, err
	}
	if err := h.System.DismissNotice(ctx, r.Notice, edge.Identity(ctx).User.Name); err != nil {
		return nil, err
	}
	return stub.DismissNotice204Response{}, nil
}
