package session

import (
	"time"

	"github.com/rprp/hivego/server/hive"
)

// How long the limits on what runs are valid, as they were read.
const (
	limitsEvery   = 5 * time.Second
	limitsWaiting = time.Second            // while a run waits for one: another server may have freed it
	limitsRetry   = 200 * time.Millisecond // after a commit that one of them refused
)

// limitReader reads the limits on what runs. Nothing is offered in a session before they are read for the first time.
type limitReader struct {
	reading bool
	again   bool      // they have changed since the request under way
	refused int       // Owner.LimitRefusals at the request under way
	readAt  time.Time // of the last request; zero: they must be read at once
	failed  bool      // the last try failed, and that was noted
}

// ReadLimits reads the limits on what runs, and what counts for them. Answer: LimitsRead.
type ReadLimits struct{ origin }

// readLimits requests the limits if it is time to.
func (k *Keeper) readLimits(now time.Time) {
	if r := &k.limits; !r.reading && !now.Before(k.limitsAt()) {
		*r = limitReader{reading: true, readAt: now, failed: r.failed, refused: k.owner.LimitRefusals()}
		k.request(ReadLimits{origin: k.origin(now, readWithin)})
	}
}

// limitsAt returns when the limits must be read again; zero means at once.
func (k *Keeper) limitsAt() time.Time {
	r := &k.limits
	switch {
	case r.readAt.IsZero():
		return r.readAt
	case k.owner.LimitsOutdated():
		return r.readAt.Add(limitsRetry)
	case r.failed, k.owner.WaitsForLimit():
		return r.readAt.Add(limitsWaiting)
	default:
		return r.readAt.Add(limitsEvery)
	}
}

// limitsWakeup returns when readLimits next has something to do. It is zero while it waits for an answer.
func (k *Keeper) limitsWakeup(now time.Time) time.Time {
	if k.limits.reading {
		return time.Time{}
	}
	if at := k.limitsAt(); !at.IsZero() {
		return at
	}
	return now
}

// LimitsChanged reports that the stored limits have changed.
func (k *Keeper) LimitsChanged() {
	k.limits.again = k.limits.reading
	if !k.limits.reading {
		k.limits.readAt = time.Time{}
	}
}

// LimitsRead handles the answer of ReadLimits.
func (k *Keeper) LimitsRead(r ReadLimits, state hive.LimitState, err error) {
	if k.isOutdated(r.origin) {
		return
	}
	x := &k.limits
	x.reading = false
	if x.again {
		x.again, x.readAt = false, time.Time{}
	}
	if err != nil {
		if !x.failed {
			k.note(LevelError, "the limits on what runs cannot be read; those that were read last hold, and a new "+
				"session offers nothing", "error", err)
		}
		x.failed = true
		return
	}
	x.failed = false
	if k.owner.LimitRefusals() != x.refused {
		x.readAt = time.Time{} // they may have been read before what made another server's offer succeed
		return
	}
	k.owner.SetLimits(state)
}
