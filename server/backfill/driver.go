package backfill

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/service"
)

// Driver starts the batches of all backfills. Each server has one. A decision and what it makes are one transaction
// that holds the row of the backfill, so it does not matter how many servers try at once, and when one dies.
type Driver struct {
	*service.Reconciler
	config DriverConfig
}

// DriverStore is what the driver needs of the database.
type DriverStore interface {
	Revision(ctx context.Context, id int64) (hive.Revision, error)
	// ActiveBackfills lists the ids of the backfills that may start something.
	ActiveBackfills(ctx context.Context) ([]int64, error)
	BackfillView(ctx context.Context, id int64) (hive.BackfillView, error)
	// DecideBackfill calls decide with a backfill under its lock and stores the answer, all in one transaction. It
	// returns the new batches, and the batches that got a command.
	DecideBackfill(ctx context.Context, server hive.Server, id int64, now time.Time,
		decide func(hive.BackfillView) (hive.BackfillWrite, error)) (made, commanded []int64, err error)
}

// DriverConfig holds the dependencies of a Driver.
type DriverConfig struct {
	Store   DriverStore
	Server  func() hive.Server              // the session that owns new batches
	NewRuns func(g *graph.Graph) []hive.Run // the runs of a new batch
	Made    func(batches []int64)           // called with new batches once they are stored; it must not block
	Notify  func(batch int64)               // called with a batch that got a command; it must not block
	Now     func() time.Time                //
	Graphs  *document.Graphs                // the cache of compiled revisions
	Log     *slog.Logger                    //
}

// NewDriver makes a Driver; Start sets it going. NotifyActive tells it that a batch has ended,
// which may make room for the next one.
func NewDriver(c DriverConfig) *Driver {
	d := &Driver{config: c}
	d.Reconciler = service.NewReconciler(service.ReconcilerConfig{
		List: c.Store.ActiveBackfills, Advance: d.advance, Failed: d.failed,
	})
	return d
}

func (d *Driver) failed(ctx context.Context, id int64, err error) {
	words, level := "a backfill cannot go on now; trying again", slog.LevelError
	if id == 0 {
		words = "backfills cannot be listed; trying again"
	}
	if errors.Is(err, hive.ErrSessionLost) || errors.Is(err, hive.ErrConnection) {
		level = slog.LevelWarn
	}
	d.config.Log.Log(ctx, level, words, "backfill", id, "error", err)
}

// advance decides about one backfill until there is nothing to do.
func (d *Driver) advance(ctx context.Context, id int64) error {
	for ctx.Err() == nil {
		v, err := d.config.Store.BackfillView(ctx, id)
		if err != nil {
			return err
		}
		if w := Decide(v); !changes(&v.Backfill, &w) {
			return nil
		}
		graphs, err := d.graphs(ctx, &v.Backfill)
		if err != nil {
			return err
		}
		server, now := d.config.Server(), d.config.Now().UTC().Truncate(time.Millisecond)
		made, commanded, err := d.config.Store.DecideBackfill(ctx, server, id, now,
			func(v hive.BackfillView) (hive.BackfillWrite, error) {
				w := Decide(v)
				err := d.complete(&v.Backfill, &w, graphs, server.ID, now)
				return w, err
			})
		if err != nil {
			return err
		}
		if len(made) > 0 {
			d.config.Made(made)
		}
		for _, batch := range commanded {
			d.config.Notify(batch)
		}
	}
	return nil
}

// graphs compiles the revisions of a backfill, by schedule.
func (d *Driver) graphs(ctx context.Context, b *hive.Backfill) (map[int64]*graph.Graph, error) {
	out := make(map[int64]*graph.Graph, len(b.Schedules))
	for i := range b.Schedules {
		rev, err := d.config.Store.Revision(ctx, b.Schedules[i].RevisionID)
		if err != nil {
			return nil, err
		}
		if out[b.Schedules[i].ScheduleID], err = d.config.Graphs.Compile(&rev); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// complete adds batches and commands to a decision. Only batches of the backfill's own schedule get its params, because
// the other schedules may not declare them.
func (d *Driver) complete(b *hive.Backfill, w *hive.BackfillWrite, graphs map[int64]*graph.Graph, owner string,
	now time.Time,
) error {
	for i := range w.Moments {
		m := &w.Moments[i]
		s := &b.Schedules[slices.IndexFunc(b.Schedules, func(s hive.BackfillSchedule) bool {
			return s.ScheduleID == m.ScheduleID
		})]
		key, params := fmt.Sprintf("backfill:%d:%d", b.ID, m.Moment.Unix()), b.Params
		if s.ScheduleID != b.ScheduleID {
			key, params = fmt.Sprintf("backfill:%d:%d:%d", b.ID, s.ScheduleID, m.Moment.Unix()), nil
		}
		g := graphs[s.ScheduleID]
		switch m.Act {
		case hive.ActCreated:
			m.New = &hive.NewBatch{Key: key, Runs: d.config.NewRuns(g), Batch: hive.Batch{
				ScheduleID: s.ScheduleID, Schedule: s.Schedule, RevisionID: s.RevisionID, Revision: s.Revision,
				Kind: hive.KindBackfill, State: hive.BatchQueued, Wish: hive.WishRun, Round: 1, Moment: m.Moment,
				Params: params, CreatedAt: now, CreatedBy: b.CreatedBy, Owner: owner, Live: true, Backfill: b.ID,
			}}
		case hive.ActRerun:
			payload, err := json.Marshal(repair(b, s.RevisionID, g))
			if err != nil {
				return fmt.Errorf("write a repair: %w", err)
			}
			m.Command = &hive.Command{
				BatchID: m.Batch, Kind: hive.CommandRepair, Key: key, Payload: payload, CreatedAt: now,
				CreatedBy: b.CreatedBy,
			}
		default:
		}
	}
	return nil
}

// repair is the plan with which a backfill runs an existing batch again, in the backfill's revision of its schedule.
func repair(b *hive.Backfill, revision int64, g *graph.Graph) hive.PlanRequest {
	r := hive.PlanRequest{
		Action: hive.PlanResume, RevisionID: revision, Note: fmt.Sprintf("backfill %d", b.ID),
	}
	if b.Existing == hive.ExistingRerun {
		r.Action = hive.PlanRerun
		for i := range g.Tasks {
			r.Tasks = append(r.Tasks, g.Tasks[i].Spec.Key)
		}
	}
	return r
}
