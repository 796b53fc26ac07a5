package dbtest_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

const aDay = 24 * time.Hour

// attemptsAsked is more than one question of KnownAttempts has.
const attemptsAsked = 1200

// old stores batches of the fixture's schedule, one a day from t0 on. Each ended after an hour.
func (x *fixture) old(states ...hive.BatchState) []int64 {
	x.Helper()
	var all []hive.NewBatch
	for i, state := range states {
		nb := x.newBatch(2)
		begin := after(time.Duration(i) * aDay)
		nb.Batch.Moment, nb.Batch.CreatedAt, nb.Batch.StartedAt, nb.Batch.RoundAt = begin, begin, begin, begin
		nb.Batch.State, nb.Batch.Live = state, !state.Final()
		if state.Final() {
			nb.Batch.FinishedAt = begin.Add(time.Hour)
		}
		all = append(all, nb)
	}
	made := must(x.CreateBatches(x.Context(), x.me, all))(x)
	ids := make([]int64, len(made))
	for i := range made {
		ids[i] = made[i].ID
	}
	return ids
}

// rule lets everything go that ended before day n.
func (x *fixture) rule(n int) hive.PruneRule {
	return hive.PruneRule{
		ScheduleID: x.schedule.ID, EndedBefore: after(time.Duration(n) * aDay), Floor: after(1000 * aDay),
		Now: after(500 * aDay),
	}
}

func (x *fixture) prunable(r hive.PruneRule) []int64 {
	x.Helper()
	var ids []int64
	for _, b := range must(x.Prunable(x.Context(), r, hive.PruneCursor{}, 100))(x) {
		ids = append(ids, b.ID)
	}
	return ids
}

// prune deletes what a rule lets go of some batches.
func (x *fixture) prune(r hive.PruneRule, ids []int64) int {
	x.Helper()
	n, more, err := x.PruneBatches(x.Context(), x.me, r, ids)
	x.ok(err)
	same(x, "more", more, false)
	return n
}

// TestPrunable states which batches a rule lets go.
func TestPrunable(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		ids := x.old(hive.BatchSucceeded, hive.BatchFailed, hive.BatchRunning, hive.BatchCanceled, hive.BatchSucceeded,
			hive.BatchSucceeded, hive.BatchCanceled)
		same(x, "all", x.prunable(x.rule(100)), []int64{ids[0], ids[3], ids[4]})
		same(x, "those that ended before", x.prunable(x.rule(4)), []int64{ids[0], ids[3]})
		r := x.rule(100)
		r.Floor = after(3 * aDay)
		same(x, "up to the floor", x.prunable(r), []int64{ids[0], ids[3]})
		r = x.rule(100)
		r.Now = after(3*aDay + 90*time.Minute)
		same(x, "not at once", x.prunable(r), []int64{ids[0]})
		r = x.rule(0)
		r.EndedBefore = time.Time{}
		id, at, err := x.NthBatch(ctx, x.schedule.ID, 4)
		x.ok(err)
		same(x, "the fourth", []any{id, at}, []any{ids[3], after(3 * aDay).Truncate(time.Millisecond)})
		r.Below = id
		same(x, "by count", x.prunable(r), ids[:1])
		id, _, err = x.NthBatch(ctx, x.schedule.ID, 8)
		x.ok(err)
		same(x, "fewer", id, int64(0))
		after0 := must(x.Prunable(ctx, x.rule(100), hive.PruneCursor{EndedAt: after(time.Hour), ID: ids[0]}, 1))(x)
		same(x, "the next part", after0, []hive.EndedBatch{{ID: ids[3], EndedAt: after(3*aDay + time.Hour)}})

		_ = must(x.CreateBackfill(ctx, x.newBackfill(t0, after(time.Hour))))(x)
		same(x, "with a live backfill", x.prunable(x.rule(100)), []int64{ids[3], ids[4]})
		x.chainRepair(x.rerunOf("again", ids[3]))
		same(x, "with a chain repair and its command", x.prunable(x.rule(100)), ids[4:5])
		_, _, err = x.AddCommand(ctx, x.repair(ids[4], "one"))
		x.ok(err)
		same(x, "with a command", x.prunable(x.rule(100)), []int64(nil))
	})
}

