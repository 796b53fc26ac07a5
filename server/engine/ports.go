// Package engine is the shell around owner.Owner, the core that decides everything about live batches: it runs the loop
// that calls the owner, the writer that makes groups of changes durable, the loader that reads batches and commands, and
// the server's session. Effects leave only after their commit.
package engine

import (
	"context"

	"github.com/rprp/hivego/server/hive"
)

// Store is what the engine needs of the database.
type Store interface {
	Commit(ctx context.Context, g hive.Group) error
	NextIDs(ctx context.Context, kind string, n int) (first int64, err error)
	LiveBatches(ctx context.Context, owner string) ([]int64, error)
	// BatchSnapshots leaves out what is not there.
	BatchSnapshots(ctx context.Context, ids []int64) ([]hive.BatchSnapshot, error)
	PendingCommands(ctx context.Context, owner string) ([]hive.Command, error)
	BatchCommands(ctx context.Context, batch int64) ([]hive.Command, error) // pending ones, oldest first
	Revision(ctx context.Context, id int64) (hive.Revision, error)
	Executors(ctx context.Context) ([]hive.Executor, error)
}

// Observer sees what has become durable, in order. Its methods are called from the loop and must not block.
type Observer interface {
	// Observe is told what one commit has changed, and how a batch stands that was loaded.
	Observe(deltas []hive.Delta)
	// Reread names batches of which more, or less, may be stored than was observed: a commit without an answer, a batch
	// that is stuck, or no more.
	Reread(batches []int64)
	// Session says that a session begins: what was observed in an earlier one may be out of date.
	Session(epoch int64)
}
