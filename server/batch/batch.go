// Package batch holds what people do with batches: create them, look at them, repair them, ask why a task waits. It
// decides no transition: new batches are handed to their owner, and what is wanted of old ones becomes a command.
package batch

import (
	"context"
	"time"

	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
)

// Store is what is needed of the database.
type Store interface {
	Schedule(ctx context.Context, name string) (hive.Schedule, error)
	ScheduleByID(ctx context.Context, id int64) (hive.Schedule, error)
	Revision(ctx context.Context, id int64) (hive.Revision, error)
	RevisionAt(ctx context.Context, scheduleID, number int64) (hive.Revision, error)
	AdhocRevision(ctx context.Context, document, hash, by string, now time.Time) (hive.Revision, error)
	CreateBatch(ctx context.Context, server hive.Server, b hive.NewBatch) (hive.Batch, error)
	Batch(ctx context.Context, id int64) (hive.Batch, error)
	Batches(ctx context.Context, f hive.BatchFilter) ([]hive.Batch, error)
	AllLive(ctx context.Context) ([]hive.Batch, error)
	CountRuns(ctx context.Context, batches []int64) (map[int64]hive.Counts, error)
	UsualDurations(ctx context.Context, schedules []int64) (map[int64]time.Duration, error)
	FailedLatest(ctx context.Context) (int, error)
	Ended(ctx context.Context, since time.Time) (succeeded, ended int, err error)
	BatchSnapshot(ctx context.Context, id int64) (hive.BatchSnapshot, error)
	Attempts(ctx context.Context, batchID int64) ([]hive.Attempt, error)
	History(ctx context.Context, batchID int64) ([]hive.Run, error)
	AddCommand(ctx context.Context, c hive.Command) (stored hive.Command, existed bool, err error)
	Command(ctx context.Context, id int64) (hive.Command, error)
	// CommandByKey finds a command by its idempotency key, CodeNotFound if there is none.
	CommandByKey(ctx context.Context, key string) (hive.Command, error)
	Executors(ctx context.Context) ([]hive.Executor, error)
}

// Engine owns the live batches of this server.
type Engine interface {
	// Adopt tells the owner of a new batch.
	Adopt(batch int64)
	// Notify tells the owner of a new command.
	Notify(batch int64)
	// Live is a batch as its owner sees it; false if no owner is here.
	Live(batch int64) (hive.LiveView, bool)
	// Survey is that in short, of the batches named or, without any, of all; those without an owner here are left out.
	Summaries(ctx context.Context, batches ...int64) map[int64]hive.BatchSummary
}

// Config is what a Service needs.
type Config struct {
	Store  Store
	Engine Engine
	Server func() hive.Server // the session that new batches are given to
	Now    func() time.Time
	Graphs *document.Graphs // shared with others who read revisions; its own when nil
}

// Service does it.
type Service struct {
	store  Store
	engine Engine
	server func() hive.Server
	now    func() time.Time
	graphs *document.Graphs
	ended  ended
}

// New makes a Service.
func New(c Config) *Service {
	if c.Graphs == nil {
		c.Graphs = new(document.Graphs)
	}
	return &Service{store: c.Store, engine: c.Engine, server: c.Server, now: c.Now, graphs: c.Graphs}
}

// moment is now as it is stored.
func (s *Service) moment() time.Time { return s.now().UTC().Truncate(time.Millisecond) }

// NewRuns are the runs of a new batch: one for each task, numbered as the graph numbers its tasks.
func NewRuns(g *graph.Graph) []hive.Run {
	runs := make([]hive.Run, len(g.Tasks))
	for i := range g.Tasks {
		t := &g.Tasks[i]
		runs[i] = hive.Run{Number: t.Index, Job: g.Jobs[t.Job].Key, Task: t.Spec.Key, State: hive.RunWaiting, Round: 1}
	}
	return runs
}
