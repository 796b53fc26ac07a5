package api

import (
	"context"

	"github.com/rprp/hivego/server/api/edge"
	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/api/stub"
	"github.com/rprp/hivego/server/api/wire"
	"github.com/rprp/hivego/server/hive"
)

func (h *handlers) SetArchived(ctx context.Context,
	r stub.SetArchivedRequestObject,
) (stub.SetArchivedResponseObject, error) {
	s, err := h.Archive.SetArchived(ctx, hive.ArchiveRequest{
		Schedule: r.Name, Archived: r.Body.Archived, Confirmed: r.Body.Confirmed,
		By: edge.Identity(ctx).User.Name,
	})
	if err != nil {
		return nil, err
	}
	return stub.SetArchived200JSONResponse{
		Archived: s.Archived(), ArchivedAt: wire.At(s.ArchivedAt), ArchivedBy: s.ArchivedBy,
	}, nil
}

func (h *handlers) DeleteSchedule(ctx context.Context,
	r stub.DeleteScheduleRequestObject,
) (stub.DeleteScheduleResponseObject, error) {
	d, err := h.Archive.Delete(ctx, r.Name, edge.Identity(ctx).User.Name)
	if err != nil {
		return nil, err
	}
	return stub.DeleteSchedule202JSONResponse(deletion(&d)), nil
}

func (h *handlers) ListDeletions(ctx context.Context,
	r stub.ListDeletionsRequestObject,
) (stub.ListDeletionsResponseObject, error) {
	limit, err := pageSize(r.Params.Limit)
	if err != nil {
		return nil, err
	}
	list, err := h.Archive.Deletions(ctx, limit)
	if err != nil {
		return nil, err
	}
	out := stub.ListDeletions200JSONResponse{Items: make([]model.Deletion, 0, len(list))}
	for i := range list {
		out.Items = append(out.Items, deletion(&list[i]))
	}
	return out, nil
}

func deletion(d *hive.Deletion) model.Deletion {
	return model.Deletion{
		Schedule: d.Schedule, DeletedBy: d.By, BegunAt: wire.At(d.BegunAt), FinishedAt: wire.At(d.FinishedAt),
		Total: d.Total, Batches: d.Deleted.Batches, Runs: d.Deleted.Runs, Attempts: d.Deleted.Attempts,
		Ticks: d.Deleted.Ticks, Revisions: d.Deleted.Revisions,
	}
}
