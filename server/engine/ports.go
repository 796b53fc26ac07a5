// Package engine is the shell around owner.Owner and session.Keeper, the cores that decide everything about live
// batches. It runs the loop that calls them, does what they request of the store, and publishes what has become
// durable. Effects leave only after their commit.
package engine

import (
	"context"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Store is what the engine needs of the database for batches.
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

// SessionStore keeps the sessions of servers.
type SessionStore interface {
	StartSession(ctx context.Context, s hive.Server, lease time.Duration) (epoch int64, err error)
	// Heartbeat extends the lease. hive.ErrSessionLost if the session was taken over, or if the store does not have the
	// last commit that is known to be stored.
	Heartbeat(ctx context.Context, server string, epoch, stored int64, lease time.Duration) error
	// AnyDead says whether there is something to take over of a session that has ended.
	AnyDead(ctx context.Context, me string) (bool, error)
	TakeOver(ctx context.Context, me string, epoch int64, lease time.Duration) (dead []string, newEpoch int64,
		err error)
	// RaiseEpoch gives the session an epoch above the one that an executor has heard of.
	RaiseEpoch(ctx context.Context, me string, epoch int64, lease time.Duration, later hive.Later) (fresh int64,
		err error)
}

// Observer sees what has become durable, in order. Its methods are called from the loop and must not block.
type Observer interface {
	// Observe is told what one commit has changed, and how a batch stands that was loaded.
	Observe(deltas []hive.Delta)
	// Reread names batches whose stored rows may differ from what was observed: the answer of a commit was lost, or a
	// batch is stuck or is no longer stuck.
	Reread(batches []int64)
	// Session says that a session begins: what was observed in an earlier one may be out of date.
	Session(epoch int64)
}
