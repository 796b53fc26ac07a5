package api

import (
	"context"

	"github.com/rprp/hivego/server/api/edge"
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
