package state

import (
	"maps"
	"reflect"
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/hive"
)

// The oracle applies the rules in their simplest form, without counters: it checks every need each time.

func naiveEffects(m *Machine, t int) (pending, success, failure, none int) {
	look := func(d int) {
		r := m.Run(m.runOf[d])
		switch hive.EffectOf(r.State, r.Reason, m.graph.Tasks[d].Spec.AllowFailure) {
		case hive.EffectPending:
			pending++
		case hive.EffectSuccess:
			success++
		case hive.EffectFailure:
			failure++
		case hive.EffectNone:
			none++
		}
	}
	task := &m.graph.Tasks[t]
	if task.Implicit {
		for d := range m.graph.Jobs[task.Job].First {
			look(d)
		}
		none = 0
	}
	for _, d := range task.Needs {
		look(d)
	}
	return pending, success, failure, none
}

// naiveVerdict returns "met", "wait", "upstream_failed" or "rule".
func naiveVerdict(m *Machine, t int) string {
	pending, success, failure, none := naiveEffects(m, t)
	all := pending == 0
	switch m.graph.Tasks[t].Spec.EffectiveRule() {
	case hive.RuleAllSuccess:
		if failure > 0 {
			return "upstream_failed"
		}
		if none > 0 {
			return "rule"
		}
		if all {
			return "met"
		}
	case hive.RuleAllDone:
		if all {
			return "met"
		}
	case hive.RuleOneSuccess:
		if success > 0 {
			return "met"
		}
		if all && failure > 0 {
			return "upstream_failed"
		}
		if all {
			return "rule"
		}
	case hive.RuleOneFailed:
		if failure > 0 {
			return "met"
		}
		if all {
			return "rule"
		}
	case hive.RuleAllFailed:
		if success+none > 0 || all && failure == 0 {
			return "rule"
		}
		if all {
			return "met"
		}
	}
	return "wait"
}

// checkMachine compares everything that is derived with the oracle.
func checkMachine(t require.TestingT, m *Machine) {
	live := map[int]int64{}
	for id, a := range m.attempts {
		if a.State == hive.AttemptEnded {
			require.NotEqual(t, id, m.runs[a.run].Attempt, "an ended attempt is in hand")
			continue
		}
		_, two := live[a.run]
		require.False(t, two, "run %d has two live attempts", a.run)
		live[a.run] = id
		require.Equal(t, id, m.runs[a.run].Attempt)
	}
	open := 0
	for n := range m.runs {
		r := &m.runs[n]
		checkRun(t, m, n, live)
		if !r.State.Final() {
			open++
		}
	}
	require.Equal(t, open, m.tally.open)
	b := &m.batch
	require.Equal(t, !b.State.Final(), b.Live)
	require.Equal(t, b.State.Final(), !b.FinishedAt.IsZero())
	if b.State == hive.BatchRunning {
		require.Positive(t, open, "a running batch has something to wait for")
	}
	if b.State.Final() {
		require.Zero(t, open)
		require.Empty(t, live)
		require.True(t, m.NextTimer().IsZero())
	}
	checkCounters(t, m)
}

func checkRun(t require.TestingT, m *Machine, n int, live map[int]int64) {
	r, task := &m.runs[n], m.taskOf[n]
	require.Equal(t, live[n], r.Attempt, "run %d holds an attempt that is not live", n)
	if r.State.Final() {
		require.Zero(t, r.Attempt)
		require.False(t, r.FinishedAt.IsZero())
		require.True(t, r.NotBefore.IsZero())
	} else {
		require.True(t, r.FinishedAt.IsZero())
	}
	if r.State != hive.RunSucceeded {
		require.Nil(t, r.Outputs, "outputs of a run that did not succeed")
	}
	if r.Attempt != 0 && r.Part == nil {
		for _, at := range m.shards[n] {
			require.Zero(t, m.runs[at].Attempt, "run %d and its former shard %d run side by side", n, at)
		}
	}
	if m.begun(n) {
		checkBegun(t, m, n)
		return
	}
	switch {
	case r.Shard > 0 && (r.State == hive.RunWaiting || r.State == hive.RunReady) && r.Attempt == 0:
		checkShard(t, m, n)
	case r.State == hive.RunRunning:
		require.Equal(t, hive.AttemptRunning, m.attempts[r.Attempt].State)
	case r.State == hive.RunUnknown && r.Attempt == 0:
		require.Equal(t, hive.ReasonHeld, r.Reason)
	case (r.State == hive.RunWaiting || r.State == hive.RunReady) && r.Attempt == 0 &&
		m.batch.State == hive.BatchRunning:
		require.NotEqual(t, hive.WishCancel, m.batch.Wish, "nothing waits in a canceled batch")
		v := naiveVerdict(m, task)
		if v == "met" && m.graph.Def.Flow == hive.FlowStrict {
			for _, o := range m.graph.Tasks {
				if o.Job < m.graph.Tasks[task].Job && !m.runs[m.runOf[o.Index]].State.Final() {
					v = "wait"
				}
			}
		}
		require.Equal(t, map[string]hive.RunState{"met": hive.RunReady, "wait": hive.RunWaiting}[v], r.State,
			"run %d (%s): verdict %s", n, r.Task, v)
	case r.State == hive.RunSkipped:
		require.Contains(t, []hive.Reason{hive.ReasonUpstreamFailed, hive.ReasonRule}, r.Reason)
	}
}