// TestSameMoment: the newest batch of a moment is its result, so an older one that stays keeps it.
func TestSameMoment(t *testing.T) {
	each(t, func(x *fixture) {
		first := x.old(hive.BatchFailed, hive.BatchCanceled)
		second := x.old(hive.BatchSucceeded, hive.BatchSucceeded)
		x.old(hive.BatchSucceeded, hive.BatchSucceeded, hive.BatchSucceeded)
		same(x, "the older first", x.prunable(x.rule(100)), first[1:])
		same(x, "pruned", x.prune(x.rule(100), first), 1)
		same(x, "then the other", x.prunable(x.rule(100)), second[1:])
	})
}

// TestPruneBatches deletes batches and their rows in chunks, and keeps counts and durations.
func TestPruneBatches(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		x.endedWithAttempts("a")
		x.endedWithAttempts("b")
		all := must(x.RecentBatches(ctx, []int64{x.schedule.ID}, 9))(x)[x.schedule.ID]
		last := x.old(hive.BatchSucceeded)
		r := x.rule(100)
		same(x, "what would go", must(x.PruneTotals(ctx, r))(x),
			hive.PruneCounts{Batches: 1, Runs: 1, Attempts: 1, LogBytes: 1 << 33})
		usual := must(x.UsualDurations(ctx, []int64{x.schedule.ID}))(x)
		succeeded, ended, err := x.Ended(ctx, t0.Add(-aDay))
		x.ok(err)

		ids := []int64{all[0].ID, all[1].ID, last[0]}
		same(x, "one of a moment", x.prune(r, ids), 1)
		same(x, "and the next", x.prune(r, ids), 1)
		same(x, "not the newest", x.prune(r, ids), 0)
		x.code(hive.CodeNotFound, second(x.Batch(ctx, ids[0])))
		same(x, "runs of nothing", must(x.PruneTotals(ctx, r))(x), hive.PruneCounts{})
		same(x, "the usual duration stays", must(x.UsualDurations(ctx, []int64{x.schedule.ID}))(x), usual)
		s2, e2, err := x.Ended(ctx, t0.Add(-aDay))
		x.ok(err)
		same(x, "what has ended", []int{s2, e2}, []int{succeeded, ended})

		refs := must(x.PruningAttempts(ctx, 1))(x)
		same(x, "attempts, one at a time", len(refs), 1)
		asked := []hive.AttemptRef{refs[0], {ID: refs[0].ID, Key: "another"}, {ID: 1 << 40, Key: refs[0].Key}}
		for i := range int64(attemptsAsked) {
			asked = append(asked, hive.AttemptRef{ID: 1<<41 + i})
		}
		same(x, "attempts that exist, until their rows go", must(x.KnownAttempts(ctx, asked))(x),
			map[hive.AttemptRef]bool{refs[0]: true})
		out, more, err := x.PruneRows(ctx, x.me, nil, 100)
		x.ok(err)
		same(x, "nothing before the logs", []any{out, more}, []any{hive.PruneCounts{}, true})
		var sum hive.PruneCounts
		for chunks := 0; ; chunks++ {
			var gone []int64
			for _, ref := range must(x.PruningAttempts(ctx, 1))(x) {
				gone = append(gone, ref.ID)
			}
			out, more, err := x.PruneRows(ctx, x.me, gone, 1)
			x.ok(err)
			sum.Add(out)
			if !more {
				break
			}
			if chunks > 30 {
				x.Fatal("it does not end")
			}
		}
		same(x, "rows", sum, hive.PruneCounts{Runs: 2, Attempts: 2, LogBytes: 2 << 33})
		same(x, "no attempt is left", must(x.KnownAttempts(ctx, asked))(x), map[hive.AttemptRef]bool{})
		_, _, err = x.PruneBatches(ctx, hive.Server{ID: x.me.ID, Epoch: x.me.Epoch - 1}, r, ids)
		x.is(hive.ErrSessionLost, err)
	})
}

// TestPruneIsGuarded: what happens to a batch after it was chosen, and before it is deleted, keeps it.
func TestPruneIsGuarded(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		ids := x.old(hive.BatchSucceeded, hive.BatchCanceled, hive.BatchSucceeded)
		chosen := x.prunable(x.rule(100))
		same(x, "chosen", chosen, ids[:2])
		_, _, err := x.AddCommand(ctx, x.repair(ids[0], "meanwhile"))
		x.ok(err)
		same(x, "pruned", x.prune(x.rule(100), chosen), 1)
		_ = must(x.Batch(ctx, ids[0]))(x)
		_, _, err = x.AddCommand(ctx, x.repair(ids[1], "too late"))
		x.code(hive.CodeNotFound, err)
	})
}

