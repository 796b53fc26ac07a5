package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/session"
)

// answer passes the answer of a request to the keeper. It is called in the loop.
type answer func(now time.Time)

// startSession begins the first session, before the loop starts.
func (e *Engine) startSession(ctx context.Context) error {
	r := e.keeper.Start(e.cfg.Now())
	limited, cancel := context.WithTimeout(ctx, r.Within())
	defer cancel()
	epoch, ids, err := e.openSession(limited, r)
	if err != nil {
		return err
	}
	e.keeper.SessionStarted(e.cfg.Now(), r, epoch, ids, nil)
	e.publish()
	return nil
}

// openSession begins a session in the store, and draws its first ids.
func (e *Engine) openSession(ctx context.Context, r session.StartSession) (int64, map[string]int64, error) {
	epoch, err := e.cfg.Sessions.StartSession(ctx, e.cfg.Server, r.Lease)
	if err != nil {
		return 0, nil, fmt.Errorf("start session: %w", err)
	}
	ids := map[string]int64{}
	for _, kind := range session.IDKinds() {
		if ids[kind], err = e.nextIDs(ctx, kind, r.IDs); err != nil {
			return 0, nil, err
		}
	}
	return epoch, ids, nil
}

func (e *Engine) nextIDs(ctx context.Context, kind string, n int) (first int64, err error) {
	if first, err = e.cfg.Store.NextIDs(ctx, kind, n); err != nil {
		return 0, fmt.Errorf("draw %s ids: %w", kind, err)
	}
	return first, nil
}

// do runs a request in a goroutine of its own. A stop of the engine does not cancel a commit: Stop waits for it.
func (e *Engine) do(ctx context.Context, r session.Request) {
	if _, ok := r.(session.Commit); ok {
		ctx = context.WithoutCancel(ctx)
	}
	e.Go(func() {
		limited, cancel := context.WithTimeout(ctx, r.Within())
		defer cancel()
		e.inside.Put(e.run(limited, r))
	})
}

// run carries out a request in the store.
func (e *Engine) run(ctx context.Context, r session.Request) answer {
	k, st, me := e.keeper, e.cfg.Sessions, e.cfg.Server.ID
	switch r := r.(type) {
	case session.StartSession:
		epoch, ids, err := e.openSession(ctx, r)
		return func(now time.Time) { k.SessionStarted(now, r, epoch, ids, err) }
	case session.Heartbeat:
		err := st.Heartbeat(ctx, me, r.Epoch, r.Stored, r.Lease)
		return func(now time.Time) { k.Renewed(now, r, err) }
	case session.AnyDead:
		dead, err := st.AnyDead(ctx, me)
		return func(now time.Time) { k.LookedForDead(now, r, dead, err) }
	case session.TakeOver:
		dead, epoch, err := st.TakeOver(ctx, me, r.Epoch, r.Lease)
		return func(time.Time) { k.TakenOver(r, dead, epoch, err) }
	case session.RaiseEpoch:
		epoch, err := st.RaiseEpoch(ctx, me, r.Epoch, r.Lease, r.Later)
		return func(time.Time) { k.EpochRaised(r, epoch, err) }
	case session.DrawIDs:
		first, err := e.nextIDs(ctx, r.Kind, r.Count)
		return func(now time.Time) { k.IDsDrawn(now, r, first, err) }
	case session.Commit:
		err := e.commit(ctx, r)
		return func(now time.Time) { k.Committed(now, r, err) }
	case session.CheckQueued:
		waiting, err := st.QueuedBehind(ctx, r.Batches)
		return func(now time.Time) { k.QueuedChecked(now, r, waiting, err) }
	case session.ReadLimits:
		var state hive.LimitState
		var err error
		if e.cfg.Limits != nil {
			state, err = e.cfg.Limits(ctx)
		}
		return func(time.Time) { k.LimitsRead(r, state, err) }
	default:
		return e.read(ctx, r)
	}
}

// read carries out a request of the loader.
func (e *Engine) read(ctx context.Context, r session.Request) answer {
	k, st := e.keeper, e.cfg.Store
	switch r := r.(type) {
	case session.ListOwned:
		executors, ids, err := e.listOwned(ctx)
		return func(now time.Time) { k.OwnedListed(now, r, executors, ids, err) }
	case session.ReadBatches:
		snapshots, err := e.readBatches(ctx, r.IDs)
		return func(now time.Time) { k.BatchesRead(now, r, snapshots, err) }
	case session.CompileGraphs:
		for i := range r.Snapshots {
			_, _ = e.cfg.Graphs.Compile(&r.Snapshots[i].Revision)
		}
		return func(now time.Time) { k.GraphsCompiled(now, r) }
	case session.ReadCommands:
		commands, err := e.readCommands(ctx, r.Batch)
		return func(time.Time) { k.CommandsRead(r, commands, err) }
	case session.ReadRevision:
		var rev session.Revision
		var err error
		if rev.Row, err = st.Revision(ctx, r.ID); err == nil {
			rev.Graph, rev.Unreadable = e.cfg.Graphs.Compile(&rev.Row)
		}
		return func(time.Time) { k.RevisionRead(r, rev, err) }
	default:
		panic(fmt.Sprintf("engine: nobody runs a %T", r))
	}
}

// commit stores a group. A database that does not answer counts as unreachable.
func (e *Engine) commit(ctx context.Context, r session.Commit) error {
	err := e.cfg.Store.Commit(ctx, *r.Group)
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("%w: no answer within %s: %w", hive.ErrConnection, r.Within(), err)
	}
	return err
}

func (e *Engine) listOwned(ctx context.Context) ([]hive.Executor, []int64, error) {
	executors, err := e.cfg.Store.Executors(ctx)
	if err != nil {
		return nil, nil, err
	}
	ids, err := e.cfg.Store.LiveBatches(ctx, e.cfg.Server.ID)
	return executors, ids, err
}

// readBatches reads batches, with the calendars as they were when each was created.
func (e *Engine) readBatches(ctx context.Context, ids []int64) ([]hive.BatchSnapshot, error) {
	snapshots, err := e.cfg.Store.BatchSnapshots(ctx, ids)
	if err != nil || e.cfg.Calendars == nil {
		return snapshots, err
	}
	times := make([]time.Time, len(snapshots))
	for i := range snapshots {
		times[i] = snapshots[i].Batch.CreatedAt
	}
	calendars, err := e.cfg.Calendars(ctx, times)
	if err != nil {
		return nil, fmt.Errorf("read the calendars: %w", err)
	}
	for i := range snapshots {
		snapshots[i].Calendars = calendars[i]
	}
	return snapshots, nil
}

func (e *Engine) readCommands(ctx context.Context, batch int64) ([]hive.Command, error) {
	if batch == 0 {
		return e.cfg.Store.PendingCommands(ctx, e.cfg.Server.ID)
	}
	return e.cfg.Store.BatchCommands(ctx, batch)
}
