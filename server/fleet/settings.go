package fleet

import (
	"cmp"
	"time"
)

// Settings are the settings of the fleet. Zero durations stand for the defaults.
type Settings struct {
	OrphanTimeout time.Duration // how long an executor may run without the server; default 3 min; NoOrphans for forever
	SilentAfter   time.Duration // without an answer for this long, an executor counts as silent; default 30 s
	KillGrace     time.Duration // the longest grace of a kill for which a lease leaves time; default 10 s
	PollWait      time.Duration // of one long poll; default 10 s
	LogLimit      int64         // bytes after which an executor cuts a log; 0: the executor's own limit
	Limits        Limits
	Seed          uint64 // of the route random
}

// Limits are the limits of the executor contract for one call. 0 sets no limit.
type Limits struct {
	Assignments int // of a submit
	SubmitBytes int // of a submit
	Attached    int // attempts of an attach
	KillOrders  int // of a kill
}

// NoOrphans as OrphanTimeout means that executors never kill because the server is silent, and that the server never
// gives up the attempts of a silent executor.
const NoOrphans = time.Duration(-1)

const (
	ackDelay        = time.Second            // how long a poll waits for the acks of events that the last one brought
	busyPause       = 200 * time.Millisecond // how long an executor that was busy gets no submit
	unnumberedPause = time.Second            // before the next poll of an executor whose answer had no number
	askPause        = time.Second            // before an attach or a kill is repeated for what its answer has left out

	maxUnreported = 5 // attaches in a row that leave an attempt out: then it is lost
)

func (s Settings) withDefaults() Settings {
	s.OrphanTimeout = cmp.Or(s.OrphanTimeout, 3*time.Minute)
	s.SilentAfter = cmp.Or(s.SilentAfter, 30*time.Second)
	s.KillGrace = cmp.Or(s.KillGrace, 10*time.Second)
	s.PollWait = cmp.Or(s.PollWait, 10*time.Second)
	if s.OrphanTimeout > 0 { // answers renew a lease, so several polls must fit into it
		s.PollWait = min(s.PollWait, s.OrphanTimeout/4)
	}
	return s
}

// wireOrphanTimeout returns the orphan timeout as the contract writes it: 0 is forever.
func (s Settings) wireOrphanTimeout() time.Duration {
	if s.OrphanTimeout == NoOrphans {
		return 0
	}
	return s.OrphanTimeout
}

// lease returns how long after the last answer the server gives up no attempt: the executor's orphan timeout, the time
// that its kills may take, and 10 % for clocks that run at different speeds. grace is how long the kill of one attempt
// may take, if that is longer than KillGrace.
func (s Settings) lease(grace time.Duration) time.Duration {
	d := s.OrphanTimeout + max(s.KillGrace, grace)
	return d + d/10
}

// exceeds reports whether n is above a limit.
func exceeds(n, limit int) bool { return limit > 0 && n > limit }