// TestPruneRace: of a person and retention one gets the batch. Nobody repairs a batch that is gone.
func TestPruneRace(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		states := make([]hive.BatchState, 40)
		for i := range states {
			states[i] = hive.BatchCanceled
		}
		ids := x.old(states...)
		ids = ids[:len(ids)-1] // the newest one stays
		var wg sync.WaitGroup
		stored := make([]error, len(ids))
		wg.Go(func() {
			for i, id := range ids {
				if i%2 == 0 {
					_, _, stored[i] = x.AddCommand(ctx, x.repair(id, fmt.Sprint("race ", id)))
				} else {
					_, _, _, stored[i] = x.CreateChainRepair(ctx, x.rerunOf(fmt.Sprint("race ", id), id))
				}
			}
		})
		wg.Go(func() {
			for _, id := range slices.Backward(ids) {
				if _, _, err := x.PruneBatches(ctx, x.me, x.rule(100), []int64{id}); err != nil {
					x.Error(err)
				}
			}
		})
		wg.Wait()
		for i, id := range ids {
			_, err := x.Batch(ctx, id)
			if (err == nil) != (stored[i] == nil) {
				x.Errorf("batch %d: %v, its command: %v", id, err, stored[i])
			}
			if stored[i] != nil {
				x.code(hive.CodeNotFound, stored[i])
			}
		}
	})
}

// TestPruneTicks deletes the ticks whose batches are gone.
func TestPruneTicks(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		kept := x.old(hive.BatchFailed)
		for i := range 5 {
			d := hive.DecisionSkipped
			if i == 3 {
				d = hive.DecisionWaiting
			}
			x.decide(hive.TickWrite{Tick: hive.Tick{
				Moment: after(time.Duration(i) * aDay), Decision: d, Rule: "overlap",
			}})
		}
		_, _, err := x.AddWebhookCall(ctx, x.call("k", after(7*aDay))) // it has no tick
		x.ok(err)
		same(x, "ticks", must(x.PrunableTicks(ctx, x.schedule.ID, after(4*aDay)))(x), 2)
		ticks, n, err := x.PruneTicks(ctx, x.me, x.schedule.ID, after(4*aDay), 1)
		x.ok(err)
		same(x, "the first", []int{ticks, n}, []int{1, 1})
		ticks, n, err = x.PruneTicks(ctx, x.me, x.schedule.ID, after(4*aDay), 10)
		x.ok(err)
		same(x, "the rest", []int{ticks, n}, []int{1, 1})
		_ = must(x.Batch(ctx, kept[0]))(x)
		ticks, _, err = x.PruneTicks(ctx, x.me, x.schedule.ID, after(40*aDay), 10)
		x.ok(err)
		same(x, "up to later", ticks, 1)

		b := must(x.CreateBackfill(ctx, x.newBackfill(after(time.Minute), after(time.Hour), after(2*time.Hour))))(x)
		_, n, err = x.PruneTicks(ctx, x.me, x.schedule.ID, after(40*aDay), 10)
		x.ok(err)
		same(x, "a live backfill stays", n, 0)
		_, _, err = x.CancelBackfill(ctx, b.ID, "ada", after(time.Hour), nil)
		x.ok(err)
		_, _, err = x.PruneTicks(ctx, x.me, x.schedule.ID, after(40*aDay), 10)
		x.ok(err)
		x.code(hive.CodeNotFound, second(x.Backfill(ctx, b.ID)))
	})
}

// TestOldLogs lists attempts by the ends of their batches.
func TestOldLogs(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		x.endedWithAttempts("a")
		x.old(hive.BatchFailed, hive.BatchSucceeded)
		r := x.rule(1)
		batches, attempts, bytes, err := x.OldLogs(ctx, r, hive.PruneCursor{}, 10)
		x.ok(err)
		same(x, "logs", []int{len(batches), len(attempts)}, []int{1, 1})
		same(x, "bytes", bytes, int64(1<<33))
		batches, _, _, err = x.OldLogs(ctx, r, hive.PruneCursor{EndedAt: batches[0].EndedAt, ID: batches[0].ID}, 10)
		x.ok(err)
		same(x, "no more", len(batches), 0)
		same(x, "no mark", must(x.LogMark(ctx, 7))(x), time.Time{})
		for i := range 2 {
			x.ok(x.SetLogMark(ctx, 7, after(time.Duration(i)*aDay)))
		}
		same(x, "the mark", must(x.LogMark(ctx, 7))(x), after(aDay))
	})
}

