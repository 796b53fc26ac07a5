package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"time"

	"github.com/rprp/hivego/db"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/retention"
)

const (
	pruneRunsOf = 100                  // runs of each old batch
	pruneEvery  = 2 * time.Millisecond // between two commits of running work
	pruneIdle   = 3000                 // commits without pruning
)

// prune measures how long commits of running work take on SQLite while old runs are deleted, and compares that with an
// idle database. Each run has an attempt. There are no logs.
func (b *bench) prune(ctx context.Context) error {
	if !b.asked("prune") {
		return nil
	}
	p, err := b.oldData(ctx)
	if err != nil {
		return err
	}
	defer p.store.Close() //nolint:errcheck // a temporary folder
	idle, err := p.commits(ctx, func(done int) bool { return done < pruneIdle })
	if err != nil {
		return err
	}
	pruned := make(chan struct{})
	began := time.Now()
	go func() {
		defer close(pruned)
		p.pass(ctx)
	}()
	busy, err := p.commits(ctx, func(int) bool {
		select {
		case <-pruned:
			return false
		default:
			return ctx.Err() == nil
		}
	})
	took := time.Since(began)
	<-pruned
	if err := errors.Join(err, p.left(ctx)); err != nil {
		return err
	}
	for _, q := range []struct {
		name string
		at   float64
	}{{"p50", 0.5}, {"p99", 0.99}} {
		before, during := quantile(idle, q.at), quantile(busy, q.at)
		b.rep.Measures = append(b.rep.Measures,
			row{Name: "commit, idle, " + q.name + ", sqlite", Unit: "ms", Stat: statOf([]float64{before})},
			row{
				Name: fmt.Sprintf("commit while %d runs are pruned, %s, sqlite", b.pruneRuns, q.name), Unit: "ms",
				Stat: statOf([]float64{during}), Ratio: during / before, By: "idle", Floor: "2 idle", Goal: "1.2 idle",
			})
	}
	b.rep.Measures = append(b.rep.Measures, row{
		Name: "  runs pruned", Unit: "/s", Stat: statOf([]float64{float64(b.pruneRuns) / took.Seconds()}),
	})
	return nil
}

// quantile returns the value that a part of the values does not exceed.
func quantile(values []float64, part float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(int(float64(len(sorted))*part), len(sorted)-1)]
}

// pruning is a database with old batches, and one that runs.
type pruning struct {
	store  *db.Store
	server hive.Server
	live   hive.BatchSnapshot
	now    time.Time
}

