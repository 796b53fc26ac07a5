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
	Heartbeat(ctx context.Context, server string, epoch int64, lease time.Duration) error
	TakeOver(ctx context.Context, me string, epoch int64, lease time.Duration) (dead []string, newEpoch int64, err error)
	// RaiseEpoch gives the session an epoch above the one that an executor has heard of.
	RaiseEpoch(ctx context.Context, me string, epoch int64, lease time.Duration, later hive.Later) (fresh int64, err error)
}

// keepSession renews the lease, and takes over servers whose lease has ended.
func (e *Engine) keepSession(ctx context.Context) {
	tick := time.NewTicker(e.cfg.Lease / 5)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case later := <-e.later:
			if epoch, in := e.watch.session(); in {
				e.raise(ctx, epoch, later)
			}
			continue
		case <-tick.C:
		}
		epoch, in := e.watch.session()
		if !in {
			continue // the next session is about to begin
		}
		began := e.cfg.Now()
		err := e.heartbeat(ctx, epoch)
		switch {
		case errors.Is(err, hive.ErrSessionLost):
			e.post(ctx, func(time.Time) {
				if e.watch.epoch() == epoch && !e.writing && !e.lapsed { // else the commit under way says so
					e.owner.dropAll()
					e.restart(ctx)
				}
			})
		case err != nil && ctx.Err() == nil:
			e.cfg.Log.Warn("the session's lease was not renewed", "error", err)
		case err == nil:
			e.watch.extend(epoch, began.Add(e.cfg.Lease))
			e.takeOver(ctx, epoch)
		}
	}
}

// heartbeat renews the lease. A try that takes longer than the lease is of no use.
func (e *Engine) heartbeat(ctx context.Context, epoch int64) error {
	ctx, cancel := context.WithTimeout(ctx, e.cfg.Lease)
	defer cancel()
	return e.cfg.Store.Heartbeat(ctx, e.cfg.Server.ID, epoch, e.cfg.Lease)
}

// takeOver claims the batches of dead servers. They come with a new epoch, so that whatever those servers still
// send is refused by the executors. The store then refuses the old one, so no commit may be under way meanwhile.
func (e *Engine) takeOver(ctx context.Context, epoch int64) {
	if e.hold(ctx) != nil {
		return
	}
	began := e.cfg.Now()
	limited, cancel := context.WithTimeout(ctx, e.cfg.Lease)
	defer cancel()
	dead, fresh, err := e.cfg.Store.TakeOver(limited, e.cfg.Server.ID, epoch, e.cfg.Lease)
	if err != nil && ctx.Err() == nil {
		e.cfg.Log.Warn("looking for dead servers failed", "error", err)
	}
	e.post(ctx, func(time.Time) {
		e.holding = false
		if err != nil || len(dead) == 0 || e.lapsed || e.watch.epoch() != epoch {
			return // nobody is dead; or this session ended meanwhile, and the next has loaded what it owns
		}
		e.cfg.Log.Warn("took over the batches of dead servers", "servers", dead, "epoch", fresh)
		e.owner.Renew(fresh)
		e.watch.begin(fresh, began.Add(e.cfg.Lease))
		e.observed.session(fresh)
		e.cfg.Driver.SetEpoch(fresh, e.cfg.NewSession())
		e.clerk.claim()
	})
}

// hold keeps commits from leaving, and waits for the one under way.
func (e *Engine) hold(ctx context.Context) error {
	quiet := make(chan struct{})
	err := e.ask(ctx, func(time.Time) {
		e.holding = true
		if e.writing {
			e.quiet = quiet
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
