package state

import (
	"maps"

	"github.com/rprp/hivego/server/hive"
)

// tally holds the counters that keep the cost of an event proportional to its changes. Each task with written needs has
// its own counter. Tasks without written needs depend on all earlier jobs. These dependencies are never expanded into
// edges: the three marks frontier, firstSuccess and firstFailure are enough to judge all such tasks. Within a round an
// effect only changes from pending to another one, so each mark moves in one direction only.
type tally struct {
	open  int      // runs that are not final; the batch ends at 0
	needs []counts // by task, of its written needs
	jobs  []counts // by job, of its tasks

	frontier     int // the first job that is not final; len(jobs) if none
	lastBefore   int // the task whose end moved the frontier last; -1 if none
	firstSuccess int // the first task with effect success; len(tasks) if none
	firstFailure int
}

// rebuild derives all counters and marks from the rows.
func (m *Machine) rebuild() {
	g := m.graph
	m.taskOf = make([]int, len(m.runs))
	m.runOf = make([]int, len(g.Tasks))
	m.stamps = append(m.stamps, make([]uint64, max(0, len(m.runs)-len(m.stamps)))...)
	for t := range m.runOf {
		m.runOf[t] = -1
	}
	m.params = maps.Clone(g.Def.Params)
	if m.params == nil {
		m.params = map[string]any{}
	}
	maps.Copy(m.params, m.batch.Params)
	m.outputs, m.lists = map[string]map[string]string{}, map[string]map[string]any{}
	m.link()
	m.jobs = make(map[string]int, len(g.Jobs))
	for j := range g.Jobs {
		m.jobs[g.Jobs[j].Key] = j
	}
	m.tally = tally{
		needs: make([]counts, len(g.Tasks)), jobs: make([]counts, len(g.Jobs)),
		lastBefore: -1, firstSuccess: len(g.Tasks), firstFailure: len(g.Tasks),
	}
	for n := range m.runs {
		r := &m.runs[n]
		m.taskOf[n] = -1
		if t, ok := g.Lookup(r.Task); ok {
			m.taskOf[n] = t
			if r.Shard == 0 {
				m.runOf[t] = n
			}
			if r.Shard == 0 && r.State == hive.RunSucceeded {
				m.keepOutputs(n)
			}
		}
		if !r.State.Final() {
			m.tally.open++
		}
	}
	m.recount()
}

// recount counts all effects.
func (m *Machine) recount() {
	c := &m.tally
	for t := range m.graph.Tasks {
		task, e := &m.graph.Tasks[t], m.effect(t)
		c.jobs[task.Job].add(e, 1)
		for _, d := range task.Dependents {
			c.needs[d].add(e, 1)
		}
		switch {
		case e == hive.EffectSuccess:
			c.firstSuccess = min(c.firstSuccess, t)
		case e == hive.EffectFailure:
			c.firstFailure = min(c.firstFailure, t)
		}
	}
	for c.frontier < len(c.jobs) && c.jobs[c.frontier].pending == 0 {
		c.frontier++
	}
	last := -1
	for t := range m.graph.Tasks {
		if m.graph.Tasks[t].Job >= c.frontier {
			break
		}
		if n := m.runOf[t]; n >= 0 && (last < 0 || !m.runs[n].ChangedAt.Before(m.runs[m.runOf[last]].ChangedAt)) {
			last = t
		}
	}
	c.lastBefore = last
}

// effect returns the effect of a task on the tasks that need it. A task without a run, which only a damaged snapshot
// has, must not block anything.
func (m *Machine) effect(t int) hive.Effect {
	n := m.runOf[t]
	if n < 0 {
		return hive.EffectSuccess
	}
	r := &m.runs[n]
	return hive.EffectOf(r.State, r.Reason, m.graph.Tasks[t].Spec.AllowFailure)
}

// root returns the task that caused a skip: the task itself, or the cause of its own skip.
func (m *Machine) root(t int) string {
	if n := m.runOf[t]; n >= 0 && m.runs[n].State == hive.RunSkipped && m.runs[n].Cause != "" {
		return m.runs[n].Cause
	}
	return m.graph.Tasks[t].Spec.Key
}

// countsOf returns the effects that a task's rule reads. For a task without written needs, each count is 0 or 1.
func (m *Machine) countsOf(t int) counts {
	task := &m.graph.Tasks[t]
	if !task.Implicit {
		return m.tally.needs[t]
	}
	c := &m.tally
	return counts{
		pending: boolInt(c.frontier < task.Job),
		success: boolInt(m.jobOf(c.firstSuccess) < task.Job),
		failure: boolInt(m.jobOf(c.firstFailure) < task.Job),
	}
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// jobOf returns the index of a task's job. For the mark "none" it returns the number of jobs.
func (m *Machine) jobOf(t int) int {
	if t >= len(m.graph.Tasks) {
		return len(m.graph.Jobs)
	}
	return m.graph.Tasks[t].Job
}

// countFinal counts a task that has become final, and queues the tasks whose rules may now have another verdict.
func (p *transition) countFinal(t int) {
	m, c := p.m, &p.m.tally
	task, e := &m.graph.Tasks[t], m.effect(t)
	for _, d := range task.Dependents {
		c.needs[d].add(hive.EffectPending, -1)
		c.needs[d].add(e, 1)
		p.enqueue(d)
	}
	c.jobs[task.Job].add(hive.EffectPending, -1)
	c.jobs[task.Job].add(e, 1)
	switch {
	case e == hive.EffectSuccess && t < c.firstSuccess:
		before := m.jobOf(c.firstSuccess)
		c.firstSuccess = t
		p.enqueueImplicit(task.Job+1, before)
	case e == hive.EffectFailure && t < c.firstFailure:
		before := m.jobOf(c.firstFailure)
		c.firstFailure = t
		p.enqueueImplicit(task.Job+1, before)
	}
	for c.frontier < len(c.jobs) && c.jobs[c.frontier].pending == 0 {
		c.frontier++
		c.lastBefore = t
		if m.graph.Def.Flow == hive.FlowStrict {
			p.enqueueJob(c.frontier)
		} else {
			p.enqueueImplicit(c.frontier, c.frontier)
		}
	}
}

// enqueueImplicit queues the tasks without written needs in the jobs from first to last.
func (p *transition) enqueueImplicit(first, last int) {
	for j := first; j <= last && j < len(p.m.graph.Jobs); j++ {
		for t := p.m.graph.Jobs[j].First; t < p.m.graph.Jobs[j].Last; t++ {
			if p.m.graph.Tasks[t].Implicit {
				p.enqueue(t)
			}
		}
	}
}

func (p *transition) enqueueJob(j int) {
	if j >= len(p.m.graph.Jobs) {
		return
	}
	for t := p.m.graph.Jobs[j].First; t < p.m.graph.Jobs[j].Last; t++ {
		p.enqueue(t)
	}
}

// enqueue queues a task for a decision.
func (p *transition) enqueue(t int) {
	if n := p.m.runOf[t]; n >= 0 {
		p.queue = append(p.queue, n)
	}
}
