package fleet

import (
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Status is the present state of an executor in the fleet.
type Status struct {
	Executor hive.Executor
	State    hive.ExecutorState
	Used     int // slots that this server uses
	HeardAt  time.Time
	Trouble  hive.Sentence // why the last call failed, or why it accepts nothing new; empty if all is well
}

// Statuses lists the executors by name.
func (f *Fleet) Statuses(now time.Time) []Status {
	out := make([]Status, 0, len(f.order))
	for _, x := range f.order {
		s := Status{
			Executor: x.exec, State: hive.ExecutorOnline, Used: x.used(), HeardAt: x.heardAt, Trouble: x.trouble,
		}
		switch {
		case x.openRuns == 0 && f.set.OrphanTimeout != NoOrphans && !now.Before(x.heardAt.Add(f.set.lease(0))):
			s.State = hive.ExecutorLost
		case x.silent || x.failures > 0 || !x.attached && now.Sub(x.heardAt) >= f.set.SilentAfter:
			s.State = hive.ExecutorSilent
		case !x.attached: // it has just (re)appeared: nothing shows yet that it does not answer
			s.State = hive.ExecutorConnecting
		case x.refusesNew() || x.exec.Drained:
			s.State = hive.ExecutorDraining
			if x.draining && s.Trouble.Text == "" {
				s.Trouble = x.drainReason
			}
		}
		out = append(out, s)
	}
	return out
}
