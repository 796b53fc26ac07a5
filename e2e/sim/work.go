package sim

import (
	"strconv"
	"time"

	"github.com/rprp/hivego/executor/ledger"
)

// work is the set of all processes on all machines. No part of HiveGo sees them together, so only work can check that
// nothing runs twice.
type work struct {
	w       *world
	started map[ledger.Ref]*process // by attempt, which must not start twice
	alive   map[int64][]*process
	order   []*process // running processes, in the order of their start
}

// process is the work of one attempt on one machine: a child of the supervisor, or a handler inside the executor.
type process struct {
	t            task
	host         *host
	inside       bool           // it ends with the executor's process
	kept         bool           // it pauses while the executor is away, and is resumed
	again        bool           // it was resumed
	unresponsive bool           // it ignores SIGTERM
	born         time.Duration  // start by the host's monotonic clock
	began        time.Duration  // start by the world's clock
	number       string         // unique; it is one of the outputs
	outcome      ledger.Outcome // the outcome without a kill
	life         int
	dead         bool
	suspended    bool
	killed       bool
	why          ledger.OutcomeKind // reason of a kill
	became       ledger.OutcomeKind // how it ended; empty: it died with its executor or supervisor
	last         ledger.Outcome     // the reported outcome
}

func newWork(w *world) *work {
	return &work{w: w, started: map[ledger.Ref]*process{}, alive: map[int64][]*process{}}
}

// start begins the work of an attempt.
func (k *work) start(h *host, t task) {
	w := k.w
	w.tracef(h.name, "starts attempt %s of run %d (%s, for %s)", t.attempt, t.run, t.handler, t.session)
	switch to := w.store.ever[t.attempt]; to {
	case h.id:
	case "":
		w.failf("early", "%s starts attempt %s, which was never stored", h.name, t.attempt)
	default:
		w.failf("twice", "%s starts attempt %s, which was offered to %s", h.name, t.attempt, to)
	}
	if old := k.started[t.attempt]; old != nil {
		w.failf("twice", "%s starts attempt %s, which %s had started", h.name, t.attempt, old.host.name)
	}
	p := &process{
		t: t, host: h, inside: t.handler != handlerShell || h.blocking, kept: t.handler == handlerKept && !h.blocking,
		unresponsive: w.chance(t.plan.Unresponsive), born: h.clock.steady(w.now), life: h.life, began: w.now,
		number: strconv.Itoa(len(k.started) + 1),
	}
	p.outcome = ledger.Outcome{Kind: ledger.Success, Outputs: map[string]string{"n": p.number}}
	if w.chance(t.plan.Fail) {
		code := 1 + w.rng.IntN(3)
		p.outcome = ledger.Outcome{Kind: ledger.Failure, ExitCode: &code, Error: "it failed"}
	}
	k.started[t.attempt] = p
	k.alive[t.run] = append(k.alive[t.run], p)
	k.order = append(k.order, p)
	k.checkAlone(t.run)
	took := min(w.exp(time.Duration(t.plan.Mean)*time.Millisecond), 20*time.Minute)
	k.later(p, took, func() { k.end(p, p.outcome) })
	if t.timeout > 0 {
		k.later(p, t.timeout, func() { k.stop(p, ledger.Timeout, t.grace) })
	}
	if !p.inside {
		h.super.lookAt()
	}
	if w.chance(0.2) && !h.blocking {
		k.later(p, took/2, func() {
			h.run(p.life, func() { h.commit(h.ledger.Progress(t.attempt, w.rng.Float64()), nil, nil) })
		})
	}
}

// checkAlone checks that a run has at most one process. A process that is suspended with its frozen executor does not
// count until it continues.
func (k *work) checkAlone(run int64) {
	var seen *process
	for _, p := range k.alive[run] {
		if p.suspended || !k.unnoticed(p) {
			continue
		}
		if seen != nil {
			k.w.failf("twice", "run %d runs twice: attempt %s on %s and attempt %s on %s", run, seen.t.attempt,
				seen.host.name, p.t.attempt, p.host.name)
		}
		seen = p
	}
}

