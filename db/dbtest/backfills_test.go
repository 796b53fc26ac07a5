package dbtest_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// wide makes a backfill of the fixture's schedule and of another one, mart, whose one moment reads both moments of the
// fixture's schedule.
func (x *fixture) wide() hive.Backfill {
	x.Helper()
	n := x.newBackfill(t0, after(time.Hour))
	x.save("mart", "mart 1", t0)
	mart := must(x.Schedule(x.Context(), "mart"))(x)
	rev := must(x.RevisionAt(x.Context(), mart.ID, 1))(x)
	n.Backfill.WithDependants, n.Backfill.Parallel = true, 5
	n.Backfill.Schedules = append(n.Backfill.Schedules, hive.BackfillSchedule{
		ScheduleID: mart.ID, RevisionID: rev.ID, Revision: 1, First: after(2 * time.Hour), Last: after(2 * time.Hour),
	})
	n.Moments = append(n.Moments, hive.NewBackfillMoment{
		ScheduleID: mart.ID, Moment: after(2 * time.Hour),
		Needs: []hive.BackfillNeed{{ScheduleID: x.schedule.ID, First: t0, Last: after(time.Hour), Any: true}},
	})
	return must(x.CreateBackfill(x.Context(), n))(x)
}

// The list is filtered by who created a backfill, and by when.
func TestBackfillFilters(t *testing.T) {
	each(t, func(x *fixture) {
		ids := map[int64]string{}
		for i, by := range []string{"ada", "bob", "ada"} {
			n := x.newBackfill(t0)
			n.Backfill.CreatedBy, n.Backfill.CreatedAt = by, after(time.Duration(i)*time.Hour)
			ids[must(x.CreateBackfill(x.Context(), n))(x).ID] = by + " " + strconv.Itoa(i)
		}
		for what, c := range map[string]struct {
			f    hive.BackfillFilter
			want []string
		}{
			"all":           {hive.BackfillFilter{}, []string{"ada 2", "bob 1", "ada 0"}},
			"of a person":   {hive.BackfillFilter{By: "ada"}, []string{"ada 2", "ada 0"}},
			"of nobody":     {hive.BackfillFilter{By: "eve"}, nil},
			"since":         {hive.BackfillFilter{Since: after(time.Hour)}, []string{"ada 2", "bob 1"}},
			"until":         {hive.BackfillFilter{Until: after(time.Hour)}, []string{"ada 0"}},
			"of both":       {hive.BackfillFilter{By: "ada", Since: after(time.Hour)}, []string{"ada 2"}},
			"the next page": {hive.BackfillFilter{Limit: 1}, []string{"ada 2"}},
		} {
			var got []string
			for _, b := range must(x.Backfills(x.Context(), c.f))(x) {
				got = append(got, ids[b.ID])
			}
			same(x, what, got, c.want)
		}
	})
}

// decideFill stores a decision about a backfill, and returns what it saw.
func (x *fixture) decideFill(id int64, writes ...hive.BackfillMomentWrite) hive.BackfillView {
	x.Helper()
	var seen hive.BackfillView
	_, _, err := x.DecideBackfill(x.Context(), x.me, id, after(time.Minute),
		func(v hive.BackfillView) (hive.BackfillWrite, error) {
			seen = v
			return hive.BackfillWrite{State: v.Backfill.State, Moments: writes}, nil
		})
	x.ok(err)
	return seen
}

