package dbtest_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/rprp/hivego/db"
	"github.com/rprp/hivego/server/hive"
)

func (x *fixture) decide(writes ...hive.TickWrite) []int64 {
	x.Helper()
	return must(x.DecideTicks(x.Context(), x.me, x.schedule.ID, after(time.Hour),
		func(hive.TickView) ([]hive.TickWrite, error) { return writes, nil }))(x)
}

// view is what a decision would see now.
func (x *fixture) view() (v hive.TickView) {
	x.Helper()
	made := must(x.DecideTicks(x.Context(), x.me, x.schedule.ID, t0,
		func(seen hive.TickView) ([]hive.TickWrite, error) { v = seen; return nil, nil }))(x)
	same(x, "batches of no decision", len(made), 0)
	return v
}

func fire(moment time.Time, tasks int) hive.TickWrite {
	nb := hive.NewBatch{Batch: hive.Batch{State: hive.BatchRunning, Kind: hive.KindScheduled}}
	for i := range tasks {
		nb.Runs = append(nb.Runs, hive.Run{Number: i, Job: "j", Task: fmt.Sprint("t", i), State: hive.RunWaiting})
	}
	return hive.TickWrite{
		Tick:  hive.Tick{Moment: moment, Trigger: "20 3 * * *", Decision: hive.DecisionFired, Rule: "on_time"},
		Batch: &nb,
	}
}

func TestDecideTicks(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		v := x.view()
		same(x, "first view", v, hive.TickView{
			Schedule: x.schedule, Document: "document 1", RevisionID: x.revision.ID, Revision: 1,
		})

		skipped := hive.TickWrite{Tick: hive.Tick{
			Moment: after(time.Minute), Decision: hive.DecisionSkipped, Rule: "overlap", Detail: "batch 1 is running",
		}}
		missed := hive.TickWrite{Tick: hive.Tick{
			Moment: after(2 * time.Minute), Until: after(30 * time.Minute), Count: 29, Decision: hive.DecisionMissed,
			Rule: "catch_up", RevisionID: 77, DecidedAt: after(31 * time.Minute),
		}}
		made := x.decide(fire(t0, 2), skipped, missed)
		same(x, "batches", len(made), 1)

		img := x.snapshot(made[0])
		want := hive.Batch{
			ID: made[0], ScheduleID: x.schedule.ID, Schedule: "warehouse", RevisionID: x.revision.ID, Revision: 1,
			Kind: hive.KindScheduled, State: hive.BatchRunning, Wish: hive.WishRun, Round: 1, Moment: t0,
			CreatedAt: after(time.Hour), Owner: x.me.ID, Live: true,
		}
		same(x, "batch", img.Batch, want)
		same(x, "runs", []any{len(img.Runs), img.Runs[1].Task, img.Runs[1].Number, img.Runs[1].Round},
			[]any{2, "t1", 1, 1})

		ticks := must(x.Ticks(ctx, x.schedule.ID, time.Time{}, 0))(x)
		same(x, "ticks", len(ticks), 3)
		missed.Tick.ID, missed.Tick.ScheduleID = ticks[0].ID, x.schedule.ID
		same(x, "range row", ticks[0], missed.Tick)
		same(x, "fired tick", ticks[2], hive.Tick{
			ID: ticks[2].ID, ScheduleID: x.schedule.ID, Moment: t0, Count: 1, Trigger: "20 3 * * *",
			Decision: hive.DecisionFired, Rule: "on_time", BatchID: made[0],
			RevisionID: x.revision.ID, DecidedAt: after(time.Hour),
		})
		same(x, "a page of ticks", must(x.Ticks(ctx, x.schedule.ID, ticks[0].Moment, 1))(x), ticks[1:2])

		v = x.view()
		same(x, "view", []any{v.Schedule.Mark, v.Live, v.Counted},
			[]any{after(30 * time.Minute), []hive.Batch{want}, 1})
		_, err := x.DecideTicks(ctx, x.me, 999, t0, func(hive.TickView) ([]hive.TickWrite, error) { return nil, nil })
		x.code(hive.CodeNotFound, err)
	})
}

// One tick is decided once, whoever decides it again, and however.
func TestTicksAreUnique(t *testing.T) {
	each(t, func(x *fixture) {
		first := x.decide(fire(t0, 1))
		made := x.decide(fire(t0, 1), fire(after(time.Minute), 1), fire(after(time.Minute), 1))
		same(x, "new batches", len(made), 1)
		ticks := must(x.Ticks(x.Context(), x.schedule.ID, time.Time{}, 10))(x)
		same(x, "ledger", []int64{ticks[0].BatchID, ticks[1].BatchID}, []int64{made[0], first[0]})
		same(x, "batches", len(must(x.Batches(x.Context(), hive.BatchFilter{}))(x)), 2)
		same(x, "counted", x.view().Counted, 2)

		again := fire(after(time.Minute), 1)
		again.Replace = first
		x.decide(again)
		same(x, "commands of a dropped tick", len(must(x.PendingCommands(x.Context(), x.me.ID))(x)), 0)
	})
}

