package dispatch

import (
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Status is what the fleet sees of an executor now.
type Status struct {
	Executor hive.Executor
	State    hive.ExecutorState
	Held     int // attempts in hand
	Heard    time.Time
	Trouble  string // why it cannot be reached, by the latest try; empty if it can
}

// Statuses lists the executors by name.
func (f *Fleet) Statuses(now time.Time) []Status {
	out := make([]Status, 0, len(f.order))
	for _, p := range f.order {
		s := Status{Executor: p.exec, State: hive.ExecutorOnline, Held: p.used(), Heard: p.heard, Trouble: p.trouble}
		switch {
		case p.aloft == 0 && f.set.OrphanTimeout != NoOrphans && !now.Before(p.heard.Add(f.set.lease(0))):
			s.State = hive.ExecutorLost
		case p.mute || p.failures > 0 || !p.attached && now.Sub(p.heard) >= f.set.SilentAfter:
			s.State = hive.ExecutorSilent
		case !p.attached: // it came, or came back, just now: nothing says yet that it does not answer
			s.State = hive.ExecutorConnecting
		case p.leaves() || p.exec.Drained:
			s.State = hive.ExecutorDraining
			if p.draining && s.Trouble == "" {
				s.Trouble = p.excuse
			}
		}
		out = append(out, s)
	}
	return out
}
