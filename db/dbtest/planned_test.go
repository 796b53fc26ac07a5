package dbtest_test

import (
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// change is a planned change of the fixture's schedule.
func (x *fixture) change(at time.Time, action hive.ChangeAction) hive.PlannedChange {
	return hive.PlannedChange{
		ScheduleID: x.schedule.ID, Moment: at, Action: action, By: "ada", Reason: "the source is late", At: t0,
	}
}

// A planned change is seen by the decisions until its moment is decided, and stays afterwards.
func TestPlannedChanges(t *testing.T) {
	each(t, func(x *fixture) {
		ctx, id := x.Context(), x.schedule.ID
		x.decide(fire(t0, 1))
		first, second := after(time.Hour), after(2*time.Hour)
		move := x.change(first, hive.ChangeMove)
		move.To, move.Params = after(3*time.Hour), map[string]any{"region": "west"}
		x.ok(x.PlanChange(ctx, x.change(second, hive.ChangeSkip)))
		x.ok(x.PlanChange(ctx, x.change(first, hive.ChangeHold)))
		x.ok(x.PlanChange(ctx, move)) // instead of the hold
		want := []hive.PlannedChange{move, x.change(second, hive.ChangeSkip)}
		same(x, "in the view", x.view().Changes, want)
		same(x, "to come", must(x.ChangesToCome(ctx, []int64{id, 99}))(x), map[int64][]hive.PlannedChange{id: want})
		same(x, "of no schedule", len(must(x.ChangesToCome(ctx, nil))(x)), 0)
		same(x, "latest first", must(x.PlannedChanges(ctx, id, 1))(x), want[1:])
		same(x, "schedules", must(x.WaitingSchedules(ctx))(x), []int64{id})

		x.decide(waits(first))
		move.Decided = true
		same(x, "of a waiting tick", x.view().Changes[0], move)
		x.code(hive.CodeConflict, x.UndoChange(ctx, id, first))
		x.code(hive.CodeConflict, x.PlanChange(ctx, x.change(first, hive.ChangeSkip)))
		same(x, "of its tick", must(x.Ticks(ctx, id, time.Time{}, 1))(x)[0].Change, &move)

		x.ok(x.UndoChange(ctx, id, second))
		x.code(hive.CodeNotFound, x.UndoChange(ctx, id, second))
		end := fire(first, 1)
		end.Tick.ID = x.view().Waiting[0].ID
		x.decide(end)
		same(x, "nothing to come", len(x.view().Changes), 0)
		same(x, "it stays", must(x.PlannedChanges(ctx, id, 10))(x), []hive.PlannedChange{move})
		same(x, "no schedules", len(must(x.WaitingSchedules(ctx))(x)), 0)
	})
}

// A moment that was decided before its time makes nothing when it comes: it only moves the mark.
func TestAPassedMomentMovesTheMark(t *testing.T) {
	each(t, func(x *fixture) {
		early := fire(after(time.Hour), 1)
		early.Follows = true
		x.ok(x.PlanChange(x.Context(), x.change(after(time.Hour), hive.ChangeMove)))
		x.decide(fire(t0, 1), early)
		same(x, "mark", x.view().Schedule.Mark, t0)
		same(x, "decided", x.view().Changes[0].Decided, true)
		passed := hive.TickWrite{Tick: hive.Tick{Moment: after(time.Hour)}, Passed: true}
		same(x, "batches", len(x.decide(passed)), 0)
		same(x, "mark", x.view().Schedule.Mark, after(time.Hour))
		same(x, "ticks", len(must(x.Ticks(x.Context(), x.schedule.ID, time.Time{}, 10))(x)), 2)
	})
}

// A schedule has a limited number of changes to come.
func TestTooManyPlannedChanges(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		at := func(i int) time.Time { return after(time.Duration(i) * time.Minute) }
		for i := range hive.MaxPlannedChanges {
			x.ok(x.PlanChange(ctx, x.change(at(i), hive.ChangeSkip)))
		}
		x.code(hive.CodeTooMany, x.PlanChange(ctx, x.change(at(hive.MaxPlannedChanges), hive.ChangeSkip)))
		x.ok(x.PlanChange(ctx, x.change(at(1), hive.ChangeHold))) // one that is there can be changed
		x.decide(fire(at(0), 1))
		x.ok(x.PlanChange(ctx, x.change(at(hive.MaxPlannedChanges), hive.ChangeSkip)))
	})
}

// Who releases a waiting tick may want no batch.
func TestReleaseWithoutABatch(t *testing.T) {
	each(t, func(x *fixture) {
		r := hive.Release{By: "ada", Reason: "not today", At: after(time.Hour), Skip: true}
		x.decide(waits(t0))
		x.ok(x.ReleaseTick(x.Context(), x.schedule.ID, t0, r))
		same(x, "release", x.view().Waiting[0].Wait.Released, r)
	})
}
