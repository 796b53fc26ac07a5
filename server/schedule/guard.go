package schedule

import "time"

// Limits of ClockGuard.
const (
	clockTolerance = 10 * time.Second // how far wall and monotonic clock may be apart
	clockProof     = 30 * time.Second // how long they must agree before they are believed again
	clockSlew      = 100              // one part in this many is how fast a wall clock may be corrected unnoticed
)

// ClockGuard compares the wall clock with the monotonic one. A wall clock that jumps must decide nothing: it would
// fire what is not due, or leave out what is. The zero value is ready for use; it is not safe for concurrent use.
type ClockGuard struct {
	known    bool
	zero     time.Time     // wall time at which the monotonic clock would have been 0, as believed
	last     time.Duration // monotonic time of the last observation
	doubting bool
	since    time.Duration // while doubting: since when the clocks agree again
}

// ClockState is what an observation of the clocks says.
type ClockState struct {
	Trusted bool
	Changed bool          // Trusted differs from the observation before
	Off     time.Duration // how far the wall clock is ahead of where it was expected
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
