package state

import (
	"fmt"
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
)

func (e Offered) apply(p *transition) error {
	m := p.m
	if a, ok := m.attempts[e.Attempt]; ok {
		if a.run == e.Run {
			return nil
		}
		return fmt.Errorf("attempt %d is one of run %d already", e.Attempt, a.run)
	}
	if e.Run < 0 || e.Run >= len(m.runs) || e.Attempt == 0 {
		return fmt.Errorf("the batch has no run %d to offer as attempt %d", e.Run, e.Attempt)
	}
	r := &m.runs[e.Run]
	switch {
	case m.batch.State != hive.BatchRunning || m.batch.Wish != hive.WishRun:
		return fmt.Errorf("nothing is offered while the batch is %s (wish %s)", m.batch.State, m.batch.Wish)
	case m.IsSplit(e.Run) || m.Unsplit(e.Run):
		return fmt.Errorf("run %d is that of a sharded task: its shards are offered", e.Run)
	case m.FormerRun(e.Run):
		return fmt.Errorf("run %d is not offered before its former shards have ended", e.Run)
	case r.State != hive.RunReady || r.Attempt != 0:
		return fmt.Errorf("run %d is %s with attempt %d in hand: it cannot be offered", e.Run, r.State, r.Attempt)
	case r.NotBefore.After(p.now):
		return fmt.Errorf("run %d is not offered before %s", e.Run, r.NotBefore.Format(time.RFC3339))
	}
	pool := m.spec(e.Run).Pool
	a := &attempt{run: e.Run, Attempt: hive.Attempt{
		ID: e.Attempt, Key: e.Key, BatchID: m.batch.ID, RunID: r.ID, Number: r.Attempts + 1, Round: r.Round,
		Executor: e.Executor, ExecutorName: e.ExecutorName, State: hive.AttemptOffered, OfferedAt: p.now,
		Scheduling: e.Scheduling, Pool: pool.Name, Slots: pool.EffectiveSlots(),
	}}
	m.attempts[a.ID] = a
	r.Attempt, r.NotBefore = a.ID, time.Time{}
	r.Attempts++
	p.move(e.Run, decision{event: RunOffer, reason: r.Reason, detail: detailOf(r)})
	p.markAttemptChanged(a)
	return nil
}

func (e Rendered) apply(p *transition) error {
	a, done, err := p.m.find(e.Attempt)
	if err != nil || done {
		return err
	}
	a.Params = e.Params
	p.markAttemptChanged(a)
	return nil
}

func (e Started) apply(p *transition) error {
	a, done, err := p.m.find(e.Attempt)
	if err != nil || done {
		return err
	}
	r := &p.m.runs[a.run]
	if a.State == hive.AttemptRunning {
		if r.State == hive.RunUnknown {
			p.move(a.run, decision{event: RunBack})
		}
		return nil
	}
	a.State, a.StartedAt = hive.AttemptRunning, orNow(e.At, p.now)
	p.markAttemptChanged(a)
	r.StartedAt, r.FinishedAt, r.ExitCode = a.StartedAt, time.Time{}, nil
	p.move(a.run, decision{event: RunReceipt})
	p.startClock(a)
	return nil
}

func (e Returned) apply(p *transition) error {
	a, done, err := p.m.find(e.Attempt)
	switch {
	case err != nil || done:
		return err
	case a.State == hive.AttemptRunning:
		return fmt.Errorf("attempt %d has a receipt: it can be lost, not returned", a.ID)
	}
	p.note(a, e.Note)
	p.giveBack(a, e.Rejected)
	return nil
}

// giveBack ends an attempt that never started. Such an attempt is not counted. rejected means that its executor was
// busy or drains: the task may limit how often that happens.
func (p *transition) giveBack(a *attempt, rejected bool) {
	r := &p.m.runs[a.run]
	p.end(a, hive.OutcomeReturned)
	r.Attempts--
	reject := p.m.spec(a.run).Reject
	if rejected && !reject.IsZero() {
		r.Rejects++
	}
	switch {
	case p.m.willReset(a):
		p.reset(a.run)
	case !a.KillingAt.IsZero():
		p.move(a.run, decision{event: RunCancel, reason: a.KillReason})
	case rejected && reject.Max != nil && r.Rejects > *reject.Max:
		p.move(a.run, decision{event: RunFail, reason: hive.ReasonRejected, detail: hive.NewSentence(
			hive.SentenceRejected, "executors were busy or draining ‹times› times, and reject.max is ‹most›",
			"times", r.Rejects, "most", *reject.Max)})
	default:
		reason := r.Reason
		if reason == hive.ReasonSilent {
			reason = hive.ReasonNone
		}
		if rejected && reject.Interval > 0 {
			r.NotBefore = p.now.Add(reject.Interval.Std().Truncate(time.Millisecond))
		}
		p.move(a.run, decision{event: RunReturned, reason: reason, detail: detailOf(r)})
		p.queue = append(p.queue, a.run)
	}
}