func TestOverlapView(t *testing.T) {
	each(t, func(x *fixture) {
		queued := fire(t0, 1)
		queued.Batch.Batch.State, queued.Tick.Decision = hive.BatchQueued, hive.DecisionQueued
		ids := x.decide(queued)
		ids = append(ids, x.batch(1).Batch.ID) // manual
		backfill := x.newBatch(1)
		backfill.Batch.Kind = hive.KindBackfill
		must(x.CreateBatch(x.Context(), x.me, backfill))(x)
		resumed := x.newBatch(1)
		resumed.Batch.Kind, resumed.Batch.Round = hive.KindBackfill, 2
		ids = append(ids, must(x.CreateBatch(x.Context(), x.me, resumed))(x).ID)
		done := x.newBatch(1)
		done.Batch.State = hive.BatchSucceeded
		must(x.CreateBatch(x.Context(), x.me, done))(x)
		other, rev := x.save("other", "another document", t0)
		foreign := x.newBatch(1)
		foreign.Batch.ScheduleID, foreign.Batch.RevisionID = other.ID, rev.ID
		must(x.CreateBatch(x.Context(), x.me, foreign))(x)

		v := x.view()
		live := []int64{}
		for _, b := range v.Live {
			live = append(live, b.ID)
		}
		same(x, "what overlaps", live, ids)
		read := must(x.Overlapping(x.Context(), []int64{x.schedule.ID, other.ID}))(x)
		same(x, "what overlaps, without the lock", read[x.schedule.ID], v.Live)
		same(x, "what overlaps of another schedule", len(read[other.ID]), 1)
		same(x, "queued", v.Live[0].State, hive.BatchQueued)
		same(x, "counted", v.Counted, 1)

		replacing := fire(after(time.Hour), 1)
		replacing.Replace = live[:2]
		made := x.decide(replacing)
		commands := must(x.PendingCommands(x.Context(), x.me.ID))(x)
		same(x, "commands", len(commands), 2)
		same(x, "command", commands[1], hive.Command{
			ID: commands[1].ID, BatchID: live[1], Kind: hive.CommandWish, State: hive.CommandPending,
			Key:       fmt.Sprintf("replace:%d:%d", live[1], made[0]),
			Payload:   fmt.Appendf(nil, `{"wish":"cancel","note":"replaced by batch %d","reason":"replaced"}`, made[0]),
			CreatedAt: after(time.Hour), CreatedBy: db.ReplacedBy,
		})
	})
}

// A decision that fails leaves nothing, of any schedule.
func TestDecideManyTicks(t *testing.T) {
	each(t, func(x *fixture) {
		ctx, ids := x.Context(), []int64{x.schedule.ID}
		for i := range 510 {
			s, _ := x.save(fmt.Sprintf("s-%03d", i), fmt.Sprint("document ", i), t0)
			ids = append(ids, s.ID)
		}
		slices.Reverse(ids)
		bad := errors.New("bad")
		_, err := x.DecideManyTicks(ctx, x.me, append(ids, 1<<40), t0, func(v hive.TickView) ([]hive.TickWrite, error) {
			if v.Schedule.ID == ids[0] {
				return nil, bad
			}
			return []hive.TickWrite{fire(t0, 3)}, nil
		})
		x.is(bad, err)
		same(x, "batches", len(must(x.Batches(ctx, hive.BatchFilter{}))(x)), 0)
		same(x, "mark", x.view().Schedule.Mark, time.Time{})

		made := must(x.DecideManyTicks(ctx, x.me, ids, t0, func(hive.TickView) ([]hive.TickWrite, error) {
			return []hive.TickWrite{fire(t0, 3)}, nil
		}))(x)
		same(x, "batches", len(made), len(ids))
		same(x, "live batches", must(x.LiveBatches(ctx, x.me.ID))(x), made)
		seen := map[int64]bool{}
		for _, id := range made {
			for _, r := range must(x.Runs(ctx, id))(x) {
				if seen[r.ID] {
					x.Fatalf("run id %d is used twice", r.ID)
				}
				seen[r.ID] = true
			}
		}
		same(x, "runs", len(seen), 3*len(ids))
		none := must(x.DecideManyTicks(ctx, x.me, nil, t0, nil))(x)
		same(x, "batches of no schedules", len(none), 0)
	})
}

// Two servers that decide at once make one batch for each tick.
func TestTwoServersDecide(t *testing.T) {
	each(t, func(x *fixture) {
		servers := []hive.Server{x.me, x.session("server-2", lease), x.session("server-3", lease)}
		var others []int64
		for i := range 5 {
			s, _ := x.save(fmt.Sprint("s-", i), fmt.Sprint("document ", i), t0)
			others = append(others, s.ID)
		}
		const moments = 20
		var wg sync.WaitGroup
		made := make([][]int64, len(servers))
		for i, me := range servers {
			wg.Go(func() {
				ids := slices.Clone(others)
				if i%2 == 1 {
					slices.Reverse(ids)
				}
				for n := range moments {
					got, err := x.DecideManyTicks(x.Context(), me, ids, t0,
						func(v hive.TickView) ([]hive.TickWrite, error) {
							if at := after(time.Duration(n) * time.Minute); v.Schedule.Mark.Before(at) {
								return []hive.TickWrite{fire(at, 2)}, nil
							}
							return nil, nil
						})
					if err != nil {
						x.Error(err)
					}
					made[i] = append(made[i], got...)
				}
			})
		}
		wg.Wait()
		all := slices.Concat(made...)
		slices.Sort(all)
		same(x, "batches", len(slices.Compact(all)), moments*len(others))
		for _, id := range others {
			ticks := must(x.Ticks(x.Context(), id, time.Time{}, 500))(x)
			same(x, "ticks", len(ticks), moments)
		}
	})
}
