package scenarios

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/rprp/hivego/db"
	"github.com/rprp/hivego/server/batch"
	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/hook"
)

var _ HookDriver = (*fullDriver)(nil)

// ownCalls is a store with the calls of hooks of one scenario: others use the same database.
type ownCalls struct {
	*db.Store

	d *fullDriver
}

// HookCalls lists the calls of the scenario's batch.
func (s ownCalls) HookCalls(ctx context.Context, after int64, _ int) ([]hive.HookCall, error) {
	const all = 100_000
	list, err := s.Store.HookCalls(ctx, after, all)
	return slices.DeleteFunc(list, func(c hive.HookCall) bool { return c.Event.Batch != s.d.batch }), err
}

// callHooks lets the driver of hooks work once, as after a notification or a start.
func (d *fullDriver) callHooks(ctx context.Context) {
	hook.New(hook.Config{
		Store: ownCalls{d.store, d}, Server: func() hive.Server { return d.server }, NewRuns: batch.NewRuns,
		Adopt: func(id int64) {
			if !d.owner.Has(id) {
				d.Adopt(id)
			}
		},
		Now: func() time.Time { return d.now }, Graphs: new(document.Graphs), Log: slog.New(slog.DiscardHandler),
	}).RunOnce(ctx)
}

// hookBatches lists the batches of the hooks that follow the scenario's batch, oldest first.
func (d *fullDriver) hookBatches(ctx context.Context) ([]hive.Batch, error) {
	list, err := d.store.Batches(ctx, hive.BatchFilter{HookOf: d.batch, Limit: 500})
	slices.Reverse(list)
	return list, err
}

func (d *fullDriver) Hooks(ctx context.Context) (map[string][]string, error) {
	if err := d.restartIfAsked(ctx); err != nil {
		return nil, err
	}
	list, err := d.hookBatches(ctx)
	out := map[string][]string{}
	for i := range list {
		key := hooksKey(list[i].Hook)
		if out[key] != nil {
			return nil, errors.New("hooks of " + key + " were called twice")
		}
		img, err := d.store.BatchSnapshot(ctx, list[i].ID)
		if err != nil {
			return nil, err
		}
		for n := range img.Runs {
			out[key] = append(out[key], img.Runs[n].Task+" "+string(img.Runs[n].State))
		}
	}
	return out, err
}
