package session

import (
	"maps"
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// commitGate lets one commit leave at a time. Changes that arrive meanwhile go into the next commit.
type commitGate struct {
	committing bool
	retryAt    time.Time // no commit leaves before this time
	outage     error     // error of the last commit, if the database could not be reached
}

// commitAt returns when commitNext next has something to do. It is zero if there is no such time, while a commit is
// under way, and while a claim blocks commits.
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

// commitNext requests the next commit, if one may leave and there is something to store.
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

// Committed handles the answer of Commit. If the group is stored, its effects are released. If not, the group is tried
// again, its batches are loaded again, or a batch becomes stuck. The shell reports a database that did not answer in
// time as hive.ErrConnection.
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
		k.emit(Released{Batch: id})
		k.load(id)
	}
	for _, id := range slices.Sorted(maps.Keys(fx.Stuck)) {
		why := hive.Quote(hive.SentenceStuckUnstored,
			"its changes cannot be stored: ‹words›; the server loads it again and tries again by itself",
			hive.Plain(fx.Stuck[id].Error()))
		k.markStuck(now, id, why, fx.Stuck[id])
	}
	k.emit(Stored{Answers: fx.Answers, Deltas: fx.Deltas, Ended: fx.Final, Hooks: fx.Hooks})
	if len(fx.Reload) > 0 {
		k.emit(Reread{Batches: fx.Reload})
	}
	for i := range fx.Final {
		b := &fx.Final[i]
		k.note(LevelInfo, "batch ended", "batch", b.ID, "schedule", b.Schedule, "state", b.State, "round", b.Round)
	}
}

// noteOutage logs that a commit failed. It logs an outage once, not at every retry.
func (k *Keeper) noteOutage(outage bool, err error) {
	switch {
	case err == nil:
		k.endOutage()
	case outage:
		if k.commits.outage == nil {
			k.note(LevelError, "nothing can be stored; nothing takes effect until it can", "error", err)
			k.emit(Outage{Err: err})
		}
		k.commits.outage = err
	default:
		k.note(LevelError, "a commit failed", "error", err)
		if k.commits.outage != nil {
			k.commits.outage = nil
			k.emit(Outage{})
		}
	}
}

// endOutage ends an outage, because a group or the next session was stored.
func (k *Keeper) endOutage() {
	if k.commits.outage == nil {
		return
	}
	k.note(LevelInfo, "what happens can be stored again; all is well")
	k.commits.outage = nil
	k.emit(Outage{})
}
