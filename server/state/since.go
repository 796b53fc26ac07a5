package state

import (
	"time"

	"github.com/rprp/hivego/server/hive"
)

// ReadySince returns since when each ready run without an attempt may be offered, by its number, as far as the rows
// tell: ready is derived, so no row has that moment. It is the latest of the begin of the round, the last change of
// the run, and the last change of what it needs. So a run that waits keeps its age when its batch is loaded again.
func (m *Machine) ReadySince() map[int]time.Time {
	out := map[int]time.Time{}
	var before []time.Time // by job: the last change of a task of an earlier job
	for n := range m.runs {
		r := &m.runs[n]
		t := m.taskOf[n]
		if r.State != hive.RunReady || r.Attempt != 0 || t < 0 {
			continue
		}
		since := latest(m.batch.RoundAt, latest(r.ChangedAt, r.NotBefore))
		task := &m.graph.Tasks[t]
		if task.Implicit || m.graph.Def.Flow == hive.FlowStrict {
			if before == nil {
				before = m.changesBefore()
			}
			since = latest(since, before[task.Job])
		}
		for _, need := range task.Needs {
			since = latest(since, m.changedAt(need))
		}
		out[n] = since
	}
	return out
}

// changesBefore returns the last change of a task of an earlier job, by job.
func (m *Machine) changesBefore() []time.Time {
	out := make([]time.Time, len(m.graph.Jobs))
	var last time.Time
	for j := range m.graph.Jobs {
		out[j] = last
		for t := m.graph.Jobs[j].First; t < m.graph.Jobs[j].Last; t++ {
			last = latest(last, m.changedAt(t))
		}
	}
	return out
}

// changedAt returns the last change of the run of a task; zero without a run.
func (m *Machine) changedAt(task int) time.Time {
	if n := m.runOf[task]; n >= 0 {
		return m.runs[n].ChangedAt
	}
	return time.Time{}
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
