package session

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// What a takeover may take, by docs/adr/0013-takeover.md.
const (
	takenOverWithin  = 10 * time.Second
	handedOverWithin = time.Second
	// the takeover's transaction, reading the batches and asking their executors.
	takingOver = 2500 * time.Millisecond
	givingBack = 700 * time.Millisecond // the stop of a server, and then the same
	// frozen is how long PostgreSQL lets the transaction of a machine that is gone lock its session (db/postgres.go).
	frozen = 5 * time.Second
)

// The longest wait is for a server that renewed its lease just before it died, and was looked for just before that
// ended.
func TestPaceOfTakeover(t *testing.T) {
	t.Parallel()
	p := paceOf(true)
	assert.LessOrEqual(t, p.lease+p.lookEvery+takingOver, takenOverWithin)
	assert.LessOrEqual(t, p.lookEvery+givingBack, handedOverWithin)
	assert.LessOrEqual(t, p.renewEvery+frozen, p.lease,
		"a frozen transaction is no reason to wait for longer than the lease")
}

// A session survives a database that is silent for a few seconds, and one renewal that hangs.
func TestPaceOfRenewals(t *testing.T) {
	t.Parallel()
	for _, shared := range []bool{true, false} {
		p := paceOf(shared)
		const silence = 5 * time.Second
		assert.LessOrEqual(t, p.renewEvery+silence+p.retryAfter, p.lease)
		assert.Less(t, p.retryAfter, p.renewEvery)
		assert.Less(t, p.renewEvery, p.grace+time.Millisecond, "a server that lives renews before it is looked for")
	}
	p := paceOf(true)
	assert.Less(t, p.renewEvery+p.timeout+p.retryAfter, p.lease, "a renewal that hangs leaves time for another")
}

// The lease is renewed at intervals, sooner after a failure while the lease runs, and nobody is looked for after a
// lapse.
func TestSchedule(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	at := func(ms int) time.Time { return start.Add(time.Duration(ms) * time.Millisecond) }
	k := times{pace: paceOf(true)}
	k.begin(start, start)
	assert.Equal(t, at(1000), k.renewAt, "the first is a renewal")
	assert.False(t, k.lookAt.Before(at(3000)), "others that start at the same time keep what is theirs")

	k.renewed(at(1000), at(1800), true)
	assert.Equal(t, at(2000), k.renewAt, "it counts from when it was begun")
	k.renewed(at(2000), at(5000), true)
	assert.False(t, k.renewAt.After(at(5000)), "what is late is done at once")

	assert.True(t, k.failed(at(6000), true))
	assert.Equal(t, at(6200), k.renewAt)
	assert.False(t, k.failed(at(6200), true), "an outage is noted once")
	assert.False(t, k.failed(at(9000), false))
	assert.Equal(t, at(10_000), k.renewAt, "nothing hurries any more")

	assert.True(t, k.beginLook(at(9000)), "the first look is thorough")
	assert.False(t, k.beginLook(at(9250)))
	assert.Equal(t, at(9500), k.lookAt)
	k.renewed(at(10_000), at(10_100), false)
	assert.Equal(t, at(13_100), k.lookAt, "others renew their leases first")
	assert.True(t, k.beginLook(at(24_000)))
}
