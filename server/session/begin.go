package session

import (
	"errors"
	"fmt"
	"time"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/owner"
)

// Start returns the request for the first session. The shell calls it once, and may give up when that request fails.
func (k *Keeper) Start(now time.Time) StartSession {
	return StartSession{Lease: k.times.lease, IDs: k.cfg.Limits.IDsAhead, origin: k.origin(now, readWithin)}
}

func (k *Keeper) requestSession(now time.Time) {
	k.startAt = time.Time{}
	k.request(k.Start(now))
}

// SessionStarted handles the answer of StartSession: the epoch of the session, and its first id of each kind.
func (k *Keeper) SessionStarted(now time.Time, r StartSession, epoch int64, firstIDs map[string]int64, err error) {
	if err != nil {
		k.note(LevelError, "the session does not start", "error", err)
		k.startAt = now.Add(retryRequest)
		return
	}
	k.begin(now, r, epoch, firstIDs)
}

// begin starts to work in a session that the store has begun. It loads this server's batches one group after another,
// so that the first batches work while the last ones are still being read.
func (k *Keeper) begin(now time.Time, r StartSession, epoch int64, firstIDs map[string]int64) {
	k.number++
	k.over, k.epoch, k.until = false, epoch, r.at.Add(r.Lease)
	k.cfg.Driver.Reset()
	k.cfg.Driver.SetEpoch(epoch, k.cfg.NewSession())
	k.owner = k.newOwner(epoch)
	for kind, first := range firstIDs {
		k.owner.AddIDs(kind, first, r.IDs)
	}
	k.drawing, k.drawAt = false, time.Time{}
	k.stuck, k.commits, k.claim, k.later = stuck{}, commitGate{outage: k.commits.outage}, claim{}, nil
	k.overlap = overlap{askAt: map[int64]time.Time{}}
	k.limits = limitReader{}
	k.owner.AwaitLimits()
	k.times.begin(r.at, now)
	k.loader = loader{sweepEvery: k.cfg.Sweep, sweepAt: now.Add(k.cfg.Sweep)}
	k.emit(Began{Epoch: epoch})
	k.note(LevelInfo, "session started", "server", k.cfg.Server, "epoch", epoch)
	k.endOutage()
	k.loader.enqueue(listOwned{})
}

func (k *Keeper) newOwner(epoch int64) *owner.Owner {
	o := owner.New(owner.Config{
		Fleet: k.cfg.Fleet, Chooser: k.cfg.Chooser, Graphs: k.cfg.Graphs, NewKey: k.cfg.NewKey,
		TraceDecisions: k.cfg.TraceDecisions, TraceParent: k.cfg.TraceParent,
		Session: owner.Session{Server: k.cfg.Server, Epoch: epoch},
	})
	o.SetGroupRoutes(k.groupRoutes)
	return o
}

// SetGroupRoutes sets the routes of groups of executors, by their names.
func (k *Keeper) SetGroupRoutes(routes map[string]hive.Route) {
	k.groupRoutes = routes
	k.owner.SetGroupRoutes(routes)
}

// setEpoch continues the session under a new epoch from the store. o is the origin of the request for that epoch.
func (k *Keeper) setEpoch(epoch int64, o origin) {
	k.epoch, k.until = epoch, o.at.Add(k.times.lease)
	k.owner.SetEpoch(epoch)
	k.emit(Began{Epoch: epoch})
	k.cfg.Driver.SetEpoch(epoch, k.cfg.NewSession())
}

// lose ends a session that the store does not have any more, and requests the next one. Until the next session has
// begun, nothing is decided and no call leaves.
func (k *Keeper) lose(now time.Time) {
	k.note(LevelError, "this server's session was lost; starting a new one (if this comes again and again, another "+
		"server runs on a copy of this data folder)", "server", k.cfg.Server)
	k.over, k.until = true, time.Time{}
	k.cfg.Driver.Reset()
	k.emit(Lost{})
	k.requestSession(now)
}

// leased reports whether the session's lease still runs, so that no other server can have taken the session over.
func (k *Keeper) leased(now time.Time) bool { return now.Before(k.until) }

// Health returns why nothing can be decided now: the session is over, or changes cannot be stored. It returns nil if
// all is well.
func (k *Keeper) Health(now time.Time) error {
	switch {
	case k.commits.outage != nil:
		return fmt.Errorf("nothing can be stored: %w", k.commits.outage)
	case k.over:
		return fmt.Errorf("the next session has not begun: %w", hive.ErrSessionLost)
	case !k.leased(now):
		return fmt.Errorf("the session's lease has run out, and the database does not renew it: %w",
			hive.ErrSessionLost)
	default:
		return nil
	}
}

// Over reports whether the latest session is over, and the next one has not begun.
func (k *Keeper) Over() bool { return k.over }

// keepSession makes the next request for the session itself: a claim, a renewal or a search for dead servers. Only one
// of them is under way at a time.
func (k *Keeper) keepSession(now time.Time) {
	switch s := &k.times; {
	case s.busy:
	case k.claim.wanted && !k.commits.committing: // before a renewal, because the claim blocks all commits
		k.requestClaim(now)
	case !now.Before(s.renewAt):
		s.busy = true
		k.request(Heartbeat{
			Epoch: k.epoch, Stored: k.owner.Commits(), Lease: s.lease, origin: k.origin(now, s.timeout),
		})
	case k.claim.wanted: // the claim waits for the commit that is under way
	case k.later != nil:
		k.raiseEpoch(now)
	case !now.Before(s.lookAt):
		k.lookForDead(now)
	}
}

// keepAt returns when keepSession next has something to do. It is zero while keepSession waits for an answer.
func (k *Keeper) keepAt() time.Time {
	if k.times.busy {
		return time.Time{}
	}
	if k.claim.wanted {
		return k.times.renewAt
	}
	return earliest(k.times.renewAt, k.times.lookAt)
}

// Renewed handles the answer of Heartbeat.
func (k *Keeper) Renewed(now time.Time, r Heartbeat, err error) {
	if k.isOutdated(r.origin) {
		return
	}
	s := &k.times
	s.busy = false
	switch leased := k.leased(now); {
	case errors.Is(err, hive.ErrSessionLost):
		s.renewAt = now.Add(s.renewEvery)
		if !k.commits.committing { // otherwise the commit under way fails too, and Committed ends the session
			k.owner.DropAll()
			k.lose(now)
		}
	case err != nil:
		if s.failed(now, leased) {
			k.note(LevelWarn, "the session's lease was not renewed", "error", err)
		}
	default:
		if s.renewFailed {
			k.note(LevelInfo, "the session's lease is renewed again")
		}
		s.renewed(r.at, now, leased)
		if until := r.at.Add(r.Lease); until.After(k.until) {
			k.until = until
		}
	}
}
