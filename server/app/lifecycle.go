package app

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/rprp/hivego/server/auth"
	"github.com/rprp/hivego/server/service"
)

// Start starts the parts in the order of their needs, and returns when the API can be reached. If it fails or ctx ends
// meanwhile, it stops everything, and the App cannot be used again. A started App ends with Stop, not with ctx.
func (a *App) Start(ctx context.Context) error {
	a.life.Lock()
	defer a.life.Unlock()
	if a.cancel != nil || a.over {
		return service.ErrStarted
	}
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	a.cancel = cancel
	stopped := context.AfterFunc(ctx, cancel)
	err := a.start(work)
	if !stopped() {
		err = ctx.Err() // it was stopped during the start
	}
	if err != nil {
		a.stop()
	}
	return err
}

func (a *App) start(ctx context.Context) error {
	if err := a.examples(ctx); err != nil {
		return err
	}
	if err := a.alerts.watcher.Subscribe(ctx); err != nil {
		return err
	}
	routes, err := groupRoutes(ctx, a.store.ExecutorGroups)
	if err != nil {
		return err
	}
	a.engine.SetGroupRoutes(routes)
	var parts []service.Service
	if a.traces != nil {
		parts = append(parts, a.traces) // first, so that it stops last
	}
	parts = append(parts,
		a.fleet, a.engine, a.known, a.ticker, a.filler, a.chainer, a.hooks, a.deleter, a.pruner, auth.NewKeeper(a.auth),
		a.scrape, a.web, a.alerts.watcher, a.alerts.deliverer, // messages have the address of the API
	)
	if a.executor != nil {
		parts = append(parts, a.executor)
	}
	if a.peers != nil {
		parts = append(parts, a.peers)
	}
	parts = append(parts, a.live) // last, so that its clients leave before the API ends
	for _, p := range parts {
		a.began = append(a.began, p)
		if err := p.Start(ctx); err != nil {
			return err
		}
		select {
		case <-p.Started():
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// Failed returns a channel that reports an API which has stopped listening by itself.
func (a *App) Failed() <-chan error { return a.web.failed }

// URL returns the address of the API.
func (a *App) URL() string { return a.web.url() }

// Stop stops the parts in reverse order. It may be called at any time, and twice.
func (a *App) Stop() {
	a.life.Lock()
	defer a.life.Unlock()
	a.stop()
}

func (a *App) stop() {
	if a.over {
		return
	}
	a.over = true
	halt := sync.OnceFunc(func() { close(a.done) })
	for _, part := range slices.Backward(a.began) {
		if part == service.Service(a.web) && a.cfg.Shared() {
			a.web.StopSoon()
			continue
		}
		part.Stop()
		if part == service.Service(a.engine) {
			halt() // the answers of later calls have no receiver
		}
	}
	halt()
	a.handOver()
	if a.web != nil {
		a.web.Stop() // running requests may finish
	}
	if a.cancel != nil {
		a.cancel()
	}
	if err := a.close(); err != nil {
		a.log.Error("closing the database failed", "error", err)
	}
}

// close closes everything that New opened, in reverse order.
func (a *App) close() error {
	var errs []error
	for _, c := range slices.Backward(a.opened) {
		errs = append(errs, c.Close())
	}
	a.opened = nil
	return errors.Join(errs...)
}
