package sim

import (
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/rprp/hivego/executor/ledger"
	"github.com/rprp/hivego/server/dispatch"
	"github.com/rprp/hivego/server/hive"
)

// Hosts whose executor only offers run: no journal, no supervisor, no lease. A call is a connection that stays open.

// runLine is the connection of one run call, as its server sees it.
type runLine struct {
	server *server
	host   *host
	over   bool
	then   func(dispatch.Answer)
}

var errBroken = errors.New("the connection broke")

// deadAfter is how long it takes until a connection to a machine that is out of reach breaks.
const deadAfter = 30 * time.Second

// launchRun makes a run call.
func (s *server) launchRun(c dispatch.Call) {
	w, fleet, id := s.w, s.fleet, c.Submit[0].Ref()
	l := &runLine{server: s, host: w.hostOf(c.Executor.ID)}
	life := s.life
	s.lines[id] = l
	l.then = func(a dispatch.Answer) {
		if l.over {
			return
		}
		l.over = true
		l.host.lines = slices.DeleteFunc(l.host.lines, func(x *runLine) bool { return x == l })
		if w.opt.Mutation == MutateRun && a.Err != nil { // whatever broke is taken for what never began
			a.Unsent = true
		}
		s.run(life, func() {
			delete(s.lines, id)
			s.post(func(now time.Time) { fleet.Answered(now, c, a) })
		})
	}
	w.net.run(l, c.Submit[0], func() {
		s.run(life, func() { s.post(func(now time.Time) { fleet.Sent(now, id) }) })
	})
}

// breakOff closes the connection of a run call.
func (s *server) breakOff(attempt hive.AttemptRef) {
	if l := s.lines[attempt]; l != nil {
		l.then(dispatch.Answer{Err: errBroken})
	}
}

// run carries a run call to an executor. What was sent may be read there after the server has closed the connection.
func (n *network) run(l *runLine, as hive.Assignment, sent func()) {
	w := n.w
	d, lost := n.delay()
	d = min(d, 2*time.Second)
	if lost || n.broken(l.server, l.host) || !l.host.up {
		w.after(w.between(0, 3*time.Second), func() { l.then(dispatch.Answer{Err: errNoAnswer, Unsent: true}) })
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
				l.then(dispatch.Answer{Err: errNoAnswer, Expired: true})
			})
		}
		d, lost := n.delay()
		if lost || n.broken(l.server, l.host) {
			w.after(deadAfter, func() { l.then(dispatch.Answer{Err: errBroken}) })
			return
		}
		w.after(d, func() { l.host.take(l, as) })
	})
}

// take begins the work of a run call.
func (h *host) take(l *runLine, as hive.Assignment) {
	if !h.up {
		l.then(dispatch.Answer{Err: errBroken})
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
			h.reply(l, dispatch.Answer{Err: errBroken, Bad: true, Words: "it will never run here"})
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
	h.reply(l, dispatch.Answer{Events: []hive.AttemptEvent{ev}})
}

func (h *host) reply(l *runLine, a dispatch.Answer) {
	d, lost := h.w.net.delay()
	if lost || h.w.net.broken(l.server, h) {
		h.w.after(deadAfter, func() { l.then(dispatch.Answer{Err: errBroken}) })
		return
	}
	h.w.after(d, func() { l.then(a) })
}

// hangUp breaks what a process that died had open.
func (h *host) hangUp() {
	for _, l := range h.lines {
		h.w.after(h.w.between(time.Millisecond, time.Second), func() { l.then(dispatch.Answer{Err: errBroken}) })
	}
	h.lines = nil
}

// describe says what the executor is.
func (h *host) describe(reply func(dispatch.Answer)) {
	reply(dispatch.Answer{Description: &dispatch.Description{
		ID: h.id, BootID: h.boot0(), Slots: h.slots, Offset: 0, Measured: false,
	}})
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
// given up may go on beside the next; so may one of which the store knows nothing, because it went back, until it is
// found.
func (k *work) unnoticed(p *process) bool {
	a := k.w.store.attempt(p.t.attempt)
	return a != nil && (!p.host.blocking && !p.again || a.State != hive.AttemptEnded)
}
