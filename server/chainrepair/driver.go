package chainrepair

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/service"
)

// Driver starts the steps of all chain repairs. Each server has one. A decision and the repairs that it sends are one
// transaction that holds the row of the chain repair, so it does not matter how many servers try at once, and when one
// dies.
type Driver struct {
	*service.Reconciler
	config DriverConfig
}

// DriverStore is what the driver needs of the database.
type DriverStore interface {
	Revision(ctx context.Context, id int64) (hive.Revision, error)
	// ActiveChainRepairs lists the ids of those that are neither done nor canceled.
	ActiveChainRepairs(ctx context.Context) ([]int64, error)
	ChainRepair(ctx context.Context, id int64) (hive.ChainRepair, error)
	// DecideChainRepair calls decide with a chain repair under its lock and stores the answer, all in one transaction.
	// It returns the batches that got a command.
	DecideChainRepair(ctx context.Context, server hive.Server, id int64, now time.Time,
		decide func(hive.ChainRepair) (hive.ChainRepairWrite, error)) (commanded []int64, err error)
}

// DriverConfig holds the dependencies of a Driver.
type DriverConfig struct {
	Store  DriverStore
	Server func() hive.Server // the session that decides
	Notify func(batch int64)  // called with a batch that got a command; it must not block
	Now    func() time.Time
	Graphs *document.Graphs // the cache of compiled revisions
	Log    *slog.Logger
}

// NewDriver makes a Driver; Start sets it going. NotifyActive tells it that a batch has ended,
// for which a step may wait.
func NewDriver(c DriverConfig) *Driver {
	d := &Driver{config: c}
	d.Reconciler = service.NewReconciler(service.ReconcilerConfig{
		List: c.Store.ActiveChainRepairs, Advance: d.advance, Failed: d.failed,
	})
	return d
}

func (d *Driver) failed(ctx context.Context, id int64, err error) {
	words, level := "a chain repair cannot go on now; trying again", slog.LevelError
	if id == 0 {
		words = "chain repairs cannot be listed; trying again"
	}
	if errors.Is(err, hive.ErrSessionLost) || errors.Is(err, hive.ErrConnection) {
		level = slog.LevelWarn
	}
	d.config.Log.Log(ctx, level, words, "chainRepair", id, "error", err)
}

// advance decides about one chain repair until there is nothing to do.
func (d *Driver) advance(ctx context.Context, id int64) error {
	for ctx.Err() == nil {
		r, err := d.config.Store.ChainRepair(ctx, id)
		if err != nil {
			return err
		}
		w := Decide(&r)
		if !changes(&r, &w) {
			return nil
		}
		graphs, err := d.graphs(ctx, &r, &w)
		if err != nil {
			return err
		}
		now := d.config.Now().UTC().Truncate(time.Millisecond)
		commanded, err := d.config.Store.DecideChainRepair(ctx, d.config.Server(), id, now,
			func(r hive.ChainRepair) (hive.ChainRepairWrite, error) {
				w := Decide(&r)
				err := complete(&r, &w, graphs, now)
				return w, err
			})
		if err != nil {
			return err
		}
		for _, batch := range commanded {
			d.config.Notify(batch)
		}
	}
	return nil
}

// graphs compiles the revisions of the batches that a decision runs again.
func (d *Driver) graphs(ctx context.Context, r *hive.ChainRepair, w *hive.ChainRepairWrite) (map[int64]*graph.Graph,
	error,
) {
	out := map[int64]*graph.Graph{}
	for i := range w.Steps {
		id := r.Steps[w.Steps[i].Position].RevisionID
		if w.Steps[i].Act != hive.StepSent || out[id] != nil {
			continue
		}
		rev, err := d.config.Store.Revision(ctx, id)
		if err != nil {
			return nil, err
		}
		if out[id], err = d.config.Graphs.Compile(&rev); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// complete adds the repairs to a decision. A step whose revision was not compiled waits for the next decision.
func complete(r *hive.ChainRepair, w *hive.ChainRepairWrite, graphs map[int64]*graph.Graph, now time.Time) error {
	steps := w.Steps[:0]
	for _, s := range w.Steps {
		step := &r.Steps[s.Position]
		if s.Act != hive.StepSent {
			steps = append(steps, s)
			continue
		}
		g := graphs[step.RevisionID]
		if g == nil {
			continue
		}
		payload, err := json.Marshal(rerun(r, step, g))
		if err != nil {
			return fmt.Errorf("write a repair: %w", err)
		}
		s.Command = &hive.Command{
			BatchID: step.Batch, Kind: hive.CommandRepair, Key: fmt.Sprintf("chain-repair:%d:%d", r.ID, step.Position),
			Payload: payload, CreatedAt: now, CreatedBy: r.CreatedBy,
		}
		steps = append(steps, s)
	}
	w.Steps = steps
	return nil
}

// rerun is the repair with which a chain repair runs a batch again, in the batch's own revision.
func rerun(r *hive.ChainRepair, s *hive.ChainStep, g *graph.Graph) hive.PlanRequest {
	out := hive.PlanRequest{
		Action: hive.PlanRerun, Round: s.Round,
		Note: fmt.Sprintf("chain repair %d, after batch %d", r.ID, r.Batch),
	}
	if r.Note != "" {
		out.Note += ": " + r.Note
	}
	for i := range g.Tasks {
		out.Tasks = append(out.Tasks, g.Tasks[i].Spec.Key)
	}
	return out
}
