package apitest

import (
	"context"
	"time"

	"github.com/rprp/hivego/server/hive"
)

type changes struct{ f *Fakes }

func (p changes) PlannedChanges(_ context.Context, schedule string) ([]hive.PlannedChange, error) {
	if p.f.ChangesF == nil {
		return nil, missing()
	}
	return p.f.ChangesF(schedule)
}

func (p changes) PlanChange(_ context.Context, r hive.ChangeRequest) (hive.PlannedChange, error) {
	if p.f.PlanChangeF == nil {
		return hive.PlannedChange{}, missing()
	}
	return p.f.PlanChangeF(r)
}

func (p changes) UndoChange(_ context.Context, schedule string, moment time.Time) error {
	if p.f.UndoChangeF == nil {
		return missing()
	}
	return p.f.UndoChangeF(schedule, moment)
}

// answerChanges lets f answer every call about planned changes with the sample.
func answerChanges(f *Fakes) {
	f.ChangesF = func(string) ([]hive.PlannedChange, error) {
		return []hive.PlannedChange{
			{
				Moment: T0.Add(24 * time.Hour), Action: hive.ChangeMove, To: T0.Add(26 * time.Hour),
				Params: map[string]any{"region": "west"}, By: "ada", Reason: "the file comes at 5", At: T0,
				State: hive.ChangePlanned,
			},
			{Moment: T0, Action: hive.ChangeSkip, By: "ada", Reason: "holiday", At: T0, State: hive.ChangeDecided},
		}, nil
	}
	f.PlanChangeF = func(r hive.ChangeRequest) (hive.PlannedChange, error) {
		r.Change.At, r.Change.State = T0, hive.ChangePlanned
		return r.Change, nil
	}
	f.UndoChangeF = func(string, time.Time) error { return nil }
}
