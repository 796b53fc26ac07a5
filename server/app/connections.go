package app

import (
	"context"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// trials tries work on executors by adhoc batches.
type trials struct{ app *App }

// Executors returns all executors as this server sees them.
func (t trials) Executors(ctx context.Context) ([]hive.ExecutorView, error) {
	x := executors{store: t.app.store, fleet: t.app.fleet, loop: t.app.ask, listen: t.app.cfg.Listen}
	return x.List(ctx)
}

// Start makes an adhoc batch.
func (t trials) Start(ctx context.Context, def *hive.Definition, by string) (hive.BatchView, error) {
	return t.app.batches.CreateAdhoc(ctx, def, by)
}

// trialPoll is how often Wait looks.
const trialPoll = 100 * time.Millisecond

// Wait returns a batch once it has ended; with the error of ctx, as it was last.
func (t trials) Wait(ctx context.Context, batch int64) (hive.BatchView, error) {
	for {
		v, err := t.app.batches.View(context.WithoutCancel(ctx), batch, true)
		if err != nil || v.Batch.State.Final() {
			return v, err
		}
		select {
		case <-ctx.Done():
			return v, ctx.Err()
		case <-time.After(trialPoll):
		}
	}
}

// Forget cancels a batch that waits or runs, and closes one that has failed.
func (t trials) Forget(ctx context.Context, v hive.BatchView, note, by string) error {
	ctx, cancel := context.WithTimeout(ctx, liveWithin)
	defer cancel()
	switch {
	case !v.Batch.State.Final():
		_, err := t.app.batches.Wish(ctx, hive.WishRequest{
			Batch: v.Batch.ID, Wish: hive.WishCancel, Note: note, By: by,
		})
		return err
	case v.Batch.State == hive.BatchFailed:
		_, err := t.app.batches.Repair(ctx, hive.RepairRequest{
			PlanRequest: hive.PlanRequest{Action: hive.PlanClose, Note: note}, Batch: v.Batch.ID, By: by,
		})
		return err
	default:
		return nil
	}
}
