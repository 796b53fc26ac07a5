package dbtest_test

import (
	"testing"
	"time"

	"github.com/rprp/hivego/db"
	"github.com/rprp/hivego/server/hive"
)

// failure returns a failed batch of a logical date, with two failed runs and one that succeeded.
func (x *fixture) failure(s hive.Schedule, r hive.Revision, moment time.Time) hive.NewBatch {
	nb := x.ended(s, r, hive.BatchFailed, moment.Sub(t0)+time.Minute)
	nb.Batch.Moment, nb.Batch.RoundAt = moment, moment
	nb.Batch.Counts = hive.Counts{hive.RunSucceeded: 1, hive.RunFailed: 2}
	nb.Runs = []hive.Run{
		{Number: 0, Job: "load", Task: "later", State: hive.RunFailed, FinishedAt: moment.Add(time.Minute)},
		{Number: 1, Job: "load", Task: "good", State: hive.RunSucceeded, FinishedAt: moment.Add(time.Second)},
		{
			Number: 2, Job: "load", Task: "first", State: hive.RunFailed, FinishedAt: moment.Add(time.Second),
			Detail: "exit code 1", DetailReason: &hive.TextReason{Code: "exit", Params: map[string]string{"code": "1"}},
		},
	}
	for i := range nb.Runs {
		nb.Runs[i].Round, nb.Runs[i].ChangedAt = 1, moment
		nb.Runs[i].StartedAt = moment.Add(time.Duration(i) * time.Millisecond)
	}
	return nb
}

// A failed batch stays open until it is closed or its own date succeeds. A success of another date does not settle it.
func TestOpenBatches(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		other, rev := x.save("other", "other", t0)
		closed := x.failure(x.schedule, x.revision, after(2*time.Hour))
		closed.Batch.ClosedNote = "known"
		success := func(at time.Duration) hive.NewBatch {
			nb := x.ended(x.schedule, x.revision, hive.BatchSucceeded, at+time.Minute)
			nb.Batch.Moment = after(at)
			return nb
		}
		list := must(x.CreateBatches(ctx, x.me, []hive.NewBatch{
			x.failure(x.schedule, x.revision, t0), x.failure(x.schedule, x.revision, after(time.Hour)), closed,
			success(time.Hour), success(3 * time.Hour), x.failure(other, rev, after(4*time.Hour)),
		}))(x)
		adhoc := x.ended(hive.Schedule{}, x.revision, hive.BatchFailed, 9*time.Hour)
		adhoc.Batch.Kind = hive.KindAdhoc
		_ = must(x.CreateBatch(ctx, x.me, adhoc))(x)
		archived, rev := x.save("archived", "archived", t0)
		_ = must(x.CreateBatch(ctx, x.me, x.failure(archived, rev, t0)))(x)
		_ = must(x.SetArchived(ctx, "archived", true, "ada", t0))(x)

		event := x.event("failed", "failed", "mail")
		event.Event.BatchID = list[0].ID
		_ = must(x.StoreAlertEvent(ctx, event))(x)
		_ = must(x.TakeAlerts(ctx, hive.TakeAlerts{Batch: list[0].ID, By: "bob", Now: t0}))(x)
		run := x.snapshot(list[5].ID).Runs[2]
		x.attempt(run, 1, "no such table")
		x.attempt(run, 2, "no such column")
		run.Round = 2
		x.attempt(run, 3, "of another round")

		same(x, "all of them", must(x.CountOpen(ctx))(x), 2)
		got := must(x.OpenBatches(ctx, 0, 10))(x)
		same(x, "newest first", got, []hive.OpenBatch{
			{
				ID: list[5].ID, Schedule: "other", ScheduleID: other.ID, Round: 1, Moment: after(4 * time.Hour),
				FailedAt: after(4*time.Hour + time.Minute), Counts: list[5].Counts, Kind: hive.KindManual,
				Job: "load", Task: "first", Error: "no such column",
			},
			{
				ID: list[0].ID, Schedule: "warehouse", ScheduleID: x.schedule.ID, Round: 1, Moment: t0,
				FailedAt: after(time.Minute), Counts: list[0].Counts, Kind: hive.KindManual,
				Job: "load", Task: "first", Error: "exit code 1",
				Reason:  &hive.TextReason{Code: "exit", Params: map[string]string{"code": "1"}},
				TakenBy: "bob",
			},
		})
		same(x, "the page after", must(x.OpenBatches(ctx, list[5].ID, 10))(x), got[1:])
		same(x, "one", must(x.OpenBatches(ctx, 0, 1))(x), got[:1])
		same(x, "none", len(must(x.OpenBatches(ctx, list[0].ID, 1))(x)), 0)
		same(x, "by schedule", must(x.CountOpenOf(ctx, []int64{other.ID, x.schedule.ID, archived.ID, 999}))(x),
			map[int64]int{other.ID: 1, x.schedule.ID: 1})

		// The list of batches has the same ones, and those that only their owner knows.
		need := func(f hive.BatchFilter) (ids []int64) {
			f.NeedsPerson = true
			for _, b := range must(x.Batches(ctx, f))(x) {
				ids = append(ids, b.ID)
			}
			return ids
		}
		same(x, "in the list", need(hive.BatchFilter{}), []int64{list[5].ID, list[0].ID})
		same(x, "with an urgent one", need(hive.BatchFilter{Urgent: []int64{list[3].ID, list[5].ID}}),
			[]int64{list[5].ID, list[3].ID, list[0].ID})
		same(x, "of a schedule", need(hive.BatchFilter{Schedule: "other"}), []int64{list[5].ID})
		same(x, "the next page of the list", need(hive.BatchFilter{Before: list[5].ID, Limit: 1}), []int64{list[0].ID})
		same(x, "names", must(x.NamedSchedules(ctx, "TH"))(x), []hive.NamedSchedule{{ID: other.ID, Name: "other"}})
		same(x, "no pattern", len(must(x.NamedSchedules(ctx, "_"))(x)), 0)
		same(x, "names without archived ones", len(must(x.NamedSchedules(ctx, ""))(x)), 2)
	})
}

