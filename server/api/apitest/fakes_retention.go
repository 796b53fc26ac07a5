package apitest

import (
	"context"
	"time"

	"github.com/rprp/hivego/server/hive"
)

type retention struct{ f *Fakes }

func (p retention) Prune(_ context.Context, r hive.PruneRequest) (hive.PruneReport, error) {
	if p.f.PruneF == nil {
		return hive.PruneReport{}, missing()
	}
	return p.f.PruneF(r)
}

func (p retention) DiskUse(context.Context) (hive.DiskReport, error) {
	if p.f.DiskUseF == nil {
		return hive.DiskReport{}, missing()
	}
	return p.f.DiskUseF()
}

// addRetention answers the calls about old data.
func addRetention(f *Fakes) {
	f.PruneF = func(hive.PruneRequest) (hive.PruneReport, error) {
		return hive.PruneReport{
			PruneCounts: hive.PruneCounts{Batches: 3, Runs: 6, Attempts: 7, Ticks: 3, Drafts: 1, LogBytes: 1000},
			More:        true,
		}, nil
	}
	f.DiskUseF = func() (hive.DiskReport, error) {
		return hive.DiskReport{
			Database: hive.DatabaseSize{Total: 1000, Free: 100}, HasDatabase: true, Free: 5000, Total: 9000, Logs: 70,
			MeasuredAt: T0, GrowthPerDay: 100, Over: 84 * time.Hour, DaysLeft: 50,
		}, nil
	}
}
