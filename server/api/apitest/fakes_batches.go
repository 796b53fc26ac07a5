package apitest

import (
	"context"
	"time"

	"github.com/rprp/hivego/server/hive"
)

func (p batches) Create(_ context.Context, r hive.RunRequest) (hive.BatchView, error) {
	if p.f.CreateF == nil {
		return hive.BatchView{}, missing()
	}
	return p.f.CreateF(r)
}

func (p batches) List(_ context.Context, f hive.BatchFilter) ([]hive.Batch, error) {
	if p.f.BatchesF == nil {
		return nil, missing()
	}
	return p.f.BatchesF(f)
}

func (p batches) Grid(_ context.Context, f hive.BatchFilter) (hive.RunGrid, error) {
	if p.f.GridF == nil {
		return hive.RunGrid{}, missing()
	}
	return p.f.GridF(f)
}

func (p batches) Usual(_ context.Context, list []hive.Batch) (map[int64]time.Duration, error) {
	if p.f.UsualF == nil {
		return nil, nil //nolint:nilnil // none is known
	}
	return p.f.UsualF(list)
}

func (p batches) Definition(_ context.Context, id int64) (hive.RevisionView, error) {
	if p.f.DefineF == nil {
		return hive.RevisionView{}, missing()
	}
	return p.f.DefineF(id)
}

func (p batches) Overview(context.Context) (hive.Overview, error) {
	if p.f.OverviewF == nil {
		return hive.Overview{}, missing()
	}
	return p.f.OverviewF()
}

func (p batches) View(_ context.Context, id int64, runs bool) (hive.BatchView, error) {
	if p.f.ViewF == nil {
		return hive.BatchView{}, missing()
	}
	return p.f.ViewF(id, runs)
}

func (p batches) Links(_ context.Context, id int64) (causes, caused []hive.BatchLink, err error) {
	if p.f.LinksF == nil {
		return nil, nil, nil
	}
	return p.f.LinksF(id)
}

func (p runs) History(_ context.Context, id int64) ([]hive.Run, error) {
	if p.f.HistoryF == nil {
		return nil, missing()
	}
	return p.f.HistoryF(id)
}

func (p runs) Attempts(_ context.Context, id int64, task string) ([]hive.AttemptView, error) {
	if p.f.AttemptsF == nil {
		return nil, missing()
	}
	return p.f.AttemptsF(id, task)
}

func (p runs) UsualRuns(_ context.Context, id int64) ([]hive.UsualRun, error) {
	if p.f.UsualRunsF == nil {
		return nil, missing()
	}
	return p.f.UsualRunsF(id)
}

func (p runs) SlotHolders(_ context.Context, id int64, task string, in hive.Span) (hive.SlotHolders, error) {
	if p.f.SlotHoldersF == nil {
		return hive.SlotHolders{}, missing()
	}
	return p.f.SlotHoldersF(id, task, in)
}

func (p runs) Why(_ context.Context, id int64, task string) (hive.Why, error) {
	if p.f.WhyF == nil {
		return hive.Why{}, missing()
	}
	return p.f.WhyF(id, task)
}

func (p commands) Plan(_ context.Context, r hive.RepairRequest) (hive.Plan, error) {
	if p.f.PlanF == nil {
		return hive.Plan{}, missing()
	}
	return p.f.PlanF(r)
}

func (p commands) Repair(_ context.Context, r hive.RepairRequest) (hive.Command, error) {
	if p.f.RepairF == nil {
		return hive.Command{}, missing()
	}
	return p.f.RepairF(r)
}

func (p commands) Wish(_ context.Context, r hive.WishRequest) (hive.Command, error) {
	if p.f.WishF == nil {
		return hive.Command{}, missing()
	}
	return p.f.WishF(r)
}

func (p commands) Commands(_ context.Context, f hive.CommandFilter) ([]hive.Command, error) {
	if p.f.CommandsF == nil {
		return nil, missing()
	}
	return p.f.CommandsF(f)
}

func (p commands) Command(_ context.Context, id int64) (hive.Command, error) {
	if p.f.CommandF == nil {
		return hive.Command{}, missing()
	}
	return p.f.CommandF(id)
}

func sampleGrid(hive.BatchFilter) (hive.RunGrid, error) {
	b := hive.Batch{
		ID: 7, Schedule: "warehouse", Revision: 3, Kind: hive.KindScheduled, State: hive.BatchFailed,
		Wish: hive.WishRun, Round: 1, Moment: T0, CreatedAt: T0,
		StartedAt: T0, RoundAt: T0, FinishedAt: T0.Add(time.Minute),
	}
	return hive.RunGrid{Batches: []hive.Batch{b}, Cut: true, Rows: []hive.GridRow{
		{Job: "extract", Task: "a", Cells: []byte("s"), Took: []int64{4_812}},
	}}, nil
}
