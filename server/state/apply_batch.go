package state

import (
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// apply of Start does nothing to a batch that has begun, or ended while it was queued.
func (e Start) apply(p *transition) error {
	b := &p.m.batch
	if b.State != hive.BatchQueued {
		return nil
	}
	b.State, b.Reason, b.StartedAt, b.RoundAt, b.Live = hive.BatchRunning, hive.ReasonNone, p.now, p.now, true
	b.Round = max(b.Round, 1)
	if b.Wish == hive.WishPause {
		b.PausedAt = p.now
	}
	p.step.BatchChanged = true
	for n := range p.m.runs {
		p.queue = append(p.queue, n)
	}
	return nil
}

// Refuse answers why a batch cannot be asked for this; nil: it can, or it is what was asked before.
func (e Wish) Refuse(b *hive.Batch) error {
	switch {
	case e.Wish != hive.WishRun && e.Wish != hive.WishPause && e.Wish != hive.WishCancel:
		return hive.Errorf(hive.CodeInvalid, "a batch can be asked to run, pause or cancel, not to %q", e.Wish).
			WithReason(hive.ErrorValue, "name", "wish", "value", e.Wish)
	case e.isRepeated(b):
		return nil
	case b.State.Final():
		return hive.Errorf(hive.CodeConflict, "the batch has ended (%s); resume or rerun what should run again",
			b.State).
			WithReason(hive.ErrorBatchFinal, "state", b.State)
	case b.Wish == hive.WishCancel:
		return hive.Errorf(hive.CodeConflict, "the batch is being canceled; resume it instead").
			WithReason(hive.ErrorBatchCancel)
	}
	return nil
}

// known says that this was asked before.
func (e Wish) isRepeated(b *hive.Batch) bool {
	return b.Wish == e.Wish && (e.Wish == hive.WishCancel || !b.State.Final())
}

func (e Wish) apply(p *transition) error {
	b := &p.m.batch
	if err := e.Refuse(b); err != nil || e.isRepeated(b) {
		return err
	}
	p.step.BatchChanged = true
	if e.Wish == hive.WishPause {
		b.Wish = hive.WishPause
		if b.State == hive.BatchRunning {
			b.PausedAt = p.now
		}
		return nil
	}
	p.unpause()
	b.Wish = e.Wish
	if e.Wish == hive.WishCancel {
		reason := e.Reason
		if reason == hive.ReasonNone {
			reason = hive.ReasonBatchCanceled
		}
		b.Reason = reason
		p.stopAll(reason)
	}
	return nil
}

// unpause ends a pause: the clocks of batch and jobs go on where they stood.
func (p *transition) unpause() {
	b := &p.m.batch
	if b.PausedAt.IsZero() {
		return
	}
	d := p.now.Sub(b.PausedAt)
	b.PausedFor += d
	b.PausedAt = time.Time{}
	if len(b.JobClocks) > 0 {
		p.setClocks(func(clocks map[string]time.Time) {
			for job, at := range clocks {
				clocks[job] = at.Add(d)
			}
		})
	}
}

// stopAll ends every run for a reason that is the whole batch's.
func (p *transition) stopAll(reason hive.Reason) {
	for n := range p.m.runs {
		p.stop(n, reason)
	}
}

func (e Due) apply(p *transition) error {
	m := p.m
	if m.batch.State != hive.BatchRunning {
		return nil
	}
	if hasPassed(m.batchDeadline(), p.now) {
		m.batch.Reason = hive.ReasonBatchTimeout
		p.step.BatchChanged = true
		p.stopAll(hive.ReasonBatchTimeout)
		return nil
	}
	var over []int
	for key := range m.batch.JobClocks {
		if j := m.jobs[key]; hasPassed(m.jobDeadline(j), p.now) {
			over = append(over, j)
		}
	}
	slices.Sort(over)
	for _, j := range over {
		p.expireJob(j)
	}
	return nil
}

// struck says that a deadline has passed; a zero one never does.
func hasPassed(deadline, now time.Time) bool { return !deadline.IsZero() && !now.Before(deadline) }

// expireJob ends what a job has not ended within its timeout.
func (p *transition) expireJob(j int) {
	job := &p.m.graph.Jobs[j]
	p.setClocks(func(clocks map[string]time.Time) { delete(clocks, job.Key) })
	for t := job.First; t < job.Last; t++ {
		if n := p.m.runOf[t]; n >= 0 {
			p.stop(n, hive.ReasonJobTimeout)
		}
	}
}

// NextTimer is the earliest moment at which Apply(Due{}) would do something; zero: none.
func (m *Machine) NextTimer() time.Time {
	if m.batch.State != hive.BatchRunning {
		return time.Time{}
	}
	if len(m.undecided) > 0 {
		return m.batch.RoundAt.Add(time.Millisecond) // long past
	}
	next := m.batchDeadline()
	for key := range m.batch.JobClocks {
		if at := m.jobDeadline(m.jobs[key]); !at.IsZero() && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	return next
}

// batchDeadline is when the timeout of the batch's round strikes; zero: never, not while paused, or it has struck.
func (m *Machine) batchDeadline() time.Time {
	b, timeout := &m.batch, m.graph.Def.Policy.Timeout.Std()
	if timeout <= 0 || b.Wish != hive.WishRun || b.Reason == hive.ReasonBatchTimeout {
		return time.Time{}
	}
	return b.RoundAt.Add(timeout + b.PausedFor).Truncate(time.Millisecond)
}

// jobDeadline is when the timeout of job j strikes; zero: it has not started, has ended, or not while paused.
func (m *Machine) jobDeadline(j int) time.Time {
	job := &m.graph.Jobs[j]
	if job.Spec.Timeout <= 0 || m.batch.Wish != hive.WishRun {
		return time.Time{}
	}
	at, ok := m.batch.JobClocks[job.Key]
	if !ok {
		return time.Time{}
	}
	return at.Add(job.Spec.Timeout.Std()).Truncate(time.Millisecond)
}

// startClock lets the timeout of a job count from the first start of one of its tasks. A job that timed out, or
// whose attempt is being killed, starts no clock.
func (p *transition) startClock(a *attempt) {
	m := p.m
	t := m.taskOf[a.run]
	if t < 0 || !a.KillingAt.IsZero() {
		return
	}
	job := &m.graph.Jobs[m.graph.Tasks[t].Job]
	if _, ok := m.batch.JobClocks[job.Key]; ok || job.Spec.Timeout <= 0 {
		return
	}
	at := a.StartedAt
	if !m.batch.PausedAt.IsZero() {
		at = m.batch.PausedAt // stands still until the pause ends
	}
	p.setClocks(func(clocks map[string]time.Time) { clocks[job.Key] = at })
}

// endJobs drops the clocks of jobs that are final: of those with a changed run, or, after a plan, of all.
func (p *transition) endJobs() {
	m := p.m
	if len(m.batch.JobClocks) == 0 {
		return
	}
	var over []string
	note := func(j int) {
		key := m.graph.Jobs[j].Key
		if _, ok := m.batch.JobClocks[key]; ok && m.tally.jobs[j].pending == 0 && !slices.Contains(over, key) {
			over = append(over, key)
		}
	}
	if p.step.Plan != nil {
		for j := range m.graph.Jobs {
			note(j)
		}
	}
	for _, n := range p.step.Runs {
		if t := m.taskOf[n]; t >= 0 {
			note(m.graph.Tasks[t].Job)
		}
	}
	if len(over) > 0 {
		p.setClocks(func(clocks map[string]time.Time) {
			for _, key := range over {
				delete(clocks, key)
			}
		})
	}
}
