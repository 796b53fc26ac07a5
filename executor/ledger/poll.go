package ledger

import (
	"math"
	"time"
)

// PollCall is a call of poll.
type PollCall struct {
	Caller        Caller
	Acks          []Ack
	Releases      []Ref
	LastAnswer    int64
	OrphanTimeout time.Duration // 0: never killed for silence; negative: not said
}

// Ack acknowledges the events of an attempt up to Seq: the server has committed them.
type Ack struct {
	Attempt Ref
	Seq     int64
}

// Event is something that happened to an attempt.
type Event struct {
	Attempt  Ref
	Seq      int64
	Kind     EventKind
	At       int64 // wall clock, ms
	Outcome  *Outcome
	Progress float64
}

// Answer is a reply to a poll.
type Answer struct {
	Events []Event
	Number int64
}

// Poll handles the arguments of a poll: acks, releases, and the number of the last answer that was received. After it,
// Urgent reports whether the call must be answered at once, and Answer makes the reply. The reply does not wait for the
// records of acks and releases: if they are lost, the server repeats them.
func (l *Ledger) Poll(now Now, c PollCall) (Step, error) {
	var st Step
	if len(c.Acks) > maxNames || len(c.Releases) > maxNames {
		return st, &BadCallError{"too many acks or releases in one call"}
	}
	s, err := l.admit(&st, now, c.Caller)
	if err != nil {
		return st, err
	}
	s.lease.setTimeout(c.OrphanTimeout, l.cfg.OrphanTimeout)
	if !s.lease.open {
		s.lease.grant(now.Mono)
	}
	s.lease.confirm(c.LastAnswer, now.Mono)
	for _, r := range c.Releases { // first: what is released needs no ack any more
		if a := l.owned(c.Caller, r); a != nil && a.outcome != nil {
			l.release(&st, now, r)
		}
	}
	for _, k := range c.Acks {
		if a := l.owned(c.Caller, k.Attempt); a != nil && k.Seq > a.acked && k.Seq <= a.seq {
			l.log(&st, now, Record{Kind: recordAck, Attempt: k.Attempt.ID, Key: k.Attempt.Key, Seq: k.Seq})
		}
	}
	return st, nil
}

// release forgets an ended attempt that nobody needs any more.
func (l *Ledger) release(st *Step, now Now, attempt Ref) {
	l.tombs.lsn = l.log(st, now, Record{Kind: recordRelease, Attempt: attempt.ID, Key: attempt.Key})
	st.Drops = append(st.Drops, attempt)
}

// owned returns an attempt if it belongs to the caller.
func (l *Ledger) owned(c Caller, r Ref) *attempt {
	a := l.attempts[r]
	if a == nil || a.owner.Server != c.Server || a.owner.outranks(c) {
		return nil
	}
	return a
}

// Urgent reports whether a poll with this lastAnswer must be answered at once: there is an event that no received
// answer had, or the lease is not confirmed yet.
func (l *Ledger) Urgent(c Caller, lastAnswer int64) bool {
	s := l.servers[c.Server]
	if s == nil || s.latest.outranks(c) || lastAnswer <= 0 || len(s.lease.sent) == 0 {
		return true
	}
	for _, a := range s.list() {
		if a.unreported(lastAnswer) {
			return true
		}
	}
	return false
}

// list returns the server's attempts with events. It drops attempts that have no events any more or belong to another
// server.
func (s *server) list() []*attempt {
	keep := s.events[:0]
	for _, a := range s.events {
		switch {
		case !a.listed || a.owner.Server != s.id:
		case a.pendingSeq() == 0:
			a.listed = false
		default:
			keep = append(keep, a)
		}
	}
	clear(s.events[len(keep):])
	s.events = keep
	return keep
}

// pendingSeq returns the seq of the latest event that is not acked; 0: there is none.
func (a *attempt) pendingSeq() int64 {
	switch {
	case a.outcome != nil && a.seq > a.acked:
		return a.seq
	case a.progSeq > a.acked:
		return a.progSeq
	default:
		return 0
	}
}

// unreported reports whether an attempt has an event that no answer up to lastAnswer had.
func (a *attempt) unreported(lastAnswer int64) bool {
	n := a.pendingSeq()
	return n > 0 && (a.reportedSeq < n || a.reportedIn > lastAnswer)
}