func (b *bench) oldData(ctx context.Context) (*pruning, error) {
	dir := filepath.Join(b.dir, "prune")
	store, err := db.Open(ctx, db.Config{Dir: dir, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	p := &pruning{store: store, server: hive.Server{ID: "bench", StartedAt: time.Now()}, now: time.Now().UTC()}
	if p.server.Epoch, err = store.StartSession(ctx, p.server, 24*time.Hour); err != nil {
		return nil, err
	}
	sched, rev, _, err := store.SaveSchedule(ctx, hive.SaveSchedule{
		Name: "old", Document: `{"name":"old"}`, Hash: "old", By: "ada", Now: p.now,
	})
	if err != nil {
		return nil, err
	}
	batch := func(age time.Duration, runs int) hive.NewBatch {
		at := p.now.Add(-age)
		n := hive.NewBatch{Batch: hive.Batch{
			ScheduleID: sched.ID, RevisionID: rev.ID, Revision: 1, Kind: hive.KindScheduled, Wish: hive.WishRun,
			State: hive.BatchSucceeded, Round: 1, Moment: at, CreatedAt: at, StartedAt: at, RoundAt: at, FinishedAt: at,
			Counts: hive.Counts{hive.RunSucceeded: runs},
		}}
		for i := range runs {
			n.Runs = append(n.Runs, hive.Run{
				Number: i, Job: "load", Task: fmt.Sprintf("task-%d", i), State: hive.RunSucceeded, Round: 1,
				Attempts: 1, StartedAt: at, FinishedAt: at, ChangedAt: at,
			})
		}
		return n
	}
	total := b.pruneRuns / pruneRunsOf
	for i := 0; i < total; i += 100 {
		var all []hive.NewBatch
		for j := i; j < min(i+100, total); j++ {
			all = append(all, batch(1000*time.Hour-time.Duration(j)*time.Second, pruneRunsOf))
		}
		if _, err := store.CreateBatches(ctx, p.server, all); err != nil {
			return nil, err
		}
	}
	if err := addAttempts(ctx, filepath.Join(dir, "hivego.db")); err != nil {
		return nil, err
	}
	n := batch(0, 1)
	n.Batch.State, n.Batch.Live, n.Batch.FinishedAt = hive.BatchRunning, true, time.Time{}
	n.Runs[0].State, n.Runs[0].FinishedAt = hive.RunWaiting, time.Time{}
	made, err := store.CreateBatch(ctx, p.server, n)
	if err != nil {
		return nil, err
	}
	p.live, err = store.BatchSnapshot(ctx, made.ID)
	return p, err
}

// addAttempts gives each run an attempt.
func addAttempts(ctx context.Context, file string) error {
	raw, err := sql.Open("sqlite", file+"?_pragma=busy_timeout(10000)")
	if err != nil {
		return fmt.Errorf("open the database: %w", err)
	}
	defer raw.Close()
	_, err = raw.ExecContext(ctx, "INSERT INTO attempts (id, batch_id, run_id, number, round, executor, "+
		"executor_name, state, outcome, exit_code, error, outputs, killing_at, kill_reason, offered_at, started_at, "+
		"finished_at, log_bytes, notes, key) SELECT id, batch_id, id, 1, 1, 'e1', 'alpha', 'ended', 'success', 0, "+
		"'', '', 0, '', changed_at, started_at, finished_at, 0, '', 'k' FROM runs")
	if err != nil {
		return fmt.Errorf("add attempts: %w", err)
	}
	return nil
}

// commits makes commits of running work as long as more says so, and returns how long each took, in milliseconds.
func (p *pruning) commits(ctx context.Context, more func(done int) bool) (took []float64, err error) {
	run := p.live.Runs[0]
	for n := 0; more(n); n++ {
		change := hive.RunChange{From: run.State, To: run}
		change.To.ChangedAt = p.now.Add(time.Duration(n) * time.Millisecond)
		began := time.Now()
		err := p.store.Commit(ctx, hive.Group{Server: p.server.ID, Epoch: p.server.Epoch, Batches: []hive.BatchWrite{{
			BatchID: run.BatchID, Runs: []hive.RunChange{change},
		}}})
		if err != nil {
			return nil, err
		}
		took = append(took, time.Since(began).Seconds()*1000)
		time.Sleep(pruneEvery)
	}
	return took, nil
}

// pass lets a driver delete all that is older than a day.
func (p *pruning) pass(ctx context.Context) {
	var ahead time.Duration
	d := retention.NewDriver(retention.New(retention.Config{
		Schedules: p.store, Batches: p.store, Logs: p.store, Drafts: p.store, Lease: p.store, Disk: p.store,
		Folder: noFolder{},
		Parse:  func(string) (*hive.Definition, error) { return &hive.Definition{Name: "old"}, nil },
		Limits: retention.Limits{Days: 1}, Server: func() hive.Server { return p.server },
		Doubt:      func() bool { return false },
		RemoveLogs: func(context.Context, []hive.AttemptRef) error { return nil },
		Now:        func() time.Time { return time.Now().Add(ahead) }, Log: slog.Default(),
	}))
	ahead = d.RunOnce(ctx) // it waits for a while after its start
	d.RunOnce(ctx)
}

// left returns an error if old batches are left.
func (p *pruning) left(ctx context.Context) error {
	list, err := p.store.Batches(ctx, hive.BatchFilter{})
	if err == nil && len(list) > 3 {
		err = fmt.Errorf("%d batches are left", len(list))
	}
	return err
}

type noFolder struct{}

// LogBytes is of retention.Folder.
func (noFolder) LogBytes(context.Context) (int64, error) { return 0, nil }

// Space is of retention.Folder.
func (noFolder) Space() (free, total uint64, err error) { return 0, 0, nil }

// HasDatabase is of retention.Folder.
func (noFolder) HasDatabase() bool { return true }
