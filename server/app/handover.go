package app

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/service"
)

// handOverWithin is how long the end of the server waits for the database to end its session.
const handOverWithin = 3 * time.Second

// handOver ends the session last of all, so that another server takes over the batches at once and not at the end of
// the lease. This server no longer writes or calls executors; a late write fails because of its epoch. Batches with
// tasks on the embedded executor stay: no other server can reach that executor, so they wait for this server.
func (a *App) handOver() {
	if !a.cfg.Shared() || !slices.Contains(a.began, service.Service(a.engine)) {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), handOverWithin)
	defer cancel()
	given, err := a.giveBack(ctx)
	switch {
	case errors.Is(err, hive.ErrSessionLost):
	case err != nil:
		a.log.Warn("the session was not given back; another server takes over when its lease is over", "error", err)
	case !given.Heir:
	case len(given.Kept) > 0:
		a.log.Info("another server may go on with the batches, but for those with tasks on the executor of this one",
			"kept", len(given.Kept), "batches", given.Kept[:min(len(given.Kept), 20)])
	default:
		a.log.Info("the session was given back; another server may go on with its batches")
	}
}

func (a *App) giveBack(ctx context.Context) (hive.HandOver, error) {
	me, epoch := a.server.ID, a.engine.Session().Epoch
	switch {
	case a.executor == nil:
		return hive.HandOver{Heir: true}, a.store.EndSession(ctx, me, epoch)
	case a.executor.ID() == "": // it did not start, and its attempts are not known
		return hive.HandOver{}, nil
	default:
		return a.store.HandOver(ctx, me, epoch, a.executor.ID())
	}
}
