package session

import (
	"time"

	"github.com/rprp/hivego/server/hive"
)

// raiseEvery is the shortest time between two requests to raise the epoch. Two servers with the same identity, on
// copies of one database, would otherwise raise their epochs above each other without end.
const raiseEvery = 10 * time.Second

// claim is a request for a new epoch, in preparation or under way. The store refuses the old epoch once it has granted
// the new one, so no commit may be under way meanwhile: a claim waits for the commit under way and blocks all others.
type claim struct {
	wanted bool
	raise  *hive.Later // the session above which the epoch is raised; nil: the claim takes over dead servers
}

// lookForDead looks for dead servers, to take over their batches. Usually it only asks the store whether there is one,
// which costs one query. At a longer interval it requests a takeover without asking, because a takeover also finds
// batches whose owner has no session.
func (k *Keeper) lookForDead(now time.Time) {
	thorough := k.times.beginLook(now)
	switch {
	case !k.leased(now): // this server may count as dead itself
	case thorough:
		k.startClaim(now, nil)
	default:
		k.times.busy = true
		k.request(AnyDead{k.origin(now, k.times.timeout)})
	}
}

// LookedForDead handles the answer of AnyDead.
func (k *Keeper) LookedForDead(now time.Time, r AnyDead, dead bool, err error) {
	if k.isOutdated(r.origin) {
		return
	}
	s := &k.times
	s.busy = false
	if err != nil && !s.lookFailed {
		k.note(LevelWarn, "looking for dead servers failed", "error", err)
	}
	s.lookFailed = err != nil
	if err == nil && dead {
		k.startClaim(now, nil)
	}
}

// startClaim blocks further commits for a claim, and requests the claim unless a commit is under way.
func (k *Keeper) startClaim(now time.Time, raise *hive.Later) {
	k.claim = claim{wanted: true, raise: raise}
	k.requestClaim(now)
}

// requestClaim requests the wanted claim from the store, unless a commit is under way.
func (k *Keeper) requestClaim(now time.Time) {
	if k.commits.committing {
		return
	}
	k.times.busy = true
	lease := k.times.lease
	if k.claim.raise != nil {
		k.request(RaiseEpoch{
			Epoch: k.epoch, Lease: lease, Later: *k.claim.raise, origin: k.origin(now, lease),
		})
		return
	}
	k.request(TakeOver{Epoch: k.epoch, Lease: lease, origin: k.origin(now, lease)})
}

// TakenOver handles the answer of TakeOver: the servers whose batches now belong to this one, and its new epoch.
// Because of the new epoch, executors refuse later calls of the dead servers.
func (k *Keeper) TakenOver(r TakeOver, dead []string, epoch int64, err error) {
	if k.isOutdated(r.origin) {
		return
	}
	k.times.busy, k.claim = false, claim{}
	if err != nil {
		k.note(LevelWarn, "taking over dead servers failed", "error", err)
		return
	}
	if len(dead) == 0 {
		return
	}
	k.note(LevelWarn, "took over the batches of dead servers", "servers", dead, "epoch", epoch)
	k.setEpoch(epoch, r.origin)
	k.loader.enqueue(listOwned{})
}

// noticeLaterSession asks the driver whether an executor has heard of a later session of this server. If so, the
// database was set back to an earlier state, because it has this session as the latest. keepSession then raises the
// epoch.
func (k *Keeper) noticeLaterSession(now time.Time) {
	later, ok := k.cfg.Driver.Later()
	if !ok || k.later != nil || !k.raisedAt.IsZero() && now.Sub(k.raisedAt) < raiseEvery {
		return // the executor reports it again in its next answer
	}
	k.later, k.raisedAt = &later, now
}

// raiseEpoch claims an epoch above that of the later session, so that the executors accept calls again.
func (k *Keeper) raiseEpoch(now time.Time) {
	later := k.later
	k.later = nil
	if later.Epoch >= k.epoch { // otherwise the epoch has been raised above it meanwhile
		k.startClaim(now, later)
	}
}

// EpochRaised handles the answer of RaiseEpoch: the new epoch.
func (k *Keeper) EpochRaised(r RaiseEpoch, epoch int64, err error) {
	if k.isOutdated(r.origin) {
		return
	}
	k.times.busy, k.claim = false, claim{}
	if err != nil {
		k.note(LevelWarn, "the epoch was not raised; it will be tried again", "error", err)
		return
	}
	k.note(LevelWarn, "the database went back to an earlier state: an executor has heard of a later session of this "+
		"server; this server took a new session above it, and asks all executors what they have",
		"executor", r.Later.Executor, "heard", r.Later.Epoch, "before", r.Epoch, "epoch", epoch)
	k.setEpoch(epoch, r.origin)
}
