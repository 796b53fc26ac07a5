package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// flush gives the writer its next group. One is under way at a time: what comes meanwhile makes the next.
func (e *Engine) flush(now time.Time) {
	if e.writing || e.commitsBlocked || now.Before(e.retryAt) {
		return
	}
	e.retryAt = time.Time{}
	if g := e.owner.NextCommit(now); g != nil {
		e.writing = true
		e.groups <- g
	}
}

// write commits groups, one after another.
func (e *Engine) write(ctx context.Context) {
	for g := range e.groups {
		err := e.commit(ctx, g)
		e.post(ctx, func(now time.Time) { e.written(ctx, now, err) })
	}
}

// commit stores a group, also while the engine stops. A database that does not answer at all counts as out of reach.
func (e *Engine) commit(ctx context.Context, g *hive.Group) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitWithin)
	defer cancel()
	err := e.cfg.Store.Commit(ctx, *g)
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("%w: no answer within %s: %w", hive.ErrConnection, commitWithin, err)
	}
	return err
}

// written releases the effects of a commit, or deals with its failure.
func (e *Engine) written(ctx context.Context, now time.Time, err error) {
	e.writing = false
	if e.commitIdle != nil {
		close(e.commitIdle)
		e.commitIdle = nil
	}
	fx := e.owner.CommitDone(now, err)
	e.storedCommits.Store(e.owner.Commits())
	e.logCommit(fx.Retry, err)
	if fx.Retry {
		e.retryAt = now.Add(retryCommit)
	}
	if fx.SessionLost {
		e.restartSession(ctx)
		return
	}
	for _, id := range fx.Reload {
		e.waiters.release(id)
		e.loader.load(id)
	}
	for id, why := range fx.Stuck {
		e.markStuck(now, id, why)
	}
	e.waiters.answer(fx.Answers)
	e.notifier.commit(fx.Deltas, fx.Reload)
	e.releasePublishWaiters()
	for _, b := range fx.Final {
		e.cfg.Log.Info("batch ended", "batch", b.ID, "schedule", b.Schedule, "state", b.State, "round", b.Round)
		if e.cfg.Ended != nil {
			e.cfg.Ended(b)
		}
	}
}

// tellCommit logs a failure: an outage once, not at each of its tries.
func (e *Engine) logCommit(outage bool, err error) {
	switch {
	case err == nil, outage && e.outageError != nil:
	case outage:
		e.cfg.Log.Error("nothing can be stored; nothing takes effect until it can", "error", err)
	default:
		e.cfg.Log.Error("a commit failed", "error", err)
	}
	switch {
	case outage:
		e.outageError = err
	case err == nil:
		e.recovered()
	default:
		e.outageError = nil
	}
	e.outage.Store(e.outageError != nil)
}

// recovered ends an outage: something was stored, be it a group or the next session.
func (e *Engine) recovered() {
	if e.outageError != nil {
		e.cfg.Log.Info("what happens can be stored again; all is well")
	}
	e.outageError = nil
	e.outage.Store(false)
}
