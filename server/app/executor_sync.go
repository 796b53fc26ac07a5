package app

import (
	"context"
	"log/slog"
	"time"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/service"
)

// executorSyncEvery is how often the stored executors are read.
const executorSyncEvery = 5 * time.Second

// executorSync informs the fleet about executors that registered with other servers of the same database, were marked
// offline there, or were deleted, and the engine about the routes of groups. This server's own registrations reach the
// fleet at once.
type executorSync struct {
	service.Base
	list  func(ctx context.Context) ([]hive.Executor, error)
	learn func(stored []hive.Executor, read time.Time)
	every time.Duration

	groups func(ctx context.Context) ([]hive.ExecutorGroup, error)
	routes func(map[string]hive.Route)

	log *slog.Logger
}

// Start begins to read the executors.
func (s *executorSync) Start(ctx context.Context) error {
	work, err := s.Begin(ctx)
	if err != nil {
		return err
	}
	s.Go(func() {
		tick := time.NewTicker(s.every)
		defer tick.Stop()
		for {
			s.sync(work)
			s.Ready()
			select {
			case <-work.Done():
				return
			case <-tick.C:
			}
		}
	})
	return nil
}

// sync reads the executors once.
func (s *executorSync) sync(ctx context.Context) {
	limited, cancel := context.WithTimeout(ctx, s.every)
	defer cancel()
	read := time.Now()
	stored, err := s.list(limited)
	switch {
	case err == nil:
		s.learn(stored, read)
	case ctx.Err() == nil:
		s.log.Warn("the executors of other servers cannot be read", "error", err)
	}
	routes, err := groupRoutes(limited, s.groups)
	switch {
	case err == nil:
		s.routes(routes)
	case ctx.Err() == nil:
		s.log.Warn("the routes of groups of executors cannot be read", "error", err)
	}
}
