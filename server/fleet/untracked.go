package fleet

import "github.com/rprp/hivego/server/hive"

// UntrackedAttempt is an attempt that an executor has for this server and that the fleet does not know. Possibly it
// ended long ago and only its release was lost; or the database has lost it; or another server took it over while this
// one was away, and has not reached the executor yet. Only the database can tell which.
type UntrackedAttempt struct {
	OtherAttempt
	Executor     string // id
	ExecutorName string

	endSeq int64 // of the event that reported its end; 0 if none did
}

// Standing tells how the database knows an untracked attempt.
type Standing int

// An untracked attempt that is over or unknown is killed if it runs, else released.
const (
	StandingOver    Standing = iota
	StandingOpen             // it has not ended: its owner handles it, once its executor reports it again
	StandingHeld             // it is over, but a person must decide about its task, and perhaps about its work
	StandingUnknown          // the database does not have it, because it was restored to an earlier state
)

// foundUntracked adds an attempt to those to look up, unless its lookup is under way.
func (f *Fleet) foundUntracked(x *executorState, u UntrackedAttempt) {
	if released, noted := x.noted[u.Attempt]; noted {
		switch {
		case u.endSeq > 0: // its ack has not arrived yet
			x.acks = append(x.acks, ack{attempt: u.Attempt, seq: u.endSeq})
		case released && !u.Running: // a crash of the executor has undone its release
			x.releases = append(x.releases, u.Attempt)
		}
		return
	}
	if x.lookups[u.Attempt] {
		return
	}
	x.lookups[u.Attempt] = true
	u.Executor, u.ExecutorName = x.exec.ID, x.exec.Name
	f.untracked = append(f.untracked, u)
}

// TakeUntracked returns the untracked attempts that were found since the last call. Each is to be passed to Resolve.
func (f *Fleet) TakeUntracked() []UntrackedAttempt {
	out := f.untracked
	f.untracked = nil
	return out
}

// Resolve decides what to do with an untracked attempt, by its standing in the database.
func (f *Fleet) Resolve(u UntrackedAttempt, standing Standing) {
	x := f.executors[u.Executor]
	if x == nil || !x.lookups[u.Attempt] {
		return // an owner tracks it meanwhile, and it may have ended since; or another session has begun
	}
	delete(x.lookups, u.Attempt)
	switch {
	case standing == StandingOpen || f.holders[u.Attempt] != nil:
	case u.Running:
		reason := hive.ReasonLost
		if standing == StandingHeld {
			reason = hive.ReasonHeld
		}
		f.note(KillingUntracked{Executor: x.exec.Name, Attempt: u.Attempt})
		x.add(&attemptState{
			ref: u.Attempt, phase: running, unowned: true,
			kill: &hive.KillOrder{Attempt: u.Attempt.ID, Key: u.Attempt.Key, Grace: f.set.KillGrace, Reason: reason},
		})
		f.holders[u.Attempt] = x
	default:
		if u.endSeq > 0 {
			x.acks = append(x.acks, ack{attempt: u.Attempt, seq: u.endSeq})
		}
		x.logs = append(x.logs, u.Attempt)
		if standing == StandingUnknown {
			x.noted[u.Attempt] = false
		}
	}
}
