package state

import (
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// apply begins the batch. It does nothing if the batch has begun already, or ended while it was queued.
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

// Refuse returns why the batch does not accept this wish. It returns nil if the batch accepts it, or has it already.
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

// isRepeated reports whether the batch has this wish already.
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

// unpause ends a pause. The clocks of the batch and of its jobs continue from where they stopped.
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

// stopAll ends every run for a reason that concerns the whole batch.
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

// hasPassed reports whether a deadline has passed. A zero deadline never passes.
func hasPassed(deadline, now time.Time) bool { return !deadline.IsZero() && !now.Before(deadline) }

// expireJob ends the runs of a job that have not ended within the job's timeout.
func (p *transition) expireJob(j int) {
	job := &p.m.graph.Jobs[j]
	p.setClocks(func(clocks map[string]time.Time) { delete(clocks, job.Key) })
	for t := job.First; t < job.Last; t++ {
		if n := p.m.runOf[t]; n >= 0 {
			p.stop(n, hive.ReasonJobTimeout)
		}
	}
}

// NextTimer returns the earliest moment at which Apply(Due{}) would change something, or zero if there is none.
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

// batchDeadline returns when the round's timeout ends the batch. It is zero without a timeout, during a pause, and
// after the timeout has taken effect.
func (m *Machine) batchDeadline() time.Time {
	b, timeout := &m.batch, m.graph.Def.Policy.Timeout.Std()
	if timeout <= 0 || b.Wish != hive.WishRun || b.Reason == hive.ReasonBatchTimeout {
		return time.Time{}
	}
	return b.RoundAt.Add(timeout + b.PausedFor).Truncate(time.Millisecond)
}

// jobDeadline returns when the timeout of job j takes effect. It is zero if the job has not started, has ended, or is
// paused.
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

// startClock starts the timeout of a job at the first start of one of its tasks. A job that has timed out starts no
// clock, and neither does a job whose attempt is being killed.
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
		at = m.batch.PausedAt // the clock stands still; unpause moves it by the length of the pause
	}
	p.setClocks(func(clocks map[string]time.Time) { clocks[job.Key] = at })
}

// endJobs drops the clocks of final jobs. It checks the jobs with a changed run only, or all jobs after a plan.
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
