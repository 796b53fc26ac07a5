package state

import (
	"maps"
	"time"

	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
)

// transition is the work on one event: the changed rows and the queue of runs to decide.
type transition struct {
	m     *Machine
	now   time.Time
	step  Step
	queue []int // numbers of runs to decide
	ended bool  // the batch has ended
	bulk  bool  // a plan is applied: it may reset effects, so the counters are rebuilt after it instead of updated
	fault error // a move that the table does not allow; it is a defect of the program
}

// decision is an event for a run that the rules ask for, with its reason.
type decision struct {
	event  RunEvent
	reason hive.Reason
	detail hive.Sentence
	cause  string
}

// detailOf returns the detail of a run that keeps it.
func detailOf(r *hive.Run) hive.Sentence {
	return hive.Sentence{Text: r.Detail, Reason: r.DetailReason}
}

// decide returns the decision that the needs ask for, for a run that was not offered. Without one, its event is empty.
func (m *Machine) decide(n int) decision {
	r, t := &m.runs[n], m.taskOf[n]
	switch {
	case r.Shard != 0:
		return m.decideShard(n)
	case m.begun(n):
		return decision{}
	}
	if m.batch.Wish == hive.WishCancel {
		return decision{event: RunCancel, reason: m.batch.Reason}
	}
	if t < 0 {
		return decision{event: RunRemove, reason: hive.ReasonRemoved}
	}
	task := &m.graph.Tasks[t]
	v := judge(task.Spec.EffectiveRule(), m.countsOf(t), task.Implicit)
	if v == met && m.graph.Def.Flow == hive.FlowStrict && m.tally.frontier < task.Job {
		v = wait
	}
	switch {
	case v == wait && r.State == hive.RunReady:
		return decision{event: RunUnmet, reason: r.Reason, detail: detailOf(r)}
	case v == wait || v == met && r.State == hive.RunReady:
		return decision{}
	case v == met:
		return m.begin(r, task)
	default:
		return decision{event: RunSkip, reason: v.reason(), cause: m.cause(t, v)}
	}
}

// begin decides a run whose rule is met. A disabled task is ignored here and not earlier, so that the tasks that need
// it still start after the tasks that it needs.
func (m *Machine) begin(r *hive.Run, t *graph.Task) decision {
	task := t.Spec
	switch {
	case m.graph.Jobs[t.Job].Spec.Disabled:
		return decision{event: RunIgnore, reason: hive.ReasonJobDisabled}
	case task.Disabled:
		return decision{event: RunIgnore, reason: hive.ReasonDisabled}
	}
	if task.When != "" {
		if m.conditions == nil {
			return decision{
				event: RunFault, reason: hive.ReasonWhenError,
				detail: hive.Plain("no conditions can be evaluated here"),
			}
		}
		switch ok, err := m.conditions.When(task, m.env(r.Round)); {
		case err != nil:
			detail := hive.SentenceOf(err).Clean(maxDetail)
			return decision{event: RunFault, reason: hive.ReasonWhenError, detail: detail}
		case !ok:
			return decision{event: RunIgnore, reason: hive.ReasonWhen, detail: hive.Plain(task.When).Clean(maxDetail)}
		}
	}
	return decision{event: RunMet, reason: r.Reason, detail: detailOf(r)}
}

// cause returns the task that caused a skip. That is the first need in document order whose effect alone makes the rule
// impossible, otherwise the need that ended last. If that need was skipped itself, cause returns the cause of its skip.
func (m *Machine) cause(t int, v verdict) string {
	task := &m.graph.Tasks[t]
	if task.Implicit {
		at := m.tally.lastBefore
		switch {
		case v == skipOnFailure:
			at = m.tally.firstFailure
		case m.jobOf(m.tally.firstSuccess) < task.Job && task.Spec.EffectiveRule() == hive.RuleAllFailed:
			at = m.tally.firstSuccess
		}
		if at < 0 || m.jobOf(at) >= task.Job {
			return ""
		}
		return m.root(at)
	}
	last := -1
	for _, d := range task.Needs {
		if isCauseOf(task.Spec.EffectiveRule(), v, m.effect(d)) {
			return m.root(d)
		}
		if n := m.runOf[d]; n >= 0 && (last < 0 || !m.runs[n].ChangedAt.Before(m.runs[m.runOf[last]].ChangedAt)) {
			last = d
		}
	}
	if last < 0 {
		return ""
	}
	return m.root(last)
}