// later plans a function of a process, by its machine's clock. A suspended process calls it when it continues.
func (k *work) later(p *process, d time.Duration, f func()) {
	var run func()
	run = func() {
		switch {
		case p.dead:
		case p.suspended:
			k.w.after(50*time.Millisecond, run)
		default:
			f()
		}
	}
	k.w.after(p.host.clock.world(d), run)
}

// stop asks a process to end, and forces it after the grace.
func (k *work) stop(p *process, why ledger.OutcomeKind, grace time.Duration) {
	if p.dead || p.killed {
		return
	}
	p.killed, p.why = true, why
	end := func() { k.end(p, ledger.Outcome{Kind: why, Error: "it was stopped"}) }
	if p.inside || !p.unresponsive {
		k.later(p, k.w.between(time.Millisecond, min(grace, 2*time.Second)+time.Millisecond), end)
		return
	}
	k.later(p, grace, end)
}

// kill executes a kill of the executor's ledger.
func (k *work) kill(h *host, order ledger.Kill) {
	p := k.started[order.Attempt]
	if p == nil || p.dead || p.host != h {
		return
	}
	if p.suspended {
		p.suspended = false // it is killed when it continues
		k.end(p, ledger.Outcome{Kind: ledger.Killed, Error: order.Reason})
		return
	}
	k.stop(p, ledger.Killed, order.Grace)
}

// end removes a process and reports its end to the supervisor or the executor.
func (k *work) end(p *process, o ledger.Outcome) {
	if p.dead {
		return
	}
	k.remove(p)
	p.became = o.Kind
	k.w.tracef(p.host.name, "attempt %s ends: %s", p.t.attempt, o.Kind)
	o.FinishedAt = p.host.now().Wall.UnixMilli()
	p.last = o
	if p.inside {
		p.host.run(p.life, func() { p.host.ended(p.t.attempt, o, !p.kept) })
		return
	}
	p.host.super.exited(p, o)
}

func (k *work) remove(p *process) {
	p.dead = true
	k.alive[p.t.run] = without(k.alive[p.t.run], p)
	if len(k.alive[p.t.run]) == 0 {
		delete(k.alive, p.t.run)
	}
	k.order = without(k.order, p)
}

func without(list []*process, p *process) []*process {
	var out []*process
	for _, x := range list {
		if x != p {
			out = append(out, x)
		}
	}
	return out
}

// takeUp resumes a process that paused while its executor was away. A process that has ended unnoticed ends again in
// the same way.
func (k *work) takeUp(p *process, order *ledger.KillOrder) {
	k.w.tracef(p.host.name, "takes up attempt %s again", p.t.attempt)
	p.life, p.again, p.suspended = p.host.life, true, false
	switch {
	case p.dead:
		p.host.after(k.w.between(time.Millisecond, time.Second), func() { p.host.ended(p.t.attempt, p.last, false) })
		return
	case order != nil:
		k.stop(p, ledger.Killed, order.Grace)
	}
	k.checkAlone(p.t.run)
}

// crash ends the processes inside an executor.
func (k *work) crash(h *host) {
	for _, p := range k.order {
		switch {
		case p.host != h:
		case p.kept:
			p.suspended = true
		case p.inside:
			k.w.tracef(h.name, "attempt %s dies with its executor", p.t.attempt)
			k.remove(p)
		}
	}
}

// suspend pauses the processes inside a frozen executor.
func (k *work) suspend(h *host) {
	for _, p := range k.order {
		if p.host == h && p.inside {
			p.suspended = true
		}
	}
}

// resume continues these processes, except those whose lease has ended: they are stopped at once.
func (k *work) resume(h *host) {
	for _, p := range append([]*process(nil), k.order...) {
		if p.host != h || !p.inside {
			continue
		}
		if !h.blocking && h.ledger.State(p.t.attempt).Killing {
			k.kill(h, ledger.Kill{Attempt: p.t.attempt, Reason: "its lease ended"})
			continue
		}
		p.suspended = false
		k.checkAlone(p.t.run)
	}
}
