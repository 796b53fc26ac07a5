package dbtest_test

import (
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// waits is a decision that a moment waits.
func waits(moment time.Time, missing ...hive.Missing) hive.TickWrite {
	return hive.TickWrite{Tick: hive.Tick{
		Moment: moment, Trigger: "20 3 * * *", Decision: hive.DecisionWaiting, Rule: "after", Detail: "waits",
		Wait: hive.Wait{Missing: missing, More: 2},
	}}
}

// A waiting tick is seen by the next decisions, changes by its id, and ends once.
func TestWaitingTicks(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		missing := hive.Missing{Schedule: "orders", Moment: t0, State: hive.MissingFailed, Batch: 7}
		x.decide(waits(after(time.Minute), missing), waits(t0))
		seen := x.view().Waiting
		same(x, "waiting ticks in order", []time.Time{seen[0].Moment, seen[1].Moment},
			[]time.Time{t0, after(time.Minute)})
		same(x, "what is missing", seen[1].Wait, hive.Wait{Missing: []hive.Missing{missing}, More: 2})
		byID := must(x.WaitingTicks(ctx, []int64{x.schedule.ID, 99}))(x)
		same(x, "waiting ticks by schedule", byID, map[int64][]hive.Tick{x.schedule.ID: seen})
		same(x, "waiting ticks of no schedule", len(must(x.WaitingTicks(ctx, nil))(x)), 0)
		same(x, "waiting schedules", must(x.WaitingSchedules(ctx))(x), []int64{x.schedule.ID})
		same(x, "mark", x.view().Schedule.Mark, after(time.Minute))

		still := waits(after(time.Minute))
		still.Tick.ID, still.Tick.DecidedAt = seen[1].ID, after(5*time.Hour)
		x.decide(still)
		again := x.view().Waiting[1]
		same(x, "nothing is named any more", again.Wait, hive.Wait{More: 2})
		same(x, "since when it waits", again.DecidedAt, seen[1].DecidedAt)

		end := fire(t0, 1)
		end.Tick.ID = seen[0].ID
		made := x.decide(end)
		same(x, "batches", len(made), 1)
		same(x, "a second end makes nothing", len(x.decide(end)), 0)
		list := must(x.Ticks(ctx, x.schedule.ID, time.Time{}, 10))(x)
		same(x, "the ended one", []any{list[1].Decision, list[1].BatchID, list[1].ID},
			[]any{hive.DecisionFired, made[0], seen[0].ID})
		same(x, "still waiting", len(x.view().Waiting), 1)
	})
}

// A moment that comes from another schedule leaves the mark where it is, and is stored once as all moments are.
func TestFollowedTicksLeaveTheMark(t *testing.T) {
	each(t, func(x *fixture) {
		follows := fire(after(24*time.Hour), 1)
		follows.Follows = true
		x.decide(fire(t0, 1))
		same(x, "batches", len(x.decide(follows)), 1)
		same(x, "mark", x.view().Schedule.Mark, t0)
		same(x, "the moment again", len(x.decide(follows)), 0)
	})
}

// A person releases a tick that waits, and only such a one. The end of the wait keeps who it was.
func TestReleaseTick(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		r := hive.Release{By: "ada", Reason: "the file is there", At: after(time.Hour)}
		x.decide(waits(t0))
		x.code(hive.CodeNotFound, x.ReleaseTick(ctx, x.schedule.ID, after(time.Minute), r))
		x.ok(x.ReleaseTick(ctx, x.schedule.ID, t0, r))
		row := x.view().Waiting[0]
		same(x, "released", row.Wait.Released, r)
		end := fire(t0, 1)
		end.Tick.ID = row.ID
		x.decide(end)
		same(x, "who released it", must(x.Ticks(ctx, x.schedule.ID, time.Time{}, 1))(x)[0].Wait.Released, r)
		x.code(hive.CodeConflict, x.ReleaseTick(ctx, x.schedule.ID, t0, r))
	})
}

