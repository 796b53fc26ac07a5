package engine

import (
	"context"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// observed tells an observer; nothing if there is none.
type notifier struct{ to Observer }

func (o notifier) commit(deltas []hive.Delta, reread []int64) {
	if o.to != nil && len(deltas) > 0 {
		o.to.Observe(deltas)
	}
	o.reread(reread...)
}

func (o notifier) reread(batches ...int64) {
	if o.to != nil && len(batches) > 0 {
		o.to.Reread(batches)
	}
}

func (o notifier) session(epoch int64) {
	if o.to != nil {
		o.to.Session(epoch)
	}
}

// release lets those go who wait until what is stored was told.
func (e *Engine) releasePublishWaiters() {
	if !e.lapsed && !e.owner.AllPublished() {
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
	settled := make(chan struct{})
	err := e.ask(ctx, func(time.Time) {
		e.publishWaiters = append(e.publishWaiters, settled)
		e.releasePublishWaiters()
	})
	if err != nil {
		return err
	}
	select {
	case <-settled:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// PublishedRows returns all batches in memory as observers know them, with their counts.
func (e *Engine) PublishedRows(ctx context.Context) ([]hive.Batch, error) {
	var out []hive.Batch
	err := e.ask(ctx, func(time.Time) {
		out = e.owner.PublishedRows()
	})
	if err != nil { // the loop may still work for it
		return nil, err
	}
	return out, nil
}

// Published returns the named batches as observers know them. It leaves out batches that are not in memory, unless they
// are stuck.
func (e *Engine) Published(ctx context.Context, ids []int64) (map[int64]hive.PublishedBatch, error) {
	return inspect(ctx, e, func() []int64 { return ids }, func(id int64) (t hive.PublishedBatch, ok bool) {
		t, ok = e.owner.Published(id)
		t.Stuck = e.stuck.why(id)
		return t, ok || t.Stuck != ""
	})
}
