package session

import "time"

// pace is how often a session is renewed, and how often dead ones are looked for. docs/adr/0013-takeover.md has the
// arithmetic.
type pace struct {
	lease         time.Duration // of the session, from each renewal on
	renewEvery    time.Duration // from one renewal to the next
	timeout       time.Duration // one renewal, or look, may take
	retryAfter    time.Duration // from a renewal that failed to the next try, while the lease still runs
	lookEvery     time.Duration // from one look for dead sessions to the next: one query without locks
	fullLookEvery time.Duration // from one look also for batches whose owner nobody knows to the next
	// grace is how long no dead session is looked for after a start and after a lapse. What made this server lapse, an
	// outage of the database for instance, has made others lapse too: those that live renew their leases first.
	grace time.Duration
}

// paceOf is the pace of a server that shares its database with others, or has it alone. No other server waits for one
// that has it alone, so that one writes less and bears a disk that is busy for longer.
func paceOf(shared bool) pace {
	if !shared {
		return pace{
			lease: 15 * time.Second, renewEvery: 3 * time.Second, timeout: 15 * time.Second, retryAfter: time.Second,
			lookEvery: 3 * time.Second, fullLookEvery: 15 * time.Second, grace: 3 * time.Second,
		}
	}
	return pace{
		lease: 7 * time.Second, renewEvery: time.Second, timeout: 3500 * time.Millisecond,
		retryAfter: 200 * time.Millisecond, lookEvery: 250 * time.Millisecond, fullLookEvery: 15 * time.Second,
		grace: 3 * time.Second,
	}
}

// schedule says when the lease is next to be renewed, and dead sessions are next to be looked for.
type schedule struct {
	pace
	busy                        bool // a request for the session is under way
	renewAt, lookAt, fullLookAt time.Time
	renewFailed, lookFailed     bool // the last renewal, or look, failed, and that was noted
}

// begin notes a session whose start was requested at a time.
func (s *schedule) begin(began, now time.Time) {
	s.busy, s.renewAt = false, began.Add(s.renewEvery)
	s.postponeLook(now)
	if s.fullLookAt.IsZero() {
		s.fullLookAt = s.lookAt
	}
}

// renewed notes a renewal that was begun at some time. leased: the lease ran still when the answer came.
func (s *schedule) renewed(began, now time.Time, leased bool) {
	s.renewFailed = false
	s.renewAt = began.Add(s.renewEvery)
	if !leased {
		s.postponeLook(now)
	}
}

// failed notes a renewal that failed, and answers whether that was not noted yet.
func (s *schedule) failed(now time.Time, leased bool) (news bool) {
	s.renewAt = now.Add(s.renewEvery)
	if leased {
		s.renewAt = now.Add(s.retryAfter)
	}
	news, s.renewFailed = !s.renewFailed, true
	return news
}

// postponeLook leaves others the time to renew their leases.
func (s *schedule) postponeLook(now time.Time) { s.lookAt = now.Add(s.grace) }

// beginLook notes that a look begins, and answers whether it is a thorough one.
func (s *schedule) beginLook(now time.Time) (thorough bool) {
	s.lookAt = now.Add(s.lookEvery)
	if thorough = !now.Before(s.fullLookAt); thorough {
		s.fullLookAt = now.Add(s.fullLookEvery)
	}
	return thorough
}
