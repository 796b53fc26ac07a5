package conform_test

import (
	"time"
)

// plantedLease is the lease of one session.
type plantedLease struct {
	open    bool
	proven  bool
	base    time.Duration
	limit   time.Duration // 0: none
	orphan  time.Duration // 0: for ever
	numbers map[int64]time.Duration
}

func (x *planted) leaseOf(o owner) *plantedLease {
	l := x.leases[o.lease()]
	if l == nil {
		l = &plantedLease{orphan: 3 * time.Minute, numbers: map[int64]time.Duration{}}
		x.leases[o.lease()] = l
	}
	return l
}

// deadline returns the end of the lease; 0: never.
func (l *plantedLease) deadline() time.Duration {
	at := time.Duration(0)
	if l.orphan > 0 {
		at = l.base + l.orphan
	}
	if l.limit > 0 && (at == 0 || l.limit < at) {
		at = l.limit
	}
	return at
}

func (l *plantedLease) live(now time.Duration) bool {
	return l.open && (l.deadline() == 0 || now < l.deadline())
}

// grant opens the lease by a call, if it is not open.
func (x *planted) grant(l *plantedLease, orphan *int64) {
	if orphan != nil {
		l.orphan = time.Duration(*orphan) * time.Millisecond
		if l.orphan == 0 && x.has("lease-zero-kills") {
			l.orphan = time.Millisecond
		}
	}
	if !l.live(x.now()) {
		l.open, l.proven, l.limit, l.base = true, false, 0, x.now()
	}
}

// confirm extends the lease to an answer that the server has received, and reports whether it is young enough.
func (x *planted) confirm(l *plantedLease, number int64) bool {
	at, ok := l.numbers[number]
	if !ok || l.orphan > 0 && x.now() >= at+l.orphan {
		return x.has("lease-late-submit") && ok
	}
	if !l.proven || at > l.base {
		l.open, l.proven, l.limit, l.base = true, true, 0, at
	}
	if x.has("lease-newest-number-only") {
		for n := range l.numbers {
			if n < number {
				delete(l.numbers, n)
			}
		}
	}
	return true
}

// takeOver gives an attempt to another session, which has no more time for it than the former one had.
func (x *planted) takeOver(a *plantedAttempt, to owner) {
	if a.Owner == to {
		return
	}
	former := x.leaseOf(a.Owner).deadline()
	if l := x.leaseOf(to); !l.proven && former > 0 && (l.limit == 0 || former < l.limit) &&
		!x.has("attach-renews") && a.Outcome == nil {
		l.limit = former
	}
	a.Owner, a.sent = to, 0
	if !x.has("attach-keeps-acks") && a.Outcome != nil {
		a.Acked = a.Seq - 1
	}
}
