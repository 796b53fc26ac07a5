// Package app is the composition root: it builds, starts and stops all parts in order. It decides nothing.
package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/rprp/hivego/db"
	"github.com/rprp/hivego/server/api"
	"github.com/rprp/hivego/server/auth"
	"github.com/rprp/hivego/server/backfill"
	"github.com/rprp/hivego/server/batch"
	"github.com/rprp/hivego/server/catalog"
	"github.com/rprp/hivego/server/chainrepair"
	"github.com/rprp/hivego/server/config"
	"github.com/rprp/hivego/server/connection/manage"
	"github.com/rprp/hivego/server/deletion"
	"github.com/rprp/hivego/server/dispatch"
	"github.com/rprp/hivego/server/dispatch/registry"
	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/engine"
	"github.com/rprp/hivego/server/fleet"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/hook"
	"github.com/rprp/hivego/server/limit"
	"github.com/rprp/hivego/server/live"
	"github.com/rprp/hivego/server/metrics"
	"github.com/rprp/hivego/server/report"
	"github.com/rprp/hivego/server/retention"
	"github.com/rprp/hivego/server/schedule"
	"github.com/rprp/hivego/server/secret"
	"github.com/rprp/hivego/server/service"
	"github.com/rprp/hivego/server/trace"
	"github.com/rprp/hivego/server/trace/otlp"
	"github.com/rprp/hivego/server/webhook"
)

// App is one server.
type App struct {
	cfg     *config.Serve
	version string
	log     *slog.Logger

	store       *db.Store
	cluster     string
	server      hive.Server
	auth        *auth.Service
	fleet       *dispatch.Service
	engine      *engine.Engine
	limits      *limit.Service
	ticker      *schedule.Ticker
	batches     *batch.Service
	catalog     *catalog.Service
	webhooks    *webhook.Service
	secrets     *secret.Service
	connections *manage.Service
	rotator     *rotator
	fills       *backfill.Service
	filler      *backfill.Driver
	deleter     *deletion.Driver
	pruner      *retention.Driver

	retention *retention.Service
	reports   *report.Service

	chains   *chainrepair.Service
	chainer  *chainrepair.Driver
	hooks    *hook.Driver
	alerts   alerts
	registry *registry.Handler
	live     *live.Hub
	peers    *live.Peers // nil on SQLite
	web      *listener
	metrics  *metrics.Metrics // nil without --metrics-listen
	scrape   *metricsListener
	names    trace.Cluster  // of traces
	traces   *otlp.Exporter // nil without --otlp-endpoint
	executor embeddable     // nil with --no-executor
	account  *account       // of --executor-user; nil without
	known    *executorSync

	inbox chan func(now time.Time)
	done  chan struct{} // closed when the loop has ended and nobody reads the inbox any more

	life   sync.Mutex // protects the fields below: one start or stop at a time
	opened []io.Closer
	began  []service.Service
	cancel context.CancelFunc // of the parts' context; nil before the start
	over   bool
}

// New opens the data folder and the database, and builds everything. Nothing runs yet.
func New(ctx context.Context, cfg *config.Serve, version string, log *slog.Logger) (*App, error) {
	a := &App{cfg: cfg, version: version, log: log, inbox: engine.NewInbox(), done: make(chan struct{})}
	if err := a.open(ctx); err != nil {
		return nil, errors.Join(err, a.close())
	}
	if err := a.build(ctx); err != nil {
		return nil, errors.Join(err, a.close())
	}
	return a, nil
}

// open opens the data folder and the database.
func (a *App) open(ctx context.Context) error {
	var err error
	if a.account, err = accountOf(a.cfg.ExecutorUser, os.Geteuid()); err != nil {
		return err
	}
	if a.account != nil {
		if err := a.account.guard(a.cfg); err != nil {
			return err
		}
	}
	id, lock, err := openDataDir(ctx, a.cfg.Data)
	if err != nil {
		return err
	}
	a.opened = append(a.opened, lock)
	if err := os.MkdirAll(logFolder(a.cfg), 0o700); err != nil {
		return fmt.Errorf("make the folder of logs (--logs): %w", err)
	}
	a.store, err = db.Open(ctx, a.database())
	if err != nil {
		return err
	}
	a.opened = append(a.opened, a.store)
	if err := keySourceOf(a.cfg).use(ctx, a.store, id); err != nil {
		return err
	}
	if a.cluster, err = a.store.Meta(ctx, db.MetaClusterID); err != nil {
		return fmt.Errorf("read the cluster's id: %w", err)
	}
	a.server = hive.Server{ID: id, Address: a.cfg.Listen, Version: a.version, StartedAt: time.Now()}
	return nil
}

