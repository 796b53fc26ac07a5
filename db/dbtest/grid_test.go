package dbtest_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/rprp/hivego/db"
	"github.com/rprp/hivego/db/dbtest"
	"github.com/rprp/hivego/server/hive"
)

func TestRunColumns(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		type cell struct {
			run  hive.Run
			want hive.GridCell
		}
		run := func(want hive.GridCell, state hive.RunState, reason hive.Reason) cell {
			return cell{hive.Run{State: state, Reason: reason, Round: 1}, want}
		}
		retried, again := run('r', hive.RunSucceeded, ""), run('r', hive.RunSucceeded, "")
		retried.run.Failures, again.run.Round = 1, 2
		lost := run('r', hive.RunSucceeded, "")
		lost.run.Losses = 1
		cells := []cell{
			run(hive.CellSucceeded, hive.RunSucceeded, ""), run(hive.CellMarked, hive.RunSucceeded, hive.ReasonPerson),
			retried, lost, again,
			run(hive.CellFailed, hive.RunFailed, hive.ReasonExit),
			run(hive.CellCanceled, hive.RunCanceled, hive.ReasonPerson),
			run(hive.CellSkipped, hive.RunSkipped, hive.ReasonUpstreamFailed),
			run(hive.CellFalse, hive.RunIgnored, hive.ReasonWhen),
			run(hive.CellIgnored, hive.RunIgnored, hive.ReasonDisabled),
			run(hive.CellWaiting, hive.RunWaiting, ""), run(hive.CellReady, hive.RunReady, ""),
			run(hive.CellRunning, hive.RunRunning, ""), run(hive.CellUnknown, hive.RunUnknown, hive.ReasonHeld),
		}
		all := x.newBatch(len(cells))
		want := hive.RunColumn{}
		for i, c := range cells {
			c.run.Number, c.run.Job, c.run.Task = i, all.Runs[i].Job, all.Runs[i].Task
			if i > 0 {
				want.Tasks += ","
			}
			want.Tasks += c.run.Job + "/" + c.run.Task
			want.Cells += string(rune(c.want))
			want.Took = append(want.Took, int64(i)*1500)
			if i > 0 {
				c.run.StartedAt = after(time.Second)
				c.run.FinishedAt = c.run.StartedAt.Add(time.Duration(i) * 1500 * time.Millisecond)
			}
			all.Runs[i] = c.run
		}
		backwards := x.newBatch(2) // the end of an earlier attempt, and no end
		backwards.Runs[0].StartedAt, backwards.Runs[0].FinishedAt = after(time.Minute), after(time.Second)
		backwards.Runs[1].StartedAt = after(time.Minute)
		list := []hive.NewBatch{all, backwards, x.newBatch(0)}
		for range 30 { // more than one statement
			list = append(list, x.newBatch(1))
		}
		var ids []int64
		for i := range must(x.CreateBatches(ctx, x.me, list))(x) {
			ids = append(ids, int64(i)+1)
		}
		got := must(x.RunColumns(ctx, append(ids, 999)))(x)
		same(x, "columns", len(got), 32)
		same(x, "all states", got[1], want)
		same(x, "ends", got[2].Took, []int64{0, 0})
		same(x, "one run", got[33], hive.RunColumn{Tasks: "load/task-0", Cells: "w", Took: []int64{0}})
		same(x, "of none", len(must(x.RunColumns(ctx, nil))(x)), 0)
	})
}

// BenchmarkRunColumns reads a year of a thousand tasks.
func BenchmarkRunColumns(b *testing.B) {
	for name, config := range map[string]db.Config{
		"sqlite":   dbtest.SQLite(b),
		"postgres": {URL: dbtest.Postgres(b), Dir: b.TempDir()},
	} {
		b.Run(name, func(b *testing.B) {
			s := dbtest.Open(b, config)
			me := hive.Server{ID: "server-1", Address: "127.0.0.1:3000", Version: "1", StartedAt: t0}
			me.Epoch = must(s.StartSession(b.Context(), me, lease))(b)
			schedule, revision, _, err := s.SaveSchedule(b.Context(), hive.SaveSchedule{
				Name: "warehouse", Document: "document", Hash: "hash", By: "ada", Now: t0,
			})
			if err != nil {
				b.Fatal(err)
			}
			var ids []int64
			for i := range 365 {
				nb := hive.NewBatch{Batch: hive.Batch{
					ScheduleID: schedule.ID, RevisionID: revision.ID, Revision: 1, Kind: hive.KindScheduled,
					State: hive.BatchSucceeded, Wish: hive.WishRun, Round: 1,
					Moment:    after(time.Duration(i) * 24 * time.Hour),
					CreatedAt: t0, StartedAt: t0, RoundAt: t0, FinishedAt: after(time.Hour),
				}}
				for n := range 1000 {
					nb.Runs = append(nb.Runs, hive.Run{
						Number: n, Job: fmt.Sprintf("job_%d", n/20), Task: fmt.Sprintf("task_of_a_job_%d", n),
						State: hive.RunSucceeded, Round: 1, Attempts: 1, StartedAt: t0,
						FinishedAt: after(time.Duration(n*7919%600_000) * time.Millisecond), ChangedAt: t0,
						Outputs: map[string]string{"rows": fmt.Sprint(n * 31)},
					})
				}
				created := must(s.CreateBatch(b.Context(), me, nb))(b)
				ids = append(ids, created.ID)
			}
			for b.Loop() {
				if got := must(s.RunColumns(b.Context(), ids))(b); len(got) != len(ids) {
					b.Fatalf("%d columns", len(got))
				}
			}
		})
	}
}