// attempt stores an attempt of a run that failed.
func (x *fixture) attempt(run hive.Run, number int, words string) {
	x.Helper()
	code := 1
	a := hive.Attempt{
		ID: must(x.NextIDs(x.Context(), db.CounterAttempt, 1))(x), Key: "key", BatchID: run.BatchID, RunID: run.ID,
		Number: number, Round: run.Round, Executor: "e1", ExecutorName: "alpha", State: hive.AttemptEnded,
		Outcome: hive.OutcomeFailure, ExitCode: &code, Error: words, OfferedAt: t0, StartedAt: t0, FinishedAt: t0,
	}
	x.ok(x.commit(hive.BatchWrite{BatchID: run.BatchID, Offers: []hive.Attempt{a}}))
}

func TestNight(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		other, rev := x.save("other", "other", t0)
		success := func(s hive.Schedule, r hive.Revision, begin, end time.Duration) hive.NewBatch {
			nb := x.ended(s, r, hive.BatchSucceeded, end)
			nb.Batch.RoundAt, nb.Batch.Moment = after(begin), after(begin)
			nb.Runs[0].State, nb.Runs[0].StartedAt, nb.Runs[0].FinishedAt = hive.RunSucceeded, after(begin), after(end)
			return nb
		}
		list := must(x.CreateBatches(ctx, x.me, []hive.NewBatch{
			success(x.schedule, x.revision, 0, time.Hour), success(other, rev, time.Hour, 2*time.Hour),
			success(x.schedule, x.revision, 3*time.Hour, 4*time.Hour),
			x.failure(x.schedule, x.revision, after(5*time.Hour)), x.newBatch(2),
		}))(x)
		night := func(i int, open bool) hive.NightBatch {
			b := &list[i]
			return hive.NightBatch{
				ID: b.ID, Schedule: b.ScheduleID, State: b.State, Moment: b.Moment, Begin: b.RoundAt, End: b.FinishedAt,
				Open: open, Counts: b.Counts,
			}
		}
		all := hive.Span{From: t0, To: after(24 * time.Hour)}
		same(x, "the latest ends", must(x.LatestEnds(ctx, all, false, 3))(x),
			[]hive.NightBatch{night(3, true), night(2, false), night(1, false)})
		same(x, "failures", must(x.LatestEnds(ctx, all, true, 3))(x), []hive.NightBatch{night(3, true)})
		hour := hive.Span{From: after(time.Hour), To: after(2 * time.Hour)}
		same(x, "of a span", must(x.LatestEnds(ctx, hour, false, 9))(x), []hive.NightBatch{night(0, false)})

		ids := []int64{x.schedule.ID, other.ID}
		part := hive.Span{From: after(30 * time.Minute), To: after(4 * time.Hour)}
		same(x, "what ran in a span", must(x.EndedWithin(ctx, ids, part, 2))(x),
			map[int64][]hive.NightBatch{
				x.schedule.ID: {night(2, false), night(0, false)}, other.ID: {night(1, false)},
			})
		same(x, "the latest of each", must(x.EndedWithin(ctx, ids, all, 1))(x),
			map[int64][]hive.NightBatch{x.schedule.ID: {night(3, true)}, other.ID: {night(1, false)}})
		weeks := hive.Span{From: after(-15 * 24 * time.Hour), To: after(2*time.Hour - hive.MostNightTime)}
		early := success(other, rev, -15*24*time.Hour, time.Hour)
		list = append(list, must(x.CreateBatch(ctx, x.me, early))(x))
		_ = must(x.CreateBatch(ctx, x.me, success(other, rev, -15*24*time.Hour, 3*time.Hour)))(x)
		same(x, "what ended not too long after a span", must(x.EndedWithin(ctx, ids, weeks, 9))(x),
			map[int64][]hive.NightBatch{other.ID: {night(5, false)}})
		same(x, "when tasks ran", must(x.RunTimes(ctx, []int64{list[0].ID, list[1].ID, list[4].ID}))(x), []hive.Span{
			{From: t0, To: after(time.Hour)}, {From: after(time.Hour), To: after(2 * time.Hour)},
		})
	})
}

func TestSoonSchedules(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		ids := map[string]int64{}
		for i, name := range []string{"b", "a", "off", "archived", "late"} {
			s, _ := x.save(name, name, t0)
			ids[name] = s.ID
			if name == "off" {
				x.ok(x.SetEnabled(ctx, name, false, t0))
			}
			if name == "archived" {
				_ = must(x.SetArchived(ctx, name, true, "ada", t0))(x)
			}
			x.look(name, after(time.Duration(1+i)*time.Hour))
		}
		x.decide(waits(after(time.Minute)))
		x.look("warehouse", hive.Never())
		x.look("late", after(48*time.Hour))
		waiting, soon, err := x.SoonSchedules(ctx, after(24*time.Hour), 5)
		x.ok(err)
		same(x, "waiting", waiting, []int64{x.schedule.ID})
		same(x, "soon", soon, []int64{ids["b"], ids["a"]})
		_, soon, err = x.SoonSchedules(ctx, after(24*time.Hour), 1)
		x.ok(err)
		same(x, "the soonest", soon, []int64{ids["b"]})
	})
}