// database returns the database that the server uses.
func (a *App) database() db.Config {
	return db.Config{URL: a.cfg.DatabaseURL, Schema: a.cfg.DatabaseSchema, Dir: a.cfg.Data, Log: a.log}
}

// logFolder returns the folder for the logs of attempts.
func logFolder(cfg *config.Serve) string {
	return cmp.Or(cfg.Logs, filepath.Join(cfg.Data, "logs"))
}

// build makes the parts and connects them.
func (a *App) build(ctx context.Context) error {
	a.auth = newAuth(a.store, a.log)
	graphs := new(document.Graphs)
	a.buildSecrets(graphs)
	if err := a.buildFleet(ctx); err != nil {
		return err
	}
	a.known = &executorSync{
		list: a.store.Executors, every: executorSyncEvery, log: a.log,
		learn: func(s []hive.Executor, at time.Time) {
			a.post(func(now time.Time) { a.fleet.Learn(now, s, at) })
		},
		groups: a.store.ExecutorGroups,
		routes: func(r map[string]hive.Route) { a.engine.SetGroupRoutes(r) },
	}
	a.live = live.New(live.Config{
		Source: &liveSource{a}, Encode: api.EncodeLiveBody, Log: a.log, Now: time.Now, Shared: a.cfg.Shared(),
		LookEvery: a.cfg.LiveLook.Std(),
	})
	a.buildPeers()
	a.buildStarters(graphs)
	if err := a.buildTraces(graphs); err != nil {
		return err
	}
	stores, err := a.buildMetrics()
	if err != nil {
		return err
	}
	a.limits = limit.New(limit.Config{
		Store: a.store, Now: time.Now, Changed: func() { a.engine.LimitsChanged() }, Log: a.log,
		Labeled: func(ctx context.Context, tag, owner string) ([]int64, error) {
			return a.catalog.Labeled(ctx, tag, owner)
		},
	})
	a.engine = engine.New(engine.Config{
		Limits: a.limits.State,
		Sweep:  a.sweep(), Shared: a.cfg.Shared(),
		Store: stores, Sessions: a.store, Fleet: a.fleet, Chooser: a.fleet, Driver: a.fleet, Server: a.server,
		Inbox:    a.inbox,
		Log:      a.log,
		Observer: a.observers(), Graphs: graphs,
		Now:       time.Now,
		Calendars: catalog.NewWorkdays(a.store).At,
		Hooked:    a.hooks.Notify, TraceParent: a.names.Parent,
	})
	a.batches = batch.New(batch.Config{
		Revisions: a.store, Batches: a.store, Commands: a.store, Statistics: a.store, Executors: a.store,
		Engine: owner{a.engine}, Limits: a.limits, Server: a.session, Now: time.Now,
		Graphs: graphs,
		Labeled: func(ctx context.Context, tag, owner string) ([]int64, error) {
			return a.catalog.Labeled(ctx, tag, owner)
		},
	})
	a.reports = report.New(report.Config{
		Store: a.store, Schedules: a.store, Parse: parser(graphs), Compile: graphs.Compile, Now: time.Now,
	})
	a.ticker = schedule.NewTicker(schedule.Config{
		Store: stores, Results: a.store, Links: a.store, Changes: a.store, Calls: a.store,
		Server: a.session, Parse: parser(graphs), NewRuns: newRuns,
		Made: a.engine.AdoptAll, Log: a.log,
		Calendars: a.store, ParseCalendar: parseCalendar,
	})
	a.catalog = catalog.New(catalog.Config{
		Schedules: a.store, Directory: a.store, Lists: a.store, Archive: a.store, Renames: a.store, Drafts: a.store,
		Batches: a.store, Urgent: a.batches.UrgentSchedules, Late: a.batches.LateSchedules,
		Executors: a.store, Now: time.Now,
		Changed: func(id int64) { a.ticker.Notify(id) }, Deleting: a.deleter.Notify, Count: a.batches.Count,
		Calendars: a.store, CalendarChanged: func() { a.ticker.Notify() }, Chains: a.store, Results: a.store,
		Changes: a.store, Secrets: a.store, Connections: a.connections, Limits: a.store,
	})
	joining := &registrar{Store: a.store, auth: a.auth}
	if joining.given, err = a.cfg.ExecutorToken(); err != nil {
		return err
	}
	a.buildRegistry(joining)
	if a.executor, err = newExecutor(a, a.cfg, joining); err != nil {
		return err
	}
	a.web, err = newListener(a)
	return err
}

// orphanTimeout returns how long executors go on without the server.
func orphanTimeout(cfg *config.Serve) time.Duration {
	if cfg.OrphanTimeout == 0 {
		return fleet.NoOrphans
	}
	return cfg.OrphanTimeout.Std()
}

