package app

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/rprp/hivego/db"
	"github.com/rprp/hivego/server/api/edge"
	"github.com/rprp/hivego/server/fleet"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/logs"
	"github.com/rprp/hivego/server/metrics"
	"github.com/rprp/hivego/server/service"
	"github.com/rprp/hivego/server/trace/otlp"
)

// buildMetrics makes the metrics and their listener, and returns the store for the parts whose writes they count.
// Without --metrics-listen nothing is counted.
func (a *App) buildMetrics() (*counted, error) {
	a.scrape = &metricsListener{log: a.log}
	if a.cfg.MetricsListen == "" {
		return &counted{Store: a.store, traces: a.traces}, nil
	}
	token, err := a.cfg.MetricsToken()
	if err != nil {
		return nil, err
	}
	if !a.cfg.MetricsLocal() && a.cfg.TLSCert != "" {
		pair, err := tls.LoadX509KeyPair(a.cfg.TLSCert, a.cfg.TLSKey)
		if err != nil {
			return nil, fmt.Errorf("read the server's certificate: %w", err)
		}
		a.scrape.tls = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	}
	a.metrics = metrics.New(a.version, &present{a})
	a.scrape.listen, a.scrape.handler = a.cfg.MetricsListen, a.metrics.Handler(token)
	return &counted{Store: a.store, metrics: a.metrics, traces: a.traces, now: time.Now}, nil
}

// counted is the store with the metrics and the spans of its writes.
type counted struct {
	*db.Store
	traces  *otlp.Exporter   // nil: no spans are made
	metrics *metrics.Metrics // nil: nothing is counted
	now     func() time.Time
}

// Commit stores a group, counts it, and makes the spans of what it has ended.
func (c *counted) Commit(ctx context.Context, g hive.Group) error {
	err := c.commit(ctx, &g)
	if err == nil {
		c.traces.Committed(&g)
	}
	return err
}

func (c *counted) commit(ctx context.Context, g *hive.Group) error {
	if c.metrics == nil {
		return c.Store.Commit(ctx, *g)
	}
	began := c.now()
	err := c.Store.Commit(ctx, *g)
	c.metrics.Committed(g, c.now().Sub(began), err)
	return err
}

// DecideManyTicks stores decisions about ticks, and counts them.
func (c *counted) DecideManyTicks(ctx context.Context, server hive.Server, schedules []int64, now time.Time,
	decide func(hive.TickView) ([]hive.TickWrite, error),
) ([]int64, error) {
	if c.metrics == nil {
		return c.Store.DecideManyTicks(ctx, server, schedules, now, decide)
	}
	var stored []hive.TickWrite
	made, err := c.Store.DecideManyTicks(ctx, server, schedules, now,
		func(v hive.TickView) ([]hive.TickWrite, error) {
			decided, err := decide(v)
			stored = append(stored, decided...)
			return decided, err
		})
	if err == nil {
		c.metrics.Decided(stored, c.now())
	}
	return made, err
}

// present is the metrics' view of the server.
type present struct{ app *App }

// Totals counts what is in memory.
func (p *present) Totals(ctx context.Context) (hive.LiveTotals, error) {
	return p.app.engine.Totals(ctx)
}

// Executors lists the executors in the fleet.
func (p *present) Executors(ctx context.Context) ([]metrics.Executor, error) {
	var seen []fleet.Status
	if err := p.app.ask(ctx, func(now time.Time) { seen = p.app.fleet.Statuses(now) }); err != nil {
		return nil, err
	}
	out := make([]metrics.Executor, 0, len(seen))
	for i := range seen {
		e := &seen[i]
		out = append(out, metrics.Executor{
			Group: cmp.Or(e.Executor.Group, hive.DefaultGroup), State: e.State, Slots: max(e.Executor.Slots, 1),
			Used: e.Used,
		})
	}
	return out, nil
}

// DatabaseSize returns the size of the database.
func (p *present) DatabaseSize(ctx context.Context) (int64, error) { return p.app.store.Size(ctx) }

// Disks measures the disks of the data folder and of the logs. It leaves out one that cannot be measured.
func (p *present) Disks() []metrics.Disk {
	var out []metrics.Disk
	for folder, dir := range map[string]string{"data": p.app.cfg.Data, "logs": logFolder(p.app.cfg)} {
		if free, total, err := logs.MeasureDisk(dir); err == nil {
			out = append(out, metrics.Disk{Folder: folder, Free: free, Total: total})
		}
	}
	return out
}

// Clients returns the number of websocket clients.
func (p *present) Clients() int { return p.app.live.Clients() }

// Alarms lists the reasons why ticks are not decided.
func (p *present) Alarms() []hive.TickAlarm { return p.app.ticker.Alarms() }

// Failing reports whether nothing can be stored now.
func (p *present) Failing() bool { return p.app.engine.Failing() }

// Exports counts the spans that were sent, and the logs that have moved.
func (p *present) Exports() metrics.Exports {
	out := metrics.Exports{Logs: metrics.LogMoves(p.app.fleet.LogMoves())}
	out.SpansSent, out.SpansDropped = p.app.traces.Spans()
	return out
}

// metricsListener serves the metrics on an address of their own. Without an address it does nothing.
type metricsListener struct {
	service.Base
	listen  string
	tls     *tls.Config // nil: plain HTTP
	handler http.Handler
	log     *slog.Logger
	ln      net.Listener
}

// Start listens and serves.
func (l *metricsListener) Start(ctx context.Context) error {
	work, err := l.Begin(ctx)
	if err != nil {
		return err
	}
	if l.listen == "" {
		l.Ready()
		return nil
	}
	if l.ln, err = new(net.ListenConfig).Listen(ctx, "tcp", l.listen); err != nil {
		return fmt.Errorf("listen on %s for the metrics: %w; give another address with --metrics-listen", l.listen, err)
	}
	ln, scheme := edge.LimitConnections(l.ln, l.log), "http"
	if l.tls != nil {
		ln, scheme = tls.NewListener(ln, l.tls), "https"
	}
	server := &http.Server{
		Handler: l.handler, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 10 * time.Second,
		WriteTimeout: 30 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10,
		ErrorLog: slog.NewLogLogger(l.log.Handler(), slog.LevelDebug),
	}
	l.Go(func() {
		if err := server.Serve(ln); err != nil && work.Err() == nil {
			l.log.Error("the metrics are no longer served", "error", err)
		}
	})
	l.Go(func() {
		<-work.Done()
		_ = server.Close()
	})
	l.log.Info("metrics are served", "url", scheme+"://"+l.ln.Addr().String()+"/metrics")
	l.Ready()
	return nil
}