// The newest batch of a moment is its result, whatever kind it has.
func TestMomentResults(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		at := func(n int) time.Time { return after(time.Duration(n) * time.Hour) }
		batch := func(moment time.Time, state hive.BatchState) int64 {
			nb := x.newBatch(0)
			nb.Batch.Moment, nb.Batch.State, nb.Batch.Kind = moment, state, hive.KindManual
			return must(x.CreateBatch(ctx, x.me, nb))(x).ID
		}
		ids := x.decide(fire(at(1), 0), fire(at(2), 0), waits(at(4)), hive.TickWrite{
			Tick: hive.Tick{Moment: at(5), Decision: hive.DecisionSkipped, Rule: "overlap"},
		})
		manual, alone := batch(at(2), hive.BatchSucceeded), batch(at(3), hive.BatchSucceeded)
		same(x, "results", must(x.MomentResults(ctx, x.schedule.ID, t0, at(5), 10))(x), []hive.MomentResult{
			{Moment: at(1), Decision: hive.DecisionFired, Batch: ids[0], State: hive.BatchRunning},
			{Moment: at(2), Decision: hive.DecisionFired, Batch: manual, State: hive.BatchSucceeded},
			{Moment: at(3), Batch: alone, State: hive.BatchSucceeded},
			{Moment: at(4), Decision: hive.DecisionWaiting},
			{Moment: at(5), Decision: hive.DecisionSkipped},
		})
		same(x, "within bounds", len(must(x.MomentResults(ctx, x.schedule.ID, at(1), at(3), 10))(x)), 2)
		same(x, "at most", len(must(x.MomentResults(ctx, x.schedule.ID, t0, at(5), 2))(x)), 2)

		before, found, err := x.MomentBefore(ctx, x.schedule.ID, at(4))
		x.ok(err)
		same(x, "the moment before", []any{before.Moment, before.Batch, found}, []any{at(2), manual, true})
		_, found, err = x.MomentBefore(ctx, x.schedule.ID, at(1))
		x.ok(err)
		same(x, "before the first", found, false)

		last, err := x.LastOfTrigger(ctx, x.schedule.ID, "20 3 * * *")
		x.ok(err)
		same(x, "the last of a trigger", last, at(4))
		none, err := x.LastOfTrigger(ctx, x.schedule.ID, "@daily")
		x.ok(err)
		same(x, "of a trigger without ticks", none, time.Time{})

		moments, id, err := x.ExpectedTicks(ctx, x.schedule.ID, at(1), 0, 10)
		x.ok(err)
		same(x, "expected", moments, []time.Time{at(2), at(4)})
		moments, top, err := x.ExpectedTicks(ctx, x.schedule.ID, at(1), id, 10)
		x.ok(err)
		same(x, "nothing new", []any{len(moments), top}, []any{0, id})

		all := must(x.Successes(ctx, x.schedule.ID, t0, true, 10))(x)
		same(x, "successes", []int64{all[0].Batch, all[1].Batch}, []int64{alone, manual})
		same(x, "with a tick", must(x.Successes(ctx, x.schedule.ID, t0, false, 10))(x)[0].Batch, manual)
		batch(at(2), hive.BatchFailed)
		same(x, "a later failure", len(must(x.Successes(ctx, x.schedule.ID, t0, false, 10))(x)), 0)
	})
}

// A batch is linked to what let it start, in both directions.
func TestCauses(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		cause := x.decide(fire(t0, 0))[0]
		next := fire(after(time.Hour), 0)
		next.Causes = []int64{cause, cause}
		made := x.decide(next)[0]
		causes, caused, err := x.Causes(ctx, made, 10)
		x.ok(err)
		link := hive.BatchLink{ID: cause, Schedule: x.schedule.Name, Moment: t0, State: hive.BatchRunning}
		same(x, "causes", causes, []hive.BatchLink{link})
		same(x, "caused", len(caused), 0)
		_, caused, err = x.Causes(ctx, cause, 10)
		x.ok(err)
		same(x, "the other way", caused[0].ID, made)
	})
}
