package fleet

import (
	"cmp"
	"maps"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// An executor that only offers run does each attempt in one call, which stays open while the work lasts. There is no
// receipt, no lease and no kill. The work counts as begun once the call is sent. If the connection breaks before the
// answer, the outcome is unknown, and the attempt is lost.

// describeEvery is how often an executor that only offers run is asked to describe itself.
const describeEvery = 5 * time.Second

// runCall is the run call of one attempt. It belongs to this process and not to a session: it survives the end of a
// session, and the next session, if it still has the attempt, waits for the same answer.
type runCall struct {
	executor *executorState
	sentAt   time.Time // when the call was sent completely; zero before
	result   runResult // if it came while no session had the attempt
	resultAt time.Time // when it came
}

// resultMemory is how long the result of a run call is kept for a session that has the attempt. None will if another
// server has taken over the batch.
const resultMemory = time.Hour

// runResult is the result of a run call: *RunAnswer or *RunFailure.
type runResult interface {
	Answer
	endOf(now time.Time, r *runCall, a *attemptState) hive.AttemptEvent
}

// The errors of attempts whose end nobody observed.

func connectionBroken() hive.Sentence {
	return hive.NewSentence(hive.SentenceLostCut, "the connection to the executor broke before it answered; "+
		"whether the work was done, it cannot say any more")
}

func callerGone() hive.Sentence {
	return hive.NewSentence(hive.SentenceLostOrphaned, "the server that had called the executor was stopped or lost "+
		"before the answer came; whether the work was done, the executor cannot say any more")
}

func notKilled() hive.Sentence {
	return hive.NewSentence(hive.SentenceLostUnkilled, "the connection was closed to end it; "+
		"this executor cannot be told to stop, so the work may still run there")
}

func timedOut() hive.Sentence {
	return hive.NewSentence(hive.SentenceOvertime, "no answer came within its time, and the connection was closed; "+
		"this executor cannot be told to stop, so the work may still run there")
}

func noLongerDurable() hive.Sentence {
	return hive.NewSentence(hive.SentenceLostTurned,
		"the executor was started anew as one that only offers run, and does not know it any more")
}

// runOnlyCalls returns the calls that are due at an executor that only offers run.
func (f *Fleet) runOnlyCalls(now time.Time, x *executorState) []Call {
	var calls []Call
	for _, ref := range x.queue {
		a := x.attempts[ref]
		if a == nil || a.phase != offered {
			continue
		}
		a.phase, a.viaRunCall = submitted, true
		f.runCalls[ref] = &runCall{executor: x}
		x.openRuns++
		calls = append(calls, &RunCall{Target: f.target(x), Assignment: a.assignment})
	}
	x.queue = nil
	if x.mayDescribe() && !now.Before(x.describeAt) {
		x.controlUsed = true
		calls = append(calls, &DescribeCall{Target: f.target(x)})
	}
	return calls
}

// mayDescribe reports whether a describe call may start: one is under way at a time, and none while the executor works
// and answers no other call.
func (x *executorState) mayDescribe() bool { return !x.controlUsed && (!x.occupied || x.openRuns == 0) }

// Breaks returns the attempts whose run calls must be aborted, because the attempts are being killed. It returns each
// one once.
func (f *Fleet) Breaks() []hive.AttemptRef {
	var breaks []hive.AttemptRef
	for _, x := range f.order {
		if x.openRuns == 0 || len(x.killing) == 0 {
			continue
		}
		for _, ref := range sortedRefs(x.killing) {
			if x.attempts[ref].viaRunCall {
				delete(x.killing, ref)
				breaks = append(breaks, ref)
			}
		}
	}
	return breaks
}

// RunSent notes that the run call of an attempt was sent completely, so that the work begins.
func (f *Fleet) RunSent(now time.Time, attempt hive.AttemptRef) {
	r := f.runCalls[attempt]
	if r == nil {
		return
	}
	r.sentAt = now
	if a := r.executor.attempts[attempt]; a != nil && a.phase == submitted {
		a.phase = running
		f.markStarted(a, time.Time{})
	}
}

// runReturned handles the result of a run call, whichever session made it.
func (f *Fleet) runReturned(now time.Time, c *RunCall, result runResult) {
	ref := c.Assignment.Ref()
	r := f.runCalls[ref]
	if r == nil {
		return
	}
	x := r.executor
	x.openRuns--
	x.occupied, x.describeAt = false, now
	if a := x.attempts[ref]; a != nil && a.phase != ended {
		f.finishRun(now, r, a, result)
	} else if a == nil {
		maps.DeleteFunc(f.runCalls, func(_ hive.AttemptRef, r *runCall) bool {
			return r.result != nil && now.Sub(r.resultAt) >= resultMemory
		})
		r.result, r.resultAt = result, now
		return
	}
	delete(f.runCalls, ref)
}

// finishRun ends an attempt by the result of its call.
func (f *Fleet) finishRun(now time.Time, r *runCall, a *attemptState, result runResult) {
	f.end(r.executor, a, result.endOf(now, r, a))
}

// endOf returns the end of an attempt whose call brought no outcome.
func (why *RunFailure) endOf(now time.Time, r *runCall, a *attemptState) hive.AttemptEvent {
	x := r.executor
	switch why.Kind {
	case RunUnsent:
		if a.kill == nil {
			x.callFailed(now, why.Words)
		}
		return hive.AttemptEvent{
			Kind: hive.EventReturned,
			Words: hive.Quote(hive.SentenceNotReached, "‹executor› was not reached: ‹words›", why.Words,
				"executor", x.exec.Name),
		}
	case RunDenied:
		x.callFailed(now, why.Words)
		return hive.AttemptEvent{Kind: hive.EventReturned, Words: why.Words}
	case RunRefused:
		x.answered(now)
		return hive.AttemptEvent{Kind: hive.EventRefused, Words: why.Words}
	case RunFailed:
		x.answered(now)
		return hive.AttemptEvent{
			Kind: hive.EventEnded, Outcome: hive.OutcomeFailure, StartedAt: r.sentAt, Words: why.Words,
		}
	case RunTimedOut:
		return hive.AttemptEvent{
			Kind: hive.EventEnded, Outcome: hive.OutcomeTimeout, StartedAt: r.sentAt, Words: timedOut(),
		}
	default:
		words := connectionBroken()
		if a.kill != nil {
			words = notKilled()
		}
		return hive.AttemptEvent{Kind: hive.EventLost, RunOnly: true, Words: words}
	}
}

// endOf returns the end that an executor reported. While the offset of its clock is unknown, the times are the
// server's.
func (answer *RunAnswer) endOf(now time.Time, r *runCall, _ *attemptState) hive.AttemptEvent {
	ev, x := answer.End, r.executor
	x.answered(now)
	if !x.offsetKnown {
		ev.StartedAt, ev.FinishedAt = time.Time{}, time.Time{}
	}
	x.toServerClock(&ev.StartedAt, &ev.FinishedAt)
	if ev.StartedAt.IsZero() {
		ev.StartedAt = r.sentAt
	}
	if ev.FinishedAt.IsZero() {
		ev.FinishedAt = now
	}
	ev.RunOnly = ev.Kind == hive.EventLost
	return ev
}

// adoptRunCall takes over a stored attempt of an executor that only offers run. No answer will come unless this very
// process still waits for it.
func (f *Fleet) adoptRunCall(now time.Time, x *executorState, h *hive.HeldAttempt) {
	ref := h.Assignment.Ref()
	a, r := x.attempts[ref], f.runCalls[ref]
	switch {
	case a != nil && a.phase == ended: // its end was reported, but did not become durable
		f.events = append(f.events, a.endEvent)
		return
	case a != nil:
		if a.startReported && !h.Started {
			a.startReported = false
			f.markStarted(a, time.Time{})
		}
	default:
		a = &attemptState{
			ref: ref, phase: submitted, viaRunCall: true, assignment: h.Assignment, startReported: h.Started,
		}
		x.add(a)
		f.holders[ref] = x
		if r == nil {
			f.end(x, a, hive.AttemptEvent{Kind: hive.EventLost, RunOnly: true, Words: callerGone()})
			return
		}
		f.resumeRun(now, r, a, h)
	}
	if h.Killing && a.phase != ended {
		x.requestKill(a, killOrder(h))
	}
}

// resumeRun continues to wait for a call that an earlier session of this process made.
func (f *Fleet) resumeRun(now time.Time, r *runCall, a *attemptState, h *hive.HeldAttempt) {
	if !r.sentAt.IsZero() {
		a.phase = running
		f.markStarted(a, time.Time{})
	}
	if h.Unknown {
		f.emit(a, hive.AttemptEvent{Kind: hive.EventBack})
	}
	if r.result != nil {
		delete(f.runCalls, a.ref)
		f.finishRun(now, r, a, r.result)
	}
}

// described handles the description of an executor that only offers run.
func (f *Fleet) described(now time.Time, x *executorState, d *Description) {
	if !d.Fits(&x.exec) {
		x.callFailed(now, OtherExecutor())
		return
	}
	x.answered(now)
	x.occupied, x.describeAt = false, now.Add(describeEvery)
	if d.OffsetKnown {
		x.offset, x.offsetKnown = d.Offset, true
	}
	x.bootID, x.attached = d.BootID, true
	x.draining = d.Load != nil && d.Load.Draining
	x.otherSlots = 0
	x.countOtherSlots(d.Load)
	if x.silent {
		x.silent = false
		f.note(Back{Executor: x.exec.Name})
	}
}

// notDescribed handles a describe call without an answer. An executor that works and accepts one call at a time is not
// silent because of that: the connection of its run call shows that it is alive.
func (f *Fleet) notDescribed(now time.Time, x *executorState, why *Failure) {
	if x.openRuns > 0 && x.attached && why.Timeout {
		x.occupied = true
		return
	}
	if x.failures == 0 && !x.hasStopped() {
		f.note(NotAnswering{Executor: x.exec.Name, Call: kindDescribe, Error: why.Words})
	}
	x.callFailed(now, why.Trouble)
}

// describeWake returns when an executor that only offers run is to be called again; zero: not before something happens.
func (x *executorState) describeWake() time.Time {
	if !x.retryAt.IsZero() || !x.mayDescribe() {
		return time.Time{}
	}
	return cmp.Or(x.describeAt, x.heardAt)
}
