package state

import (
	"fmt"

	"github.com/rprp/hivego/server/hive"
)

// walk decides every task of the plan's revision, job by job.
func (pl *planner) walk() {
	for j := range pl.g.Jobs {
		job := &pl.g.Jobs[j]
		for t := job.First; t < job.Last; t++ {
			pl.visit(t)
		}
		for t := job.First; t < job.Last; t++ {
			pl.fold(t)
		}
	}
}

// fold adds a task of a visited job to the prefix, which decides later tasks without written needs.
func (pl *planner) fold(t int) {
	b := &pl.before
	b.counts.add(pl.effects[t], 1)
	b.changed = b.changed || pl.changed[t]
	b.last = t
	if pl.reset[t] && b.reset < 0 {
		b.reset = t
	}
	if pl.effects[t] == hive.EffectSuccess && b.firstSuccess < 0 {
		b.firstSuccess = t
	}
	if pl.effects[t] == hive.EffectFailure && b.firstFailure < 0 {
		b.firstFailure = t
	}
}

// visit decides one task, and notes its effect after the plan.
func (pl *planner) visit(t int) {
	task := &pl.g.Tasks[t]
	pl.roots[t] = task.Spec.Key
	n := pl.runOf[t]
	if n < 0 {
		if pl.otherRevision {
			pl.add(t, hive.PlanRow{Number: -1, To: hive.RunWaiting, Why: hive.WhyNew}, decision{})
		} else {
			pl.effects[t] = hive.EffectSuccess
		}
		return
	}
	r, before := &pl.m.runs[n], len(pl.changes)
	if pl.choose(t, n) || pl.redecide(t, n) {
		pl.followRow(t, n, before)
		return
	}
	pl.effects[t] = hive.EffectOf(r.State, r.Reason, task.Spec.AllowFailure)
	if r.State == hive.RunSkipped && r.Cause != "" {
		pl.roots[t] = r.Cause
	}
	pl.keep(t, n)
}

// add adds a row to the plan.
func (pl *planner) add(t int, row hive.PlanRow, d decision) bool {
	task := &pl.g.Tasks[t]
	row.Task, row.Job = task.Spec.Key, pl.g.Jobs[task.Job].Key
	pl.changes = append(pl.changes, change{row: row, task: t, d: d})
	pl.changed[t] = true
	pl.reset[t] = row.To == hive.RunWaiting
	if !row.Kill {
		pl.effects[t] = hive.EffectOf(row.To, d.reason, task.Spec.AllowFailure)
	}
	if row.To == hive.RunSkipped && d.cause != "" {
		pl.roots[t] = d.cause
	}
	return true
}

// choose adds a task to the plan if the action itself selects it.
func (pl *planner) choose(t, n int) bool {
	r := &pl.m.runs[n]
	if len(pl.askedShards[t]) > 0 && !pl.asked[t] {
		return pl.chooseShards(t, n)
	}
	if pl.rerunKept[t] && pl.req.Action != hive.PlanCancel {
		if cause := pl.resetNeed(t); cause != "" && pl.addReset(t, n, hive.WhyRanOnBad, cause) {
			return true
		}
	}
	switch pl.req.Action {
	case hive.PlanResume:
		return pl.resume(t, n)
	case hive.PlanRerun:
		if pl.asked[t] {
			return pl.addReset(t, n, hive.WhyAsked, "")
		}
		return pl.downstream[t] && pl.addReset(t, n, hive.WhyDownstream, pl.cause(t))
	case hive.PlanMarkSuccess, hive.PlanMarkSkip:
		return pl.asked[t] && pl.mark(t, n)
	case hive.PlanCancel:
		all := len(pl.req.Tasks) == 0
		switch {
		case !all && !pl.asked[t] || pl.allEnding(n):
			return false
		case r.State.Final():
			if !all {
				pl.refuse(hive.ErrorRunFinal, r, "has ended ("+string(r.State)+") and cannot be canceled")
			}
			return false
		}
		row := hive.PlanRow{Number: n, From: r.State, To: hive.RunCanceled, Kill: pl.anyAttempt(n), Why: hive.WhyAsked}
		return pl.add(t, row, decision{event: RunCancel, reason: pl.cancelReason()})
	default:
		return false
	}
}

func (pl *planner) cancelReason() hive.Reason {
	if len(pl.req.Tasks) == 0 {
		return hive.ReasonBatchCanceled
	}
	return hive.ReasonPerson
}

// cause returns the named task that brought a downstream task into the plan.
func (pl *planner) cause(t int) string {
	if c := pl.resetNeed(t); c != "" {
		return c
	}
	return pl.req.Tasks[0]
}

// resume selects runs that failed (unless AllowFailure is set), canceled runs, held runs and runs that are being
// killed.
func (pl *planner) resume(t, n int) bool {
	r, named := &pl.m.runs[n], len(pl.req.Tasks) > 0
	if named && !pl.asked[t] {
		return false
	}
	if pl.m.begun(n) && pl.resumeShards(t, n) {
		return true
	}
	switch a := pl.m.openAttempt(n); {
	case r.State == hive.RunFailed && !pl.g.Tasks[t].Spec.AllowFailure:
		return pl.addReset(t, n, hive.WhyFailed, "")
	case r.State == hive.RunCanceled:
		return pl.addReset(t, n, hive.WhyCanceled, "")
	case r.State == hive.RunUnknown && a == nil && !pl.m.begun(n):
		return pl.addReset(t, n, hive.WhyHeld, "")
	case pl.m.willEndRun(a) && isTimeout(a.KillReason):
		return pl.addReset(t, n, hive.WhyFailed, "")
	case pl.m.willEndRun(a):
		return pl.addReset(t, n, hive.WhyCanceled, "")
	case named && r.State == hive.RunSkipped && r.Cause != "":
		pl.refuse(hive.ErrorRunSkipped, r, "was skipped because of", r.Cause+": resume that one")
	case named:
		pl.refuse(hive.ErrorRunNotFailed, r,
			"is", string(r.State)+": only what failed, was canceled or is held can be resumed; rerun it instead")
	}
	return false
}

