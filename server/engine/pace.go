package engine

import "time"

// pace is how often a session is renewed, and how often others that are dead are looked for. docs/adr/0013-takeover.md
// has the arithmetic.
type pace struct {
	lease    time.Duration // of the session, from each renewal on
	beat     time.Duration // from one renewal to the next
	try      time.Duration // one renewal, or look, may take
	again    time.Duration // from a renewal that failed to the next try, while the lease still runs
	look     time.Duration // from one look for dead sessions to the next: one query without locks
	thorough time.Duration // from one look also for batches whose owner nobody knows to the next
	// calm is how long nobody is looked for after a start and after a lapse. What made this server lapse, an outage of
	// the database for instance, has made others lapse too: those that live renew their leases first.
	calm time.Duration
}

// paceOf is the pace of a server that shares its database with others, or has it alone. One that has it alone is waited
// for by nobody, so it writes less and bears a disk that is busy for longer.
func paceOf(shared bool) pace {
	if !shared {
		return pace{
			lease: 15 * time.Second, beat: 3 * time.Second, try: 15 * time.Second, again: time.Second,
			look: 3 * time.Second, thorough: 15 * time.Second, calm: 3 * time.Second,
		}
	}
	return pace{
		lease: 7 * time.Second, beat: time.Second, try: 3500 * time.Millisecond, again: 200 * time.Millisecond,
		look: 250 * time.Millisecond, thorough: 15 * time.Second, calm: 3 * time.Second,
	}
}

// keeper knows what is next to be done for the session.
type keeper struct {
	pace
	beatAt, lookAt, thoroughAt time.Time
	mute, blind                bool // the last renewal, or look, failed, and that was said
}

func newKeeper(p pace, now time.Time) *keeper {
	return &keeper{pace: p, beatAt: now.Add(p.beat), lookAt: now.Add(p.calm), thoroughAt: now.Add(p.calm)}
}

// wait is how long nothing is to be done.
func (k *keeper) wait(now time.Time) time.Duration {
	at := k.beatAt
	if k.lookAt.Before(at) {
		at = k.lookAt
	}
	return max(at.Sub(now), 0)
}

// renewed notes a renewal that was begun at some time. leased: the lease ran still when it came.
func (k *keeper) renewed(began, now time.Time, leased bool) {
	k.mute = false
	k.beatAt = began.Add(k.beat)
	if !leased {
		k.rest(now)
	}
}

// failed notes a renewal that failed, and answers whether that was not said yet.
func (k *keeper) failed(now time.Time, leased bool) (news bool) {
	k.beatAt = now.Add(k.beat)
	if leased {
		k.beatAt = now.Add(k.again)
	}
	news, k.mute = !k.mute, true
	return news
}

// rest looks for nobody for a while.
func (k *keeper) rest(now time.Time) { k.lookAt = now.Add(k.calm) }

// looks notes that a look begins, and answers whether it is a thorough one.
func (k *keeper) looks(now time.Time) (thorough bool) {
	k.lookAt = now.Add(k.look)
	if thorough = !now.Before(k.thoroughAt); thorough {
		k.thoroughAt = now.Add(k.thorough)
	}
	return thorough
}
