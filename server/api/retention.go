package api

import (
	"context"
	"time"

	"github.com/rprp/hivego/server/api/edge"
	"github.com/rprp/hivego/server/api/stub"
	"github.com/rprp/hivego/server/api/wire"
	"github.com/rprp/hivego/server/hive"
)

// Prune is for administrators.
func (h *handlers) Prune(ctx context.Context, r stub.PruneRequestObject) (stub.PruneResponseObject, error) {
	if err := administrator(ctx); err != nil {
		return nil, err
	}
	days, err := wholeDays(r.Body.OlderThan)
	if err != nil {
		return nil, err
	}
	if r.Body.OrphanLogs && (days > 0 || r.Body.Schedule != "") {
		return nil, hive.Errorf(hive.CodeInvalid, "orphanLogs stands alone: such logs have no schedule and no batch; "+
			"leave schedule and olderThan out")
	}
	out, err := h.Retention.Prune(ctx, hive.PruneRequest{
		Schedule: r.Body.Schedule, Days: days, DryRun: r.Body.DryRun,
		By: edge.Identity(ctx).User.Name, Orphans: r.Body.OrphanLogs, From: r.Body.From,
	})
	if err != nil {
		return nil, err
	}
	return stub.Prune200JSONResponse{
		Batches: out.Batches, Runs: out.Runs, Attempts: out.Attempts, Ticks: out.Ticks, Drafts: out.Drafts,
		LogBytes: out.LogBytes, More: out.More,
		OrphanLogs: out.OrphanLogs, OrphanBytes: out.OrphanBytes, Next: out.Next,
	}, nil
}

// wholeDays reads a number of days such as 90d; 0 if it is empty.
func wholeDays(text string) (int, error) {
	const day = 24 * time.Hour
	if text == "" {
		return 0, nil
	}
	d, err := hive.ParseDuration(text)
	if err != nil || d.Std() < day || d.Std()%day != 0 || d.Std()/day > hive.MostKeptDays {
		return 0, hive.Errorf(hive.CodeInvalid, "olderThan: %.20q is no number of days; write one from 1d to %dd", text,
			hive.MostKeptDays)
	}
	return int(d.Std() / day), nil
}

// GetDiskUse is of the server that is asked.
func (h *handlers) GetDiskUse(ctx context.Context, _ stub.GetDiskUseRequestObject) (stub.GetDiskUseResponseObject,
	error,
) {
	u, err := h.Retention.DiskUse(ctx)
	if err != nil {
		return nil, err
	}
	out := stub.GetDiskUse200JSONResponse{
		DatabaseBytes: u.Database.Total, DatabaseFreeBytes: u.Database.Free, DatabaseHere: u.HasDatabase,
		LogBytes: u.Logs, MeasuredAt: wire.At(u.MeasuredAt), FreeBytes: u.Free, TotalBytes: u.Total,
	}
	if u.Over > 0 {
		out.GrowthPerDay, out.GrowthOverDays = &u.GrowthPerDay, float32(u.Over.Hours()/24)
	}
	if u.DaysLeft >= 0 {
		out.DaysLeft = &u.DaysLeft
	}
	return out, nil
}
