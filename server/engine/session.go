package engine

import (
	"context"
	"errors"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// SessionStore is the store of an engine: what the owner writes and reads, and the server's session.
type SessionStore interface {
	Store
	StartSession(ctx context.Context, s hive.Server, lease time.Duration) (epoch int64, err error)
	// Heartbeat extends the lease. hive.ErrSessionLost if the session was taken over, or if the store does not have the
	// last commit that is known to be stored.
	Heartbeat(ctx context.Context, server string, epoch, stored int64, lease time.Duration) error
	// AnyDead says whether there is something to take over of a session that has ended.
	AnyDead(ctx context.Context, me string) (bool, error)
	TakeOver(ctx context.Context, me string, epoch int64, lease time.Duration) (dead []string, newEpoch int64,
		err error)
	// RaiseEpoch gives the session an epoch above the one that an executor has heard of.
	RaiseEpoch(ctx context.Context, me string, epoch int64, lease time.Duration, later hive.Later) (fresh int64,
		err error)
}

// keepSession renews the lease, and takes over servers whose lease has ended.
func (e *Engine) keepSession(ctx context.Context) {
	k := newSessionKeeper(e.pace, e.cfg.Now())
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		timer.Reset(k.wait(e.cfg.Now()))
		select {
		case <-ctx.Done():
			return
		case later := <-e.laterSessions:
			if epoch, in := e.session.current(); in {
				e.raiseEpoch(ctx, epoch, later)
			}
			continue
		case <-timer.C:
		}
		now := e.cfg.Now()
		epoch, in := e.session.current()
		switch {
		case !in: // the next session is about to begin
			k.renewAt = now.Add(k.retryAfter)
			k.postponeLook(now)
		case !now.Before(k.renewAt):
			e.renew(ctx, k, epoch)
		default:
			e.lookForDead(ctx, k, epoch)
		}
	}
}

// renew extends the lease.
func (e *Engine) renew(ctx context.Context, k *sessionKeeper, epoch int64) {
	began := e.cfg.Now()
	err := e.heartbeat(ctx, epoch)
	now := e.cfg.Now()
	leased := e.session.leased(now)
	switch {
	case errors.Is(err, hive.ErrSessionLost):
		k.renewAt = now.Add(k.renewEvery)
		e.post(ctx, func(time.Time) {
			if e.session.epoch() == epoch && !e.writing && !e.lapsed { // else the commit under way says so
				e.owner.DropAll()
				e.restartSession(ctx)
			}
		})
	case err != nil:
		if k.failed(now, leased) && ctx.Err() == nil {
			e.cfg.Log.Warn("the session's lease was not renewed", "error", err)
		}
	default:
		if k.renewFailed {
			e.cfg.Log.Info("the session's lease is renewed again")
		}
		k.renewed(began, now, leased)
		e.session.extend(epoch, began.Add(e.pace.lease))
	}
}

// heartbeat renews the lease. A try that hangs leaves time for another one.
func (e *Engine) heartbeat(ctx context.Context, epoch int64) error {
	ctx, cancel := context.WithTimeout(ctx, e.pace.timeout)
	defer cancel()
	return e.cfg.Store.Heartbeat(ctx, e.cfg.Server.ID, epoch, e.storedCommits.Load(), e.pace.lease)
}

// look takes over dead servers if there are any. Mostly there are none, and that costs a query; but now and then it
// asks the dearer question whether there are batches whose owner nobody knows.
func (e *Engine) lookForDead(ctx context.Context, k *sessionKeeper, epoch int64) {
	now := e.cfg.Now()
	thorough := k.beginLook(now)
	if !e.session.leased(now) {
		return // others may think the same of this one
	}
	dead := thorough
	if !thorough {
		limited, cancel := context.WithTimeout(ctx, e.pace.timeout)
		defer cancel()
		var err error
		dead, err = e.cfg.Store.AnyDead(limited, e.cfg.Server.ID)
		if err != nil && ctx.Err() == nil && !k.lookFailed {
			e.cfg.Log.Warn("looking for dead servers failed", "error", err)
		}
		k.lookFailed = err != nil
	}
	if dead {
		e.takeOver(ctx, epoch)
	}
}

// takeOver claims the batches of dead servers. They come with a new epoch, so that whatever those servers still
// send is refused by the executors. The store then refuses the old one, so no commit may be under way meanwhile.
func (e *Engine) takeOver(ctx context.Context, epoch int64) {
	if e.blockCommits(ctx) != nil {
		return
	}
	began := e.cfg.Now()
	limited, cancel := context.WithTimeout(ctx, e.pace.lease)
	defer cancel()
	dead, fresh, err := e.cfg.Store.TakeOver(limited, e.cfg.Server.ID, epoch, e.pace.lease)
	if err != nil && ctx.Err() == nil {
		e.cfg.Log.Warn("taking over dead servers failed", "error", err)
	}
	e.post(ctx, func(time.Time) {
		e.commitsBlocked = false
		if err != nil || len(dead) == 0 || e.lapsed || e.session.epoch() != epoch {
			return // nobody is dead; or this session ended meanwhile, and the next has loaded what it owns
		}
		e.cfg.Log.Warn("took over the batches of dead servers", "servers", dead, "epoch", fresh)
		e.owner.SetEpoch(fresh)
		e.session.begin(fresh, began.Add(e.pace.lease))
		e.notifier.session(fresh)
		e.cfg.Driver.SetEpoch(fresh, e.cfg.NewSession())
		e.loader.loadOwned()
	})
}

// hold keeps commits from leaving, and waits for the one under way.
func (e *Engine) blockCommits(ctx context.Context) error {
	quiet := make(chan struct{})
	err := e.ask(ctx, func(time.Time) {
		e.commitsBlocked = true
		if e.writing {
			e.commitIdle = quiet
		} else {
			close(quiet)
		}
	})
	if err != nil {
		return err
	}
	select {
	case <-quiet:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