// checkBegun compares the run of a task that has begun with its shards.
func checkBegun(t require.TestingT, m *Machine, n int) {
	r, states := &m.runs[n], map[hive.RunState]int{}
	require.Zero(t, r.Attempt)
	open := 0
	for _, at := range m.shards[n] {
		if s := &m.runs[at]; s.Part != nil {
			states[s.State]++
			open += boolInt(!s.State.Final())
			require.Equal(t, r.Part.Total, s.Part.Total)
		}
	}
	if m.batch.State != hive.BatchRunning {
		return
	}
	require.Positive(t, open, "a task with shards that have all ended goes on")
	switch {
	case states[hive.RunRunning] > 0:
		require.Equal(t, hive.RunRunning, r.State)
	case states[hive.RunUnknown] > 0:
		require.Equal(t, hive.RunUnknown, r.State)
	default:
		require.Contains(t, []hive.RunState{hive.RunReady, hive.RunRunning}, r.State)
	}
}

// checkShard checks a shard that waits, or may be offered.
func checkShard(t require.TestingT, m *Machine, n int) {
	parent := m.parents[n]
	if m.batch.State != hive.BatchRunning {
		return
	}
	require.NotNil(t, m.runs[n].Part, "a former shard of run %d is open", parent)
	want := hive.RunWaiting
	if m.begun(parent) {
		want = hive.RunReady
	}
	require.Equal(t, want, m.runs[n].State)
	require.False(t, m.runs[parent].State.Final(), "a shard is open, and its task has ended")
}

func checkCounters(t require.TestingT, m *Machine) {
	for i := range m.graph.Tasks {
		pending, success, failure, none := naiveEffects(m, i)
		c := m.countsOf(i)
		if m.graph.Tasks[i].Implicit {
			require.Equal(t, []bool{pending > 0, success > 0, failure > 0},
				[]bool{c.pending > 0, c.success > 0, c.failure > 0})
		} else {
			require.Equal(t, counts{pending, success, failure, none}, c)
		}
	}
	for key := range m.batch.JobClocks {
		require.Positive(t, m.tally.jobs[m.jobs[key]].pending, "the clock of the ended job %s", key)
	}
}

// snapshot is a deep copy of what a machine holds.
type snapshot struct {
	Batch    hive.Batch
	Runs     []hive.Run
	Attempts map[int64]hive.Attempt
}

func snap(m *Machine) snapshot {
	s := snapshot{Batch: m.batch, Runs: slices.Clone(m.runs), Attempts: map[int64]hive.Attempt{}}
	s.Batch.JobClocks = maps.Clone(m.batch.JobClocks)
	for id, a := range m.attempts {
		c := a.Attempt
		c.Notes = slices.Clone(a.Notes)
		s.Attempts[id] = c
	}
	return s
}

// checkStep compares the changes in a step with the actual changes.
func checkStep(t require.TestingT, before, after snapshot, s *Step) {
	for n := range after.Runs {
		changed := n >= len(before.Runs)
		if !changed {
			a, b := before.Runs[n], after.Runs[n]
			a.ChangedAt = b.ChangedAt
			changed = !reflect.DeepEqual(a, b)
		}
		if changed {
			require.Contains(t, s.Runs, n, "run %d changed and the step does not say so", n)
		}
	}
	require.Len(t, s.NewRuns, len(after.Runs)-len(before.Runs))
	for id, a := range after.Attempts {
		if !reflect.DeepEqual(before.Attempts[id], a) {
			require.Contains(t, s.Attempts, id)
		}
	}
	if !reflect.DeepEqual(before.Batch, after.Batch) {
		require.True(t, s.BatchChanged)
	}
	require.Len(t, s.Runs, len(slices.Compact(slices.Sorted(slices.Values(s.Runs)))), "a run is named twice")
	for _, h := range s.History {
		require.True(t, h.State.Final() || h.State == hive.RunUnknown)
		require.Equal(t, before.Runs[h.Number], h)
	}
}
