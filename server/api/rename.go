package api

import (
	"context"

	"github.com/rprp/hivego/server/api/edge"
	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/api/stub"
	"github.com/rprp/hivego/server/hive"
)

func (h *handlers) RenameSchedule(ctx context.Context,
	r stub.RenameScheduleRequestObject,
) (stub.RenameScheduleResponseObject, error) {
	for name, base := range r.Body.Bases {
		if _, err := atLeast("bases."+name, &base, 0); err != nil {
			return nil, err
		}
	}
	note, err := revisionNote(r.Body.Note)
	if err != nil {
		return nil, err
	}
	documents := make([][]byte, len(r.Body.Documents))
	for i, text := range r.Body.Documents {
		documents[i] = []byte(text)
	}
	out, err := h.Renames.Rename(ctx, hive.RenameRequest{
		Schedule: r.Name, To: r.Body.To, Bases: r.Body.Bases, Documents: documents,
		By: edge.Identity(ctx).User.Name, Note: note,
	})
	if err != nil {
		return nil, err
	}
	answer := stub.RenameSchedule200JSONResponse{
		Name: out.Schedule.Name, Former: out.Former, Changed: out.Changed, Revision: out.Schedule.Revision,
		Saved: make([]model.Saved, 0, len(out.Saved)),
	}
	for i := range out.Saved {
		s := &out.Saved[i]
		answer.Saved = append(answer.Saved, model.Saved{
			Name: s.Schedule.Name, Revision: s.Revision.Number, Hash: s.Revision.Hash, Changed: s.Changed,
			Faults: faults(s.Faults),
		})
	}
	return answer, nil
}

func (h *handlers) ReleaseFormerName(ctx context.Context,
	r stub.ReleaseFormerNameRequestObject,
) (stub.ReleaseFormerNameResponseObject, error) {
	if err := h.Renames.ReleaseName(ctx, r.Name); err != nil {
		return nil, err
	}
	return stub.ReleaseFormerName204Response{}, nil
}
