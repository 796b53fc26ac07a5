package session

import (
	"time"

	"github.com/rprp/hivego/server/hive"
)

// raiseEvery is the least time between two epochs that are taken because executors have heard of later sessions. Two
// servers that share an identity, on copies of one database, would outdo each other without end.
const raiseEvery = 10 * time.Second

// claim is a new epoch that this session wants of the store. The store refuses the old one from then on, so no commit
// may be under way meanwhile: commits are blocked, and the claim waits for the one that is under way.
type claim struct {
	wanted bool
	raise  *hive.Later // to take an epoch above it; nil: to take over servers whose session has ended
}

// lookForDead has dead servers taken over if there are any. Mostly there are none, and that costs a query; but now and
// then it asks the dearer question whether there are batches whose owner nobody knows.
func (k *Keeper) lookForDead(now time.Time) {
	thorough := k.schedule.beginLook(now)
	switch {
	case !k.leased(now): // others may think the same of this server
	case thorough:
		k.want(now, nil)
	default:
		k.schedule.busy = true
		k.request(AnyDead{k.origin(now, k.schedule.timeout)})
	}
}

// LookedForDead takes the answer of AnyDead.
func (k *Keeper) LookedForDead(now time.Time, r AnyDead, dead bool, err error) {
	if k.isOutdated(r.origin) {
		return
	}
	s := &k.schedule
	s.busy = false
	if err != nil && !s.lookFailed {
		k.note(LevelWarn, "looking for dead servers failed", "error", err)
	}
	s.lookFailed = err != nil
	if err == nil && dead {
		k.want(now, nil)
	}
}

// want blocks commits for a claim, and makes it when none is under way.
func (k *Keeper) want(now time.Time, raise *hive.Later) {
	k.claim = claim{wanted: true, raise: raise}
	k.requestClaim(now)
}

// requestClaim makes the claim that is wanted, unless a commit is under way.
func (k *Keeper) requestClaim(now time.Time) {
	if k.commits.committing {
		return
	}
	k.schedule.busy = true
	lease := k.schedule.lease
	if k.claim.raise != nil {
		k.request(RaiseEpoch{
			Epoch: k.epoch, Lease: lease, Later: *k.claim.raise, origin: k.origin(now, lease),
		})
		return
	}
	k.request(TakeOver{Epoch: k.epoch, Lease: lease, origin: k.origin(now, lease)})
}

// TakenOver takes the answer of TakeOver: the servers whose batches this one has now, and its new epoch. They come
// with a new epoch so that the executors refuse whatever those servers still send.
func (k *Keeper) TakenOver(r TakeOver, dead []string, epoch int64, err error) {
	if k.isOutdated(r.origin) {
		return
	}
	k.schedule.busy, k.claim = false, claim{}
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

// noticeLaterSession has the epoch raised if an executor has heard of a later session of this server. The database says
// that this session is the latest one, so it went back to an earlier state.
func (k *Keeper) noticeLaterSession(now time.Time) {
	later, ok := k.cfg.Driver.Later()
	if !ok || k.later != nil || !k.raisedAt.IsZero() && now.Sub(k.raisedAt) < raiseEvery {
		return // the executor says it again at the next try
	}
	k.later, k.raisedAt = &later, now
}

// raiseEpoch takes an epoch above that of a later session, so that the executors answer again.
func (k *Keeper) raiseEpoch(now time.Time) {
	later := k.later
	k.later = nil
	if later.Epoch >= k.epoch { // else it is of an earlier session: this one is heard
		k.want(now, later)
	}
}

// EpochRaised takes the answer of RaiseEpoch: the new epoch.
func (k *Keeper) EpochRaised(r RaiseEpoch, epoch int64, err error) {
	if k.isOutdated(r.origin) {
		return
	}
	k.schedule.busy, k.claim = false, claim{}
	if err != nil {
		k.note(LevelWarn, "the epoch was not raised; it will be tried again", "error", err)
		return
	}
	k.note(LevelWarn, "the database went back to an earlier state: an executor has heard of a later session of this "+
		"server; this server took a new session above it, and asks all executors what they have",
		"executor", r.Later.Executor, "heard", r.Later.Epoch, "before", r.Epoch, "epoch", epoch)
	k.setEpoch(epoch, r.origin)
}
