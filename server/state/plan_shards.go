package state

import (
	"slices"

	"github.com/rprp/hivego/server/hive"
)

// This file adds the shards of a task to a plan.

// resolveShard finds the shard that a request names, such as copy.3. It returns its task, and false if there is none.
func (pl *planner) resolveShard(name string) (t int, ok bool) {
	task, index, ok := hive.ParseShardName(name)
	if !ok {
		return 0, false
	}
	if t, ok = pl.g.Lookup(task); !ok || pl.runOf[t] < 0 {
		return 0, false
	}
	for _, n := range pl.m.present(pl.runOf[t]) {
		if pl.m.runs[n].Shard != index+1 {
			continue
		}
		if !slices.Contains(pl.askedShards[t], n) { // a request may name a shard twice
			pl.askedShards[t] = append(pl.askedShards[t], n)
		}
		return t, true
	}
	return 0, false
}

// chooseShards adds the shards of a task that the request names. A task that has ended is reopened with them.
func (pl *planner) chooseShards(t, n int) bool {
	before := len(pl.changes)
	for _, at := range pl.askedShards[t] {
		pl.chooseShard(t, at)
	}
	if len(pl.changes) == before {
		return false
	}
	r := &pl.m.runs[n]
	if pl.req.Action == hive.PlanCancel || !r.State.Final() {
		pl.reopened(t)
		return true
	}
	row := hive.PlanRow{Number: n, From: r.State, To: hive.RunWaiting, Why: hive.WhyAsked}
	return pl.add(t, row, decision{event: RunReset})
}

func (pl *planner) chooseShard(t, n int) {
	r, a := &pl.m.runs[n], pl.m.openAttempt(n)
	switch pl.req.Action {
	case hive.PlanResume:
		if why, ok := pl.resumable(n); ok {
			pl.resetShard(t, n, why, "")
		} else {
			pl.refuse(hive.ErrorRunNotFailed, r,
				"is", string(r.State)+": only what failed, was canceled or is held can be resumed; rerun it instead")
		}
	case hive.PlanRerun:
		pl.resetShard(t, n, hive.WhyAsked, "")
	case hive.PlanMarkSuccess, hive.PlanMarkSkip:
		if row, d, ok := pl.markOf(n); ok {
			pl.addShard(t, n, row, d)
		}
	case hive.PlanCancel:
		if r.State.Final() {
			pl.refuse(hive.ErrorRunFinal, r, "has ended ("+string(r.State)+") and cannot be canceled")
			return
		}
		pl.cancelShard(t, n, a != nil)
	default: // a batch is closed as a whole
	}
}

// reopened notes that shards of a task change, and its run does not.
func (pl *planner) reopened(t int) {
	pl.changed[t], pl.effects[t] = true, hive.EffectPending
}

// addShard adds the row of a shard.
func (pl *planner) addShard(t, n int, row hive.PlanRow, d decision) {
	r := &pl.m.runs[n]
	row.Number, row.Task, row.Job, row.Shard, row.From = n, r.Task, r.Job, shardIndex(r), r.State
	pl.changes = append(pl.changes, change{row: row, task: t, d: d})
}

// shardIndex returns the index of a shard; nil for the run of a task.
func shardIndex(r *hive.Run) *int {
	if r.Shard == 0 {
		return nil
	}
	index := r.Shard - 1
	return &index
}

// resetShard adds a shard that runs again, unless it waits already.
func (pl *planner) resetShard(t, n int, why hive.PlanWhy, cause string) {
	r, a := &pl.m.runs[n], pl.m.openAttempt(n)
	if r.State == hive.RunWaiting || a != nil && pl.m.willReset(a) || derivedReady(r) {
		return
	}
	pl.addShard(t, n, hive.PlanRow{To: hive.RunWaiting, Kill: a != nil, Why: why, Cause: cause},
		decision{event: RunReset})
}

func (pl *planner) cancelShard(t, n int, kill bool) {
	if !pl.m.willEndRun(pl.m.openAttempt(n)) {
		pl.addShard(t, n, hive.PlanRow{To: hive.RunCanceled, Kill: kill, Why: hive.WhyAsked},
			decision{event: RunCancel, reason: pl.cancelReason()})
	}
}