// Answer makes the reply of a poll: new events first, then events that are not acked yet, at most limit events. The
// lease counts from now on, once the server confirms the answer.
func (l *Ledger) Answer(now Now, c Caller, lastAnswer int64, limit int) (Answer, Step, error) {
	var st Step
	s, err := l.admit(&st, now, c)
	if err != nil {
		return Answer{}, st, err
	}
	if limit <= 0 || limit > MaxEvents {
		limit = MaxEvents
	}
	if s.lease.issued == 0 {
		s.lease.issued = l.boots << 32 // numbers of different boots never meet
	}
	out := Answer{Number: s.lease.issued + 1}
	s.lease.mark(out.Number, now.Mono)
	var fresh, again []*attempt
	for _, a := range s.list() {
		if a.unreported(lastAnswer) {
			fresh = append(fresh, a)
		} else {
			again = append(again, a)
		}
	}
	size := 0
	for i, a := range append(fresh, again...) {
		size += a.weight()
		if len(out.Events) >= limit || len(out.Events) > 0 && size > MaxAnswerBytes {
			break // the rest goes out with the next answer, at once
		}
		out.Events = a.appendEvents(out.Events, limit)
		st.need(a.lsn)
		if i < len(fresh) {
			a.reportedIn = out.Number
		}
	}
	return out, st, nil
}

// MaxAnswerBytes limits the events of one answer to half a frame.
const MaxAnswerBytes = 8 << 20

// weight estimates how many bytes the events of an attempt take in a frame.
func (a *attempt) weight() int {
	n := 256
	if a.outcome != nil {
		n += len(a.outcome.Error)
		for _, texts := range []map[string]string{a.outcome.Outputs, a.outcome.Params} {
			for k, v := range texts {
				n += len(k) + len(v) + 8
			}
		}
	}
	return n
}

// appendEvents appends the events of an attempt that are not acked, by seq.
func (a *attempt) appendEvents(out []Event, limit int) []Event {
	if a.progSeq > a.acked {
		out = append(out, Event{
			Attempt: a.ref, Seq: a.progSeq, Kind: EventProgress, Progress: a.progress,
		})
		a.reportedSeq = max(a.reportedSeq, a.progSeq)
	}
	if a.outcome != nil && a.seq > a.acked && len(out) < limit {
		out = append(out, Event{
			Attempt: a.ref, Seq: a.seq, Kind: EventEnded, At: a.outcome.FinishedAt, Outcome: a.outcome,
		})
		a.reportedSeq = a.seq
	}
	return out
}

// Progress records the progress of a running attempt, 0 to 1. It is not journaled.
func (l *Ledger) Progress(attempt Ref, fraction float64) Step {
	var st Step
	a := l.attempts[attempt]
	if a == nil || a.outcome != nil || math.IsNaN(fraction) {
		return st
	}
	a.seq++
	a.progSeq, a.progress = a.seq, min(max(fraction, 0), 1)
	l.listEvents(a)
	st.Wakes = []string{a.owner.Server}
	return st
}

// Ended records how an attempt ended; only the first end counts. kept means that the outcome is durable elsewhere (a
// supervisor repeats it after a crash), so nothing waits for the journal. If a passed lease, not a server, has killed
// the attempt, it is LOST, because it may run elsewhere.
func (l *Ledger) Ended(now Now, attempt Ref, o Outcome, kept bool) Step {
	var st Step
	a := l.attempts[attempt]
	if a == nil || a.outcome != nil {
		return st
	}
	if o.StartedAt == 0 {
		o.StartedAt = a.started
	}
	if o.FinishedAt == 0 {
		o.FinishedAt = now.Millis()
	}
	if a.kill != nil && o.Kind == Killed {
		if a.kill.Lease {
			o.Kind = Lost
		}
		switch {
		case o.Error != "" || a.kill.Reason == "":
		case a.kill.Lease:
			o.SetError(KilledSilent())
		default:
			o.Error = "killed: " + a.kill.Reason
		}
	}
	n := l.log(&st, now, Record{Kind: recordEnd, Attempt: a.ref.ID, Key: a.ref.Key, Seq: a.seq + 1, Outcome: &o})
	if !kept {
		a.lsn = n
	}
	st.need(a.lsn)
	st.Wakes = []string{a.owner.Server}
	return st
}
