package sim

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/rprp/hivego/executor/ledger"
	"github.com/rprp/hivego/server/fleet"
	"github.com/rprp/hivego/server/hive"
)

// Hosts whose executor only offers run: no journal, no supervisor, no lease. A call is a connection that stays open.

// runLine is the connection of one run call, as its server sees it.
type runLine struct {
	server *server
	host   *host
	call   *fleet.RunCall
	over   bool
	then   func(fleet.Answer)
}

// deadAfter is how long it takes until a connection to a machine that is out of reach breaks.
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
			failed.Kind = fleet.RunUnsent // whatever broke is taken for what never began
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
	l.then(&fleet.RunFailure{Call: l.call, Kind: kind, Words: words})
}

// breakOff closes the connection of a run call.
func (s *server) breakOff(attempt hive.AttemptRef) {
	if l := s.lines[attempt]; l != nil {
		l.fail(fleet.RunBroken, "")
	}
}

// run carries a run call to an executor. What was sent may be read there after the server has closed the connection.
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

// take begins the work of a run call.
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
			h.reply(l, &fleet.RunFailure{Call: l.call, Kind: fleet.RunRefused, Words: "it will never run here"})
			return
		}
		if h.w.chance(0.5) { // else the server looks after the timeout, and the work goes on
			t.timeout = as.Timeout
		}
		h.tasks[t.attempt] = t
		h.runs[t.attempt] = l
		h.w.work.start(h, t)
	})
}

// answerRun answers a run call with the end of its work.
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

// hangUp breaks what a process that died had open.
func (h *host) hangUp() {
	for _, l := range h.lines {
		h.w.after(h.w.between(time.Millisecond, time.Second), func() { l.fail(fleet.RunBroken, "") })
	}
	h.lines = nil
}

// describe says what the executor is.
func (h *host) describe() fleet.Description {
	return fleet.Description{ID: h.id, BootID: h.boot0(), Slots: h.slots, Durable: !h.blocking}
}

// givenUp counts the processes that an executor which only runs has for a server, and that nobody waits for any more:
// work that outlasts the world. Their calls are open, and take their slots.
func (k *work) givenUp(executor string, s *server) int {
	n := 0
	for _, p := range k.order {
		if p.host.blocking && p.host.id == executor && p.t.session == s.name && !k.unnoticed(p) {
			n++
		}
	}
	return n
}

// unnoticed says that it is stored nowhere that somebody has given up waiting for a process that could not be told to
// stop: that of an executor that only runs, or one that is taken up again after its executor was away. One that was
// given up may go on beside the next. So may an attempt that the store does not know, because it went back, until it is
// found.
func (k *work) unnoticed(p *process) bool {
	a := k.w.store.attempt(p.t.attempt)
	return a != nil && (!p.host.blocking && !p.again || a.State != hive.AttemptEnded)
}
