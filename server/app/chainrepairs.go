package app

import (
	"context"
	"time"

	"github.com/rprp/hivego/server/chainrepair"
	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
)

// buildChainRepairs makes the parts of chain repairs. They use engine, batches and catalog, which are made after them,
// only once they run.
func (a *App) buildChainRepairs(graphs *document.Graphs) {
	a.chainer = chainrepair.NewDriver(chainrepair.DriverConfig{
		Store: a.store, Server: a.session, Notify: func(id int64) { a.engine.Notify(id) }, Now: time.Now,
		Graphs: graphs, Log: a.log,
	})
	a.chains = chainrepair.New(chainrepair.Config{
		Reader: a.store, Store: a.store, Repairs: repairs{a}, Graphs: graphs, Now: time.Now, Changed: a.chainer.Notify,
		Followers: func(ctx context.Context) (func(hive.Batch) ([]hive.Follower, error), error) {
			return a.catalog.Followers(ctx)
		},
	})
}

// repairs passes the repairs of single batches on.
type repairs struct{ app *App }

// RepairCommand is of chainrepair.Repairs.
func (r repairs) RepairCommand(ctx context.Context, q hive.RepairRequest) (hive.Command, error) {
	return r.app.batches.RepairCommand(ctx, q)
}

// Await is of chainrepair.Repairs.
func (r repairs) Await(ctx context.Context, c hive.Command) (hive.Command, error) {
	return r.app.batches.Await(ctx, c)
}

// Repair is of chainrepair.Repairs.
func (r repairs) Repair(ctx context.Context, q hive.RepairRequest) (hive.Command, error) {
	return r.app.batches.Repair(ctx, q)
}
