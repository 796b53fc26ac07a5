package state

import (
	"fmt"
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// This file has the shards of tasks. The run of a sharded task has no attempts: its state follows from its shards,
// which are further runs of the batch.

// Split fixes the shards of a task that may start. Index and total of the shards are set here.
type Split struct {
	Run    int // number of the task's run
	Shards []hive.Shard
}

// SplitFailed reports that the shards of a task that may start cannot be known. The task fails.
type SplitFailed struct {
	Run   int
	Words hive.Sentence
}

// Stranded reports that the only executor that may run a shard is gone. The shard fails.
type Stranded struct {
	Run   int
	Words hive.Sentence
}

// Unsplit reports whether a run may be offered only as shards that are not fixed yet.
func (m *Machine) Unsplit(n int) bool {
	r := &m.runs[n]
	return r.Shard == 0 && r.Part == nil && !m.spec(n).Shard.IsZero()
}

// MaySplit reports whether Split may be applied to a run now. Former shards that still run keep it waiting, and so does
// an attempt of its own: an earlier revision did not shard the task.
func (m *Machine) MaySplit(n int) bool {
	r := &m.runs[n]
	return m.Unsplit(n) && r.State == hive.RunReady && r.Attempt == 0 && m.batch.State == hive.BatchRunning &&
		m.batch.Wish == hive.WishRun && !m.FormerRun(n)
}

// FormerRun reports whether former shards of a task that is not split now still have attempts. Nothing of the task
// starts before these have ended: a later revision may have other shards for it, or none.
func (m *Machine) FormerRun(n int) bool {
	r := &m.runs[n]
	return r.Shard == 0 && r.Part == nil && slices.ContainsFunc(m.shards[n], m.hasAttempt)
}

// NewShards returns how many runs Split adds for so many shards.
func (m *Machine) NewShards(n, total int) int { return max(0, total-len(m.shards[n])) }

// IsSplit reports whether the shards of a task are fixed, for the number of its run.
func (m *Machine) IsSplit(n int) bool { return m.runs[n].Shard == 0 && m.runs[n].Part != nil }

// TaskRun returns the number of the run of a shard's task; that of the run itself if it is no shard.
func (m *Machine) TaskRun(n int) int {
	if at := m.parents[n]; at >= 0 {
		return at
	}
	return n
}

func (m *Machine) hasAttempt(n int) bool { return m.runs[n].Attempt != 0 }

// begun reports whether the state of a task's run follows from its shards now.
func (m *Machine) begun(n int) bool {
	switch m.runs[n].State {
	case hive.RunReady, hive.RunRunning, hive.RunUnknown:
		return m.IsSplit(n)
	default:
		return false
	}
}

// present lists the shards of a task that count. Former ones, beyond a smaller number of shards, do not.
func (m *Machine) present(n int) []int {
	if !m.IsSplit(n) {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(m.shards[n]), func(s int) bool { return m.runs[s].Part == nil })
}

// held reports whether a run waits for a person, because its attempt is lost.
func (m *Machine) held(n int) bool {
	r := &m.runs[n]
	return r.State == hive.RunUnknown && r.Attempt == 0 && (r.Part == nil || r.Shard > 0 || r.Reason == hive.ReasonHeld)
}

// link finds the shards of each task's run.
func (m *Machine) link() {
	m.parents = make([]int, len(m.runs))
	m.shards = map[int][]int{}
	var tasks map[string]int
	for n := range m.runs {
		m.parents[n] = -1
		if m.runs[n].Shard == 0 {
			continue
		}
		if tasks == nil {
			tasks = m.taskRuns()
		}
		if at, ok := tasks[m.runs[n].Task]; ok {
			m.parents[n] = at
			m.shards[at] = append(m.shards[at], n)
		}
	}
	for _, list := range m.shards {
		slices.SortFunc(list, func(a, b int) int { return m.runs[a].Shard - m.runs[b].Shard })
	}
}

func (m *Machine) taskRuns() map[string]int {
	tasks := map[string]int{}
	for n := range m.runs {
		if m.runs[n].Shard == 0 {
			tasks[m.runs[n].Task] = n
		}
	}
	return tasks
}

// decideShard is decide for a shard. It is ready while its task has begun.
func (m *Machine) decideShard(n int) decision {
	r, parent := &m.runs[n], m.parents[n]
	switch {
	case parent < 0, r.Part == nil || !m.IsSplit(parent):
		// This is also a shard that was ready when its task was split again.
		return decision{event: RunRemove, reason: hive.ReasonRemoved}
	case m.batch.Wish == hive.WishCancel:
		return decision{event: RunCancel, reason: m.batch.Reason}
	case m.runs[parent].State.Final():
		return decision{event: RunCancel, reason: m.runs[parent].Reason}
	case m.begun(parent) && r.State == hive.RunWaiting:
		return decision{event: RunMet, reason: r.Reason, detail: detailOf(r)}
	case !m.begun(parent) && r.State == hive.RunReady:
		return decision{event: RunUnmet, reason: r.Reason, detail: detailOf(r)}
	}
	return decision{}
}

func (e Split) apply(p *transition) error {
	m := p.m
	if e.Run < 0 || e.Run >= len(m.runs) || !m.MaySplit(e.Run) || len(e.Shards) > hive.MaxShards {
		return fmt.Errorf("run %d cannot be split into %d shards", e.Run, len(e.Shards))
	}
	r := &m.runs[e.Run]
	total := len(e.Shards)
	r.Part = &hive.Shard{Total: total}
	p.move(e.Run, decision{event: RunSplit, reason: r.Reason, detail: detailOf(r)})
	former := slices.Clone(m.shards[e.Run])
	for i := range e.Shards {
		part := e.Shards[i]
		part.Index, part.Total = i, total
		if i < len(former) {
			p.reuse(former[i], e.Run, &part)
		} else {
			p.addShard(e.Run, &part)
		}
	}
	p.queue = append(p.queue, former[min(total, len(former)):]...)
	p.queue = append(append(p.queue, e.Run), m.shards[e.Run]...)
	return nil
}

// reuse makes a former shard of a task one of its shards again.
func (p *transition) reuse(n, parent int, part *hive.Shard) {
	r := &p.m.runs[n]
	r.Part, r.Round = part, p.m.runs[parent].Round
	if r.State != hive.RunWaiting {
		p.reset(n)
	}
	p.markChanged(n)
}

// addShard creates the run of a shard.
func (p *transition) addShard(parent int, part *hive.Shard) {
	m := p.m
	n, of := len(m.runs), m.runs[parent]
	m.runs = append(m.runs, hive.Run{
		BatchID: m.batch.ID, Number: n, Job: of.Job, Task: of.Task, Shard: part.Index + 1, Part: part,
		State: hive.RunWaiting, Round: of.Round,
	})
	m.stamps = append(m.stamps, 0)
	m.taskOf = append(m.taskOf, m.taskOf[parent])
	m.parents = append(m.parents, parent)
	m.tally.open++
	m.shards[parent] = append(m.shards[parent], n)
	p.step.NewRuns = append(p.step.NewRuns, n)
	p.markChanged(n)
}

func (e SplitFailed) apply(p *transition) error {
	if e.Run < 0 || e.Run >= len(p.m.runs) || !p.m.MaySplit(e.Run) {
		return fmt.Errorf("run %d is not to be split", e.Run)
	}
	p.move(e.Run, decision{event: RunFail, reason: hive.ReasonShardError, detail: e.Words.Clean(maxDetail)})
	return nil
}

func (e Stranded) apply(p *transition) error {
	if e.Run < 0 || e.Run >= len(p.m.runs) {
		return fmt.Errorf("the batch has no run %d", e.Run)
	}
	if r := &p.m.runs[e.Run]; r.Shard == 0 || r.State != hive.RunReady || r.Attempt != 0 {
		return fmt.Errorf("run %d is %s: it waits for no executor", e.Run, r.State)
	}
	p.move(e.Run, decision{event: RunFail, reason: hive.ReasonLost, detail: e.Words.Clean(maxDetail)})
	return nil
}

// shardSum sums up the shards of a task.
type shardSum struct {
	open, running, unknown, held int
	failed, canceled             []int
	timeout                      hive.Reason // of the job or batch, if one has failed a shard
	started, finished            time.Time   // of the shards of the round of the task's run
}

func (m *Machine) sumShards(n int) (s shardSum) {
	for _, at := range m.present(n) {
		r := &m.runs[at]
		switch r.State {
		case hive.RunFailed:
			s.failed = append(s.failed, at)
			if isTimeout(r.Reason) {
				s.timeout = r.Reason
			}
		case hive.RunCanceled:
			s.canceled = append(s.canceled, at)
		case hive.RunRunning:
			s.running++
		case hive.RunUnknown:
			s.unknown++
			s.held += boolInt(m.held(at))
		default:
		}
		s.open += boolInt(!r.State.Final())
		if r.Round < m.runs[n].Round {
			continue
		}
		if !r.StartedAt.IsZero() && (s.started.IsZero() || r.StartedAt.Before(s.started)) {
			s.started = r.StartedAt
		}
		if r.FinishedAt.After(s.finished) {
			s.finished = r.FinishedAt
		}
	}
	return s
}

// rollUp moves the run of a task that has begun to the state that follows from its shards.
func (p *transition) rollUp(n int) {
	r, s := &p.m.runs[n], p.m.sumShards(n)
	if !r.StartedAt.Equal(s.started) {
		r.StartedAt = s.started
		p.markChanged(n)
	}
	switch {
	case s.open == 0:
		r.FinishedAt = s.finished
		p.move(n, p.m.endOf(n, &s))
	case s.running > 0 || s.unknown == 0 && (!s.started.IsZero() || r.State == hive.RunRunning):
		p.follow(n, hive.RunRunning, RunReceipt, hive.ReasonNone)
	case s.unknown > 0 && s.unknown == s.held:
		p.follow(n, hive.RunUnknown, RunHold, hive.ReasonHeld)
	case s.unknown > 0:
		p.follow(n, hive.RunUnknown, RunSilent, hive.ReasonSilent)
	default:
		p.follow(n, hive.RunReady, RunBackOffered, hive.ReasonNone)
	}
}

// follow moves the run of a task to a state that is not final, unless it is there.
func (p *transition) follow(n int, to hive.RunState, by RunEvent, reason hive.Reason) {
	r := &p.m.runs[n]
	switch {
	case r.State != to:
		p.move(n, decision{event: by, reason: reason})
	case to == hive.RunUnknown && r.Reason != reason:
		r.Reason = reason
		p.markChanged(n)
	}
}

// endOf returns the end of a task once no shard of it can run any more.
func (m *Machine) endOf(n int, s *shardSum) decision {
	switch {
	case len(s.failed) > 0:
		first := &m.runs[s.failed[0]]
		d := decision{event: RunFail, reason: s.timeout}
		if d.reason == hive.ReasonNone {
			d.reason = hive.ReasonShards
		}
		failed, total, index := len(s.failed), m.runs[n].Part.Total, first.Shard-1
		if first.Detail == "" {
			d.detail = hive.NewSentence(hive.SentenceShardsFailed,
				"‹failed› of ‹total› shards failed, the first is shard ‹index›",
				"failed", failed, "total", total, "index", index)
		} else {
			d.detail = hive.Quote(hive.SentenceShardFailed, "‹failed› of ‹total› shards failed; shard ‹index›: ‹words›",
				detailOf(first), "failed", failed, "total", total, "index", index)
		}
		d.detail = d.detail.Clean(maxDetail)
		return d
	case len(s.canceled) > 0:
		return decision{event: RunCancel, reason: m.cancelOf(s.canceled)}
	default:
		return decision{event: RunSuccess}
	}
}

// cancelOf returns the reason of a task whose shards were canceled. A timeout goes before the others, because it fails
// the batch.
func (m *Machine) cancelOf(canceled []int) hive.Reason {
	for _, at := range canceled {
		if r := m.runs[at].Reason; isTimeout(r) {
			return r
		}
	}
	return m.runs[canceled[0]].Reason
}

// stopShards ends the shards of a task's run. It returns false if the run itself is to be stopped too.
func (p *transition) stopShards(n int, reason hive.Reason) bool {
	for _, at := range p.m.shards[n] {
		p.stop(at, reason)
	}
	if !p.m.begun(n) {
		return false
	}
	p.queue = append(p.queue, n)
	return true
}

// listsOf returns the outputs of a task by shard, by their names: null for a shard without the output.
func (m *Machine) listsOf(n int) map[string]any {
	total := m.runs[n].Part.Total
	all := map[string][]any{}
	for _, at := range m.present(n) {
		r := &m.runs[at]
		if r.State != hive.RunSucceeded {
			continue
		}
		for name, value := range r.Outputs {
			if all[name] == nil {
				all[name] = make([]any, total)
			}
			all[name][r.Shard-1] = value
		}
	}
	out := make(map[string]any, len(all))
	for name, list := range all {
		out[name] = list
	}
	return out
}

// keepOutputs makes the outputs of a run that has succeeded known to expressions.
func (m *Machine) keepOutputs(n int) {
	r := &m.runs[n]
	switch {
	case m.IsSplit(n):
		m.lists[r.Task] = m.listsOf(n)
	case len(r.Outputs) > 0:
		m.outputs[r.Task] = r.Outputs
	}
}