// isCauseOf reports whether a single need with effect e makes the rule impossible.
func isCauseOf(rule hive.Rule, v verdict, e hive.Effect) bool {
	switch {
	case v == skipOnFailure:
		return e == hive.EffectFailure
	case rule == hive.RuleAllFailed:
		return e == hive.EffectSuccess || e == hive.EffectNone
	case rule == hive.RuleAllSuccess:
		return e == hive.EffectNone
	default:
		return false
	}
}

// propagate decides all queued runs, and the runs that their decisions affect, until nothing changes.
func (p *transition) propagate() {
	m := p.m
	if m.batch.State != hive.BatchRunning {
		return
	}
	p.queue = append(p.queue, m.undecided...)
	m.undecided = nil
	for at := 0; at < len(p.queue) && p.fault == nil; at++ {
		n := p.queue[at]
		if n < 0 {
			continue
		}
		r := &m.runs[n]
		if m.begun(n) {
			p.rollUp(n)
			continue
		}
		if (r.State == hive.RunWaiting || r.State == hive.RunReady) && r.Attempt == 0 {
			if d := m.decide(n); d.event != "" {
				p.move(n, d)
			}
		}
	}
}

// markChanged notes that run n changed.
func (p *transition) markChanged(n int) {
	p.m.runs[n].ChangedAt = p.now
	if p.m.stamps[n] != p.m.serial {
		p.m.stamps[n] = p.m.serial
		p.step.Runs = append(p.step.Runs, n)
	}
}

// markAttemptChanged notes that an attempt changed.
func (p *transition) markAttemptChanged(a *attempt) {
	if a.stamp != p.m.serial {
		a.stamp = p.m.serial
		p.step.Attempts = append(p.step.Attempts, a.ID)
	}
}

// move changes the state of run n by the table, and updates everything that is derived from states.
func (p *transition) move(n int, d decision) {
	m := p.m
	r := &m.runs[n]
	to, ok := Next(r.State, d.event)
	if !ok {
		p.fault = hive.Errorf(hive.CodeInternal, "run %d (%s) cannot go from %s by %s", n, r.Task, r.State, d.event)
		return
	}
	p.step.Moves = append(p.step.Moves, Move{Run: n, Event: d.event, From: r.State, To: to})
	wasFinal := r.State.Final()
	r.State, r.Reason, r.Cause = to, d.reason, d.cause
	r.Detail, r.DetailReason = d.detail.Text, d.detail.Reason
	if to.Final() && r.FinishedAt.IsZero() {
		r.FinishedAt = p.now
	}
	if to.Final() {
		r.NotBefore = time.Time{}
	}
	p.markChanged(n)
	if p.bulk {
		return
	}
	m.tally.open += boolInt(wasFinal) - boolInt(to.Final())
	if r.Shard != 0 {
		if parent := m.parents[n]; parent >= 0 {
			p.queue = append(p.queue, parent)
		}
		return
	}
	if m.IsSplit(n) {
		p.queue = append(append(p.queue, n), m.shards[n]...)
	}
	if t := m.taskOf[n]; t >= 0 && to.Final() && !wasFinal {
		if to == hive.RunSucceeded {
			m.keepOutputs(n)
		}
		p.countFinal(t)
	}
}

