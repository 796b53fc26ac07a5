package session

import (
	"maps"
	"slices"
	"time"
)

// commitGate lets one commit leave at a time: what comes meanwhile makes the next.
type commitGate struct {
	committing bool
	retryAt    time.Time // no commit leaves before that
	outage     error     // of the last commit, if it failed for want of the database
}

// commitAt is when commitNext next has something to do; zero: never, or a commit is under way, or must not leave now.
func (k *Keeper) commitAt() time.Time {
	switch {
	case k.commits.committing || k.claim.wanted:
		return time.Time{}
	case !k.commits.retryAt.IsZero():
		return k.commits.retryAt
	default:
		return k.owner.NextCommitAt()
	}
}

// commitNext requests the next commit.
func (k *Keeper) commitNext(now time.Time) {
	g := &k.commits
	if g.committing || k.claim.wanted || now.Before(g.retryAt) {
		return
	}
	g.retryAt = time.Time{}
	if group := k.owner.NextCommit(now); group != nil {
		g.committing = true
		k.request(Commit{Group: group, origin: k.origin(now, commitWithin)})
	}
}

// Committed takes the answer of Commit. It releases the effects of a group that is stored, and deals with one that is
// not. A database that gave no answer in time counts as out of reach (hive.ErrConnection).
func (k *Keeper) Committed(now time.Time, r Commit, err error) {
	if k.isOutdated(r.origin) {
		return
	}
	k.commits.committing = false
	fx := k.owner.CommitDone(now, err)
	k.noteOutage(fx.Retry, err)
	if fx.Retry {
		k.commits.retryAt = now.Add(retryCommit)
	}
	if fx.SessionLost {
		k.lose(now)
		return
	}
	for _, id := range fx.Reload {
		k.tell(Released{Batch: id})
		k.load(id)
	}
	for _, id := range slices.Sorted(maps.Keys(fx.Stuck)) {
		k.markStuck(now, id, fx.Stuck[id])
	}
	k.tell(Stored{Answers: fx.Answers, Deltas: fx.Deltas, Ended: fx.Final})
	if len(fx.Reload) > 0 {
		k.tell(Reread{Batches: fx.Reload})
	}
	for i := range fx.Final {
		b := &fx.Final[i]
		k.note(LevelInfo, "batch ended", "batch", b.ID, "schedule", b.Schedule, "state", b.State, "round", b.Round)
	}
}

// noteOutage notes that a commit failed; an outage once, not at each of its tries.
func (k *Keeper) noteOutage(outage bool, err error) {
	switch {
	case err == nil:
		k.endOutage()
	case outage:
		if k.commits.outage == nil {
			k.note(LevelError, "nothing can be stored; nothing takes effect until it can", "error", err)
			k.tell(Outage{Err: err})
		}
		k.commits.outage = err
	default:
		k.note(LevelError, "a commit failed", "error", err)
		if k.commits.outage != nil {
			k.commits.outage = nil
			k.tell(Outage{})
		}
	}
}

// endOutage ends an outage: something was stored, a group or the next session.
func (k *Keeper) endOutage() {
	if k.commits.outage == nil {
		return
	}
	k.note(LevelInfo, "what happens can be stored again; all is well")
	k.commits.outage = nil
	k.tell(Outage{})
}
