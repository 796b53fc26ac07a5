package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Health returns why the engine can decide nothing now: its loop is blocked, its session is over, or changes cannot be
// stored. It returns nil if all is well.
func (e *Engine) Health(ctx context.Context) error {
	var health error
	err := e.ask(ctx, func(now time.Time) { health = e.keeper.Health(now) })
	if err != nil {
		return fmt.Errorf("the engine does not answer: %w", err)
	}
	return health
}

// Live returns the owner's present view of a batch. ok is false if the batch is neither in memory nor stuck.
func (e *Engine) Live(ctx context.Context, batch int64) (v hive.LiveView, ok bool, err error) {
	views, err := inspect(ctx, e, func() []int64 { return []int64{batch} }, e.keeper.View)
	v, ok = views[batch]
	return v, ok, err
}

// Summaries returns short views of some batches, or of all batches in memory if no ids are given. It leaves out batches
// that are not in memory. For a stuck batch it returns the reason only.
func (e *Engine) Summaries(ctx context.Context, ids ...int64) (map[int64]hive.BatchSummary, error) {
	selected := func() []int64 { return ids }
	if ids == nil {
		selected = e.keeper.Batches
	}
	return inspect(ctx, e, selected, e.keeper.Summary)
}

// Published returns the named batches as observers know them. It leaves out batches that are not in memory, unless they
// are stuck.
func (e *Engine) Published(ctx context.Context, ids []int64) (map[int64]hive.PublishedBatch, error) {
	return inspect(ctx, e, func() []int64 { return ids }, e.keeper.Published)
}

// PublishedRows returns all batches in memory as observers know them, with their counts.
func (e *Engine) PublishedRows(ctx context.Context) ([]hive.Batch, error) {
	var out []hive.Batch
	err := e.ask(ctx, func(time.Time) { out = e.keeper.PublishedRows() })
	if err != nil { // out must not be read: the loop may still write it
		return nil, err
	}
	return out, nil
}

// Totals counts the batches in memory and their runs.
func (e *Engine) Totals(ctx context.Context) (hive.LiveTotals, error) {
	var out hive.LiveTotals
	err := e.ask(ctx, func(now time.Time) { out = e.keeper.Totals(now) })
	if err != nil { // out must not be read: the loop may still write it
		return hive.LiveTotals{}, err
	}
	return out, nil
}

// inspect calls one in the loop for each of the ids, and leaves out batches for which it returns false.
func inspect[T any](ctx context.Context, e *Engine, ids func() []int64,
	one func(id int64) (T, bool),
) (map[int64]T, error) {
	var out map[int64]T
	err := e.ask(ctx, func(time.Time) {
		seen := map[int64]T{}
		for _, id := range ids() {
			if t, ok := one(id); ok {
				seen[id] = t
			}
		}
		out = seen
	})
	if err != nil { // the loop may still work for it
		return nil, err
	}
	return out, nil
}
