package apitest

import (
	"context"
	"time"

	"github.com/rprp/hivego/server/hive"
)

func (p chains) Preview(_ context.Context, batch int64) (hive.ChainPreview, error) {
	if p.f.ChainPreviewF == nil {
		return hive.ChainPreview{}, missing()
	}
	return p.f.ChainPreviewF(batch)
}

func (p chains) Apply(_ context.Context, r hive.ChainRepairRequest) (hive.Command, int64, error) {
	if p.f.ChainApplyF == nil {
		return hive.Command{}, 0, missing()
	}
	return p.f.ChainApplyF(r)
}

func (p chains) List(_ context.Context, f hive.ChainRepairFilter) ([]hive.ChainRepair, error) {
	if p.f.ChainRepairsF == nil {
		return nil, missing()
	}
	return p.f.ChainRepairsF(f)
}

func (p chains) Get(_ context.Context, id int64) (hive.ChainRepair, error) {
	if p.f.ChainRepairF == nil {
		return hive.ChainRepair{}, missing()
	}
	return p.f.ChainRepairF(id)
}

func (p chains) Cancel(_ context.Context, id int64, by string) (hive.ChainRepair, error) {
	if p.f.ChainCancelF == nil {
		return hive.ChainRepair{}, missing()
	}
	return p.f.ChainCancelF(id, by)
}

// withChains adds the answers of the calls about chain repairs.
func (f *Fakes) withChains() *Fakes {
	r := SampleChainRepair()
	f.ChainPreviewF = func(int64) (hive.ChainPreview, error) { return SampleChainPreview(), nil }
	f.ChainApplyF = func(hive.ChainRepairRequest) (hive.Command, int64, error) { return SampleCommand(), r.ID, nil }
	f.ChainRepairsF = func(hive.ChainRepairFilter) ([]hive.ChainRepair, error) { return []hive.ChainRepair{r}, nil }
	f.ChainRepairF = func(int64) (hive.ChainRepair, error) { return r, nil }
	f.ChainCancelF = func(int64, string) (hive.ChainRepair, error) { return r, nil }
	return f
}

// SampleChainPreview returns what followed a batch: a batch that would run again, one that runs, one of a disabled
// schedule, and a tick that waits.
func SampleChainPreview() hive.ChainPreview {
	day := T0.AddDate(0, 0, -1)
	return hive.ChainPreview{Hash: "chain", Busy: 3, Steps: []hive.ChainStep{
		{
			Schedule: "warehouse", Moment: T0, Batch: 7, Fate: hive.StepRerun, Round: 1, State: hive.BatchFailed,
			Tasks: 4,
		},
		{
			Position: 1, Needs: []int{0}, Schedule: "mart", Moment: day, Batch: 8, Fate: hive.StepRerun, Round: 1,
			State: hive.BatchSucceeded, Tasks: 2, Usual: 90 * time.Second,
		},
		{
			Position: 2, Needs: []int{1}, Schedule: "report", Moment: day, Batch: 9, Fate: hive.StepLive, Round: 2,
			State: hive.BatchRunning, Tasks: 1,
		},
		{
			Position: 3, Needs: []int{1}, Schedule: "archive", Moment: day, Batch: 10, Fate: hive.StepDisabled,
			Round: 1, State: hive.BatchSucceeded, Tasks: 1,
		},
		{Position: 4, Needs: []int{0}, Schedule: "export", Moment: T0, Fate: hive.StepFollows},
	}}
}

// SampleChainRepair returns a chain repair that the refusal of a step has stopped.
func SampleChainRepair() hive.ChainRepair {
	steps := SampleChainPreview().Steps[:4]
	steps[0].Act, steps[0].Command, steps[0].State = hive.StepSent, hive.CommandApplied, hive.BatchSucceeded
	steps[1].Act, steps[1].Command, steps[1].RoundNow = hive.StepSent, hive.CommandRefused, 1
	steps[1].Refusal = &hive.Problem{
		Code: hive.CodeConflict, Words: "there is nothing to rerun in this batch as it is now",
		Reason: hive.ErrorNothing, Params: map[string]string{"action": "rerun"},
	}
	steps[2].Act, steps[3].Act = hive.StepLeftOut, hive.StepLeftOut
	return hive.ChainRepair{
		ID: 6, Batch: 7, State: hive.ChainRepairStopped, Note: "the source was late", CreatedAt: T0, CreatedBy: "ada",
		ChangedAt: T0, ChangedBy: "bob", StoppedBy: 8, Steps: steps,
	}
}