// kill requests the end of the open attempt of run n. The first reason stays, with one exception: a reason that ends
// the run replaces a reason that would have run the task again.
func (p *transition) kill(n int, reason hive.Reason) {
	r, a := &p.m.runs[n], p.m.openAttempt(n)
	if a == nil {
		return
	}
	if p.m.willReset(a) {
		r.Round = a.Round
		a.KillReason = reason
		p.markChanged(n)
		p.markAttemptChanged(a)
		return
	}
	if !a.KillingAt.IsZero() {
		return
	}
	p.killAttempt(n, a, reason)
}

func (p *transition) killAttempt(n int, a *attempt, reason hive.Reason) {
	a.KillingAt, a.KillReason = p.now, reason
	p.markAttemptChanged(a)
	p.markChanged(n)
	p.step.Kills = append(p.step.Kills, Kill{
		Attempt: a.ID, Key: a.Key, Executor: a.Executor, Grace: p.m.spec(n).EffectiveKillGrace().Std(), Reason: reason,
	})
}

// stop ends run n because of a timeout or a cancel. An open attempt is killed; a run without one is canceled. A held
// run has begun its work, so a timeout fails it.
func (p *transition) stop(n int, reason hive.Reason) {
	r := &p.m.runs[n]
	switch {
	case r.State.Final():
	case r.Shard == 0 && p.stopShards(n, reason):
	case r.Attempt != 0:
		p.kill(n, reason)
	case r.State == hive.RunUnknown && isTimeout(reason):
		p.move(n, decision{event: RunFail, reason: reason, detail: detailOf(r)})
	default:
		p.move(n, decision{event: RunCancel, reason: reason})
	}
}

func isTimeout(r hive.Reason) bool { return r == hive.ReasonJobTimeout || r == hive.ReasonBatchTimeout }

// endBatch ends a batch in which no task can run any more.
func (p *transition) endBatch() {
	m := p.m
	b := &m.batch
	canceledInQueue := b.State == hive.BatchQueued && b.Wish == hive.WishCancel
	if m.tally.open > 0 || (b.State != hive.BatchRunning && !canceledInQueue) {
		return
	}
	b.State, b.Reason = m.outcome()
	b.FinishedAt, b.Live, b.JobClocks = p.now, false, nil
	if !b.PausedAt.IsZero() {
		b.PausedFor += p.now.Sub(b.PausedAt)
		b.PausedAt = time.Time{}
	}
	if b.Wish == hive.WishPause {
		b.Wish = hive.WishRun
	}
	p.step.BatchChanged, p.ended = true, true
}

// outcome returns the state of a batch whose runs are all final: canceled if the batch was canceled; else failed if a
// run failed or was canceled by a timeout; else canceled if a person canceled a run; else succeeded.
func (m *Machine) outcome() (hive.BatchState, hive.Reason) {
	if m.batch.Wish == hive.WishCancel {
		return hive.BatchCanceled, m.batch.Reason
	}
	failed, canceled := false, false
	for n := range m.runs {
		r := &m.runs[n]
		if r.Shard != 0 {
			continue
		}
		switch r.State {
		case hive.RunFailed:
			failed = failed || !m.spec(n).AllowFailure
		case hive.RunCanceled:
			canceled = true
			failed = failed || isTimeout(r.Reason)
		}
	}
	switch {
	case failed && m.batch.Reason == hive.ReasonBatchTimeout:
		return hive.BatchFailed, hive.ReasonBatchTimeout
	case failed:
		return hive.BatchFailed, hive.ReasonNone
	case canceled:
		return hive.BatchCanceled, hive.ReasonPerson
	default:
		return hive.BatchSucceeded, hive.ReasonNone
	}
}

// setClocks replaces the map of the jobs' clocks. It does not change the old map, which a caller may hold.
func (p *transition) setClocks(change func(map[string]time.Time)) {
	clocks := maps.Clone(p.m.batch.JobClocks)
	if clocks == nil {
		clocks = map[string]time.Time{}
	}
	change(clocks)
	if len(clocks) == 0 {
		clocks = nil
	}
	p.m.batch.JobClocks = clocks
	p.step.BatchChanged = true
}