// TestPruneSchedules lists what retention must know.
func TestPruneSchedules(t *testing.T) {
	each(t, func(x *fixture) {
		x.decide(hive.TickWrite{Tick: hive.Tick{Moment: after(aDay), Decision: hive.DecisionWaiting, Rule: "after"}})
		_, _ = x.save("other", "policy: {keep: {days: 3}}", t0)
		list := must(x.PruneSchedules(x.Context()))(x)
		same(x, "schedules", fmt.Sprintf("%d %s %t %d %s", len(list), list[0].Name, list[0].Active, list[0].Revision,
			list[1].Name), "2 warehouse true 1 other")
		same(x, "may have limits", []bool{list[0].MayLimit, list[1].MayLimit}, []bool{false, true})
		same(x, "waiting since", []time.Time{list[0].Waiting, list[1].Waiting}, []time.Time{after(aDay), {}})
	})
}

// TestHoldPruning lets one server prune at a time.
func TestHoldPruning(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		same(x, "the first", must(x.HoldPruning(ctx, "a", time.Hour))(x), true)
		same(x, "another", must(x.HoldPruning(ctx, "b", time.Hour))(x), false)
		same(x, "the first again", must(x.HoldPruning(ctx, "a", -time.Hour))(x), true)
		same(x, "another after its end", must(x.HoldPruning(ctx, "b", time.Hour))(x), true)
	})
}

// TestDiskUses keeps one row for each day and server.
func TestDiskUses(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		size := must(x.DatabaseBytes(ctx))(x)
		if size.Total < 10_000 || size.Free < 0 || size.Free > size.Total {
			x.Errorf("size %+v", size)
		}
		day := time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC)
		use := hive.DiskUse{Day: day, Server: "a", At: t0, Database: 5, Logs: 1}
		x.ok(x.NoteDiskUse(ctx, use))
		use.Database, use.At = 7, after(time.Hour)
		x.ok(x.NoteDiskUse(ctx, use))
		next := hive.DiskUse{Day: day.Add(aDay), Server: "b", At: after(aDay), Database: 9, Logs: 2}
		x.ok(x.NoteDiskUse(ctx, next))
		same(x, "uses", must(x.DiskUses(ctx, day))(x), []hive.DiskUse{use, next})
		same(x, "later ones", must(x.DiskUses(ctx, day.Add(aDay)))(x), []hive.DiskUse{next})
		x.ok(x.NoteDiskUse(ctx, hive.DiskUse{Day: day.Add(500 * aDay), Server: "b", At: after(500 * aDay)}))
		same(x, "old ones go", len(must(x.DiskUses(ctx, day))(x)), 1)
	})
}

// TestPruneDrafts: an old draft goes. The empty name prunes the drafts of schedules that do not exist.
func TestPruneDrafts(t *testing.T) {
	each(t, func(x *fixture) {
		ctx, ada, bob := x.Context(), x.person("ada", true), x.person("bob", false)
		own, before := x.schedule.Name, after(10*aDay)
		x.keep(ada.ID, own, 0, "old", after(aDay))
		x.keep(bob.ID, own, 0, "new", after(20*aDay))
		for i := range 5 {
			x.keep(ada.ID, fmt.Sprintf("fresh%d", i), 0, "old", after(aDay))
		}
		x.keep(bob.ID, "fresh1", 0, "at the limit", before)
		count := func(schedule string) int { return must(x.OldDrafts(ctx, schedule, before))(x) }
		same(x, "of the schedule", count(own), 1)
		same(x, "of no schedule", count(""), 5)
		same(x, "of another one", count("fresh1"), 1)
		prune := func(schedule string, limit int) int {
			return must(x.PruneDrafts(ctx, x.me, schedule, before, limit))(x)
		}
		same(x, "a part", prune("", 3), 3)
		same(x, "the rest", prune("", 3), 2)
		same(x, "all are gone", prune("", 3), 0)
		same(x, "the schedule's", prune(own, 3), 1)
		same(x, "of ada", len(must(x.Drafts(ctx, ada.ID))(x)), 0)
		same(x, "of bob", len(must(x.Drafts(ctx, bob.ID))(x)), 2)
		lost := x.me
		lost.Epoch--
		_, err := x.PruneDrafts(ctx, lost, "", after(100*aDay), 3)
		x.is(hive.ErrSessionLost, err)
	})
}
