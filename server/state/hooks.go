package state

import (
	"slices"

	"github.com/rprp/hivego/server/hive"
)

// callHooks adds the ends of this step that hooks follow: first those of tasks, then of jobs, then of the batch. What
// ends twice in one round does not end: only runs that were not final before count. Hooks change nothing here.
func (p *transition) callHooks() {
	m := p.m
	if !m.graph.Hooked || p.fault != nil {
		return
	}
	var jobs []int
	seen := map[int]bool{}
	for _, move := range p.step.Moves {
		n := move.Run
		t := m.taskOf[n]
		if m.runs[n].Shard != 0 || move.From.Final() || !m.runs[n].State.Final() || t < 0 || seen[n] {
			continue
		}
		seen[n] = true
		p.callTask(n, t)
		if j := m.graph.Tasks[t].Job; m.tally.jobs[j].pending == 0 && !slices.Contains(jobs, j) {
			jobs = append(jobs, j)
		}
	}
	slices.Sort(jobs)
	for _, j := range jobs {
		p.callJob(j)
	}
	if b := &m.batch; p.ended && !b.StartedAt.IsZero() {
		e := hive.HookEvent{Scope: hive.HookOfBatch, Round: b.Round, State: b.State}
		if b.State == hive.BatchFailed {
			m.blame(&e, 0, len(m.graph.Tasks))
		}
		p.call(m.graph.Def.Hooks(), e)
	}
}

// callTask adds the end of a task. A task that is skipped or ignored has not run, and neither has one that was canceled
// before its first attempt.
func (p *transition) callTask(n, t int) {
	r, spec := &p.m.runs[n], p.m.graph.Tasks[t].Spec
	e := hive.HookEvent{Scope: hive.HookOfTask, Key: spec.Key, Round: r.Round, Task: spec.Key}
	switch {
	case r.State == hive.RunSucceeded:
		e.State = hive.BatchSucceeded
	case r.State == hive.RunFailed:
		e.State, e.Error = hive.BatchFailed, r.Detail
	case r.State == hive.RunCanceled && !r.StartedAt.IsZero():
		e.State = hive.BatchCanceled
	default:
		return
	}
	p.call(spec.Hooks(), e)
}

// callJob adds the end of a job in which a task has run.
func (p *transition) callJob(j int) {
	m := p.m
	job := &m.graph.Jobs[j]
	e := hive.HookEvent{Scope: hive.HookOfJob, Key: job.Key, State: hive.BatchSucceeded}
	ran, canceled, failed := false, false, false
	for t := job.First; t < job.Last; t++ {
		n := m.runOf[t]
		if n < 0 {
			continue
		}
		r := &m.runs[n]
		e.Round = max(e.Round, r.Round)
		ran = ran || r.State == hive.RunSucceeded || r.State == hive.RunFailed ||
			r.State == hive.RunCanceled && !r.StartedAt.IsZero()
		switch {
		case r.State == hive.RunCanceled && !isTimeout(r.Reason):
			canceled = true
		case m.effect(t) == hive.EffectFailure:
			failed = true
		}
	}
	switch {
	case !ran:
		return
	case failed && m.batch.Wish != hive.WishCancel:
		e.State = hive.BatchFailed
		m.blame(&e, job.First, job.Last)
	case canceled || failed:
		e.State = hive.BatchCanceled
	}
	p.call(job.Spec.Hooks(), e)
}

// blame names the first task that has failed among those from first to last, and its error.
func (m *Machine) blame(e *hive.HookEvent, first, last int) {
	for t := first; t < last; t++ {
		if n := m.runOf[t]; n >= 0 && m.runs[n].State == hive.RunFailed && m.effect(t) == hive.EffectFailure {
			e.Task, e.Error = m.runs[n].Task, m.runs[n].Detail
			return
		}
	}
}

// call adds an end, if hooks follow it.
func (p *transition) call(hooks hive.Hooks, e hive.HookEvent) {
	if len(hooks.After(e.State)) == 0 {
		return
	}
	e.Batch = p.m.batch.ID
	p.step.Hooks = append(p.step.Hooks, hive.HookCall{Event: e, RevisionID: p.m.batch.RevisionID, At: p.now})
}
