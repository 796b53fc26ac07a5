package state

import (
	"time"

	"github.com/rprp/hivego/server/hive"
)

// end stores the end of an attempt, so that its run has no open attempt any more.
func (p *transition) end(a *attempt, outcome hive.Outcome) {
	r := &p.m.runs[a.run]
	a.State, a.Outcome, a.FinishedAt = hive.AttemptEnded, outcome, orNow(a.FinishedAt, p.now)
	if a.StartedAt.After(a.FinishedAt) {
		a.StartedAt = a.FinishedAt
	}
	r.Attempt = 0
	if outcome != hive.OutcomeReturned {
		r.FinishedAt = a.FinishedAt
		if !a.StartedAt.IsZero() {
			r.StartedAt = a.StartedAt
		}
	}
	p.markAttemptChanged(a)
	p.markChanged(a.run)
}

// conclude moves the run of an attempt that has ended by itself or by a kill. For lost attempts see lose.
func (p *transition) conclude(a *attempt) {
	r, task := &p.m.runs[a.run], p.m.spec(a.run)
	words := a.detail()
	switch {
	case p.m.willReset(a):
		p.reset(a.run)
	case a.Outcome == hive.OutcomeSuccess:
		r.Outputs = a.Outputs
		p.move(a.run, decision{event: RunSuccess})
	case !a.KillingAt.IsZero():
		p.concludeKill(a, words)
	case a.Outcome == hive.OutcomeRefused:
		p.move(a.run, decision{event: RunFail, reason: hive.ReasonRefused, detail: words})
	default:
		r.Failures++
		if !p.retries(a, task) {
			p.move(a.run, decision{event: RunFail, reason: failure(a.Outcome), detail: words})
			return
		}
		d := spread(retryDelay(task.Retry, r.Failures), task.Retry, p.m.batch.ID, a)
		if d := d.Std().Truncate(time.Millisecond); d > 0 {
			r.NotBefore = p.now.Add(d)
		}
		p.again(a.run, hive.ReasonRetry, words)
	}
}

// concludeKill moves a run whose attempt was killed by the server and did not succeed. A timeout fails the run; every
// other kill cancels it.
func (p *transition) concludeKill(a *attempt, words hive.Sentence) {
	event := RunCancel
	if isTimeout(a.KillReason) {
		event = RunFail
	}
	p.move(a.run, decision{event: event, reason: a.KillReason, detail: words})
}

// lose ends an attempt that its executor has lost, and moves its run by the task's onLost.
func (p *transition) lose(a *attempt, e Lost) {
	p.end(a, hive.OutcomeLost)
	r, task := &p.m.runs[a.run], p.m.spec(a.run)
	words := a.detail()
	if p.m.willReset(a) {
		p.reset(a.run)
		return
	}
	if !a.KillingAt.IsZero() {
		p.concludeKill(a, words)
		return
	}
	r.Losses++
	switch do := lossRule(task.OnLost, e); {
	case do == hive.OnLostHold:
		r.FinishedAt = time.Time{}
		p.move(a.run, decision{event: RunHold, reason: hive.ReasonHeld, detail: words})
	case do == hive.OnLostRetry && r.Losses <= task.OnLost.MaxLost():
		p.again(a.run, hive.ReasonLostRetry, words)
	default:
		p.move(a.run, decision{event: RunFail, reason: hive.ReasonLost, detail: words})
	}
}

// again makes a run ready for its next attempt. A plan may have reset its needs since the last attempt was offered.
func (p *transition) again(n int, reason hive.Reason, words hive.Sentence) {
	p.m.runs[n].FinishedAt = time.Time{}
	p.move(n, decision{event: RunRetry, reason: reason, detail: words})
	p.queue = append(p.queue, n)
}

// lossRule returns the effective onLost of a task for the executor that lost its attempt.
func lossRule(o hive.OnLost, e Lost) hive.OnLostDo {
	switch {
	case o.Do == "" && e.RunOnly:
		return hive.OnLostHold
	case (o.Do == "" || o.Do == hive.OnLostRetry) && e.Hold:
		return hive.OnLostHold
	case o.Do == "":
		return hive.OnLostRetry
	default:
		return o.Do
	}
}

// failure returns the reason of a run whose last attempt ended in this way without a kill.
func failure(o hive.Outcome) hive.Reason {
	switch o {
	case hive.OutcomeTimeout:
		return hive.ReasonTimeout
	case hive.OutcomeKilled:
		return hive.ReasonKilled
	default:
		return hive.ReasonExit
	}
}

// reset puts run n back to the state before its first attempt of this round. Its attempts and their count stay.
func (p *transition) reset(n int) {
	r := &p.m.runs[n]
	r.NotBefore, r.StartedAt, r.FinishedAt = time.Time{}, time.Time{}, time.Time{}
	r.ExitCode, r.Outputs, r.Failures, r.Losses, r.Rejects = nil, nil, 0, 0, 0
	p.move(n, decision{event: RunReset})
	p.queue = append(p.queue, n)
}
