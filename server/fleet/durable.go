package fleet

import (
	"time"

	"github.com/rprp/hivego/server/hive"
)

// attached handles the answer to an attach.
func (f *Fleet) attached(now time.Time, x *executorState, answer *AttachAnswer) {
	if x.bootID != answer.BootID {
		x.lastAnswer = 0 // its answers are numbered from 1 again
	}
	x.bootID = answer.BootID
	if answer.Description.OffsetKnown {
		x.offset = answer.Description.Offset
	}
	if x.silent {
		x.silent = false
		f.note(Back{Executor: x.exec.Name})
	}
	reported := make(map[hive.AttemptRef]bool, len(answer.Reports))
	for _, r := range answer.Reports {
		reported[r.Attempt] = true
		if a := x.attempts[r.Attempt]; a != nil && a.phase != ended {
			f.reported(x, a, r)
		}
	}
	for _, o := range answer.Others {
		if f.holders[o.Attempt] == nil {
			f.foundUntracked(x, UntrackedAttempt{OtherAttempt: o})
		}
	}
	for _, ref := range answer.Call.Attempts {
		if a := x.attempts[ref]; a != nil {
			a.askedRound = answer.Call.round
			if reported[ref] {
				a.unreported = 0
			} else {
				f.notReported(now, x, a)
			}
		}
	}
	x.attached = answer.Call.round == x.attachRound // else more attempts were adopted meanwhile: attach again
	for _, ref := range x.refs() {
		x.attached = x.attached && !x.needsAttach(x.attempts[ref]) // more than one call can name: attach the rest
	}
}

// reported handles the report of one attempt in the answer to an attach.
func (f *Fleet) reported(x *executorState, a *attemptState, r Report) {
	switch r.State {
	case AttemptRunning, AttemptEnded: // a poll brings its end, with the seq to ack
		a.phase = running
		f.markStarted(a, time.Time{})
		f.markBack(a)
	case AttemptLost:
		f.end(x, a, hive.AttemptEvent{Kind: hive.EventLost, Words: r.Words})
	case AttemptForgotten:
		f.forgotten(x, a)
	}
}

// notReported handles an attempt that the answer to an attach has left out, against the contract. The executor is asked
// again a few times. Then the attempt is lost, and a person decides about it, because its work may still run.
func (f *Fleet) notReported(now time.Time, x *executorState, a *attemptState) {
	if a.phase == submitted || a.phase == ended { // the receipt of a submitted one is still to come
		return
	}
	a.unreported++
	switch {
	case a.unreported < maxUnreported:
		x.askAt = now.Add(askPause)
	case a.unowned:
		f.forget(x, a.ref)
	default:
		f.note(Unreported{Executor: x.exec.Name, Attempt: a.ref})
		f.end(x, a, hive.AttemptEvent{
			Kind: hive.EventLost, Hold: true,
			Words: hive.NewSentence(hive.SentenceLostUnreported, "the executor does not say what became of it"),
		})
	}
}

// forgotten ends an attempt that has a tombstone at its executor, so that it can never start there. With a receipt it
// is lost; without one it is returned.
func (f *Fleet) forgotten(x *executorState, a *attemptState) {
	switch {
	case a.unowned:
		f.forget(x, a.ref)
	case a.startReported:
		f.end(x, a, hive.AttemptEvent{Kind: hive.EventLost, Words: forgottenThere()})
	default:
		f.end(x, a, hive.AttemptEvent{
			Kind:  hive.EventReturned,
			Words: hive.NewSentence(hive.SentenceNeverArrived, "it never reached the executor"),
		})
	}
}

func forgottenThere() hive.Sentence {
	return hive.NewSentence(hive.SentenceLostForgotten, "the executor does not know it any more")
}

// requeue puts assignments without a receipt back at the head of the queue, with a note of the reason.
func (f *Fleet) requeue(x *executorState, sent []hive.Assignment, note hive.Sentence) {
	again := make([]hive.AttemptRef, 0, len(sent)+len(x.queue))
	for i := range sent {
		a := x.attempts[sent[i].Ref()]
		if a == nil || a.phase != submitted {
			continue
		}
		again = append(again, a.ref)
		if !a.delayReported {
			a.delayReported = true
			f.emit(a, hive.AttemptEvent{Kind: hive.EventNoted, Words: note})
		}
	}
	x.queue = append(again, x.queue...)
}

// receipts handles the answer to a submit.
func (f *Fleet) receipts(now time.Time, x *executorState, answer *SubmitAnswer) {
	got := make(map[hive.AttemptRef]Receipt, len(answer.Receipts))
	for _, r := range answer.Receipts {
		got[r.Attempt] = r
	}
	var missing []hive.Assignment
	for i := range answer.Call.Assignments {
		a := x.attempts[answer.Call.Assignments[i].Ref()]
		if a == nil || a.phase != submitted {
			continue // it ended, or was given away, while the call was under way
		}
		r, ok := got[a.ref]
		if !ok {
			missing = append(missing, answer.Call.Assignments[i])
			continue
		}
		f.receipt(now, x, a, r)
	}
	if len(missing) > 0 {
		f.requeue(x, missing, hive.NewSentence(hive.SentenceNoReceiptLine,
			"no receipt from ‹executor›: the answer has no line for it", "executor", x.exec.Name))
		x.submitAt = now.Add(busyPause)
	}
	if len(x.queue) == 0 {
		x.submitOne = false
	}
}