// buildFleet makes the fleet with the stored executors, and the shell around it.
func (a *App) buildFleet(ctx context.Context) error {
	trust, err := authorities(a.cfg.CA)
	if err != nil {
		return err
	}
	archive, err := logArchive(a.cfg, a.cluster)
	if err != nil {
		return err
	}
	a.fleet = dispatch.New(dispatch.Config{
		Settings: fleet.Settings{
			OrphanTimeout: orphanTimeout(a.cfg), LogLimit: a.cfg.LogLimit, Seed: rand.Uint64(),
		},
		ClusterID: a.cluster, ServerID: a.server.ID, TLS: trust,
		LogArchive: archive, LogMoveAfter: a.cfg.LogsS3.MoveAfter.Std(),
		LogDir: logFolder(a.cfg), Attempts: a.store, Secrets: a.secrets, Connections: a.connections, Log: a.log,
		Post: a.post, Failing: func() bool { return a.engine.Failing() },
		Described: func(ctx context.Context, e hive.Executor) {
			if err := a.store.DescribeExecutor(ctx, e); err != nil && ctx.Err() == nil {
				a.log.Warn("what an executor says of itself cannot be stored", "executor", e.Name, "error", err)
			}
		},
	})
	known, err := a.store.Executors(ctx)
	if err != nil {
		return fmt.Errorf("list executors: %w", err)
	}
	for i := range known {
		a.fleet.Register(time.Now(), known[i])
	}
	return nil
}

// buildRegistry makes what executors register at.
func (a *App) buildRegistry(joining *registrar) {
	a.registry = registry.New(a.cluster, joining, func(e hive.Executor) {
		a.post(func(now time.Time) { a.fleet.Register(now, e) })
	}, time.Now)
	a.registry.RefuseDuplicates(func(ctx context.Context, e hive.Executor) (string, error) {
		var address string
		if err := a.ask(ctx, func(now time.Time) { address = a.fleet.DuplicateAddress(now, e) }); err != nil {
			return "", err
		}
		return address, nil
	})
	// An executor that misses the call finds out by itself.
	a.registry.OnLeave(func(ctx context.Context, e hive.Executor) {
		_ = a.ask(ctx, func(time.Time) { a.fleet.Leave(e) })
	})
}

// sweep returns the interval at which the engine searches for commands without a notification. A server that shares its
// database does so often, because a request at another server waits for it.
func (a *App) sweep() time.Duration {
	if a.cfg.Shared() {
		return 500 * time.Millisecond
	}
	return 0 // the default, which is rare enough to cost nothing
}

// session returns this server with the epoch of its session, which becomes the owner of new batches.
func (a *App) session() hive.Server {
	s := a.server
	s.Epoch = a.engine.Session().Epoch
	return s
}

// post runs f in the engine's loop, unless the loop has ended.
func (a *App) post(f func(now time.Time)) {
	select {
	case a.inbox <- f:
	case <-a.done:
	}
}

// ask runs f in the engine's loop and waits for it.
func (a *App) ask(ctx context.Context, f func(now time.Time)) error {
	ran := make(chan struct{})
	select {
	case a.inbox <- func(now time.Time) { f(now); close(ran) }:
	case <-a.done:
	case <-ctx.Done():
	}
	select {
	case <-ran:
		return nil
	case <-a.done:
		return hive.Errorf(hive.CodeUnavailable, "the server is stopping").
			WithReason(hive.ErrorStopping)
	case <-ctx.Done():
		return hive.Errorf(hive.CodeUnavailable, "the server is busy; try again: %w", ctx.Err()).
			WithReason(hive.ErrorBusy)
	}
}

// owner adapts the engine to the use cases.
type owner struct{ *engine.Engine }

// liveWithin is how long the loop may take to return a batch.
const liveWithin = 5 * time.Second

// Live returns a batch from its owner's memory, or false if it is not there or the loop takes too long.
func (o owner) Live(id int64) (hive.LiveView, bool) {
	ctx, cancel := context.WithTimeout(context.Background(), liveWithin)
	defer cancel()
	v, ok, err := o.Engine.Live(ctx, id)
	return v, ok && err == nil
}

// Summaries returns summaries of batches from the owner's memory. It leaves out batches that are not there, and returns
// none if the loop takes too long.
func (o owner) Summaries(ctx context.Context, ids ...int64) map[int64]hive.BatchSummary {
	ctx, cancel := context.WithTimeout(ctx, liveWithin)
	defer cancel()
	seen, err := o.Engine.Summaries(ctx, ids...)
	if err != nil {
		return nil
	}
	return seen
}
