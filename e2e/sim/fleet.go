package sim

import (
	"strings"
	"time"

	"github.com/rprp/hivego/executor/ledger"
	"github.com/rprp/hivego/server/fleet"
	"github.com/rprp/hivego/server/hive"
)

// guardedFleet is a server's fleet, with checks of its use, and with the effects of mutations.
type guardedFleet struct {
	*fleet.Fleet
	s      *server
	orphan time.Duration // the orphan timeout that executors get
}

func newGuardedFleet(s *server, set fleet.Settings) *guardedFleet {
	f := &guardedFleet{s: s, orphan: s.w.cfg.orphan}
	if s.w.opt.Mutation == MutateLease {
		set.OrphanTimeout /= 3 // still longer than a poll, so that an executor that answers is not silent
		set.SilentAfter = set.OrphanTimeout * 9 / 10
		set.KillGrace = time.Second
	}
	f.Fleet = fleet.New(set)
	return f
}

// Offer passes on an attempt, which must be durable.
func (f *guardedFleet) Offer(a hive.Assignment) {
	f.durable(a.Ref())
	f.Fleet.Offer(a)
}

// durable fails if a server sends something out before it is stored.
func (f *guardedFleet) durable(attempt hive.AttemptRef) {
	if f.s.w.store.ever[ledger.Ref(attempt)] == "" {
		f.s.w.failf("early", "%s hands over attempt %s, which is not stored", f.s.name, attempt.Name())
	}
}

// Ack acknowledges the end of an attempt, which must be durable.
func (f *guardedFleet) Ack(attempt hive.AttemptRef, seq int64) {
	a := f.s.w.store.attempt(ledger.Ref(attempt))
	if a != nil && a.State != hive.AttemptEnded && !f.s.w.store.over[ledger.Ref(attempt)] &&
		f.s.w.opt.Mutation != MutateAck {
		f.s.w.failf("early", "%s acks the end of attempt %s, which is stored as %s", f.s.name, attempt.Name(), a.State)
	}
	f.Fleet.Ack(attempt, seq)
}

// Events returns the events for the owner.
func (f *guardedFleet) Events(now time.Time) []hive.AttemptEvent {
	f.FireTimers(now)
	events := f.Fleet.Events()
	for i := range events {
		ev := &events[i]
		f.s.w.tracef(f.s.name, "event %s of attempt %d seq %d %s %s", ev.Kind, ev.Attempt, ev.Seq, ev.Outcome,
			ev.Words.Text)
		if ev.Kind == hive.EventLost && ev.Seq == 0 && strings.Contains(ev.Words.Text, "not know it any more") &&
			!f.s.w.store.over[ledger.Ref(ev.Ref())] {
			f.s.w.failf("forgotten", "attempt %d had a receipt, and its executor has forgotten it", ev.Attempt)
		}
		if f.s.w.opt.Mutation == MutateAck && ev.Kind == hive.EventEnded {
			f.Fleet.Ack(ev.Ref(), ev.Seq)
		}
	}
	return events
}

// SetEpoch names the session in all further calls.
func (f *guardedFleet) SetEpoch(epoch int64, text string) {
	f.BeginSession(epoch)
	f.s.epoch, f.s.session = epoch, text
}

// Launch starts the calls that are due.
func (f *guardedFleet) Launch(now time.Time) { f.s.launch(now) }

// launch starts the calls that are due, and the copies of logs.
func (s *server) launch(now time.Time) {
	for _, ref := range s.fleet.Breaks() {
		s.w.tracef(s.name, "breaks off attempt %d", ref.ID)
		s.breakOff(ref)
	}
	for _, c := range s.fleet.Calls(now) {
		s.traceCall(c)
		switch c := c.(type) {
		case *fleet.RunCall:
			s.fleet.durable(c.Assignment.Ref())
			s.launchRun(c)
			continue
		case *fleet.SubmitCall:
			for i := range c.Assignments {
				s.fleet.durable(c.Assignments[i].Ref())
			}
		case *fleet.AttachCall:
			if c.OrphanTimeout > 0 {
				c.OrphanTimeout = s.fleet.orphan
			}
		case *fleet.PollCall:
			if c.OrphanTimeout > 0 {
				c.OrphanTimeout = s.fleet.orphan
			}
		}
		guarded, h := s.fleet, s.w.hostOf(c.Recipient().ID)
		s.w.net.call(s, h, c.(fleet.SessionCall), func(answer fleet.Answer) {
			if a, ok := answer.(*fleet.AttachAnswer); ok {
				a.Description.Offset, a.Description.OffsetKnown = s.now().Sub(h.clock.wall(s.w.now)), true
			}
			s.post(func(now time.Time) { guarded.Answered(now, answer) })
		})
	}
	for _, x := range s.fleet.TakeUntracked() {
		s.lookUp(x)
	}
	for _, log := range s.fleet.TakeFinishedLogs() {
		s.copyLog(log)
	}
}

// lookUp asks the store about an untracked attempt.
func (s *server) lookUp(x fleet.UntrackedAttempt) {
	guarded, is := s.fleet, fleet.StandingOver
	look := func() error {
		is = fleet.StandingUnknown
		if a := s.w.store.attempt(ledger.Ref(x.Attempt)); a != nil {
			is = fleet.StandingOver
			switch r := s.w.store.runs[a.RunID]; {
			case a.State != hive.AttemptEnded:
				is = fleet.StandingOpen
			case r.State == hive.RunUnknown && r.Reason == hive.ReasonHeld:
				is = fleet.StandingHeld
			}
		}
		return nil
	}
	s.w.store.call(s, "attempt", time.Minute, look, func(err error) {
		if err != nil {
			s.after(time.Second, func() { s.lookUp(x) })
			return
		}
		if is == fleet.StandingUnknown {
			s.w.tracef(s.name, "notes that %s has attempt %s, which is not stored", x.ExecutorName, x.Attempt.Name())
			s.w.stats.Unknown++
		}
		s.post(func(time.Time) { guarded.Resolve(x, is) })
	})
}

// copyLog copies a log, after which the executor may forget it.
func (s *server) copyLog(work fleet.AttemptLog) {
	w, h := s.w, s.w.hostOf(work.Executor.ID)
	s.after(w.between(time.Millisecond, 50*time.Millisecond), func() {
		if _, lost := w.net.delay(); lost || !h.up || h.frozen || w.net.broken(s, h) {
			s.after(5*time.Second, func() { s.copyLog(work) })
			return
		}
		s.post(func(time.Time) { s.fleet.Release(work.Executor.ID, work.Attempt) })
	})
}

func (s *server) traceCall(c fleet.Call) {
	if s.w.trace == nil {
		return
	}
	name := c.Recipient().Name
	switch c := c.(type) {
	case *fleet.RunCall:
		s.w.tracef(s.name, "has %s run attempt %d (%s)", name, c.Assignment.Attempt, c.Assignment.Task)
	case *fleet.SubmitCall:
		for i := range c.Assignments {
			a := &c.Assignments[i]
			s.w.tracef(s.name, "submits attempt %d (%s) to %s, last answer %d", a.Attempt, a.Task, name, c.LastAnswer)
		}
	case *fleet.AttachCall:
		s.w.tracef(s.name, "attaches %v at %s", c.Attempts, name)
	case *fleet.KillCall:
		for _, k := range c.Orders {
			s.w.tracef(s.name, "kills attempt %d at %s: %s", k.Attempt, name, k.Reason)
		}
	case *fleet.PollCall:
		s.w.tracef(s.name, "polls %s: %d acks, releases %v, last answer %d", name, len(c.Acks), c.Releases,
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
