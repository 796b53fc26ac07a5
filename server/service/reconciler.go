package service

import (
	"context"
	"sync/atomic"
	"time"
)

// How often a Reconciler looks without a notification.
const (
	lookOften  = 2 * time.Second  // while something is unfinished: what it waits for may end on another server
	lookRarely = 10 * time.Second // otherwise: another server may have stored something new
)

// ReconcilerConfig holds what a Reconciler calls.
type ReconcilerConfig struct {
	// List lists the ids of all that is unfinished.
	List func(ctx context.Context) ([]int64, error)
	// Advance does for one id whatever can be done now.
	Advance func(ctx context.Context, id int64) error
	// Failed gets the errors of Advance, and those of List with the id 0. All is tried again at the next look.
	Failed func(ctx context.Context, id int64, err error)
}

// Reconciler advances everything that is unfinished in a store, until nothing is. Every server may run one at the same
// time if Advance decides under a lock of the store. Make it with NewReconciler.
type Reconciler struct {
	*Sweeper
	config ReconcilerConfig
	active atomic.Bool // the last list was not empty
}

// NewReconciler makes a Reconciler; Start sets it going. Notify tells it that something new is stored.
func NewReconciler(c ReconcilerConfig) *Reconciler {
	r := &Reconciler{config: c}
	r.Sweeper = NewSweeper(func(ctx context.Context) time.Duration {
		if r.RunOnce(ctx) {
			return lookOften
		}
		return lookRarely
	})
	return r
}

// NotifyActive asks for a look soon if something was unfinished at the last one. It never blocks.
func (r *Reconciler) NotifyActive() {
	if r.active.Load() {
		r.Notify()
	}
}

// RunOnce advances all that is unfinished, and reports whether there is any. Start calls it in a loop.
func (r *Reconciler) RunOnce(ctx context.Context) bool {
	ids, err := r.config.List(ctx)
	if err != nil {
		r.failed(ctx, 0, err)
		return r.active.Load()
	}
	r.active.Store(len(ids) > 0)
	for _, id := range ids {
		if err := r.config.Advance(ctx, id); err != nil {
			r.failed(ctx, id, err)
		}
	}
	return len(ids) > 0
}

// failed passes an error on, unless the service is being stopped.
func (r *Reconciler) failed(ctx context.Context, id int64, err error) {
	if ctx.Err() == nil {
		r.config.Failed(ctx, id, err)
	}
}
