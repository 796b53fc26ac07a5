package dbtest_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// ended stores a batch of a schedule that ended after a time.
func (x *fixture) ended(s hive.Schedule, r hive.Revision, state hive.BatchState, took time.Duration) hive.NewBatch {
	nb := x.newBatch(1)
	nb.Batch.ScheduleID, nb.Batch.Schedule, nb.Batch.RevisionID = s.ID, s.Name, r.ID
	nb.Batch.State, nb.Batch.FinishedAt = state, after(took)
	nb.Batch.Counts = hive.Counts{hive.RunSucceeded: 1}
	return nb
}

func TestRecentBatches(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		var schedules []int64
		for i := range 130 { // more than one statement
			s, r := x.save(fmt.Sprintf("s%d", i), fmt.Sprintf("document of %d", i), t0)
			schedules = append(schedules, s.ID)
			if i%2 == 0 {
				continue // without batches
			}
			var all []hive.NewBatch
			for n := range 5 {
				all = append(all, x.ended(s, r, hive.BatchSucceeded, time.Duration(n)*time.Second))
			}
			_ = must(x.CreateBatches(ctx, x.me, all))(x)
		}
		got := must(x.RecentBatches(ctx, schedules, 3))(x)
		same(x, "schedules with batches", len(got), 65)
		for i, id := range schedules {
			list := got[id]
			if i%2 == 0 {
				same(x, "batches of "+fmt.Sprint(i), len(list), 0)
				continue
			}
			took := []time.Duration{}
			for _, b := range list {
				took = append(took, b.FinishedAt.Sub(t0))
				same(x, "schedule and counts", []any{b.ScheduleID, b.Counts},
					[]any{id, hive.Counts{hive.RunSucceeded: 1}})
			}
			same(x, "the latest, oldest first", took,
				[]time.Duration{2 * time.Second, 3 * time.Second, 4 * time.Second})
		}
		same(x, "of none", len(must(x.RecentBatches(ctx, nil, 3))(x)), 0)
	})
}

func TestUsualDurations(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		other, rev := x.save("other", "other", t0)
		failing, _ := x.save("failing", "failing", t0)
		var all []hive.NewBatch
		for range 30 { // too long ago to count
			all = append(all, x.ended(other, rev, hive.BatchSucceeded, time.Hour))
		}
		for n := range 20 {
			all = append(all, x.ended(other, rev, hive.BatchSucceeded, time.Duration(n+1)*time.Minute))
		}
		again := x.ended(other, rev, hive.BatchSucceeded, time.Second)
		again.Batch.Round = 2
		live := x.ended(other, rev, hive.BatchRunning, 0)
		live.Batch.FinishedAt = time.Time{}
		paused := x.ended(x.schedule, x.revision, hive.BatchSucceeded, time.Minute)
		paused.Batch.PausedFor = 20 * time.Second
		all = append(all, again, live, paused, x.ended(other, rev, hive.BatchFailed, time.Second),
			x.ended(failing, rev, hive.BatchFailed, time.Second), x.ended(failing, rev, hive.BatchCanceled,
				time.Second))
		for range 50 {
			fill := x.ended(other, rev, hive.BatchSucceeded, time.Second)
			fill.Batch.Kind = hive.KindBackfill
			all = append(all, fill)
		}
		_ = must(x.CreateBatches(ctx, x.me, all))(x)
		same(x, "usual", must(x.UsualDurations(ctx, []int64{x.schedule.ID, other.ID, failing.ID}))(x),
			map[int64]time.Duration{x.schedule.ID: 40 * time.Second, other.ID: 10*time.Minute + 30*time.Second})
	})
}

func TestLastEnds(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		other, rev := x.save("other", "other", t0)
		never, _ := x.save("never", "never", t0)
		fill := x.ended(other, rev, hive.BatchSucceeded, 50*time.Minute)
		fill.Batch.Kind = hive.KindBackfill
		resumed := x.ended(x.schedule, x.revision, hive.BatchFailed, 30*time.Minute)
		resumed.Batch.Kind, resumed.Batch.Round = hive.KindBackfill, 2
		manual := x.ended(other, rev, hive.BatchCanceled, 20*time.Minute)
		manual.Batch.Kind = hive.KindManual
		live := x.ended(never, rev, hive.BatchRunning, 0)
		live.Batch.FinishedAt = time.Time{}
		_ = must(x.CreateBatches(ctx, x.me, []hive.NewBatch{
			x.ended(other, rev, hive.BatchFailed, 10*time.Minute), manual,
			x.ended(other, rev, hive.BatchSucceeded, 5*time.Minute), fill, resumed, live,
		}))(x)
		same(x, "ends", must(x.LastEnds(ctx, []int64{x.schedule.ID, other.ID, never.ID}))(x),
			map[int64]time.Time{x.schedule.ID: after(30 * time.Minute), other.ID: after(20 * time.Minute)})
	})
}

