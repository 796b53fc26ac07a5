package fleet

import (
	"time"

	"github.com/rprp/hivego/server/hive"
)

// noteNeverSent returns the note of an attempt that was returned or killed before it was sent.
func noteNeverSent() hive.Sentence {
	return hive.NewSentence(hive.SentenceNeverLeft, "canceled before it left the server")
}

// Rendering returns how the params of a handler accept values; nil if the executor does not offer the handler.
func (f *Fleet) Rendering(executor, handler string) *hive.Rendering {
	x := f.executors[executor]
	if x == nil {
		return nil
	}
	return x.renderings[handler]
}

// Reserve reserves a slot for an attempt whose row is being stored.
func (f *Fleet) Reserve(executor string, attempt hive.AttemptRef) {
	if x := f.executors[executor]; x != nil {
		f.countChoice(x)
		x.add(&attemptState{ref: attempt, phase: reserved})
		f.holders[attempt] = x
	}
}

// Offer sends a durable attempt with the next submit, or by a run call.
func (f *Fleet) Offer(assignment hive.Assignment) {
	ref := assignment.Ref()
	x := f.holders[ref]
	if x == nil {
		return
	}
	a := x.attempts[ref]
	if a == nil || a.phase != reserved {
		return
	}
	a.phase, a.assignment = offered, assignment
	x.queue = append(x.queue, ref)
	if !x.exec.Durable && a.kill != nil {
		f.end(x, a, hive.AttemptEvent{Kind: hive.EventReturned, Words: noteNeverSent()})
	}
}

// Drop gives up the reservation of an attempt. It returns false, and does nothing, if the attempt was offered.
func (f *Fleet) Drop(attempt hive.AttemptRef) bool {
	x := f.holders[attempt]
	if x == nil {
		return true
	}
	if a := x.attempts[attempt]; a != nil && a.phase != reserved {
		return false
	}
	f.forget(x, attempt)
	return true
}

// Kill orders the kill of an attempt. The next call that can carry the order sends it.
func (f *Fleet) Kill(executor string, o hive.KillOrder) {
	x := f.executors[executor]
	if x == nil {
		return
	}
	a := x.attempts[o.Ref()]
	if a == nil {
		return
	}
	if a.phase == offered { // it was never sent, so there is nothing to kill
		f.end(x, a, hive.AttemptEvent{Kind: hive.EventReturned, Words: noteNeverSent()})
		return
	}
	x.requestKill(a, o)
}

// Ack notes that the end of an attempt is durable, so that the executor need not report it again. seq is the number of
// the event that reported the end; 0 if no event of the executor did.
func (f *Fleet) Ack(attempt hive.AttemptRef, seq int64) {
	x := f.holders[attempt]
	if x == nil {
		return
	}
	a := x.attempts[attempt]
	if a == nil {
		return
	}
	// The executor may have reported an end of its own after the attempt was given up here.
	if seq = max(seq, a.endSeq); seq > 0 && x.exec.Durable && !a.viaRunCall {
		x.acks = append(x.acks, ack{attempt: attempt, seq: seq})
		x.releaseLater(attempt, a.noLog)
	}
	if a.phase == ended || a.unowned {
		f.forget(x, attempt)
	}
}

// Adopt takes over a stored attempt that the executor may still have. The executor is asked about it before any other
// call. Its former owner may have had an answer of the executor until now, so its lease starts now at the earliest.
func (f *Fleet) Adopt(now time.Time, executor string, h hive.HeldAttempt) {
	ref := h.Assignment.Ref()
	x := f.executors[executor]
	if x == nil {
		// The executor's row is gone: nobody can have the attempt.
		f.events = append(f.events, hive.AttemptEvent{
			Attempt: ref.ID, Key: ref.Key, Kind: hive.EventLost,
			Words: hive.NewSentence(hive.SentenceLostExecutor, "its executor is not known any more"),
		})
		return
	}
	delete(x.lookups, ref)
	if _, open := f.runCalls[ref]; open || !x.exec.Durable {
		f.adoptRunCall(now, x, &h)
		return
	}
	a := x.attempts[ref]
	switch {
	case a == nil:
		a = &attemptState{
			ref: ref, phase: adopted, assignment: h.Assignment, startReported: h.Started, silenceReported: h.Unknown,
			adoptedAt: now,
		}
		x.add(a)
		f.holders[ref] = x
		x.detach()
		if x.silent {
			f.markSilent(a)
		}
	case a.phase == ended: // its end was reported, but did not become durable: ask for it again
		delete(x.ended, ref)
		a.phase, a.endSeq, a.startReported, a.silenceReported = adopted, 0, h.Started, h.Unknown
		x.detach()
	case a.startReported && !h.Started:
		a.startReported = false
		f.markStarted(a, time.Time{})
	}
	if h.Killing {
		x.requestKill(a, killOrder(&h))
	}
}

// killOrder returns the order that already kills a stored attempt.
func killOrder(h *hive.HeldAttempt) hive.KillOrder {
	a := &h.Assignment
	return hive.KillOrder{Attempt: a.Attempt, Key: a.Key, Grace: a.KillGrace, Reason: h.KillReason}
}
