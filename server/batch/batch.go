// Package batch has the use cases of batches: create them, show them, repair them, explain why a task waits. It decides
// no transition: it gives new batches to the owner, and turns each request to change a live batch into a command for
// its owner.
package batch

import (
	"context"
	"time"

	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
)

// RevisionStore reads schedules and the revisions of batches.
type RevisionStore interface {
	Schedule(ctx context.Context, name string) (hive.Schedule, error)
	ScheduleByID(ctx context.Context, id int64) (hive.Schedule, error)
	Revision(ctx context.Context, id int64) (hive.Revision, error)
	RevisionAt(ctx context.Context, scheduleID, number int64) (hive.Revision, error)
	// AdhocRevision stores the definition of an adhoc batch as a revision of its own.
	AdhocRevision(ctx context.Context, document, hash, by string, now time.Time) (hive.Revision, error)
}

// Store reads stored batches and stores new ones.
type Store interface {
	CreateBatch(ctx context.Context, server hive.Server, b hive.NewBatch) (hive.Batch, error)
	Batch(ctx context.Context, id int64) (hive.Batch, error)
	Batches(ctx context.Context, f hive.BatchFilter) ([]hive.Batch, error)
	BatchSnapshot(ctx context.Context, id int64) (hive.BatchSnapshot, error)
	// BatchRuns reads a batch with some of its runs, by number, and their attempts.
	BatchRuns(ctx context.Context, id int64, numbers []int) (hive.BatchSnapshot, error)
	Attempts(ctx context.Context, batchID int64) ([]hive.Attempt, error)
	History(ctx context.Context, batchID int64) ([]hive.Run, error)
	// Causes lists the batches whose success let a batch start, and those that it let start, at most limit of each.
	Causes(ctx context.Context, batchID int64, limit int) (causes, caused []hive.BatchLink, err error)
}

// Limits tells what counts for the limits on what runs. It is nil if there are none.
type Limits interface {
	// Holders returns a limit with what counts for it, and the attempts that do, oldest first. The limit is nil if
	// there is none.
	Holders(ctx context.Context, k hive.LimitKey) (*hive.LimitUse, []hive.HeldView, error)
}

// Engine gives access to the live batches of this server.
type Engine interface {
	// Adopt notifies the owner of a new batch.
	Adopt(batch int64)
	// Notify notifies the owner of a new command.
	Notify(batch int64)
	// Await returns a channel for the answer of a command. If this server owns the batch, the answer comes with the
	// commit that applies the command. The channel is closed without an answer if another server owns the batch, or
	// takes it over. Call stop when the answer is not needed any more.
	Await(batch, command int64) (answer <-chan hive.CommandDone, stop func())
	// Live returns a batch from its owner's memory; false if this server does not own it.
	Live(batch int64) (hive.LiveView, bool)
	// Summaries returns summaries of the named batches, or of all if none is named. It leaves out batches that are not
	// in memory here.
	Summaries(ctx context.Context, batches ...int64) map[int64]hive.BatchSummary
}

// Config holds the dependencies of a Service.
type Config struct {
	Revisions  RevisionStore
	Batches    Store
	Commands   CommandStore
	Statistics StatisticsStore
	Executors  ExecutorStore
	Limits     Limits
	Engine     Engine
	Server     func() hive.Server // the session that owns new batches
	Now        func() time.Time
	Graphs     *document.Graphs // a shared cache of compiled revisions; nil for a private one
	// Labeled lists the ids of the schedules whose newest revision has a tag and an owner; an empty one is any.
	Labeled func(ctx context.Context, tag, owner string) ([]int64, error)
}

// Service implements the use cases of batches.
type Service struct {
	revisions  RevisionStore
	batches    Store
	commands   CommandStore
	statistics StatisticsStore
	executors  ExecutorStore
	limits     Limits
	engine     Engine
	server     func() hive.Server
	now        func() time.Time
	graphs     *document.Graphs
	labeled    func(ctx context.Context, tag, owner string) ([]int64, error)
	ended      endedCounts
}

// New makes a Service.
func New(c Config) *Service {
	if c.Graphs == nil {
		c.Graphs = new(document.Graphs)
	}
	return &Service{
		revisions: c.Revisions, batches: c.Batches, commands: c.Commands, statistics: c.Statistics,
		executors: c.Executors, limits: c.Limits,
		engine: c.Engine, server: c.Server, now: c.Now, graphs: c.Graphs,
		labeled: c.Labeled,
	}
}

// moment returns the present time, in the precision of stored times.
func (s *Service) moment() time.Time { return s.now().UTC().Truncate(time.Millisecond) }

// NewRuns makes the runs of a new batch: one for each task, with the task's index in the graph as its number.
func NewRuns(g *graph.Graph) []hive.Run {
	runs := make([]hive.Run, len(g.Tasks))
	for i := range g.Tasks {
		t := &g.Tasks[i]
		runs[i] = hive.Run{Number: t.Index, Job: g.Jobs[t.Job].Key, Task: t.Spec.Key, State: hive.RunWaiting, Round: 1}
	}
	return runs
}
