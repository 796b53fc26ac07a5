package state

import (
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rprp/hivego/server/hive"
)

// split fixes the shards of all tasks that may start: as many as they say, or of a list that may be empty.
func (w *world) split() {
	for n := range w.m.runs {
		if !w.m.MaySplit(n) {
			continue
		}
		total := w.m.spec(n).Shard.Count
		if rapid.IntRange(0, 3).Draw(w.t, "list") == 0 {
			total = rapid.IntRange(0, 4).Draw(w.t, "elements")
		}
		var ev Event = Split{Run: n, Shards: make([]hive.Shard, total)}
		if rapid.IntRange(0, 19).Draw(w.t, "no list") == 0 {
			ev = SplitFailed{Run: n, Words: hive.Plain("no list")}
		}
		step, err := w.apply(ev)
		require.NoError(w.t, err)
		w.number(&step)
	}
}

// number gives new runs their ids.
func (w *world) number(step *Step) {
	for _, n := range step.NewRuns {
		w.m.SetRunID(n, 10_000*(1+w.revs)+int64(n))
	}
}

// checkRows compares the batch with the plan.
func (w *world) checkRows(plan hive.Plan, before snapshot, step *Step) {
	t, listed := w.t, map[int]bool{}
	fresh := len(before.Runs)
	for _, row := range plan.Rows {
		n := row.Number
		if n < 0 {
			n = fresh
			fresh++
		} else {
			require.Equal(t, before.Runs[n].State, row.From)
		}
		listed[n] = true
		r := w.m.runs[n]
		require.Equal(t, row.Task, r.Task)
		switch {
		case row.Shard == nil && len(w.m.shards[n]) > 0: // its state follows from its shards
		case row.Kill:
			a := w.m.attempts[r.Attempt]
			require.NotNil(t, a, "what is killed stays in hand until it has ended")
			require.False(t, a.KillingAt.IsZero())
			require.Equal(t, row.To == hive.RunWaiting, w.m.willReset(a))
		case row.To == hive.RunWaiting:
			may := []hive.RunState{
				hive.RunWaiting, hive.RunReady, hive.RunSkipped, hive.RunIgnored, hive.RunFailed,
			}
			if row.Shard != nil && w.m.runs[w.m.TaskRun(n)].State.Final() {
				may = append(may, hive.RunCanceled) // its task has been decided at once, and does not run
			}
			require.Contains(t, may, r.State, "row %+v", row)
			require.Zero(t, r.Failures+r.Losses)
		default:
			require.Equal(t, row.To, r.State, "row %+v", row)
		}
		if row.Why == hive.WhySkipped && row.To == hive.RunSkipped || row.Why == hive.WhyDecideAgain &&
			row.To == hive.RunSkipped {
			require.Equal(t, row.Cause, r.Cause)
		}
	}
	for n := range before.Runs {
		a, b := before.Runs[n], w.m.runs[n]
		if !listed[n] && a.State.Final() {
			a.Job, a.ChangedAt = b.Job, b.ChangedAt
			require.Equal(t, a, b, "run %d is not in the plan and changed", n)
		}
	}
	require.Len(t, w.m.runs, fresh)
	w.number(step)
}
