package app

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/rprp/hivego/server/api"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/live"
)

// liveSource is the source of the live hub.
type liveSource struct{ app *App }

// Batch returns a batch from the store and its owner's published state.
func (f *liveSource) Batch(ctx context.Context, id int64) (live.View, error) {
	stored, err := f.app.batches.Stored(ctx, id)
	if err != nil {
		return live.View{}, err
	}
	v := live.View{BatchView: stored, Mine: stored.Batch.Owner == f.app.server.ID}
	if err := f.published(ctx); err != nil {
		return v, err
	}
	published, err := f.Published(ctx, []int64{id})
	if err != nil {
		return v, err
	}
	if p, ok := published[id]; ok {
		v.Published, v.Stuck = &p, p.Stuck
	}
	return v, nil
}

// Runs returns some runs of a batch from the store.
func (f *liveSource) Runs(ctx context.Context, id int64, numbers []int) (live.View, error) {
	stored, err := f.app.batches.StoredRuns(ctx, id, numbers)
	if err != nil {
		return live.View{}, err
	}
	v := live.View{BatchView: stored, Mine: stored.Batch.Owner == f.app.server.ID}
	return v, f.published(ctx)
}

// Others returns some batches of other servers with their stored counts.
func (f *liveSource) Others(ctx context.Context, ids []int64) ([]hive.Batch, error) {
	all, err := f.app.store.BatchesByID(ctx, ids)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(b hive.Batch) bool { return b.Owner == f.app.server.ID })
	if err := f.app.batches.Count(ctx, all); err != nil {
		return nil, err
	}
	return all, f.published(ctx)
}

// published waits until observers know all that is stored.
func (f *liveSource) published(ctx context.Context) error {
	if err := f.app.engine.WaitPublished(ctx); err != nil {
		return fmt.Errorf("wait for the engine: %w", err)
	}
	return nil
}

// Row returns a batch without its runs.
func (f *liveSource) Row(ctx context.Context, id int64) (hive.Batch, error) {
	return f.app.store.Batch(ctx, id)
}

// Batches returns all live batches. The batches of this server have the owner's published state.
func (f *liveSource) Batches(ctx context.Context) ([]hive.Batch, error) {
	all, err := f.app.store.AllLive(ctx)
	if err != nil {
		return nil, err
	}
	if err := f.published(ctx); err != nil {
		return nil, err
	}
	own, err := f.app.engine.PublishedRows(ctx)
	if err != nil {
		return nil, fmt.Errorf("ask the engine for its batches: %w", err)
	}
	mine := make(map[int64]bool, len(own))
	for i := range own {
		mine[own[i].ID] = true
	}
	all = slices.DeleteFunc(all, func(b hive.Batch) bool { return mine[b.ID] })
	if err := f.app.batches.Count(ctx, all); err != nil {
		return nil, err
	}
	return append(all, slices.DeleteFunc(own, func(b hive.Batch) bool { return !b.Live })...), nil
}

// Published returns the published state of batches from the engine.
func (f *liveSource) Published(ctx context.Context, ids []int64) (map[int64]hive.PublishedBatch, error) {
	published, err := f.app.engine.Published(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("ask the engine for %d batches: %w", len(ids), err)
	}
	return published, nil
}

// Executors returns a fingerprint of all executors with their states, loads and offers.
func (f *liveSource) Executors(ctx context.Context) (string, error) {
	list, err := (&executors{store: f.app.store, fleet: f.app.fleet, loop: f.app.ask}).List(ctx)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for i := range list {
		e := &list[i]
		offers := fnv.New64a()
		fmt.Fprintf(offers, "%+v %v", e.Handlers, e.Labels) // fmt prints maps in the order of their keys
		fmt.Fprintf(&b, "%q %q %q %s %t %t %d/%d %s %q %x\n", e.ID, e.Name, e.Group, e.State, e.Offline, e.Drained,
			e.Running,
			e.Slots, e.BootID, e.Trouble.Text, offers.Sum64())
	}
	return b.String(), nil
}

// hub adapts the live hub to the API's port.
type hub struct{ *live.Hub }

// Connect adds a client.
func (h hub) Connect(user int64, name string, ended <-chan struct{}) (api.LiveClient, error) {
	c, err := h.Hub.Connect(user, name, ended)
	if err != nil {
		return nil, err
	}
	return c, nil
}
