package fleet

import (
	"time"

	"github.com/rprp/hivego/server/hive"
)

// FireTimers marks executors as silent and ends leases whose time has come.
func (f *Fleet) FireTimers(now time.Time) {
	for _, x := range f.order {
		if x.openRuns > 0 {
			continue // if it disappears, the connections of its run calls break
		}
		if !x.silent && now.Sub(x.heardAt) >= f.set.SilentAfter {
			x.silent = true // even without attempts: it gets none while it is silent
			if len(x.attempts) > 0 || !x.hasStopped() {
				f.note(Silent{Executor: x.exec.Name, Since: x.heardAt})
			}
			f.each(x, func(a *attemptState) {
				if a.sent() && !a.unowned {
					f.markSilent(a)
				}
			})
		}
		if f.set.OrphanTimeout != NoOrphans && !now.Before(x.heardAt.Add(f.set.lease(0))) {
			x.gone = !now.Before(x.backAt.Add(f.set.lease(0)))
			if len(x.attempts) > 0 {
				f.endLeases(now, x)
			}
		}
	}
}

// leaseEnd returns when an attempt may run elsewhere, unless its executor makes contact before.
func (f *Fleet) leaseEnd(x *executorState, a *attemptState) time.Time {
	at := x.heardAt
	if a.adoptedAt.After(at) {
		at = a.adoptedAt
	}
	return at.Add(f.set.lease(a.assignment.KillGrace))
}

// endLeases gives up the attempts of an executor whose leases have ended: they may run elsewhere now.
func (f *Fleet) endLeases(now time.Time, x *executorState) {
	gone := x.attached
	f.each(x, func(a *attemptState) {
		if now.Before(f.leaseEnd(x, a)) || a.phase == reserved || a.phase == ended {
			return
		}
		gone = true
		switch {
		case a.unowned:
			f.forget(x, a.ref)
		case a.phase == offered:
			f.end(x, a, hive.AttemptEvent{
				Kind:  hive.EventReturned,
				Words: hive.NewSentence(hive.SentenceOutOfReach, "the executor is out of reach"),
			})
		default:
			f.end(x, a, hive.AttemptEvent{
				Kind: hive.EventLost,
				Words: hive.NewSentence(hive.SentenceLostLease,
					"the executor was out of reach until its lease ended"),
			})
		}
	})
	if gone {
		x.detach() // when it is back, it is asked which attempts it still has
	}
}

// Wake returns when the fleet next has something to do without an event; zero: never.
func (f *Fleet) Wake() time.Time {
	var at time.Time
	for _, x := range f.order {
		at = earlier(at, f.leaseWake(x))
		at = earlier(at, x.retryAt)
		if !x.exec.Durable {
			at = earlier(at, x.describeWake())
			continue
		}
		if x.attached && x.retryAt.IsZero() { // else the retry comes before anything that these times delay
			if !x.controlUsed {
				at = earlier(earlier(at, x.submitAt), earlier(x.killAt, x.askAt))
			}
			if !x.polling {
				at = earlier(at, x.pollAt)
			}
		}
	}
	return at
}

// leaseWake returns when an executor becomes silent, or the next of its leases ends. Only with a short orphan timeout
// may a lease end before the executor counts as silent.
func (f *Fleet) leaseWake(x *executorState) time.Time {
	var at time.Time
	if len(x.attempts) == 0 || x.openRuns > 0 {
		return at
	}
	if !x.silent {
		at = x.heardAt.Add(f.set.SilentAfter)
	}
	if f.set.OrphanTimeout != NoOrphans && (x.silent || f.set.lease(0) < f.set.SilentAfter) {
		for _, a := range x.attempts {
			if a.phase != reserved && a.phase != ended {
				at = earlier(at, f.leaseEnd(x, a))
			}
		}
	}
	return at
}

// earlier returns the earlier of two times; zero is never.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
