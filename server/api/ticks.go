package api

import (
	"context"

	"github.com/rprp/hivego/server/api/edge"
	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/api/stub"
	"github.com/rprp/hivego/server/api/wire"
	"github.com/rprp/hivego/server/hive"
)

// tick converts a row of the ledger.
func tick(t *hive.Tick) model.Tick {
	out := model.Tick{
		Moment: wire.At(t.Moment), Until: wire.At(t.Until), Count: t.Count, Trigger: t.Trigger,
		Decision: model.TickDecision(t.Decision), Rule: t.Rule, Detail: t.Detail, Batch: t.BatchID,
		DecidedAt: wire.At(t.DecidedAt), MissingMore: t.Wait.More,
	}
	for i := range t.Wait.Missing {
		m := &t.Wait.Missing[i]
		out.Missing = append(out.Missing, model.MissingMoment{
			Schedule: m.Schedule, Moment: wire.At(m.Moment), State: model.MissingMomentState(m.State), Batch: m.Batch,
		})
	}
	if r := t.Wait.Released; r.By != "" {
		out.Released = &model.Release{By: r.By, Reason: r.Reason, At: wire.At(r.At), Skip: r.Skip}
	}
	out.PlannedChange = plannedChange(t.Change)
	return out
}

// ReleaseTick lets one waiting tick go without what is missing.
func (h *handlers) ReleaseTick(ctx context.Context,
	r stub.ReleaseTickRequestObject,
) (stub.ReleaseTickResponseObject, error) {
	err := h.Schedules.Release(ctx, hive.ReleaseRequest{
		Schedule: r.Name, Moment: r.Body.Moment.Time, By: edge.Identity(ctx).User.Name, Reason: r.Body.Reason,
		Skip: r.Body.Skip,
	})
	if err != nil {
		return nil, err
	}
	return stub.ReleaseTick204Response{}, nil
}

// batchLinks converts links between batches.
func batchLinks(links []hive.BatchLink) []model.BatchLink {
	out := make([]model.BatchLink, 0, len(links))
	for i := range links {
		l := &links[i]
		out = append(out, model.BatchLink{
			ID: l.ID, Schedule: l.Schedule, Moment: wire.At(l.Moment), State: model.BatchState(l.State),
		})
	}
	return out
}
