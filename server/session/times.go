package session

import "time"

// pace holds the intervals at which a session renews its lease and looks for dead sessions. docs/adr/0013-takeover.md
// explains the numbers.
type pace struct {
	lease         time.Duration // of the session, from each renewal on
	renewEvery    time.Duration // from one renewal to the next
	timeout       time.Duration // of one renewal, or one look for dead sessions
	retryAfter    time.Duration // from a renewal that failed to the next try, while the lease still runs
	lookEvery     time.Duration // from one look for dead sessions to the next; a look is one query without locks
	fullLookEvery time.Duration // from one takeover that also finds batches whose owner has no session to the next
	// grace is how long a server waits after its start, and after its own lease has lapsed, before it looks for dead
	// sessions. An outage of the database makes the leases of all servers lapse: the servers that still run need this
	// time to renew theirs.
	grace time.Duration
}

// paceOf returns the pace of a server. If the database is not shared, no other server waits for a takeover: the server
// then renews its lease less often, and tolerates a slow disk for longer.
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

// times holds the times of the next renewal and of the next look for dead sessions.
type times struct {
	pace
	busy                        bool // a request for the session is under way
	renewAt, lookAt, fullLookAt time.Time
	renewFailed, lookFailed     bool // the last renewal, or look, failed, and this was logged
}

// begin sets the times of a new session. began is the time of the request that started it.
func (t *times) begin(began, now time.Time) {
	t.busy, t.renewAt = false, began.Add(t.renewEvery)
	t.postponeLook(now)
	if t.fullLookAt.IsZero() {
		t.fullLookAt = t.lookAt
	}
}

// renewed sets the next renewal after a success. began is the time of the request; leased means that the lease still
// ran when the answer came.
func (t *times) renewed(began, now time.Time, leased bool) {
	t.renewFailed = false
	t.renewAt = began.Add(t.renewEvery)
	if !leased {
		t.postponeLook(now)
	}
}

// failed sets the next renewal after a failure. It returns true for the first failure in a row.
func (t *times) failed(now time.Time, leased bool) (first bool) {
	t.renewAt = now.Add(t.renewEvery)
	if leased {
		t.renewAt = now.Add(t.retryAfter)
	}
	first, t.renewFailed = !t.renewFailed, true
	return first
}

// postponeLook delays the next look by the grace, so that other servers can renew their leases first.
func (t *times) postponeLook(now time.Time) { t.lookAt = now.Add(t.grace) }

// beginLook sets the next look, and reports whether the present one must be thorough.
func (t *times) beginLook(now time.Time) (thorough bool) {
	t.lookAt = now.Add(t.lookEvery)
	if thorough = !now.Before(t.fullLookAt); thorough {
		t.fullLookAt = now.Add(t.fullLookEvery)
	}
	return thorough
}
