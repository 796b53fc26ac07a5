package schedule

import "time"

// Limits of ClockGuard.
const (
	clockTolerance = 10 * time.Second // the largest difference between the two clocks
	clockProof     = 30 * time.Second // how long the clocks must agree before they are trusted again
	clockSlew      = 100              // a correction by less than one part in this many raises no doubt
)

// ClockGuard compares the wall clock with the monotonic clock. Nothing is decided by a wall clock that jumped: it would
// fire what is not due, or leave out what is due. The zero value is ready for use; it is not safe for concurrent use.
type ClockGuard struct {
	known    bool
	zero     time.Time     // the wall time at which the monotonic clock was 0
	last     time.Duration // monotonic time of the last observation
	doubting bool
	since    time.Duration // while doubting: monotonic time since which the clocks agree again
}

// ClockState is the result of an observation of the clocks.
type ClockState struct {
	Trusted bool
	Changed bool          // Trusted differs from the observation before
	Off     time.Duration // difference between the wall clock and its expected time
}

// Observe takes both clocks, read at the same moment; mono counts from anywhere and never goes back. A slow
// correction of the wall clock (one part in 100) is followed without doubt.
func (g *ClockGuard) Observe(wall time.Time, mono time.Duration) ClockState {
	zero := wall.Round(0).Add(-mono)
	if !g.known {
		g.known, g.zero, g.last = true, zero, mono
		return ClockState{Trusted: true}
	}
	off := zero.Sub(g.zero)
	slew := (mono - g.last) / clockSlew
	g.last = mono
	was := g.doubting
	switch {
	case off.Abs() > clockTolerance:
		g.doubting, g.since, g.zero = true, mono, zero
	default:
		g.zero = g.zero.Add(min(max(off, -slew), slew))
		if g.doubting && mono-g.since >= clockProof {
			g.doubting = false
		}
	}
	return ClockState{Trusted: !g.doubting, Changed: g.doubting != was, Off: off}
}
