package owner

import (
	"time"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/state"
)

// Limits of text that comes from executors, in bytes.
const (
	maxErrorText = 4 << 10
	maxNote      = 512
	maxOutputs   = 64 << 10
)

// Deliver applies the fleet's reports. It acknowledges the end of an unknown attempt: that end is durable already, or
// the batch was deleted. It ignores reports for a batch that is being loaded again, because the executor repeats them.
func (o *Owner) Deliver(now time.Time, events []hive.AttemptEvent) {
	for i := range events {
		ev := &events[i]
		batch, known := o.attempts.batch(ev.Ref())
		if !known {
			if ev.Kind == hive.EventEnded || ev.Kind == hive.EventLost {
				o.fleet.Ack(ev.Ref(), ev.Seq)
			}
			continue
		}
		if l := o.live[batch]; l != nil {
			o.deliver(now, l, ev)
		}
	}
}

func (o *Owner) deliver(now time.Time, l *liveBatch, ev *hive.AttemptEvent) {
	a, ok := l.machine.Attempt(ev.Attempt)
	if !ok {
		return
	}
	run, _ := l.machine.RunOf(a.ID)
	if ev.Kind == hive.EventProgress {
		l.progress[run] = ev.Progress
		return
	}
	e, urgent := translate(now, &a, ev)
	if e == nil {
		return
	}
	o.applyExpected(now, l, e, urgent)
	switch ev.Kind {
	case hive.EventEnded, hive.EventLost, hive.EventRefused, hive.EventReturned:
		delete(l.progress, run)
		p := o.changesOf(l)
		p.acks = append(p.acks, ack{attempt: ev.Ref(), seq: ev.Seq})
		o.requestFlush(now, true)
	}
}

// translate turns an event of the fleet into one of the machine. It makes texts safe, and moves times into the span
// from the offer to now.
func translate(now time.Time, a *hive.Attempt, ev *hive.AttemptEvent) (e state.Event, urgent bool) {
	switch ev.Kind {
	case hive.EventStarted:
		return state.Started{Attempt: a.ID, At: clamp(ev.At, a.OfferedAt, now)}, false
	case hive.EventReturned:
		return state.Returned{Attempt: a.ID, Note: ev.Words.Clean(maxNote), Rejected: ev.Rejected}, true
	case hive.EventNoted:
		return state.Noted{Attempt: a.ID, Note: ev.Words.Clean(maxNote)}, false
	case hive.EventRefused:
		return state.Refused{Attempt: a.ID, Words: ev.Words.Clean(maxErrorText)}, true
	case hive.EventSilent:
		return state.Silent{Attempt: a.ID}, true
	case hive.EventBack:
		return state.Back{Attempt: a.ID}, true
	case hive.EventLost:
		return state.Lost{
			Attempt: a.ID, Words: ev.Words.Clean(maxErrorText), RunOnly: ev.RunOnly, Hold: ev.Hold,
		}, true
	case hive.EventEnded:
		started := clamp(ev.StartedAt, a.OfferedAt, now)
		outcome, words := ev.Outcome, ev.Words
		outputs, fit := cleanOutputs(ev.Outputs)
		if !fit && outcome == hive.OutcomeSuccess { // later tasks would miss the outputs
			outcome, words = hive.OutcomeFailure, tooMuchOutput()
		}
		return state.Ended{
			Attempt: a.ID, Outcome: outcome, ExitCode: ev.ExitCode, Error: words.Clean(maxErrorText),
			Outputs: outputs, StartedAt: started, FinishedAt: clamp(ev.FinishedAt, started, now),
			LogBytes: ev.LogBytes, NoRetry: ev.NoRetry,
		}, true
	default:
		return nil, false
	}
}

// clamp moves t into the span between its bounds. It returns the later bound for an unknown time.
func clamp(t, from, to time.Time) time.Time {
	switch {
	case t.IsZero(), t.After(to):
		return to
	case t.Before(from):
		return from
	default:
		return t
	}
}

// tooMuchOutput returns the error of an attempt with more outputs than HiveGo stores.
func tooMuchOutput() hive.Sentence {
	return hive.NewSentence(hive.SentenceOutputs,
		"outputs of more than 64 KiB: none of them is kept; write what is large to a file, and name the file")
}

// cleanOutputs makes outputs safe to store. It returns false if there are too many; then it stores none.
func cleanOutputs(in map[string]string) (map[string]string, bool) {
	if len(in) == 0 {
		return nil, true
	}
	out, size := make(map[string]string, len(in)), 0
	for k, v := range in {
		k = hive.Clean(k, 128)
		if size += len(k) + len(v); size > maxOutputs {
			return nil, false
		}
		out[k] = hive.Clean(v, maxOutputs)
	}
	return out, true
}

// FireTimers applies what is due at this moment: retries whose delay is over, and timeouts.
func (o *Owner) FireTimers(now time.Time) {
	for t := o.timers.takeDue(now); t != nil; t = o.timers.takeDue(now) {
		l := t.batch
		if t.run == wholeBatch {
			o.applyExpected(now, l, state.Due{}, true)
			o.armTimer(l)
		} else {
			o.enqueue(now, l, t.run)
		}
	}
}

// armTimer sets the timer for the machine's next moment.
func (o *Owner) armTimer(l *liveBatch) {
	if at := l.machine.NextTimer(); at.IsZero() {
		o.timers.stop(l, wholeBatch)
	} else {
		o.timers.set(l, wholeBatch, at)
	}
}

// NextTimer returns when FireTimers next has something to do; zero means never.
func (o *Owner) NextTimer() time.Time { return o.timers.next() }

// NextCommitAt returns when NextCommit has a group without a further event. It is zero if there is no such moment, or
// while a commit is under way or waits to be tried again.
func (o *Owner) NextCommitAt() time.Time {
	if o.inflight != nil || len(o.retryQueue) > 0 {
		return time.Time{}
	}
	return o.flushAt
}
