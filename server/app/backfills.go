package app

import (
	"context"
	"time"

	"github.com/rprp/hivego/server/backfill"
	"github.com/rprp/hivego/server/batch"
	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/schedule"
)

// buildBackfills makes the parts of backfills. They use the engine, which is made after them, only once they run.
func (a *App) buildBackfills(graphs *document.Graphs) {
	notify := func(id int64) { a.engine.Notify(id) }
	a.filler = backfill.NewDriver(backfill.DriverConfig{
		Store: a.store, Server: a.session, NewRuns: batch.NewRuns, Now: time.Now, Graphs: graphs, Log: a.log,
		Made: func(ids []int64) { a.engine.AdoptAll(ids) }, Notify: notify,
	})
	a.fills = backfill.New(backfill.Config{
		Schedules: a.store, Store: a.store, Graphs: graphs, Now: time.Now, Changed: a.filler.Notify, Notify: notify,
		Calendars: func(ctx context.Context) (schedule.Calendars, func() error) {
			return a.catalog.NewestCalendars(ctx)
		},
		Dependants: func(ctx context.Context, name string) ([]schedule.FillMember, error) {
			return a.catalog.FillMembers(ctx, name)
		},
	})
}

// ends tells the drivers of backfills and chain repairs that a batch has ended.
type ends struct{ app *App }

// Observe looks for the ends of batches.
func (e ends) Observe(deltas []hive.Delta) {
	for i := range deltas {
		if d := &deltas[i]; d.Run < 0 && d.BState.Final() {
			e.app.filler.NotifyActive()
			e.app.chainer.NotifyActive()
			return
		}
	}
}

// Reread does nothing: the drivers read the store.
func (e ends) Reread([]int64) {}

// Session does nothing, for the same reason.
func (e ends) Session(int64) {}
