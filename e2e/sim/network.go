package sim

import (
	"errors"
	"time"

	"github.com/rprp/hivego/executor/ledger"
	"github.com/rprp/hivego/server/fleet"
)

// network carries calls and answers between servers and executors: late, twice, in another order, or not at all.
type network struct {
	w    *world
	cuts []cut
}

// cut is a broken connection between a server and an executor.
type cut struct {
	server *server
	host   *host
	until  time.Duration
}

var errNoAnswer = errors.New("no answer in time")

// heal ends all cuts. Messages in flight stay in flight.
func (n *network) heal() { n.cuts = nil }

func (n *network) broken(s *server, h *host) bool {
	for _, c := range n.cuts {
		if c.server == s && c.host == h && n.w.now < c.until {
			return true
		}
	}
	return false
}

// delay returns the travel time of one message; lost means that it never arrives.
func (n *network) delay() (d time.Duration, lost bool) {
	w, r := n.w, n.w.cfg.rates
	d = w.between(100*time.Microsecond, 8*time.Millisecond)
	if w.calm {
		return d, false
	}
	switch {
	case w.chance(r.drop):
		return 0, true
	case w.chance(r.late): // longer than every lease, like a frame from a thawed machine
		return w.between(time.Second, 4*time.Minute), false
	case w.chance(r.slow):
		return w.between(10*time.Millisecond, 20*time.Second), false
	default:
		return d, false
	}
}

// timeout is the time that a server waits for the answer to a call.
const timeout = 15 * time.Second

// call delivers a call to an executor and its answer back. It calls then once, in the server's current life.
func (n *network) call(s *server, h *host, c fleet.SessionCall, then func(fleet.Answer)) {
	w := n.w
	life, answered := s.life, false
	answer := func(a fleet.Answer) {
		if !answered {
			answered = true
			s.run(life, func() { then(a) })
		}
	}
	limit := timeout
	if poll, ok := c.(*fleet.PollCall); ok {
		limit += poll.Wait
	}
	w.after(s.clock.world(limit), func() { answer(unanswered(c, errNoAnswer)) })
	back := func(a fleet.Answer) {
		d, lost := n.delay()
		if !lost {
			w.after(d, func() {
				if !n.broken(s, h) {
					answer(a)
				}
			})
		}
	}
	from := caller{server: s.name, epoch: s.epoch, session: s.session, age: s.age}
	deliver := func(reply func(fleet.Answer)) {
		d, lost := n.delay()
		if lost || n.broken(s, h) {
			return
		}
		w.after(d, func() { h.receive(from, c, reply) })
	}
	deliver(back)
	if !w.calm && w.chance(w.cfg.rates.twice) { // the second answer is dropped, since its connection no longer exists
		deliver(func(fleet.Answer) {})
	}
}

// caller is the session of a call.
type caller struct {
	server  string
	epoch   int64
	session string
	age     int // age of the store when the session began
}

func (c caller) who() ledger.Caller {
	return ledger.Caller{Server: c.server, Epoch: c.epoch, Session: c.session}
}
