package app

import (
	"context"
	"sync"
	"time"

	"github.com/rprp/hivego/server/alert/channel"
	"github.com/rprp/hivego/server/alert/manage"
	"github.com/rprp/hivego/server/alert/outbox"
	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
)

// alerts are the parts that tell people of problems.
type alerts struct {
	watcher   *outbox.Watcher
	deliverer *outbox.Deliverer
	manage    *manage.Service
}

// buildAlerts makes the parts of alerts. They use the engine and the ticker, which are made after them, only once they
// run.
func (a *App) buildAlerts(graphs *document.Graphs) {
	documents := outbox.NewDocuments(a.store, a.log)
	a.alerts.deliverer = outbox.NewDeliverer(outbox.DelivererConfig{
		Store: a.store, Documents: documents, Send: channel.New(nil, time.Now).Send, Server: a.server.ID,
		Base: a.page, Now: time.Now, Log: a.log,
	})
	describer := &describer{app: a, parse: parser(graphs), known: map[int64]describedSchedule{}}
	a.alerts.watcher = outbox.NewWatcher(outbox.WatcherConfig{
		Facts: a.store, Events: a.store, Reported: a.store, Batches: a.store, Ticks: a.store, Local: &localStates{a},
		Rules: documents.Rules, Describe: describer.describe, Server: a.server.ID,
		Stored: a.alerts.deliverer.Notify, Now: time.Now, Log: a.log,
	})
	a.alerts.manage = manage.New(manage.Config{
		Store: a.store, Schedules: a.store, Log: a.store, Test: a.alerts.deliverer.Test,
		Try: a.alerts.deliverer.Try, Ensure: a.alerts.watcher.Ensure, Saved: a.alerts.watcher.Notify,
		Due: a.alerts.deliverer.Notify, Now: time.Now,
	})
}

// localStates is what only this server knows, for the watcher.
type localStates struct{ app *App }

// Summaries returns short views of batches in memory.
func (l *localStates) Summaries(ctx context.Context, ids ...int64) (map[int64]hive.BatchSummary, error) {
	return l.app.engine.Summaries(ctx, ids...)
}

// StuckWords returns why a batch is stuck.
func (l *localStates) StuckWords(ctx context.Context, batch int64) string {
	v, _, err := l.app.engine.Live(ctx, batch)
	if err != nil {
		return ""
	}
	return v.Stuck.Text
}

// Executors returns all executors as this server sees them.
func (l *localStates) Executors(ctx context.Context) ([]hive.ExecutorView, error) {
	x := executors{store: l.app.store, fleet: l.app.fleet, loop: l.app.ask, listen: l.app.cfg.Listen}
	return x.List(ctx)
}

// TickAlarms lists the reasons why ticks are not decided.
func (l *localStates) TickAlarms() []hive.TickAlarm { return l.app.ticker.Alarms() }

// DiskShort returns why the disk is short of space.
func (l *localStates) DiskShort() error { return l.app.fleet.DiskShort() }

// describer reads what messages say of schedules, and caches it by revision.
type describer struct {
	app   *App
	parse func(text string) (*hive.Definition, error)

	mu    sync.Mutex
	known map[int64]describedSchedule // by schedule
}

type describedSchedule struct {
	revision int64
	facets   hive.AlertFacets
}

// maxDescribed bounds the cache.
const maxDescribed = 5000

func (d *describer) describe(ctx context.Context, schedule int64) (hive.AlertFacets, error) {
	row, err := d.app.store.ScheduleByID(ctx, schedule)
	if err != nil {
		return hive.AlertFacets{}, err
	}
	d.mu.Lock()
	got, ok := d.known[schedule]
	d.mu.Unlock()
	if ok && got.revision == row.Revision {
		got.facets.Schedule, got.facets.Former = row.Name, row.Former
		return got.facets, nil
	}
	rev, err := d.app.store.RevisionAt(ctx, schedule, row.Revision)
	if err != nil {
		return hive.AlertFacets{}, err
	}
	got = describedSchedule{row.Revision, hive.AlertFacets{Schedule: row.Name, Former: row.Former}}
	if def, err := d.parse(rev.Document); err == nil { // otherwise its name is all that is known
		got.facets.Title, got.facets.Tags, got.facets.Owners = def.Title, def.Tags, def.Owners
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.known) >= maxDescribed {
		clear(d.known)
	}
	d.known[schedule] = got
	return got.facets, nil
}

// newFacts tells the watcher that a commit has stored facts.
type newFacts struct{ app *App }

// Observe looks for failures and held tasks, and for all changes of batches if a rule asks for them.
func (n newFacts) Observe(deltas []hive.Delta) {
	follows := n.app.alerts.watcher.Follows()
	for i := range deltas {
		d := &deltas[i]
		failed, held := d.Run < 0 && d.BState == hive.BatchFailed, d.Run >= 0 && d.State == hive.RunUnknown
		if failed || held || d.Run < 0 && follows {
			n.app.alerts.watcher.Notify()
			return
		}
	}
}

// Reread does nothing: the watcher reads the store.
func (n newFacts) Reread([]int64) {}

// Session does nothing, for the same reason.
func (n newFacts) Session(int64) {}
