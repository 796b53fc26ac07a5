package state

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
)

func TestMachineAgainstOracle(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		if rapid.IntRange(0, 9).Draw(t, "queued") > 0 {
			_, err := w.apply(Start{})
			require.NoError(t, err)
		}
		for range rapid.IntRange(5, 60).Draw(t, "steps") {
			switch rapid.IntRange(0, 19).Draw(t, "do") {
			case 0:
				w.tick()
			case 1:
				w.wish()
			case 2, 3, 4:
				w.plan()
			case 5:
				_, err := w.apply(Start{})
				require.NoError(t, err)
			case 6:
				w.m = New(stored(w.m), whens{})
				w.ids = slices.Clone(w.ids)
			case 7, 8, 9, 10, 11:
				w.event()
			default:
				w.offer()
			}
		}
		if w.m.batch.State == hive.BatchQueued {
			_, err := w.apply(Start{})
			require.NoError(t, err)
		}
		w.runToEnd(rapid.SampledFrom([]hive.Outcome{hive.OutcomeSuccess, hive.OutcomeFailure}).Draw(t, "end"))
	})
}

// TestResumeConverges checks that repeated resumes end in success, whatever failed, once all tasks succeed.
func TestResumeConverges(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		_, err := w.apply(Start{})
		require.NoError(t, err)
		for range rapid.IntRange(0, 30).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "offer") {
				w.offer()
			} else {
				w.event()
			}
		}
		w.runToEnd(hive.OutcomeFailure)
		faulty := slices.ContainsFunc(w.m.graph.Tasks, func(t graph.Task) bool { return t.Spec.When == "error" })
		for range 20 {
			req := hive.PlanRequest{Action: hive.PlanResume}
			plan, err := w.m.Plan(req, nil, hive.Revision{})
			require.NoError(t, err)
			if len(plan.Rows) == 0 || faulty && w.m.batch.Round > 5 {
				break
			}
			w.applyPlan(req, nil, hive.Revision{})
			w.runToEnd(hive.OutcomeSuccess)
		}
		if !faulty {
			require.Equal(t, hive.BatchSucceeded, w.m.batch.State)
		}
	})
}
