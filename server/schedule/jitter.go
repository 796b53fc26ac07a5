package schedule

import (
	"crypto/sha256"
	"encoding/binary"
	"time"
)

// longestJitter is the limit of the field jitter.
const longestJitter = 24 * time.Hour

// due returns when a moment of a trigger is decided: later than the moment by less than the jitter of the trigger, and
// before the next moment of the schedule, so that its moments keep their order. How much later depends only on the
// name of the schedule, on the moment and on that room, so that every server and every forecast finds the same time.
func (t *Timetable) due(e *timetableEntry, at time.Time) time.Time {
	if e.jitter <= 0 {
		return at
	}
	room := e.jitter
	if later, next := t.next(at); later != nil {
		room = min(room, next.Sub(at))
	}
	return at.Add(delay(t.schedule, at, room))
}

// delay selects a time from 0 up to, but without, room, in whole milliseconds.
func delay(schedule string, at time.Time, room time.Duration) time.Duration {
	if room < precision {
		return 0
	}
	sum := sha256.Sum256(binary.BigEndian.AppendUint64([]byte(schedule), uint64(at.Unix())))
	n := binary.BigEndian.Uint64(sum[:]) % uint64(room/precision)
	return time.Duration(n) * precision
}

// pending returns the moment up to a time that is due after it; false if there is none. There is at most one, because
// each moment is due before the next one.
func (t *Timetable) pending(from time.Time) (Moment, bool) {
	for i := range t.entries {
		e := &t.entries[i]
		if e.jitter <= 0 {
			continue
		}
		last, _ := newest(e.series, from.Add(-e.jitter), from, 1)
		for _, at := range last {
			if m, ok := t.Next(at.Add(-time.Second)); ok && m.Due.After(from) {
				return m, true
			}
		}
	}
	return Moment{}, false
}

// checkJitter refuses a jitter that is so long that nobody can mean it, or that moments expire before they are due.
func (c *triggerCheck) checkJitter() {
	jitter := c.trigger.Jitter
	switch {
	case jitter.Std() > longestJitter:
		c.add(codeBadTrigger, "jitter", parseErrorf("write at most 1d", "a jitter of %s is longer than a day", jitter).
			withReason(ReasonJitterLong, "value", jitter.String()))
	case jitter > 0 && c.expire > 0 && jitter >= c.expire:
		c.add(codeBadTrigger, "jitter", parseErrorf("write a shorter jitter, or a longer policy.expire",
			"with a jitter of %s, a moment may expire before it is due: policy.expire is %s", jitter, c.expire).
			withReason(ReasonJitterExpire, "value", jitter.String(), "expire", c.expire.String()))
	}
}