func (f *Fleet) receipt(now time.Time, x *executorState, a *attemptState, r Receipt) {
	switch r.Code {
	case ReceiptStarted:
		a.phase = running
		f.markStarted(a, time.Time{})
	case ReceiptBusy:
		x.submitAt = now.Add(busyPause)
		words := hive.NewSentence(hive.SentenceOfferBusy, "‹executor› was busy", "executor", x.exec.Name)
		if r.Words.Text != "" {
			words = hive.Quote(hive.SentenceOfferBusyWhy, "‹executor› was busy: ‹words›", r.Words,
				"executor", x.exec.Name)
		}
		f.end(x, a, hive.AttemptEvent{Kind: hive.EventReturned, Rejected: true, Words: words})
	case ReceiptDraining:
		x.draining = true
		f.end(x, a, hive.AttemptEvent{
			Kind: hive.EventReturned, Rejected: true,
			Words: hive.NewSentence(hive.SentenceOfferDraining, "‹executor› takes nothing new",
				"executor", x.exec.Name),
		})
	case ReceiptRefused:
		f.end(x, a, hive.AttemptEvent{Kind: hive.EventRefused, Words: r.Words})
	case ReceiptForgotten:
		f.forgotten(x, a)
	default: // stale, or newer than this server: attach again
		f.note(UnknownReceipt{Executor: x.exec.Name, Attempt: a.ref, Receipt: r})
		x.callFailed(now, hive.NewSentence(hive.SentenceUnknownReceipt,
			"it gave a receipt that this server does not know"))
		x.queue = append(x.queue, a.ref)
	}
}

// killsAnswered handles the answer to a kill. Orders that the answer leaves out are repeated after a pause.
func (f *Fleet) killsAnswered(now time.Time, x *executorState, answer *KillAnswer) {
	for _, r := range answer.Reports {
		a := x.attempts[r.Attempt]
		if a == nil || a.phase == ended {
			continue
		}
		delete(x.killing, r.Attempt)
		switch r.State {
		case AttemptForgotten:
			f.forgotten(x, a)
		case AttemptStale:
			f.note(TakenOver{Executor: x.exec.Name, Attempt: a.ref})
		}
	}
	for _, o := range answer.Call.Orders {
		if _, unanswered := x.killing[o.Ref()]; unanswered {
			x.killAt = now.Add(askPause)
		}
	}
}

// polled handles the answer to a poll.
func (f *Fleet) polled(now time.Time, x *executorState, answer *PollAnswer) {
	c := answer.Call
	x.acks, x.releases = x.acks[min(c.acks, len(x.acks)):], x.releases[min(c.releases, len(x.releases)):]
	x.lastAnswer = answer.Number
	for i := range answer.Events {
		f.happened(x, answer.Events[i])
	}
	if len(x.ended) > 0 {
		x.pollAt = now.Add(ackDelay)
	}
	if answer.Number <= 0 {
		// It breaks the contract. The next poll waits for nothing, so polls would follow each other without a pause.
		x.pollAt = now.Add(unnumberedPause)
	}
	switch {
	case answer.BootID != x.bootID:
		x.attached = false
	case x.silent:
		x.silent = false
		f.each(x, func(a *attemptState) {
			if a.phase == running {
				f.markBack(a)
			}
		})
	}
}

// happened handles one event of a poll.
func (f *Fleet) happened(x *executorState, ev hive.AttemptEvent) {
	x.toServerClock(&ev.At, &ev.StartedAt, &ev.FinishedAt)
	isEnd := ev.Kind == hive.EventEnded || ev.Kind == hive.EventLost
	ref := ev.Ref()
	a := x.attempts[ref]
	switch {
	case a == nil: // its end is probably durable already
		if isEnd {
			f.foundUntracked(x, UntrackedAttempt{OtherAttempt: OtherAttempt{Attempt: ref}, endSeq: ev.Seq})
		}
	case a.unowned:
		if isEnd {
			x.acks = append(x.acks, ack{attempt: ref, seq: ev.Seq})
			x.releaseLater(ref, ev.NoLog)
			f.forget(x, ref)
		}
	case isEnd && a.endSeq >= ev.Seq || a.phase == reserved || a.phase == offered:
	case isEnd:
		a.endSeq, a.noLog = ev.Seq, ev.NoLog
		if a.phase != ended { // else the owner has it as lost or returned: that stands, and is acked once durable
			f.end(x, a, ev)
		}
	case ev.Kind == hive.EventStarted:
		x.acks = append(x.acks, ack{attempt: ref, seq: ev.Seq})
		if a.phase != ended {
			a.phase = running
			f.markStarted(a, ev.At)
		}
	case a.phase != ended:
		f.events = append(f.events, ev)
	}
}

// toServerClock converts times on the executor's clock. Zero times stay zero.
func (x *executorState) toServerClock(times ...*time.Time) {
	for _, t := range times {
		if !t.IsZero() {
			*t = t.Add(x.offset)
		}
	}
}
