package app

import (
	"context"
	"log/slog"
	"time"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/service"
)

// rosterEvery is how often the stored executors are read.
const rosterEvery = 5 * time.Second

// roster tells the fleet about executors that registered with other servers of the same database, were taken offline
// there, or were deleted. This server's own registrations reach the fleet at once.
type roster struct {
	service.Base
	list  func(ctx context.Context) ([]hive.Executor, error)
	learn func(stored []hive.Executor, read time.Time)
	every time.Duration
	log   *slog.Logger
}

// Start begins to read the executors.
func (r *roster) Start(ctx context.Context) error {
	work, err := r.Begin(ctx)
	if err != nil {
		return err
	}
	r.Go(func() {
		tick := time.NewTicker(r.every)
		defer tick.Stop()
		for {
			r.look(work)
			r.Ready()
			select {
			case <-work.Done():
				return
			case <-tick.C:
			}
		}
	})
	return nil
}

// look reads the executors once.
func (r *roster) look(ctx context.Context) {
	limited, cancel := context.WithTimeout(ctx, r.every)
	defer cancel()
	read := time.Now()
	stored, err := r.list(limited)
	switch {
	case err == nil:
		r.learn(stored, read)
	case ctx.Err() == nil:
		r.log.Warn("the executors of other servers cannot be read", "error", err)
	}
}
