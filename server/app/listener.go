package app

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/rprp/hivego/server/api"
	"github.com/rprp/hivego/server/api/edge"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/logs/find"
	"github.com/rprp/hivego/server/night"
	"github.com/rprp/hivego/server/service"
	"github.com/rprp/hivego/server/web"
)

// stopWithin is how long requests may take to end when the server stops. If another server may take over the batches,
// it waits for them only for stopSoon.
const (
	stopWithin = 10 * time.Second
	stopSoon   = 300 * time.Millisecond
)

// listener is the API on its address.
type listener struct {
	service.Base
	app    *fiber.App
	listen string
	tls    *tls.Config
	name   string // the host name in the certificate
	log    *slog.Logger
	ln     net.Listener
	failed chan error
}

func newListener(a *App) (*listener, error) {
	l := &listener{listen: a.cfg.Listen, log: a.log, failed: make(chan error, 1)}
	if a.cfg.TLSCert != "" {
		pair, err := tls.LoadX509KeyPair(a.cfg.TLSCert, a.cfg.TLSKey)
		if err != nil {
			return nil, fmt.Errorf("read the server's certificate: %w", err)
		}
		l.name = certName(&pair)
		l.tls = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	}
	l.app = api.NewApp(api.Config{
		Log: a.log, Now: time.Now, Web: web.Register,
		Site: edge.Site{
			Public: a.cfg.PublicURL, Loopback: a.cfg.Loopback(), Proxied: a.cfg.BehindProxy, Secure: l.tls != nil,
		},
		Mounts: map[string]http.Handler{"/thrift/registry": a.registry},
	}, api.Ports{
		Auth: a.auth, Sessions: a.auth, System: &system{a}, Schedules: a.catalog, Archive: a.catalog,
		Retention: a.retention, Reports: a.reports,
		Renames:   a.catalog,
		Revisions: a.catalog, Changes: a.catalog,
		Calendars: a.catalog, Forecasts: a.catalog, Webhooks: a.webhooks,
		Night:   night.New(night.Config{Store: a.store, Open: a.store, Forecasts: a.catalog, Now: time.Now}),
		Secrets: a.secrets, SecretKey: a.rotator, Connections: a.connections,
		Alerts: a.alerts.manage, AlertLog: a.alerts.manage,
		Documents: a.catalog, Drafts: a.catalog, Batches: a.batches, Backfills: a.fills, Runs: a.batches,
		Commands: a.batches, Chains: a.chains,
		Logs: &logStore{store: a.store, fleet: a.fleet, find: find.NewFinder(time.Now)},
		Executors: &executors{
			store: a.store, fleet: a.fleet, loop: a.ask, listen: a.cfg.Listen, routes: a.engine.SetGroupRoutes,
		},
		Live: hub{a.live}, Limits: a.limits,
	})
	return l, nil
}

// Start listens and serves.
func (l *listener) Start(ctx context.Context) error {
	work, err := l.Begin(ctx)
	if err != nil {
		return err
	}
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", l.listen)
	if err != nil {
		return fmt.Errorf("listen on %s: %w; give another address with --listen", l.listen, err)
	}
	l.ln = ln
	ln = edge.LimitConnections(ln, l.log)
	if l.tls != nil {
		ln = tls.NewListener(ln, l.tls)
	}
	l.Go(func() {
		if err := l.app.Listener(ln); err != nil && work.Err() == nil {
			l.failed <- fmt.Errorf("the API has stopped: %w", err)
		}
	})
	l.Go(func() {
		<-work.Done()
		_ = l.app.ShutdownWithTimeout(stopWithin)
		_ = ln.Close() // it may not be served yet
	})
	l.Ready()
	return nil
}

// StopSoon begins to stop and waits a short time for running requests. Stop waits for the rest.
func (l *listener) StopSoon() {
	ended := make(chan struct{})
	go func() {
		l.Stop()
		close(ended)
	}()
	timer := time.NewTimer(stopSoon)
	defer timer.Stop()
	select {
	case <-ended:
	case <-timer.C:
	}
}

func (l *listener) url() string {
	scheme := "http"
	if l.tls != nil {
		scheme = "https"
	}
	return scheme + "://" + l.ln.Addr().String()
}

// authorities returns the certificate authorities for executors, or nil for the system's.
func authorities(file string) (*tls.Config, error) {
	if file == "" {
		return nil, nil //nolint:nilnil // the system's authorities
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the authority's certificate: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(raw) {
		return nil, fmt.Errorf("%s holds no certificate", file)
	}
	return &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}, nil
}

// system is the API's view of the server itself.
type system struct{ app *App }

// Info describes the server.
func (s *system) Info() hive.ServerInfo {
	return hive.ServerInfo{Server: s.app.session(), Cluster: s.app.cluster}
}

// Ready checks the database, the owner's loop and the ticks.
func (s *system) Ready(ctx context.Context) []hive.Check {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	return []hive.Check{
		{Name: "database", Err: s.app.store.Ping(ctx)},
		{Name: "engine", Err: s.app.engine.Health(ctx)},
		ticksCheck(s.app.ticker.Alarms()),
	}
}

// ticksCheck reports alarms without the names of schedules, because anybody may read the readiness. Existing batches
// run on, so the server is degraded but ready.
func ticksCheck(alarms []hive.TickAlarm) hive.Check {
	check := hive.Check{Name: "ticks", Degraded: len(alarms) > 0}
	switch {
	case len(alarms) == 0:
	case alarms[0].Reason == hive.AlarmClockJumped:
		check.Err = hive.Errorf(hive.CodeUnavailable, "%s", alarms[0].Words).WithReason(hive.ErrorClockJumped)
	default:
		check.Err = hive.Errorf(hive.CodeUnavailable,
			"%d alarms about ticks; the page of schedules and the log tell them",
			len(alarms)).WithReason(hive.ErrorTicksStuck)
	}
	return check
}

// TickAlarms lists the reasons why ticks are not decided.
func (s *system) TickAlarms() []hive.TickAlarm { return s.app.ticker.Alarms() }

// Notices returns the notices that the database went back to an earlier state.
func (s *system) Notices(ctx context.Context) ([]hive.Notice, error) { return s.app.store.Notices(ctx) }

// DismissNotice hides a notice after somebody has read it.
func (s *system) DismissNotice(ctx context.Context, id int64, by string) error {
	return s.app.store.DismissNotice(ctx, id, by)
}
