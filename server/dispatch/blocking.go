package dispatch

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Executors that only offer run: each attempt is one call, open for as long as its work takes. There is no receipt, no
// lease and no kill. An attempt is taken to have begun as soon as its call left; when the connection breaks before the
// answer, nobody can say what became of it, and it is lost.

// describeEvery is how often an executor that only offers run is asked whether it is there.
const describeEvery = 5 * time.Second

// flight is the run call of one attempt. It belongs to this process, not to a session of it: a session that ends does
// not break it, and the next one, if the attempt is still its own, goes on waiting for the same answer.
type flight struct {
	peer   *peer
	sent   time.Time // when all of the call had left; zero before
	landed *Answer   // it came while no session had the attempt
}

// Words of attempts whose end nobody has seen.
const (
	wordsCut      = "the connection to the executor broke before it answered; whether the work was done, it cannot say any more"
	wordsOrphaned = "the server that had called the executor was stopped or lost before the answer came; " +
		"whether the work was done, the executor cannot say any more"
	wordsUnkilled = "the connection was closed to end it; this executor cannot be told to stop, so the work may still run there"
	wordsOvertime = "no answer came within its time, and the connection was closed; this executor cannot be told to stop, " +
		"so the work may still run there"
	wordsUnsaid = "the executor told it as lost, without saying why"
	wordsTurned = "the executor was started anew as one that only offers run, and does not know it any more"
)

// blockingCalls are those that are due at an executor that only offers run.
func (f *Fleet) blockingCalls(now time.Time, p *peer) []Call {
	var calls []Call
	for _, ref := range p.queue {
		h := p.held[ref]
		if h == nil || h.phase != offered {
			continue
		}
		h.phase, h.blocking = submitted, true
		f.flights[ref] = &flight{peer: p}
		p.aloft++
		calls = append(calls, Call{Kind: CallRun, Executor: p.exec, Submit: []hive.Assignment{h.assignment}})
	}
	p.queue = nil
	if p.wantsDescribe() && !now.Before(p.describeAt) {
		p.control = true
		calls = append(calls, Call{Kind: CallDescribe, Executor: p.exec, era: f.era})
	}
	return calls
}

// wantsDescribe: one at a time, and none while it works and answers nobody else.
func (p *peer) wantsDescribe() bool { return !p.control && !(p.deaf && p.aloft > 0) }

// breaks are the run calls that are to be broken off.
func (f *Fleet) breaks(p *peer) []Call {
	if p.aloft == 0 || len(p.doomed) == 0 {
		return nil
	}
	var calls []Call
	for _, ref := range sortedRefs(p.doomed) {
		if p.held[ref].blocking {
			delete(p.doomed, ref)
			calls = append(calls, Call{Kind: CallBreak, Executor: p.exec, Kill: []hive.KillOrder{*p.held[ref].kill}})
		}
	}
	return calls
}

// Sent says that the run call of an attempt has left as a whole: the work begins.
func (f *Fleet) Sent(now time.Time, attempt hive.AttemptRef) {
	fl := f.flights[attempt]
	if fl == nil {
		return
	}
	fl.sent = now
	if h := fl.peer.held[attempt]; h != nil && h.phase == submitted {
		h.phase = running
		f.tellStarted(h, time.Time{})
	}
}

// ran takes what became of a run call.
func (f *Fleet) ran(now time.Time, c *Call, a *Answer) {
	ref := c.Submit[0].Ref()
	fl := f.flights[ref]
	if fl == nil {
		return
	}
	p := fl.peer
	p.aloft--
	p.deaf, p.describeAt = false, now
	if h := p.held[ref]; h != nil && h.phase != ended {
		f.land(now, fl, h, a)
	} else if h == nil {
		fl.landed = a
		return
	}
	delete(f.flights, ref)
}

// land ends an attempt by what became of its call.
func (f *Fleet) land(now time.Time, fl *flight, h *held, a *Answer) {
	p := fl.peer
	ev := hive.AttemptEvent{Kind: hive.EventLost, RunOnly: true, Words: wordsCut}
	words, _ := troubleOf(a.Err)
	switch {
	case a.Err == nil:
		p.spoke(now)
		ev = f.answered(now, fl, a)
	case a.Unsent:
		if h.kill == nil {
			p.failed(now, words)
		}
		ev = hive.AttemptEvent{Kind: hive.EventReturned, Words: p.exec.Name + " was not reached: " + words}
	case a.Denied:
		p.failed(now, words)
		ev = hive.AttemptEvent{Kind: hive.EventReturned, Words: words}
	case a.Bad:
		p.spoke(now)
		ev = hive.AttemptEvent{Kind: hive.EventRefused, Words: a.Words}
	case a.Failed:
		p.spoke(now)
		ev = hive.AttemptEvent{Kind: hive.EventEnded, Outcome: hive.OutcomeFailure, StartedAt: fl.sent, Words: a.Words}
	case a.Expired:
		ev = hive.AttemptEvent{
			Kind: hive.EventEnded, Outcome: hive.OutcomeTimeout, StartedAt: fl.sent,
			Words: wordsOvertime,
		}
	case h.kill != nil:
		ev.Words = wordsUnkilled
	}
	f.end(p, h, ev)
}

