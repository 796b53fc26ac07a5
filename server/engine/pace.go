package engine

import "time"

// pace is how often a session is renewed, and how often others that are dead are looked for. docs/adr/0013-takeover.md
// has the arithmetic.
type pace struct {
	lease         time.Duration // of the session, from each renewal on
	renewEvery    time.Duration // from one renewal to the next
	timeout       time.Duration // one renewal, or look, may take
	retryAfter    time.Duration // from a renewal that failed to the next try, while the lease still runs
	lookEvery     time.Duration // from one look for dead sessions to the next: one query without locks
	fullLookEvery time.Duration // from one look also for batches whose owner nobody knows to the next
	// calm is how long nobody is looked for after a start and after a lapse. What made this server lapse, an outage of
	// the database for instance, has made others lapse too: those that live renew their leases first.
	grace time.Duration
}

// paceOf is the pace of a server that shares its database with others, or has it alone. One that has it alone is waited
// for by nobody, so it writes less and bears a disk that is busy for longer.
func paceOf(shared bool) pace {
	if !shared {
		return pace{
			lease: 15 * time.Second, renewEvery: 3 * time.Second, timeout: 15 * time.Second, retryAfter: time.Second,
			lookEvery: 3 * time.Second, fullLookEvery: 15 * time.Second, grace: 3 * time.Second,
		}
	}
	return pace{
		lease: 7 * time.Second, renewEvery: time.Second, timeout: 3500 * time.Millisecond, retryAfter: 200 * time.Millisecond,
		lookEvery: 250 * time.Millisecond, fullLookEvery: 15 * time.Second, grace: 3 * time.Second,
	}
}

// keeper knows what is next to be done for the session.
type sessionKeeper struct {
	pace
	renewAt, lookAt, fullLookAt time.Time
	renewFailed, lookFailed     bool // the last renewal, or look, failed, and that was said
}

func newSessionKeeper(p pace, now time.Time) *sessionKeeper {
	return &sessionKeeper{pace: p, renewAt: now.Add(p.renewEvery), lookAt: now.Add(p.grace), fullLookAt: now.Add(p.grace)}
}

// wait is how long nothing is to be done.
func (k *sessionKeeper) wait(now time.Time) time.Duration {
	at := k.renewAt
	if k.lookAt.Before(at) {
		at = k.lookAt
	}
	return max(at.Sub(now), 0)
}

// renewed notes a renewal that was begun at some time. leased: the lease ran still when it came.
func (k *sessionKeeper) renewed(began, now time.Time, leased bool) {
	k.renewFailed = false
	k.renewAt = began.Add(k.renewEvery)
	if !leased {
		k.postponeLook(now)
	}
}

// failed notes a renewal that failed, and answers whether that was not said yet.
func (k *sessionKeeper) failed(now time.Time, leased bool) (news bool) {
	k.renewAt = now.Add(k.renewEvery)
	if leased {
		k.renewAt = now.Add(k.retryAfter)
	}
	news, k.renewFailed = !k.renewFailed, true
	return news
}

// rest looks for nobody for a while.
func (k *sessionKeeper) postponeLook(now time.Time) { k.lookAt = now.Add(k.grace) }

// looks notes that a look begins, and answers whether it is a thorough one.
func (k *sessionKeeper) beginLook(now time.Time) (thorough bool) {
	k.lookAt = now.Add(k.lookEvery)
	if thorough = !now.Before(k.fullLookAt); thorough {
		k.fullLookAt = now.Add(k.fullLookEvery)
	}
	return thorough
}
