package engine

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Health says why the engine can decide nothing now: its loop does not turn, its session is over, or what happens
// cannot be stored. nil: all is well.
func (e *Engine) Health(ctx context.Context) error {
	var why error
	err := e.ask(ctx, func(now time.Time) {
		switch {
		case e.failing != nil:
			why = fmt.Errorf("nothing can be stored: %w", e.failing)
		case e.lapsed:
			why = errors.New("the session was lost, and the next has not begun")
		case !e.watch.leased(now):
			why = errors.New("the session's lease has run out, and the database does not renew it")
		}
	})
	if err != nil {
		return fmt.Errorf("the engine does not answer: %w", err)
	}
	return why
}

// Failing says that what happens cannot be stored now. It asks nobody and does not wait.
func (e *Engine) Failing() bool { return e.outage.Load() }