func TestCountsOfBatches(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		img := x.batch(3)
		empty := x.batch(0)
		change, attempt := x.offer(img.Runs[0])
		w := hive.BatchWrite{BatchID: img.Batch.ID, Runs: []hive.RunChange{change}, Offers: []hive.Attempt{attempt}}
		x.ok(x.commit(w))
		same(x, "counted", must(x.CountRuns(ctx, []int64{img.Batch.ID, empty.Batch.ID, 999}))(x),
			map[int64]hive.Counts{img.Batch.ID: {hive.RunReady: 1, hive.RunWaiting: 2}})

		// The commit that ends a round stores them; the one that opens the next takes them back.
		b := img.Batch
		b.State, b.Live, b.FinishedAt = hive.BatchFailed, false, after(time.Minute)
		b.Counts = hive.Counts{hive.RunFailed: 1, hive.RunSkipped: 2}
		x.ok(x.commit(hive.BatchWrite{BatchID: b.ID, Batch: &hive.BatchChange{From: hive.BatchRunning, To: b}}))
		same(x, "stored", must(x.Batch(ctx, b.ID))(x), b)
		b.State, b.Live, b.FinishedAt, b.Counts = hive.BatchRunning, true, time.Time{}, nil
		x.ok(x.commit(hive.BatchWrite{BatchID: b.ID, Batch: &hive.BatchChange{From: hive.BatchFailed, To: b}}))
		same(x, "taken back", must(x.Batch(ctx, b.ID))(x), b)

		ids := []int64{}
		for _, l := range must(x.AllLive(ctx))(x) {
			ids = append(ids, l.ID)
		}
		same(x, "live", ids, []int64{b.ID, empty.Batch.ID})
	})
}

func TestEndedAndFailed(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		add := func(s hive.Schedule, state hive.BatchState, at time.Duration, note string) {
			nb := x.ended(s, x.revision, state, at)
			nb.Batch.ClosedNote = note
			if !state.Final() {
				nb.Batch.FinishedAt = time.Time{}
			}
			_ = must(x.CreateBatch(ctx, x.me, nb))(x)
		}
		mended, _ := x.save("mended", "mended", t0)
		closed, _ := x.save("closed", "closed", t0)
		goesOn, _ := x.save("goes-on", "goes on", t0)
		x.save("never-ran", "never ran", t0)
		for i, c := range []struct {
			schedule hive.Schedule
			state    hive.BatchState
			note     string
		}{
			{mended, hive.BatchFailed, ""},
			{mended, hive.BatchSucceeded, ""},
			{closed, hive.BatchFailed, "known"},
			{goesOn, hive.BatchFailed, ""},
			{goesOn, hive.BatchRunning, ""},
			{x.schedule, hive.BatchSucceeded, ""},
			{x.schedule, hive.BatchCanceled, ""},
			{x.schedule, hive.BatchFailed, ""},
		} {
			add(c.schedule, c.state, time.Duration(i)*time.Hour, c.note)
		}
		adhoc := x.ended(hive.Schedule{}, x.revision, hive.BatchFailed, 9*time.Hour)
		adhoc.Batch.Kind = hive.KindAdhoc
		_ = must(x.CreateBatch(ctx, x.me, adhoc))(x)
		same(x, "open batches", must(x.CountOpen(ctx))(x), 2)
		for since, want := range map[time.Duration][2]int{
			0: {2, 7}, 2 * time.Hour: {1, 5}, 7 * time.Hour: {0, 1},
			8 * time.Hour: {0, 0},
		} {
			succeeded, ended, err := x.Ended(ctx, after(since))
			x.ok(err)
			same(x, "ended since "+since.String(), [2]int{succeeded, ended}, want)
		}
	})
}