// resumable returns why a resume takes a run, and false if it does not.
func (pl *planner) resumable(n int) (hive.PlanWhy, bool) {
	r, a := &pl.m.runs[n], pl.m.openAttempt(n)
	switch {
	case r.State == hive.RunFailed:
		return hive.WhyFailed, true
	case r.State == hive.RunCanceled:
		return hive.WhyCanceled, true
	case r.State == hive.RunUnknown && a == nil:
		return hive.WhyHeld, true
	case pl.m.willEndRun(a) && isTimeout(a.KillReason):
		return hive.WhyFailed, true
	case pl.m.willEndRun(a):
		return hive.WhyCanceled, true
	default:
		return "", false
	}
}

// resumeShards adds the shards that a resume takes from a task that goes on.
func (pl *planner) resumeShards(t, n int) bool {
	if pl.g.Tasks[t].Spec.AllowFailure && !pl.asked[t] {
		return false
	}
	before := len(pl.changes)
	for _, at := range pl.m.present(n) {
		if why, ok := pl.resumable(at); ok {
			pl.resetShard(t, at, why, "")
		}
	}
	if len(pl.changes) == before {
		return false
	}
	pl.reopened(t)
	return true
}

// followRow adds what the row of a task's run means for its shards. The row, if there is one, is among the changes from
// an index on. A resume keeps the shards; whatever else runs the task again begins anew, also with the number of
// shards.
func (pl *planner) followRow(t, n, from int) {
	// A task whose list was empty has no shards, but it is split: it begins anew too, so that its list is read again.
	if !pl.m.IsSplit(n) && len(pl.m.shards[n]) == 0 || len(pl.askedShards[t]) > 0 && !pl.asked[t] {
		return
	}
	i := slices.IndexFunc(pl.changes[from:], func(c change) bool { return c.row.Number == n })
	if i < 0 {
		return
	}
	c := &pl.changes[from+i]
	row := c.row
	if row.To == hive.RunWaiting && pl.splitsAgain(t, n, row.Why) {
		c.again = true
		for _, at := range pl.m.shards[n] {
			if pl.m.runs[at].Part != nil {
				pl.resetShard(t, at, row.Why, row.Cause)
			}
		}
		return
	}
	for _, at := range pl.m.present(n) {
		why, resumes := pl.resumable(at)
		switch {
		case row.To == hive.RunWaiting:
			if resumes {
				pl.resetShard(t, at, why, "")
			}
		case !row.To.Final() || pl.m.runs[at].State.Final():
		default: // the run is canceled or marked
			pl.cancelShard(t, at, pl.m.hasAttempt(at))
		}
	}
}

func (pl *planner) splitsAgain(t, n int, why hive.PlanWhy) bool {
	switch why {
	case hive.WhyFailed, hive.WhyCanceled, hive.WhyHeld:
		old, ok := pl.m.graph.Lookup(pl.m.runs[n].Task)
		return ok && pl.m.graph.Tasks[old].Spec.Shard != pl.g.Tasks[t].Spec.Shard
	default:
		return true
	}
}

// anyAttempt reports whether an executor has an attempt of a run or of one of its shards.
func (pl *planner) anyAttempt(n int) bool {
	return pl.m.hasAttempt(n) || slices.ContainsFunc(pl.m.shards[n], pl.m.hasAttempt)
}

// allEnding reports whether a run is being killed, or all shards of it that have not ended.
func (pl *planner) allEnding(n int) bool {
	if !pl.m.begun(n) {
		return pl.m.willEndRun(pl.m.openAttempt(n))
	}
	return !slices.ContainsFunc(pl.m.present(n), func(at int) bool {
		return !pl.m.runs[at].State.Final() && !pl.m.willEndRun(pl.m.openAttempt(at))
	})
}

// dissolve makes a task's run one that is not split. Its shards count again once it is split again.
func (p *transition) dissolve(n int) {
	for _, at := range append([]int{n}, p.m.shards[n]...) {
		p.m.runs[at].Part = nil
		p.markChanged(at)
	}
}
