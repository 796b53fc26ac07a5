package sim

import (
	"errors"
	"time"

	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/owner"
)

// openSession begins a session in the store: an epoch, and ids to work with. What it owns is loaded later.
func (s *server) openSession(first bool) {
	st, began := s.w.store, s.now()
	var fresh int64
	ids := map[string]int64{}
	age := 0
	open := func() error {
		age = st.age
		fresh = st.startSession(s.name, s.w.cfg.term)
		for _, kind := range idKinds() {
			ids[kind] = st.draw(kind, s.w.cfg.ahead)
		}
		return nil
	}
	st.call(s, "start session", open, func(err error) {
		switch {
		case err == nil && first:
			s.begin(fresh, age, began, ids)
			s.wake(s.w.now)
			s.clerk.sweepOften()
			s.startTicker()
			s.after(s.w.cfg.term/5, s.keepSession)
		case err == nil:
			s.post(func(time.Time) { s.begin(fresh, age, began, ids) })
		case first: // the process ends, and something starts it again
			s.crash()
			s.w.after(s.w.between(time.Second, 5*time.Second), s.revive)
		default:
			s.after(time.Second, func() { s.openSession(false) })
		}
	})
}

func idKinds() []string { return []string{"attempt", "run"} }

// begin goes on in a session.
func (s *server) begin(fresh int64, age int, began time.Time, ids map[string]int64) {
	s.fleet.Reset()
	s.owner = owner.New(owner.Config{
		Fleet: s.fleet, Graphs: new(document.Graphs), Session: owner.Session{Server: s.name, Epoch: fresh},
		NewKey: s.w.attemptKey, TraceDecisions: true,
	})
	for _, kind := range idKinds() {
		s.owner.AddIDs(kind, ids[kind], s.w.cfg.ahead)
	}
	s.session, s.stored = s.w.newSession(), 0
	s.fleet.BeginSession(fresh)
	s.epoch, s.until, s.lapsed, s.retryAt = fresh, began.Add(s.w.cfg.term), false, time.Time{}
	s.age = age
	s.clerk.stuck = map[int64]bool{}
	s.w.tracef(s.name, "session with epoch %d", fresh)
	s.clerk.claim()
}

// restart begins a new session after the former was lost. Until it has, nothing is decided, and no call leaves.
func (s *server) restart() {
	s.w.tracef(s.name, "lost its session")
	s.lapsed, s.until = true, time.Time{}
	s.fleet.Reset()
	s.openSession(false)
}

// keepSession renews the lease, and takes over servers whose lease has ended.
func (s *server) keepSession() {
	if s.keeping { // an epoch is being raised
		s.after(10*time.Millisecond, s.keepSession)
		return
	}
	again := func() {
		s.keeping = false
		s.after(s.w.cfg.term/5, s.keepSession)
		s.raise()
	}
	if s.lapsed {
		again()
		return
	}
	s.keeping = true
	st, fresh, stored, began := s.w.store, s.epoch, s.stored, s.now()
	st.call(s, "heartbeat", func() error { return st.heartbeat(s.name, fresh, stored, s.w.cfg.term) }, func(err error) {
		switch {
		case errors.Is(err, hive.ErrSessionLost):
			s.post(func(time.Time) {
				if s.epoch == fresh && !s.writing && !s.lapsed {
					s.restart()
				}
			})
			again()
		case err == nil:
			s.extend(fresh, began)
			s.takeOver(fresh, again)
		default:
			again()
		}
	})
}

func (s *server) extend(fresh int64, began time.Time) {
	if until := began.Add(s.w.cfg.term); s.epoch == fresh && !s.lapsed && until.After(s.until) {
		s.until = until
	}
}

// takeOver claims the batches of dead servers, while no commit is under way.
func (s *server) takeOver(old int64, done func()) {
	s.hold(func() { s.claim(old, done) })
}

// hold keeps commits from leaving, and goes on when none is under way.
func (s *server) hold(then func()) {
	s.post(func(time.Time) {
		s.holding = true
		if s.writing {
			s.quiet = then
		} else {
			then()
		}
	})
}

func (s *server) claim(old int64, done func()) {
	st, began := s.w.store, s.now()
	var dead []string
	var fresh int64
	take := func() (err error) { dead, fresh, err = st.takeOver(s.name, old, s.w.cfg.term); return err }
	st.call(s, "take over", take, func(err error) {
		s.post(func(time.Time) {
			s.holding = false
			if err != nil || len(dead) == 0 || s.lapsed || s.epoch != old {
				return
			}
			s.w.tracef(s.name, "takes over %v with epoch %d", dead, fresh)
			s.renew(fresh, began)
			s.clerk.claim()
		})
		done()
	})
}

// renew goes on in the same session with another epoch.
func (s *server) renew(fresh int64, began time.Time) {
	s.owner.SetEpoch(fresh)
	s.epoch, s.until = fresh, began.Add(s.w.cfg.term)
	s.fleet.BeginSession(fresh)
	s.session = s.w.newSession()
}

// heedEvery is the engine's.
const heedEvery = 10 * time.Second

// heed has the epoch raised if an executor has heard of a later session of this server.
func (s *server) heed(now time.Time) {
	later, ok := s.fleet.Later()
	if !ok || !s.heeded.IsZero() && now.Sub(s.heeded) < heedEvery || s.heard.Epoch != 0 {
		return
	}
	s.heard, s.heeded = later, now
	s.raise()
}

// raise takes an epoch above that of a later session, if one was heard of, while no commit is under way.
func (s *server) raise() {
	if s.keeping || s.heard.Epoch == 0 {
		return
	}
	later, old := s.heard, s.epoch
	s.heard = hive.Later{}
	if s.lapsed || later.Epoch < old {
		return
	}
	s.keeping = true
	s.hold(func() {
		st, began := s.w.store, s.now()
		var fresh int64
		take := func() (err error) { fresh, err = st.raiseEpoch(s.name, old, s.w.cfg.term, later); return err }
		st.call(s, "raise the epoch", take, func(err error) {
			s.post(func(time.Time) {
				s.holding = false
				if err != nil || s.lapsed || s.epoch != old {
					return
				}
				s.w.tracef(s.name, "has heard of epoch %d from %s, goes on with epoch %d", later.Epoch, later.Executor,
					fresh)
				s.renew(fresh, began)
			})
			s.keeping = false
			s.raise()
		})
	})
}