// A backfill with several schedules is read with all of its moments, what they read, and what became of them.
func TestBackfillOfSchedules(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		b := x.wide()
		same(x, "with dependants", b.WithDependants, true)
		same(x, "moments", []int{b.Counts.Waiting, b.Schedules[0].Counts.Waiting, b.Schedules[1].Counts.Waiting},
			[]int{3, 2, 1})
		same(x, "the second schedule", []any{b.Schedules[1].Schedule, b.Schedules[1].First},
			[]any{"mart", after(2 * time.Hour)})
		for _, name := range []string{"mart", x.schedule.Name} {
			list := must(x.Backfills(ctx, hive.BackfillFilter{Schedule: name}))(x)
			same(x, "backfills of "+name, len(list), 1)
		}

		old := must(x.CreateBatch(ctx, x.me, x.newBatch(1)))(x)
		made := x.newBatch(1)
		made.Batch.Kind, made.Batch.Moment, made.Batch.Backfill = hive.KindBackfill, t0, b.ID
		x.decideFill(b.ID, hive.BackfillMomentWrite{
			Position: 0, ScheduleID: x.schedule.ID, Act: hive.ActCreated, New: &made, Causes: []int64{old.ID},
		}, hive.BackfillMomentWrite{Position: 2, Act: hive.ActSkipped, SkippedFor: 0})
		v := x.decideFill(b.ID)
		first, last := v.Next[0], v.Next[2]
		same(x, "the moment with a batch",
			[]any{first.Outcome, first.Got > old.ID, len(first.Needs), first.Batch == nil},
			[]any{hive.BatchRunning, true, 0, true})
		same(x, "what the last one reads", last.Needs, []hive.BackfillNeed{{
			ScheduleID: x.schedule.ID, First: t0, Last: after(time.Hour), Any: true,
		}})
		same(x, "it is skipped", []any{last.Outcome, last.SkippedFor, v.Backfill.Counts.Skipped},
			[]any{hive.BatchState(""), 0, 1})
		same(x, "the reason", v.Backfill.Skipped, []hive.BackfillSkip{{
			Schedule: "mart", Moment: after(2 * time.Hour), Upstream: x.schedule.Name, UpstreamMoment: t0,
			Batch: first.Got,
		}})
		causes, _, err := x.Causes(ctx, first.Got, 5)
		x.ok(err)
		same(x, "causes", len(causes), 1)

		x.decideFill(b.ID, hive.BackfillMomentWrite{Position: 2, Act: hive.ActWaiting})
		v = x.decideFill(b.ID)
		same(x, "it waits again", []int{v.Next[2].SkippedFor, v.Backfill.Counts.Skipped, v.Backfill.Counts.Waiting},
			[]int{-1, 0, 2})
		x.decideFill(b.ID, hive.BackfillMomentWrite{Position: 2, Act: hive.ActSkipped, SkippedFor: 0})
		x.decideFill(b.ID, hive.BackfillMomentWrite{Position: 2, Act: hive.ActKept, Batch: old.ID})
		got := must(x.Backfill(ctx, b.ID))(x)
		same(x, "a moment that is kept is not skipped", []int{got.Counts.Kept, got.Counts.Skipped}, []int{1, 0})
	})
}

// The batch of a backfill ends the wait of its moment's tick, and no other tick.
func TestBackfillEndsWait(t *testing.T) {
	each(t, func(x *fixture) {
		x.decide(waits(t0), waits(after(time.Hour)))
		b := x.wide()
		made := x.newBatch(1)
		made.Batch.Kind, made.Batch.Moment = hive.KindBackfill, t0
		x.decideFill(b.ID, hive.BackfillMomentWrite{
			Position: 0, ScheduleID: x.schedule.ID, Act: hive.ActCreated, New: &made,
		})
		list := must(x.Ticks(x.Context(), x.schedule.ID, time.Time{}, 10))(x)
		ended := list[1]
		same(x, "the decisions", []hive.Decision{list[0].Decision, ended.Decision},
			[]hive.Decision{hive.DecisionWaiting, hive.DecisionFired})
		same(x, "the ended one", []any{ended.Rule, ended.BatchID > 0, ended.DecidedAt, len(ended.Wait.Missing)},
			[]any{hive.RuleBackfill, true, after(time.Minute), 0})
		results := must(x.MomentResults(x.Context(), x.schedule.ID, t0.Add(-time.Second), t0, 5))(x)
		same(x, "a backfill made it", []bool{results[0].Filled, results[0].Expected()}, []bool{true, true})
	})
}

// A schedule that a live backfill of another one fills is not deleted. Without it, its part of the backfill goes.
func TestDeletionOfDependant(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		b := x.wide()
		_ = must(x.SetArchived(ctx, "mart", true, "ada", after(time.Hour)))(x)
		x.code(hive.CodeConflict, second(x.BeginDeletion(ctx, "mart", "ada", t0)))
		_, _, err := x.CancelBackfill(ctx, b.ID, "ada", after(time.Hour), nil)
		x.ok(err)
		d := must(x.BeginDeletion(ctx, "mart", "ada", t0))(x)
		for done := false; !done; {
			done = must(x.DeleteChunk(ctx, x.me, d.ID, nil, 2, after(2*time.Hour)))(x)
		}
		got := must(x.Backfill(ctx, b.ID))(x)
		same(x, "what is left", []int{len(got.Schedules), got.Counts.Moments()}, []int{1, 2})
	})
}
