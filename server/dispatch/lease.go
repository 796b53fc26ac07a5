package dispatch

import (
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Due does what time alone brings: executors fall silent, leases end.
func (f *Fleet) Due(now time.Time) {
	for _, p := range f.order {
		if p.aloft > 0 {
			continue // what it runs breaks if it goes
		}
		if !p.mute && now.Sub(p.heard) >= f.set.SilentAfter {
			p.mute = true // also without attempts: it is given none before it is heard
			if len(p.held) > 0 || !p.left() {
				f.log.Warn("an executor is silent", "executor", p.exec.Name, "since", p.heard)
			}
			f.each(p, func(h *held) {
				if h.phase != reserved && h.phase != offered && h.phase != ended && !h.orphan {
					f.tellSilent(h)
				}
			})
		}
		if len(p.held) > 0 && f.set.OrphanTimeout != NoOrphans && !now.Before(p.heard.Add(f.set.lease(0))) {
			f.expire(now, p)
		}
	}
}

// tellSilent shows an attempt as unknown.
func (f *Fleet) tellSilent(h *held) {
	if !h.silent {
		h.silent = true
		f.tell(h, hive.AttemptEvent{Kind: hive.EventSilent})
	}
}

// leaseEnd is when an attempt may run elsewhere, unless its executor is heard again.
func (f *Fleet) leaseEnd(p *peer, h *held) time.Time {
	at := p.heard
	if h.since.After(at) {
		at = h.since
	}
	return at.Add(f.set.lease(h.assignment.KillGrace))
}

// expire ends the lease of an executor: whatever it held may run elsewhere now.
func (f *Fleet) expire(now time.Time, p *peer) {
	gone := p.attached
	f.each(p, func(h *held) {
		if now.Before(f.leaseEnd(p, h)) || h.phase == reserved || h.phase == ended {
			return
		}
		gone = true
		switch {
		case h.orphan:
			f.let(p, h.ref)
		case h.phase == offered:
			f.end(p, h, hive.AttemptEvent{Kind: hive.EventReturned, Words: "the executor is out of reach"})
		default:
			f.end(p, h, hive.AttemptEvent{
				Kind:  hive.EventLost,
				Words: "the executor was out of reach until its lease ended",
			})
		}
	})
	if gone {
		p.detach() // when it comes back, it is asked what it still has
	}
}

// each visits the attempts of an executor by id: the same order in every run.
func (f *Fleet) each(p *peer, visit func(*held)) {
	for _, ref := range p.refs() {
		if h := p.held[ref]; h != nil {
			visit(h)
		}
	}
}

// Wake is when the fleet next has something to do without an event; zero: never.
func (f *Fleet) Wake() time.Time {
	var at time.Time
	for _, p := range f.order {
		at = sooner(at, f.leaseWake(p))
		at = sooner(at, p.retryAt)
		if !p.exec.Durable {
			at = sooner(at, p.blockingWake())
			continue
		}
		if p.attached && p.retryAt.IsZero() { // without, what they delay waits for the executor
			if !p.control {
				at = sooner(at, p.pauseUntil)
			}
			if !p.polling {
				at = sooner(at, p.pollAt)
			}
		}
	}
	return at
}

// leaseWake is when an executor falls silent, or the next of its leases ends.
func (f *Fleet) leaseWake(p *peer) time.Time {
	var at time.Time
	switch {
	case len(p.held) == 0 || p.aloft > 0:
	case !p.mute:
		at = p.heard.Add(f.set.SilentAfter)
	case f.set.OrphanTimeout != NoOrphans:
		for _, h := range p.held {
			if h.phase != reserved && h.phase != ended {
				at = sooner(at, f.leaseEnd(p, h))
			}
		}
	}
	return at
}

// sooner is the earlier of two times; zero is never.
func sooner(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