// TestPastTimes reads when the tasks of the latest batches before one ran.
func TestPastTimes(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		batch := func(state hive.BatchState, minutes ...int) hive.NewBatch {
			nb := x.ended(x.schedule, x.revision, state, time.Hour)
			nb.Runs = nil
			for n, m := range minutes {
				run := hive.Run{Number: n, Job: "job", Task: fmt.Sprint("task", n), State: hive.RunSucceeded, Round: 1}
				if m > 0 { // else it was skipped
					run.StartedAt, run.FinishedAt = after(time.Minute), after(time.Duration(1+m)*time.Minute)
				}
				nb.Runs = append(nb.Runs, run)
			}
			return nb
		}
		again, paused := batch(hive.BatchSucceeded, 70), batch(hive.BatchSucceeded, 80)
		again.Batch.Round, paused.Batch.PausedFor = 2, time.Second
		fill := batch(hive.BatchSucceeded, 90)
		fill.Batch.Kind = hive.KindBackfill
		all := []hive.NewBatch{batch(hive.BatchSucceeded, 99, 99)} // too old
		for m := range hive.UsualRunsOf - 1 {
			all = append(all, batch(hive.BatchSucceeded, 1+m))
		}
		all = append(all, batch(hive.BatchSucceeded, 60, 0, 30), again, paused, fill, batch(hive.BatchFailed, 60),
			batch(hive.BatchSucceeded), batch(hive.BatchRunning, 7), batch(hive.BatchSucceeded, 40))
		made := must(x.CreateBatches(ctx, x.me, all))(x)
		before := made[len(made)-2].ID
		got := must(x.PastTimes(ctx, x.schedule.ID, before))(x)
		took := map[string][]int{}
		for task, times := range got {
			for _, one := range times {
				same(x, "begin", one.Begin, time.Minute)
				took[task] = append(took[task], int((one.End - one.Begin).Minutes()))
			}
		}
		want := []int{60} // a batch after it has no runs, but counts
		for m := hive.UsualRunsOf - 1; m > 1; m-- {
			want = append(want, m)
		}
		same(x, "minutes", took, map[string][]int{"task0": want, "task2": {30}})
		same(x, "before all", len(must(x.PastTimes(ctx, x.schedule.ID, made[0].ID))(x)), 0)
	})
}

// TestUsualTasks reads the tasks of the latest batch that succeeded in its first round without a pause.
func TestUsualTasks(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		other, rev := x.save("other", "other", t0)
		failing, failed := x.save("failing", "failing", t0)
		batch := func(s hive.Schedule, r hive.Revision, state hive.BatchState, minutes ...int) hive.NewBatch {
			nb := x.ended(s, r, state, time.Hour)
			nb.Runs = nil
			for n, m := range minutes {
				run := hive.Run{Number: n, Job: "job", Task: fmt.Sprint("task", n), State: hive.RunSucceeded, Round: 1}
				if m > 0 { // else it was skipped
					run.StartedAt, run.FinishedAt = after(time.Minute), after(time.Duration(1+m)*time.Minute)
				}
				nb.Runs = append(nb.Runs, run)
			}
			return nb
		}
		again := batch(other, rev, hive.BatchSucceeded, 7)
		again.Batch.Round = 2
		paused := batch(other, rev, hive.BatchSucceeded, 8)
		paused.Batch.PausedFor = time.Second
		fill := batch(other, rev, hive.BatchSucceeded, 9)
		fill.Batch.Kind = hive.KindBackfill
		_ = must(x.CreateBatches(ctx, x.me, []hive.NewBatch{
			batch(other, rev, hive.BatchSucceeded, 1), batch(other, rev, hive.BatchSucceeded, 2, 0, 3),
			batch(other, rev, hive.BatchFailed, 4), again, paused, fill, batch(failing, failed, hive.BatchFailed, 1),
			batch(x.schedule, x.revision, hive.BatchSucceeded),
		}))(x)
		got := must(x.UsualTasks(ctx, []int64{x.schedule.ID, other.ID, failing.ID}))(x)
		same(x, "tasks", got, map[int64][]hive.TaskTime{
			x.schedule.ID: nil,
			other.ID: {
				{Begin: time.Minute, End: 3 * time.Minute}, {Begin: time.Minute, End: 4 * time.Minute},
			},
		})
	})
}
