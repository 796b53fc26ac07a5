package sim

import (
	"strings"
	"time"

	"github.com/rprp/hivego/executor/ledger"
	"github.com/rprp/hivego/server/dispatch"
	"github.com/rprp/hivego/server/hive"
)

// guardedFleet is a server's fleet, with checks of what it is asked for, and with what mutations break.
type guardedFleet struct {
	*dispatch.Fleet
	s      *server
	orphan time.Duration // what executors are told
}

func newGuardedFleet(s *server, set dispatch.Settings) *guardedFleet {
	f := &guardedFleet{s: s, orphan: s.w.cfg.orphan}
	if s.w.opt.Mutation == MutateLease {
		set.OrphanTimeout /= 3 // more than a poll waits: an executor that answers is not silent
		set.SilentAfter = set.OrphanTimeout * 9 / 10
		set.KillGrace = time.Second
	}
	f.Fleet = dispatch.NewFleet(set, s.w.log)
	return f
}

// Offer hands a durable attempt over.
func (f *guardedFleet) Offer(a hive.Assignment) {
	f.durable(a.Ref())
	f.Fleet.Offer(a)
}

// durable: nothing leaves a server before it is stored.
func (f *guardedFleet) durable(attempt hive.AttemptRef) {
	if f.s.w.store.ever[ledger.Ref(attempt)] == "" {
		f.s.w.failf("early", "%s hands over attempt %s, which is not stored", f.s.name, attempt.Name())
	}
}

// Ack says that the end of an attempt is durable.
func (f *guardedFleet) Ack(attempt hive.AttemptRef, seq int64) {
	a := f.s.w.store.attempt(ledger.Ref(attempt))
	if a != nil && a.State != hive.AttemptEnded && !f.s.w.store.over[ledger.Ref(attempt)] &&
		f.s.w.opt.Mutation != MutateAck {
		f.s.w.failf("early", "%s acks the end of attempt %s, which is stored as %s", f.s.name, attempt.Name(), a.State)
	}
	f.Fleet.Ack(attempt, seq)
}

// Events are what the owner is told.
func (f *guardedFleet) Events() []hive.AttemptEvent {
	events := f.Fleet.Events()
	for i := range events {
		ev := &events[i]
		f.s.w.tracef(f.s.name, "event %s of attempt %d seq %d %s %s", ev.Kind, ev.Attempt, ev.Seq, ev.Outcome, ev.Words)
		if ev.Kind == hive.EventLost && ev.Seq == 0 && strings.Contains(ev.Words, "not know it any more") &&
			!f.s.w.store.over[ledger.Ref(ev.Ref())] {
			f.s.w.failf("forgotten", "attempt %d had a receipt, and its executor has forgotten it", ev.Attempt)
		}
		if f.s.w.opt.Mutation == MutateAck && ev.Kind == hive.EventEnded {
			f.Fleet.Ack(ev.Ref(), ev.Seq)
		}
	}
	return events
}

// launch starts the calls that are due, and the copies of logs.
func (s *server) launch(now time.Time) {
	for _, c := range s.fleet.Calls(now) {
		switch c.Kind {
		case dispatch.CallBreak:
			s.w.tracef(s.name, "breaks off attempt %d at %s", c.Kill[0].Attempt, c.Executor.Name)
			s.breakOff(c.Kill[0].Ref())
			continue
		case dispatch.CallRun:
			s.fleet.durable(c.Submit[0].Ref())
			s.w.tracef(s.name, "has %s run attempt %d (%s)", c.Executor.Name, c.Submit[0].Attempt, c.Submit[0].Task)
			s.launchRun(c)
			continue
		}
		for i := range c.Submit {
			s.fleet.durable(c.Submit[i].Ref())
		}
		if c.Orphan > 0 {
			c.Orphan = s.fleet.orphan
		}
		s.traceCall(&c)
		fleet, h := s.fleet, s.w.hostOf(c.Executor.ID)
		s.w.net.call(s, h, c, func(a dispatch.Answer) {
			if c.Kind == dispatch.CallAttach && a.Err == nil {
				a.Offset, a.Measured = s.now().Sub(h.clock.wall(s.w.now)), true
			}
			s.post(func(now time.Time) { fleet.Answered(now, c, a) })
		})
	}
	for _, x := range s.fleet.Strays() {
		s.settle(x)
	}
	for _, work := range s.fleet.LogWork() {
		s.copyLog(work)
	}
}

// settle asks the store what a stray attempt is.
func (s *server) settle(x dispatch.Stray) {
	fleet, is := s.fleet, dispatch.StandingOver
	look := func() error {
		is = dispatch.StandingUnknown
		if a := s.w.store.attempt(ledger.Ref(x.Attempt)); a != nil {
			is = dispatch.StandingOver
			switch r := s.w.store.runs[a.RunID]; {
			case a.State != hive.AttemptEnded:
				is = dispatch.StandingOpen
			case r.State == hive.RunUnknown && r.Reason == hive.ReasonHeld:
				is = dispatch.StandingHeld
			}
		}
		return nil
	}
	s.w.store.call(s, "attempt", look, func(err error) {
		if err != nil {
			s.after(time.Second, func() { s.settle(x) })
			return
		}
		if is == dispatch.StandingUnknown {
			s.w.tracef(s.name, "notes that %s has attempt %s, which is not stored", x.Name, x.Attempt.Name())
			s.w.stats.Unknown++
		}
		s.post(func(time.Time) { fleet.Settle(x, is) })
	})
}

// copyLog brings a log over before the executor may forget it.
func (s *server) copyLog(work dispatch.LogWork) {
	w, h := s.w, s.w.hostOf(work.Executor.ID)
	s.after(w.between(time.Millisecond, 50*time.Millisecond), func() {
		if _, lost := w.net.delay(); lost || !h.up || h.frozen || w.net.broken(s, h) {
			s.after(5*time.Second, func() { s.copyLog(work) })
			return
		}
		s.post(func(time.Time) { s.fleet.Released(work.Executor.ID, work.Attempt) })
	})
}

func (s *server) traceCall(c *dispatch.Call) {
	if s.w.trace == nil {
		return
	}
	switch c.Kind {
	case dispatch.CallSubmit:
		for i := range c.Submit {
			a := &c.Submit[i]
			s.w.tracef(s.name, "submits attempt %d (%s) to %s, last answer %d", a.Attempt, a.Task, c.Executor.Name,
				c.LastAnswer)
		}
	case dispatch.CallAttach:
		s.w.tracef(s.name, "attaches %v at %s", c.Attach, c.Executor.Name)
	case dispatch.CallKill:
		for _, k := range c.Kill {
			s.w.tracef(s.name, "kills attempt %d at %s: %s", k.Attempt, c.Executor.Name, k.Reason)
		}
	case dispatch.CallPoll:
		s.w.tracef(s.name, "polls %s: %d acks, releases %v, last answer %d", c.Executor.Name, len(c.Acks), c.Releases,
			c.LastAnswer)
	}
}

func (w *world) hostOf(id string) *host {
	for _, h := range w.hosts {
		if h.id == id {
			return h
		}
	}
	return nil
}
