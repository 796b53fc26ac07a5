package state

import (
	"slices"

	"github.com/rprp/hivego/server/hive"
)

// redecide repeats decisions that depend on something the plan changes: skips, conditions and, in another revision,
// everything that the definition decides. A waiting run may turn out to be skipped.
func (pl *planner) redecide(t, n int) bool {
	r := &pl.m.runs[n]
	switch {
	case r.State.Final() && pl.req.Action == hive.PlanCancel:
		return false // a cancel changes only runs that have not ended
	case r.State == hive.RunSkipped:
		return pl.needChanged(t) && pl.reskip(t, n)
	case r.State == hive.RunIgnored:
		return pl.unignore(t, n)
	case r.Attempt == 0 && !pl.m.begun(n) && (r.State == hive.RunWaiting || r.State == hive.RunReady):
		return pl.m.batch.State == hive.BatchRunning && pl.needChanged(t) && pl.skip(t, n)
	}
	return false
}

// skip lists a run that could still run before the plan, and cannot after it.
func (pl *planner) skip(t, n int) bool {
	v := pl.judge(t)
	if v == wait || v == met {
		return false
	}
	cause := pl.blame(t, v)
	row := hive.PlanRow{Number: n, From: pl.m.runs[n].State, To: hive.RunSkipped, Why: hive.WhySkipped, Cause: cause}
	return pl.add(t, row, decision{event: RunSkip, reason: v.reason(), cause: cause})
}

// reskip decides a skip anew by the effects after the plan.
func (pl *planner) reskip(t, n int) bool {
	r := &pl.m.runs[n]
	v := pl.judge(t)
	if v == wait || v == met {
		row := hive.PlanRow{Number: n, From: r.State, To: hive.RunWaiting, Why: hive.WhySkipped, Cause: r.Cause}
		return pl.add(t, row, decision{event: RunReset})
	}
	if pl.causeStands(t, r) {
		return false
	}
	cause := pl.blame(t, v)
	row := hive.PlanRow{Number: n, From: r.State, To: hive.RunSkipped, Why: hive.WhyDecideAgain, Cause: cause}
	return pl.add(t, row, decision{event: RunSkip, reason: v.reason(), cause: cause})
}

// causeStands reports whether the cause of a skip still holds after a plan that leaves the run skipped.
func (pl *planner) causeStands(t int, r *hive.Run) bool {
	task, v := &pl.g.Tasks[t], skipOnRule
	if r.Reason == hive.ReasonUpstreamFailed {
		v = skipOnFailure
	}
	rule := task.Spec.EffectiveRule()
	if task.Implicit {
		i, ok := pl.g.Lookup(r.Cause)
		if !ok || pl.g.Tasks[i].Job >= task.Job {
			return r.Cause == "" && v == skipOnRule
		}
		return v == skipOnRule && !pl.changed[i] || v == skipOnFailure && pl.effects[i] == hive.EffectFailure
	}
	// For these two rules, no single need makes the rule impossible.
	whole := v == skipOnRule && (rule == hive.RuleOneFailed || rule == hive.RuleOneSuccess)
	return slices.ContainsFunc(task.Needs, func(d int) bool {
		return pl.roots[d] == r.Cause && (whole && !pl.changed[d] || isCauseOf(rule, v, pl.effects[d]))
	})
}

// unignore lets a run be decided anew if its condition, its definition or a removal made it ignored. A run that a
// person ignored stays ignored.
func (pl *planner) unignore(t, n int) bool {
	r := &pl.m.runs[n]
	decide := false
	switch r.Reason {
	case hive.ReasonWhen:
		decide = pl.resetNeed(t) != "" || pl.redefined(t, r)
	case hive.ReasonDisabled, hive.ReasonJobDisabled:
		decide = !pl.g.Tasks[t].Spec.Disabled
	case hive.ReasonRemoved:
		decide = true
	}
	return decide && pl.addReset(t, n, hive.WhyDecideAgain, pl.resetNeed(t))
}

func (pl *planner) redefined(t int, r *hive.Run) bool {
	old, ok := pl.m.graph.Lookup(r.Task)
	return pl.otherRevision && (!ok || differs(pl.m.graph, pl.g, old, t))
}

// needChanged reports whether the plan changes anything that a task reads. Another revision may change everything.
func (pl *planner) needChanged(t int) bool {
	task := &pl.g.Tasks[t]
	if pl.otherRevision || task.Implicit {
		return pl.before.changed || pl.otherRevision
	}
	return slices.ContainsFunc(task.Needs, func(d int) bool { return pl.changed[d] })
}

// judge applies a task's rule to the effects after the plan.
func (pl *planner) judge(t int) verdict {
	task := &pl.g.Tasks[t]
	c := pl.before.counts
	if !task.Implicit {
		c = counts{}
		for _, d := range task.Needs {
			c.add(pl.effects[d], 1)
		}
	}
	return judge(task.Spec.EffectiveRule(), c, task.Implicit)
}

// blame returns the cause of a skip, as Machine.cause does.
func (pl *planner) blame(t int, v verdict) string {
	task := &pl.g.Tasks[t]
	rule := task.Spec.EffectiveRule()
	if task.Implicit {
		at := pl.before.last
		switch {
		case v == skipOnFailure:
			at = pl.before.firstFailure
		case rule == hive.RuleAllFailed && pl.before.firstSuccess >= 0:
			at = pl.before.firstSuccess
		}
		if at < 0 {
			return ""
		}
		return pl.roots[at]
	}
	last := ""
	for _, d := range task.Needs {
		last = pl.roots[d]
		if isCauseOf(rule, v, pl.effects[d]) {
			break
		}
	}
	return last
}
