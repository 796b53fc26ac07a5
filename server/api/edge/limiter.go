package edge

import (
	"sync"
	"time"
)

// How many failures an address may have in a window, and how many addresses are remembered.
const (
	limitFailures  = 20
	limitWindow    = time.Minute
	limitAddresses = 10_000
)

// limiter counts failed authentications by address, in fixed windows. The token bucket of golang.org/x/time/rate would
// not keep the rule: it would admit another failure every three seconds, while the refusal asks people to wait a
// minute.
type limiter struct {
	now func() time.Time

	mu      sync.Mutex
	windows map[string]window
}

type window struct {
	until time.Time
	count int
}

func newLimiter(now func() time.Time) *limiter {
	return &limiter{now: now, windows: map[string]window{}}
}

// failed counts one failure and returns how long the address has to wait, or 0 while it is within its limit.
func (l *limiter) failed(address string) time.Duration {
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	w := l.windows[address]
	if !now.Before(w.until) || w.until.Sub(now) > limitWindow { // the window is over, or the clock was set back
		l.makeRoom(now)
		w = window{until: now.Add(limitWindow)}
	}
	w.count++
	l.windows[address] = w
	if w.count <= limitFailures {
		return 0
	}
	return w.until.Sub(now)
}

// makeRoom bounds the memory. It drops past windows, and all windows if an attack from many addresses still fills it.
func (l *limiter) makeRoom(now time.Time) {
	if len(l.windows) < limitAddresses {
		return
	}
	for a, w := range l.windows {
		if !now.Before(w.until) {
			delete(l.windows, a)
		}
	}
	if len(l.windows) >= limitAddresses {
		clear(l.windows)
	}
}
