// Package service is the base of every long-lived part: it starts once, says when it has started, and stops as
// often as it is told to.
package service

import (
	"context"
	"errors"
	"sync"
)

// Service is a long-lived part. The composition root starts services in order and stops them in reverse.
type Service interface {
	// Start begins the work and returns at once, or with why it cannot begin. The work ends when ctx does.
	Start(ctx context.Context) error
	// Started is closed once the part is ready to be used.
	Started() <-chan struct{}
	// Stop ends the work and waits for it. It may be called at any time, and twice.
	Stop()
}

// ErrStarted reports that a service was started a second time.
var ErrStarted = errors.New("service: started already")

// Base implements Service for a part that embeds it and calls Go from its Start. The zero value is ready for use.
type Base struct {
	mu      sync.Mutex
	cancel  context.CancelFunc
	started chan struct{}
	ready   bool
	stopped bool
	wg      sync.WaitGroup
}

// Begin is called first in Start. It returns the context of the part's work, or an error if there is nothing to start.
func (b *Base) Begin(ctx context.Context) (context.Context, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stopped {
		return nil, context.Canceled
	}
	if b.cancel != nil {
		return nil, ErrStarted
	}
	work, cancel := context.WithCancel(ctx)
	b.cancel = cancel
	return work, nil
}

// Go runs f as part of the service; Stop waits for it.
func (b *Base) Go(f func()) {
	b.wg.Go(f)
}

// Ready closes Started.
func (b *Base) Ready() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.ready {
		b.ready = true
		close(b.channel())
	}
}

// Started is closed once Ready was called.
func (b *Base) Started() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.channel()
}

func (b *Base) channel() chan struct{} {
	if b.started == nil {
		b.started = make(chan struct{})
	}
	return b.started
}

// Stop cancels the work's context and waits for all that Go started.
func (b *Base) Stop() {
	b.mu.Lock()
	b.stopped = true
	cancel := b.cancel
	b.mu.Unlock()
	if cancel != nil {
		cancel()
	}
	b.wg.Wait()
}
