package batch

import (
	"context"
	"errors"

	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/state"
)

// Plan computes the changes of a repair. It changes nothing.
func (s *Service) Plan(ctx context.Context, r hive.RepairRequest) (hive.Plan, error) {
	img, err := s.batches.BatchSnapshot(ctx, r.Batch)
	if err != nil {
		return hive.Plan{}, err
	}
	own, err := s.graphs.Compile(&img.Revision)
	if err != nil {
		return hive.Plan{}, err
	}
	rev, err := s.revision(ctx, &img.Batch, r)
	if err != nil {
		return hive.Plan{}, err
	}
	var latest *graph.Graph
	if rev.ID != 0 && rev.ID != img.Batch.RevisionID {
		if latest, err = s.graphs.Compile(&rev); err != nil {
			return hive.Plan{}, err
		}
	}
	if live, ok := s.engine.Live(r.Batch); ok { // the owner compares the plan's hash with its memory
		img.Batch, img.Runs = live.Batch, live.Runs
		img.Attempts = openAttempts(img.Attempts, live.Runs)
	}
	req := r.PlanRequest
	req.RevisionID = rev.ID
	m := state.New(state.Snapshot{Graph: own, Batch: img.Batch, Runs: img.Runs, Attempts: img.Attempts}, noConditions{})
	return m.Plan(req, latest, rev)
}

// openAttempts returns the attempts that runs still have. The end of an attempt may be in memory and not stored yet.
func openAttempts(attempts []hive.Attempt, runs []hive.Run) []hive.Attempt {
	held := make(map[int64]bool, len(runs))
	for i := range runs {
		held[runs[i].Attempt] = true
	}
	var out []hive.Attempt
	for i := range attempts {
		if held[attempts[i].ID] {
			out = append(out, attempts[i])
		}
	}
	return out
}

// revision finds the revision that a repair names; it is zero if the repair names none. It is not zero if the batch has
// the revision already: a repair that is repeated under its key after it was applied must have the same payload.
func (s *Service) revision(ctx context.Context, b *hive.Batch, r hive.RepairRequest) (hive.Revision, error) {
	if !r.Latest && r.Revision == 0 {
		return hive.Revision{}, nil
	}
	if b.ScheduleID == 0 {
		return hive.Revision{},
			hive.Errorf(hive.CodeInvalid, "batch %d is adhoc: it has no other revision to go on with", b.ID).
				WithReason(hive.ErrorAdhoc, "batch", b.ID)
	}
	number := r.Revision
	if r.Latest {
		schedule, err := s.revisions.ScheduleByID(ctx, b.ScheduleID)
		if err != nil {
			return hive.Revision{}, err
		}
		number = schedule.Revision
	}
	return s.revisions.RevisionAt(ctx, b.ScheduleID, number)
}

// noConditions refuses to evaluate: a plan lists the runs to decide again, but decides none.
type noConditions struct{}

func (noConditions) When(*hive.Task, state.Env) (bool, error) {
	return false, errors.New("a plan evaluates no condition")
}

func (noConditions) RetryWhen(*hive.Task, state.Env, state.Failure) (bool, error) {
	return false, errors.New("a plan evaluates no condition")
}