func (e Noted) apply(p *transition) error {
	a, done, err := p.m.find(e.Attempt)
	if err != nil || done {
		return err
	}
	p.note(a, e.Note)
	return nil
}

// note adds a line to an attempt. The first lines and the latest stay; a repeated line is not written again.
func (p *transition) note(a *attempt, line hive.Sentence) {
	line = line.Clean(maxNote)
	if line.Text == "" || len(a.Notes) > 0 && a.Notes[len(a.Notes)-1] == line.Text {
		return
	}
	reasons := make([]*hive.TextReason, len(a.Notes), len(a.Notes)+1)
	for i := range reasons {
		reasons[i] = a.Reasons.OfNote(i)
	}
	a.Notes, reasons = withNote(a.Notes, line.Text), withNote(reasons, line.Reason)
	a.Reasons = attemptReasons(a.Reasons.OfError(), reasons)
	p.markAttemptChanged(a)
}

// withNote returns a copy of notes, or of their reasons, with one more. If there are too many, the middle one is
// removed.
func withNote[T any](notes []T, one T) []T {
	notes = slices.Clone(notes)
	if len(notes) >= maxNotes {
		notes = slices.Delete(notes, maxNotes/2, maxNotes/2+1+len(notes)-maxNotes)
	}
	return append(notes, one)
}

// setError puts the error of an end on the attempt.
func (a *attempt) setError(s hive.Sentence) {
	s = s.Clean(maxError)
	var notes []*hive.TextReason
	if a.Reasons != nil {
		notes = a.Reasons.Notes
	}
	a.Error, a.Reasons = s.Text, attemptReasons(s.Reason, notes)
}

// attemptReasons returns the reasons of an attempt's texts; nil if none has one.
func attemptReasons(ofError *hive.TextReason, notes []*hive.TextReason) *hive.AttemptReasons {
	if !slices.ContainsFunc(notes, func(r *hive.TextReason) bool { return r != nil }) {
		notes = nil
	}
	if ofError == nil && notes == nil {
		return nil
	}
	return &hive.AttemptReasons{Error: ofError, Notes: notes}
}

// detail returns the error of an attempt as the detail of its run.
func (a *attempt) detail() hive.Sentence {
	return hive.Sentence{Text: a.Error, Reason: a.Reasons.OfError()}.Clean(maxDetail)
}

func (e Refused) apply(p *transition) error {
	a, done, err := p.m.find(e.Attempt)
	if err != nil || done {
		return err
	}
	a.setError(e.Words)
	p.end(a, hive.OutcomeRefused)
	p.conclude(a)
	return nil
}

func (e Ended) apply(p *transition) error {
	a, done, err := p.m.find(e.Attempt)
	if err != nil || done {
		return err
	}
	switch e.Outcome {
	case hive.OutcomeSuccess, hive.OutcomeFailure, hive.OutcomeTimeout, hive.OutcomeKilled:
	default: // Returned, Refused and Lost are events of their own
		return fmt.Errorf("attempt %d cannot end with outcome %q", e.Attempt, e.Outcome)
	}
	p.describe(a, &e)
	if e.NoRetry && (e.Outcome == hive.OutcomeFailure || e.Outcome == hive.OutcomeTimeout) {
		p.note(a, hive.NewSentence(hive.SentenceNoRetry, "the executor asked not to retry"))
	}
	p.end(a, e.Outcome)
	p.conclude(a)
	return nil
}

// describe writes the executor's description of an end to the attempt and its run.
func (p *transition) describe(a *attempt, e *Ended) {
	a.setError(e.Error)
	a.ExitCode, a.Outputs, a.LogBytes = e.ExitCode, e.Outputs, e.LogBytes
	a.FinishedAt = e.FinishedAt
	if !e.StartedAt.IsZero() || a.StartedAt.IsZero() {
		a.StartedAt = orNow(e.StartedAt, p.now)
	}
	if a.State == hive.AttemptOffered {
		p.startClock(a) // its receipt was overtaken by its end
	}
	p.m.runs[a.run].ExitCode = e.ExitCode
}

func (e Silent) apply(p *transition) error {
	a, done, err := p.m.find(e.Attempt)
	if err != nil || done || p.m.runs[a.run].State == hive.RunUnknown {
		return err
	}
	p.move(a.run, decision{event: RunSilent, reason: hive.ReasonSilent})
	return nil
}

func (e Back) apply(p *transition) error {
	a, done, err := p.m.find(e.Attempt)
	if err != nil || done || p.m.runs[a.run].State != hive.RunUnknown {
		return err
	}
	if a.State == hive.AttemptOffered {
		p.move(a.run, decision{event: RunBackOffered})
	} else {
		p.move(a.run, decision{event: RunBack})
	}
	return nil
}

func (e Lost) apply(p *transition) error {
	a, done, err := p.m.find(e.Attempt)
	if err != nil || done {
		return err
	}
	a.setError(e.Words)
	p.lose(a, e)
	return nil
}

func orNow(t, now time.Time) time.Time {
	if t.IsZero() {
		return now
	}
	return t.UTC().Truncate(time.Millisecond)
}