// addReset puts a task back to waiting. An open attempt is killed first. A task that waits already stays unchanged.
func (pl *planner) addReset(t, n int, why hive.PlanWhy, cause string) bool {
	r, a := &pl.m.runs[n], pl.m.openAttempt(n)
	if r.State == hive.RunWaiting || a != nil && pl.m.willReset(a) || derivedReady(r) {
		return false
	}
	row := hive.PlanRow{Number: n, From: r.State, To: hive.RunWaiting, Kill: pl.anyAttempt(n), Why: why, Cause: cause}
	return pl.add(t, row, decision{event: RunReset})
}

// derivedReady reports whether a run waits for its first offer of the round. A plan treats it as waiting.
func derivedReady(r *hive.Run) bool {
	return r.State == hive.RunReady && r.Attempt == 0 && r.Failures == 0 && r.Losses == 0 &&
		(r.Part == nil || r.Shard != 0)
}

// mark sets the state of a run that is not running, by a person's decision.
func (pl *planner) mark(t, n int) bool {
	row, d, ok := pl.markOf(n)
	return ok && pl.add(t, row, d)
}

// markOf returns the row of a run that is marked, and false if it is not.
func (pl *planner) markOf(n int) (row hive.PlanRow, d decision, ok bool) {
	if pl.m.batch.Wish == hive.WishCancel && pl.m.batch.Live {
		pl.refuse(hive.ErrorBatchCancel, nil, "the batch is being canceled: wait for its end, or resume it")
		return row, d, false
	}
	r := &pl.m.runs[n]
	event, to := RunMarkSuccess, hive.RunSucceeded
	if pl.req.Action == hive.PlanMarkSkip {
		event, to = RunMarkSkip, hive.RunIgnored
	}
	switch {
	case pl.anyAttempt(n) || r.State == hive.RunRunning:
		pl.refuse(hive.ErrorRunHasAttempt, r, fmt.Sprintf(
			"is in the hand of an executor and cannot be marked; wait for its end, or cancel the whole batch with "+
				"`hivego cancel %d`",
			pl.m.batch.ID))
		return row, d, false
	case r.State == to:
		return row, d, false
	}
	row = hive.PlanRow{Number: n, From: r.State, To: to, Why: hive.WhyAsked}
	return row, decision{event: event, reason: hive.ReasonPerson}, true
}

// keep lists a run that the plan leaves unchanged and that a person should know about.
func (pl *planner) keep(t, n int) {
	r := &pl.m.runs[n]
	k := hive.PlanKept{Number: n, Task: r.Task, State: r.State}
	if old, ok := pl.m.graph.Lookup(r.Task); ok && pl.otherRevision && r.State == hive.RunSucceeded {
		k.Changed = differs(pl.m.graph, pl.g, old, t)
	}
	if ran(r) {
		k.RanOnFailed = pl.resetNeed(t)
	}
	if pl.rerunKept[t] && k.RanOnFailed == "" {
		pl.refuse(hive.ErrorRunGoodInput, r, "did not run on anything that is run again; name it in a rerun instead")
	}
	if k.Changed || k.RanOnFailed != "" {
		pl.kept = append(pl.kept, k)
	}
}

// ran reports whether a run did work whose input a plan may change: it has an open attempt, or it ended by itself.
func ran(r *hive.Run) bool {
	switch r.State {
	case hive.RunSucceeded, hive.RunFailed:
		return (r.Attempts > 0 || r.Part != nil) && r.Reason != hive.ReasonPerson
	default:
		return r.Attempt != 0
	}
}

// resetNeed returns the key of the first need that the plan runs again, or an empty text.
func (pl *planner) resetNeed(t int) string {
	task := &pl.g.Tasks[t]
	if task.Implicit {
		if pl.before.reset >= 0 {
			return pl.g.Tasks[pl.before.reset].Spec.Key
		}
		return ""
	}
	for _, d := range task.Needs {
		if pl.reset[d] {
			return pl.g.Tasks[d].Spec.Key
		}
	}
	return ""
}

// removed adds the runs whose task the revision of the plan no longer has.
func (pl *planner) removed() {
	if !pl.otherRevision {
		return
	}
	for n := range pl.m.runs {
		r := &pl.m.runs[n]
		if _, ok := pl.g.Lookup(r.Task); ok || r.State == hive.RunSucceeded || r.State == hive.RunIgnored {
			continue
		}
		if pl.anyAttempt(n) || r.State == hive.RunRunning {
			pl.refuse(hive.ErrorRunRemoved, r,
				"is in the hand of an executor, and the later revision has it no more; wait for its end or cancel it")
			continue
		}
		pl.changes = append(pl.changes, change{task: -1, row: hive.PlanRow{
			Number: n, Task: r.Task, Job: r.Job, Shard: shardIndex(r), From: r.State, To: hive.RunIgnored,
			Why: hive.WhyRemoved,
		}, d: decision{event: RunRemove, reason: hive.ReasonRemoved}})
	}
}
