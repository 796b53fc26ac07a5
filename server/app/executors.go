package app

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/rprp/hivego/db"
	"github.com/rprp/hivego/server/dispatch"
	"github.com/rprp/hivego/server/fleet"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/logs/find"
)

// executors combines the stored executors with the state in the fleet.
type executors struct {
	store  *db.Store
	fleet  *dispatch.Service
	loop   func(ctx context.Context, f func(now time.Time)) error
	listen string                      // of the API, host:port
	routes func(map[string]hive.Route) // takes the routes of groups
}

// List returns all executors by name.
func (x *executors) List(ctx context.Context) ([]hive.ExecutorView, error) {
	rows, err := x.store.Executors(ctx)
	if err != nil {
		return nil, err
	}
	var seen []fleet.Status
	if err := x.loop(ctx, func(now time.Time) { seen = x.fleet.Statuses(now) }); err != nil {
		return nil, err
	}
	views := make([]hive.ExecutorView, 0, len(rows))
	for i := range rows {
		// An executor that is stored but unknown to the fleet has just registered, or registered with another server.
		v := hive.ExecutorView{Executor: rows[i], State: hive.ExecutorConnecting}
		if at := slices.IndexFunc(seen, func(s fleet.Status) bool { return s.Executor.ID == rows[i].ID }); at >= 0 {
			s := &seen[at]
			v.Running, v.State, v.SeenAt, v.Trouble = s.Used, s.State, s.HeardAt, s.Trouble
		}
		views = append(views, v)
	}
	return views, nil
}

// SetOffline stops sending new work to an executor, or allows it again. Its running attempts go on.
func (x *executors) SetOffline(ctx context.Context, name string, offline bool) error {
	if err := x.store.SetOffline(ctx, name, offline); err != nil {
		return err
	}
	return x.refresh(ctx, name)
}

func (x *executors) refresh(ctx context.Context, name string) error {
	rows, err := x.store.Executors(ctx)
	if err != nil {
		return err
	}
	return x.loop(ctx, func(now time.Time) {
		for i := range rows {
			if rows[i].Name == name {
				x.fleet.Register(now, rows[i])
			}
		}
	})
}

func unknown(name string) error {
	return hive.Errorf(hive.CodeNotFound, "there is no executor %q; hivego executors lists them", name).
		WithReason(hive.ErrorNoExecutor, "executor", name)
}

func busy(name string) error {
	return hive.Errorf(hive.CodeConflict, "executor %q holds attempts; take it offline and wait until they have ended",
		name).
		WithReason(hive.ErrorExecutorBusy, "executor", name)
}

// Delete deletes an executor that holds no attempts. An executor that registers by itself must be stopped first, or it
// would come back.
func (x *executors) Delete(ctx context.Context, name string) error {
	rows, err := x.store.Executors(ctx)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(rows, func(e hive.Executor) bool { return e.Name == name })
	if at < 0 {
		return unknown(name)
	}
	online := false
	if err := x.loop(ctx, func(now time.Time) {
		online = slices.ContainsFunc(x.fleet.Statuses(now), func(s fleet.Status) bool {
			return s.Executor.ID == rows[at].ID && s.State == hive.ExecutorOnline &&
				s.Executor.Origin != hive.OriginAddress
		})
	}); err != nil {
		return err
	}
	if online {
		return hive.Errorf(hive.CodeConflict,
			"executor %q is online and would come back; stop it first (offline only keeps new work from it)", name).
			WithReason(hive.ErrorExecutorOnline, "executor", name)
	}
	return x.remove(ctx, &rows[at])
}

// remove deletes an executor that holds no attempts, neither of this server nor of another one.
func (x *executors) remove(ctx context.Context, e *hive.Executor) error {
	if err := x.idle(ctx, e); err != nil {
		return err
	}
	free := false // this server may have offered it an attempt that is not stored yet
	if err := x.loop(ctx, func(time.Time) { free = x.fleet.Remove(e.ID) }); err != nil {
		return err
	}
	if !free {
		return busy(e.Name)
	}
	return x.store.DeleteExecutor(ctx, e.ID)
}

// idle refuses an executor that holds attempts of any server of the database.
func (x *executors) idle(ctx context.Context, e *hive.Executor) error {
	held, err := x.store.Held(ctx, e.ID)
	if err == nil && len(held) > 0 {
		err = busy(e.Name)
	}
	return err
}

// logStore reads logs from the store of logs, or from the executor that still has them.
type logStore struct {
	store *db.Store
	fleet *dispatch.Service
	find  *find.Finder
}

// Read returns at most limit bytes of an attempt's log.
func (l *logStore) Read(ctx context.Context, a hive.Attempt, offset, limit int64) (hive.LogPart, error) {
	at, err := l.executor(ctx, a)
	if err != nil {
		return hive.LogPart{}, err
	}
	return l.read(ctx, at, a, offset, limit)
}

// Find looks for a line in an attempt's log.
func (l *logStore) Find(ctx context.Context, a hive.Attempt, q hive.LogQuery) (hive.LogPlace, error) {
	at, err := l.executor(ctx, a)
	if err != nil {
		return hive.LogPlace{}, err
	}
	return l.find.Find(ctx, a.ID, func(ctx context.Context, offset, limit int64) (hive.LogPart, error) {
		return l.read(ctx, at, a, offset, limit)
	}, q)
}

// executor returns the executor of an attempt, or nil if it is not known any more.
func (l *logStore) executor(ctx context.Context, a hive.Attempt) (*hive.Executor, error) {
	e, err := l.store.Executor(ctx, a.Executor)
	switch {
	case err == nil:
		return &e, nil
	case hive.CodeOf(err) == hive.CodeNotFound:
		return nil, nil //nolint:nilnil // it was deleted
	default:
		return nil, err
	}
}

func (l *logStore) read(ctx context.Context, at *hive.Executor, a hive.Attempt, offset,
	limit int64,
) (hive.LogPart, error) {
	p, err := l.fleet.ReadLog(ctx, at, a, offset, int(min(limit, hive.MaxLogPart)))
	if err != nil {
		return hive.LogPart{}, fmt.Errorf("log of attempt %d: %w", a.ID, err)
	}
	if a.State == hive.AttemptEnded && a.LogBytes == 0 && p.Size == 0 {
		p.Complete = true // the attempt wrote no log
	}
	return p, nil
}
