package engine

import (
	"context"
	"log/slog"
	"time"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/session"
)

// notifier calls an observer, if there is one.
type notifier struct{ to Observer }

func (n notifier) observe(deltas []hive.Delta) {
	if n.to != nil && len(deltas) > 0 {
		n.to.Observe(deltas)
	}
}

func (n notifier) reread(batches []int64) {
	if n.to != nil {
		n.to.Reread(batches)
	}
}

func (n notifier) session(epoch int64) {
	if n.to != nil {
		n.to.Session(epoch)
	}
}

// publish reports the keeper's changes to the log, to observers and to waiting callers.
func (e *Engine) publish() {
	for _, f := range e.keeper.TakeFacts() {
		switch f := f.(type) {
		case session.Note:
			e.cfg.Log.Log(context.Background(), slog.Level(f.Level), f.Text, f.Fields...)
		case session.Stuck:
			e.cfg.Log.Error("a batch is stuck", "batch", f.Batch, "error", f.Err)
		case session.Unfit:
			e.cfg.Log.Error("an event did not fit the batch", "batch", f.Batch, "error", f.Err)
		case session.Outage:
			e.failing.Store(f.Err != nil)
		case session.Began:
			e.epoch.Store(f.Epoch)
			e.notifier.session(f.Epoch)
		case session.Lost:
			e.waiters.releaseAll()
		case session.Released:
			e.waiters.release(f.Batch)
		case session.Reread:
			e.notifier.reread(f.Batches)
		case session.Loaded:
			e.notifier.observe(f.Deltas)
		case session.Stored:
			e.publishCommit(&f)
		}
	}
	e.releasePublishWaiters()
}

// publishCommit reports what a commit has made durable.
func (e *Engine) publishCommit(s *session.Stored) {
	e.waiters.answer(s.Answers)
	e.notifier.observe(s.Deltas)
	if s.Hooks && e.cfg.Hooked != nil {
		e.cfg.Hooked()
	}
	if e.cfg.Ended != nil {
		for _, b := range s.Ended {
			e.cfg.Ended(b)
		}
	}
}

// releasePublishWaiters releases the callers of WaitPublished.
func (e *Engine) releasePublishWaiters() {
	if len(e.publishWaiters) == 0 || !e.keeper.AllPublished() {
		return
	}
	for _, ch := range e.publishWaiters {
		close(ch)
	}
	e.publishWaiters = nil
}

// WaitPublished waits until everything that was stored before the call is published to observers. After that, observers
// know at least what the caller had read from the store.
func (e *Engine) WaitPublished(ctx context.Context) error {
	published := make(chan struct{})
	err := e.ask(ctx, func(time.Time) { e.publishWaiters = append(e.publishWaiters, published) })
	if err != nil {
		return err
	}
	select {
	case <-published:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
