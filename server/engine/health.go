package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Health says why the engine can decide nothing now: its loop does not turn, its session is over, or what happens
// cannot be stored. nil: all is well.
func (e *Engine) Health(ctx context.Context) error {
	var why error
	err := e.ask(ctx, func(now time.Time) {
		switch {
		case e.outageError != nil:
			why = fmt.Errorf("nothing can be stored: %w", e.outageError)
		case e.lapsed:
			why = fmt.Errorf("the next session has not begun: %w", hive.ErrSessionLost)
		case !e.session.leased(now):
			why = fmt.Errorf("the session's lease has run out, and the database does not renew it: %w",
				hive.ErrSessionLost)
		}
	})
	if err != nil {
		return fmt.Errorf("the engine does not answer: %w", err)
	}
	return why
}

// Failing says that what happens cannot be stored now. It asks nobody and does not wait.
func (e *Engine) Failing() bool { return e.outage.Load() }
