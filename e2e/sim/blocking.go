package sim

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/rprp/hivego/executor/ledger"
	"github.com/rprp/hivego/server/fleet"
	"github.com/rprp/hivego/server/hive"
)

// This file simulates executors that only offer run: they have no journal, no supervisor and no lease. A call is a
// connection that stays open.

// runLine is the connection of one run call, as its server sees it.
type runLine struct {
	server *server
	host   *host
	call   *fleet.RunCall
	over   bool
	then   func(fleet.Answer)
}

// deadAfter is the time until a connection to an unreachable machine breaks.
const deadAfter = 30 * time.Second

// launchRun makes a run call.
func (s *server) launchRun(c *fleet.RunCall) {
	w, guarded, id := s.w, s.fleet, c.Assignment.Ref()
	l := &runLine{server: s, host: w.hostOf(c.Executor.ID), call: c}
	life := s.life
	s.lines[id] = l
	l.then = func(a fleet.Answer) {
		if l.over {
			return
		}
		l.over = true
		l.host.lines = slices.DeleteFunc(l.host.lines, func(x *runLine) bool { return x == l })
		if failed, ok := a.(*fleet.RunFailure); ok && w.opt.Mutation == MutateRun {
			failed.Kind = fleet.RunUnsent // a broken call counts as one that was never sent
		}
		s.run(life, func() {
			delete(s.lines, id)
			s.post(func(now time.Time) { guarded.Answered(now, a) })
		})
	}
	w.net.run(l, c.Assignment, func() {
		s.run(life, func() { s.post(func(now time.Time) { guarded.RunSent(now, id) }) })
	})
}

// fail ends a run call without an outcome.
func (l *runLine) fail(kind fleet.RunFailureKind, words string) {
	l.then(&fleet.RunFailure{Call: l.call, Kind: kind, Words: hive.Plain(words)})
}

// breakOff closes the connection of a run call.
func (s *server) breakOff(attempt hive.AttemptRef) {
	if l := s.lines[attempt]; l != nil {
		l.fail(fleet.RunBroken, "")
	}
}

// run delivers a run call to an executor. The executor may read it after the server has closed the connection.
func (n *network) run(l *runLine, as hive.Assignment, sent func()) {
	w := n.w
	d, lost := n.delay()
	d = min(d, 2*time.Second)
	if lost || n.broken(l.server, l.host) || !l.host.up {
		w.after(w.between(0, 3*time.Second), func() { l.fail(fleet.RunUnsent, errNoAnswer.Error()) })
		return
	}
	w.after(d, func() {
		if l.over {
			return
		}
		sent()
		l.host.lines = append(l.host.lines, l)
		if as.Timeout > 0 {
			w.after(l.server.clock.world(as.Timeout+as.KillGrace), func() {
				l.fail(fleet.RunTimedOut, "")
			})
		}
		d, lost := n.delay()
		if lost || n.broken(l.server, l.host) {
			w.after(deadAfter, func() { l.fail(fleet.RunBroken, "") })
			return
		}
		w.after(d, func() { l.host.take(l, as) })
	})
}

// take starts the work of a run call.
func (h *host) take(l *runLine, as hive.Assignment) {
	if !h.up {
		l.fail(fleet.RunBroken, "")
		return
	}
	h.run(h.life, func() {
		t := task{
			attempt: ledger.Ref(as.Ref()), run: as.RunID, batch: as.BatchID, handler: as.Handler,
			session: l.server.name, grace: as.KillGrace,
		}
		if err := json.Unmarshal(as.Params, &t.plan); err != nil {
			h.w.failf("assignment", "attempt %d: %v", as.Attempt, err)
		}
		if t.plan.Never > 0 {
			h.reply(l, &fleet.RunFailure{
				Call: l.call, Kind: fleet.RunRefused, Words: hive.Plain("it will never run here"),
			})
			return
		}
		if h.w.chance(0.5) { // otherwise only the server enforces the timeout, and the work continues
			t.timeout = as.Timeout
		}
		h.tasks[t.attempt] = t
		h.runs[t.attempt] = l
		h.w.work.start(h, t)
	})
}

// answerRun answers a run call with the outcome of its work.
func (h *host) answerRun(attempt ledger.Ref, o ledger.Outcome) {
	l := h.runs[attempt]
	delete(h.tasks, attempt)
	delete(h.runs, attempt)
	ev := eventOf(&ledger.Event{Attempt: attempt, Kind: ledger.EventEnded, Outcome: &o})
	h.reply(l, &fleet.RunAnswer{Call: l.call, End: ev})
}

func (h *host) reply(l *runLine, a fleet.Answer) {
	d, lost := h.w.net.delay()
	if lost || h.w.net.broken(l.server, h) {
		h.w.after(deadAfter, func() { l.fail(fleet.RunBroken, "") })
		return
	}
	h.w.after(d, func() { l.then(a) })
}

// hangUp breaks the open connections of a dead process.
func (h *host) hangUp() {
	for _, l := range h.lines {
		h.w.after(h.w.between(time.Millisecond, time.Second), func() { l.fail(fleet.RunBroken, "") })
	}
	h.lines = nil
}

// describe returns the executor's answer to the call describe.
func (h *host) describe() fleet.Description {
	return fleet.Description{ID: h.id, BootID: h.boot0(), Slots: h.slots, Durable: !h.blocking}
}

// givenUp counts the processes of a run-only executor for which its server no longer waits, because their work lasts
// longer than the world. Their calls are still open and occupy slots.
func (k *work) givenUp(executor string, s *server) int {
	n := 0
	for _, p := range k.order {
		if p.host.blocking && p.host.id == executor && p.t.session == s.name && !k.unnoticed(p) {
			n++
		}
	}
	return n
}

// unnoticed reports whether the process must not run beside another one of its run. It may run beside another one in
// two cases. First: nobody could stop it (its executor only offers run, or resumed it after an absence), and the store
// has given it up. Second: the store went back and lost its attempt, until the attempt is found.
func (k *work) unnoticed(p *process) bool {
	a := k.w.store.attempt(p.t.attempt)
	return a != nil && (!p.host.blocking && !p.again || a.State != hive.AttemptEnded)
}
