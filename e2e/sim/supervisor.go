package sim

import (
	"maps"
	"slices"
	"time"

	"github.com/rprp/hivego/executor/ledger"
)

// supervisor runs the processes of a host. It outlives the executor, keeps the ends of processes until the executor
// drops them, and enforces leases by itself. If it dies, its processes die.
type supervisor struct {
	h       *host
	up      bool
	life    int
	ends    map[ledger.Ref]ledger.Outcome
	leases  map[string]ledger.Lease
	planned time.Duration // when leases are checked next; 0: not planned
}

func newSupervisor(h *host) *supervisor {
	return &supervisor{h: h, up: true, ends: map[ledger.Ref]ledger.Outcome{}, leases: map[string]ledger.Lease{}}
}

func (s *supervisor) procs() []*process {
	return slices.DeleteFunc(slices.Clone(s.h.w.work.order), func(p *process) bool { return p.host != s.h || p.inside })
}

// crash ends the supervisor with all of its processes. A running executor notices it and starts another supervisor.
func (s *supervisor) crash() {
	if !s.up {
		return
	}
	s.h.w.tracef(s.h.name, "the supervisor dies")
	s.up = false
	s.life++
	gone := s.procs()
	for _, p := range gone {
		s.h.w.work.remove(p)
	}
	s.leases, s.planned = map[string]ledger.Lease{}, 0 // the check that this life planned does nothing
	h, life := s.h, s.h.life
	h.after(h.w.between(10*time.Millisecond, time.Second), func() {
		s.revive()
		for _, p := range gone {
			if h.life == life && h.up {
				h.ended(p.t.attempt, ledger.Outcome{Kind: ledger.Lost, Error: "the supervisor died"}, false)
			}
		}
	})
}

func (s *supervisor) revive() {
	if !s.up {
		s.up = true
		s.h.reported = map[string]ledger.Lease{}
	}
}

// recover reports the end of an attempt to a new executor, or lets the attempt continue.
func (s *supervisor) recover(x ledger.Survivor) {
	if o, ok := s.ends[x.Attempt]; ok {
		s.h.ended(x.Attempt, o, true)
		return
	}
	p := s.h.w.work.started[x.Attempt]
	if p == nil || p.dead {
		s.h.ended(x.Attempt, ledger.Outcome{Kind: ledger.Lost, Error: "nobody has it"}, false)
		return
	}
	p.life = s.h.life
	if x.Kill != nil {
		s.h.w.work.stop(p, ledger.Killed, x.Kill.Grace)
	}
}

// exited keeps the end of a process, and reports it to the executor now or at its next start.
func (s *supervisor) exited(p *process, o ledger.Outcome) {
	s.ends[p.t.attempt] = o
	h := s.h
	if !h.up {
		return
	}
	h.after(h.w.between(50*time.Microsecond, 5*time.Millisecond), func() { h.ended(p.t.attempt, o, true) })
}

func (s *supervisor) drop(attempt ledger.Ref) { delete(s.ends, attempt) }

func (s *supervisor) move(m ledger.Move) {
	if p := s.h.w.work.started[m.Attempt]; p != nil {
		p.t.session = m.Lease
		s.lookAt()
	}
}

func (s *supervisor) lease(l ledger.Lease) {
	s.leases[l.Name] = l
	s.lookAt()
}

func (s *supervisor) leaseList() []ledger.Lease {
	var out []ledger.Lease
	for _, id := range slices.Sorted(maps.Keys(s.leases)) {
		out = append(out, s.leases[id])
	}
	return out
}

// lookAt plans the next check for expired leases.
func (s *supervisor) lookAt() {
	w, next := s.h.w, time.Duration(0)
	for _, p := range s.procs() {
		if l, ok := s.leases[p.t.session]; ok && !l.Forever && !p.killed && (next == 0 || l.Deadline < next) {
			next = l.Deadline
		}
	}
	if next == 0 {
		return
	}
	at := w.now + max(s.h.clock.world(next-s.h.clock.steady(w.now))+time.Millisecond, time.Millisecond)
	if s.planned > w.now && s.planned <= at {
		return
	}
	s.planned = at
	life := s.life
	w.at(at, func() {
		if s.life == life && s.planned == at {
			s.planned = 0
			s.enforce()
			s.lookAt()
		}
	})
}

// enforce kills the processes whose lease has expired.
func (s *supervisor) enforce() {
	now := s.h.clock.steady(s.h.w.now)
	for _, p := range s.procs() {
		if l, ok := s.leases[p.t.session]; ok && !l.Forever && now >= l.Deadline {
			s.h.w.work.stop(p, ledger.Lost, p.t.grace)
		}
	}
}