// answered is the end that an executor told. Where its clock is not known, its times are the server's.
func (f *Fleet) answered(now time.Time, fl *flight, a *Answer) hive.AttemptEvent {
	ev := a.Events[0]
	p := fl.peer
	if !p.measured {
		ev.StartedAt, ev.FinishedAt = time.Time{}, time.Time{}
	}
	for _, t := range []*time.Time{&ev.StartedAt, &ev.FinishedAt} {
		if !t.IsZero() {
			*t = t.Add(p.offset)
		}
	}
	if ev.StartedAt.IsZero() {
		ev.StartedAt = fl.sent
	}
	if ev.FinishedAt.IsZero() {
		ev.FinishedAt = now
	}
	ev.RunOnly = ev.Kind == hive.EventLost
	return ev
}

// adoptBlocking takes over a stored attempt of an executor that only offers run. Unless this very process is still
// waiting for its answer, there will be none.
func (f *Fleet) adoptBlocking(now time.Time, p *peer, a *hive.HeldAttempt) {
	ref := a.Assignment.Ref()
	h, fl := p.held[ref], f.flights[ref]
	switch {
	case h != nil && h.phase == ended: // its end was told, but did not become durable
		f.events = append(f.events, h.last)
		return
	case h != nil:
		if h.started && !a.Started {
			h.started = false
			f.tellStarted(h, time.Time{})
		}
	default:
		h = &held{ref: ref, phase: submitted, blocking: true, assignment: a.Assignment, started: a.Started}
		p.hold(h)
		f.of[ref] = p
		if fl == nil {
			f.end(p, h, hive.AttemptEvent{Kind: hive.EventLost, RunOnly: true, Words: wordsOrphaned})
			return
		}
		f.resume(now, fl, h, a)
	}
	if a.Killing && h.phase != ended {
		p.doom(h, hive.KillOrder{Attempt: ref.ID, Key: ref.Key, Grace: a.Assignment.KillGrace, Reason: a.KillReason})
	}
}

// resume goes on waiting for a call that an earlier session of this process made.
func (f *Fleet) resume(now time.Time, fl *flight, h *held, a *hive.HeldAttempt) {
	if !fl.sent.IsZero() {
		h.phase = running
		f.tellStarted(h, time.Time{})
	}
	if a.Unknown {
		f.tell(h, hive.AttemptEvent{Kind: hive.EventBack})
	}
	if fl.landed != nil {
		delete(f.flights, h.ref)
		f.land(now, fl, h, fl.landed)
	}
}

// described takes what an executor that only offers run says of itself.
func (f *Fleet) described(now time.Time, p *peer, d *Description) {
	if !d.fits(&p.exec) {
		p.failed(now, errOther.Error())
		return
	}
	p.spoke(now)
	p.deaf, p.describeAt = false, now.Add(describeEvery)
	if d.Measured {
		p.offset, p.measured = d.Offset, true
	}
	p.boot, p.attached = d.BootID, true
	p.draining = d.HasLoad && d.Draining
	p.foreign = 0
	if d.HasLoad {
		p.foreign = max(d.Running-p.running(), 0)
	}
	if p.mute {
		p.mute = false
		f.log.Info("an executor is back", "executor", p.exec.Name)
	}
}

// undescribed: no answer. One that is at work and takes one call at a time is not silent for that: the connection of
// what it runs is the sign that it is there.
func (f *Fleet) undescribed(now time.Time, p *peer, err error) {
	if p.aloft > 0 && p.attached && (errors.Is(err, context.DeadlineExceeded) || isTimeout(err)) {
		p.deaf = true
		return
	}
	words, _ := troubleOf(err)
	if p.failures == 0 && !p.left() {
		f.log.Warn("an executor does not answer", "executor", p.exec.Name, "call", CallDescribe, "error", err)
	}
	p.failed(now, words)
}

// renew keeps what an executor that was added by its address says of itself.
func (f *Fleet) renew(now time.Time, p *peer, d *Description) {
	e := p.exec
	if !d.fits(&e) || !d.update(&e) {
		return
	}
	e.SeenAt = now
	f.become(p, &e)
	f.news = append(f.news, e)
	f.log.Info("an executor says something new of itself", "executor", e.Name, "handlers", len(e.Handlers), "slots",
		e.Slots)
}

// News hands out the executors that are to be stored anew: they were added by their address, and have changed.
func (f *Fleet) News() []hive.Executor {
	news := f.news
	f.news = nil
	return news
}

// become takes what is known of an executor now. What one that was durable ran is gone if it is not any more.
func (f *Fleet) become(p *peer, e *hive.Executor) {
	turned := p.exec.Durable && !e.Durable
	p.exec = *e
	p.readSchemas()
	if !turned {
		return
	}
	p.acks, p.log, p.frees = nil, nil, nil
	f.each(p, func(h *held) {
		switch {
		case h.phase == reserved || h.phase == offered || h.phase == ended || h.blocking:
		case h.orphan:
			f.let(p, h.ref)
		default:
			f.end(p, h, hive.AttemptEvent{Kind: hive.EventLost, RunOnly: true, Words: wordsTurned})
		}
	})
}

// blockingWake is when an executor that only offers run is to be called again; zero: not before something happens.
func (p *peer) blockingWake() time.Time {
	if !p.retryAt.IsZero() || !p.wantsDescribe() {
		return time.Time{}
	}
	return cmp.Or(p.describeAt, p.heard)
}
