package service

import (
	"context"
	"time"
)

// Sweeper is a long-lived part that does its work when it is woken, and after a pause. Make it with NewSweeper.
type Sweeper struct {
	Base
	once func(ctx context.Context) time.Duration
	wake chan struct{}
}

// NewSweeper makes a Sweeper. It calls once, which returns the longest time until the next call.
func NewSweeper(once func(ctx context.Context) time.Duration) *Sweeper {
	return &Sweeper{once: once, wake: make(chan struct{}, 1)}
}

// Start begins the calls.
func (s *Sweeper) Start(ctx context.Context) error {
	work, err := s.Begin(ctx)
	if err != nil {
		return err
	}
	s.Go(func() { s.loop(work) })
	s.Ready()
	return nil
}

// Notify asks for a call soon. It never blocks.
func (s *Sweeper) Notify() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *Sweeper) loop(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
		case <-timer.C:
		}
		timer.Reset(s.once(ctx))
	}
}
