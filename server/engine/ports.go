// Package engine is the shell around owner.Owner and session.Keeper, the cores that decide everything about live
// batches. It runs the loop that calls them, carries out their requests to the store, and publishes what has
// become durable. Effects leave only after their commit.
package engine

import (
	"context"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Store is the part of the database for batches.
type Store interface {
	Commit(ctx context.Context, g hive.Group) error
	NextIDs(ctx context.Context, kind string, n int) (first int64, err error)
	LiveBatches(ctx context.Context, owner string) ([]int64, error)
	// BatchSnapshots leaves out batches that do not exist.
	BatchSnapshots(ctx context.Context, ids []int64) ([]hive.BatchSnapshot, error)
	PendingCommands(ctx context.Context, owner string) ([]hive.Command, error)
	BatchCommands(ctx context.Context, batch int64) ([]hive.Command, error) // pending ones, oldest first
	Revision(ctx context.Context, id int64) (hive.Revision, error)
	Executors(ctx context.Context) ([]hive.Executor, error)
}

// SessionStore keeps the sessions of servers, and compares the batches of all servers.
type SessionStore interface {
	StartSession(ctx context.Context, s hive.Server, lease time.Duration) (epoch int64, err error)
	// Heartbeat extends the lease. stored is the number of commits of the session that the store has confirmed. It
	// returns hive.ErrSessionLost if the session was taken over, or if the store lacks one of these commits.
	Heartbeat(ctx context.Context, server string, epoch, stored int64, lease time.Duration) error
	// AnyDead reports whether there is a session for TakeOver: its lease has ended, and nobody has taken it over.
	AnyDead(ctx context.Context, me string) (bool, error)
	// TakeOver gives the batches of dead sessions to this server, with a new epoch if there are any. dead names their
	// servers.
	TakeOver(ctx context.Context, me string, epoch int64, lease time.Duration) (dead []string, newEpoch int64,
		err error)
	// QueuedBehind returns which of these queued batches wait for another batch of their schedule, on any server.
	QueuedBehind(ctx context.Context, batches []int64) ([]int64, error)
	// RaiseEpoch gives the session an epoch above the one that an executor has heard of.
	RaiseEpoch(ctx context.Context, me string, epoch int64, lease time.Duration, later hive.Later) (fresh int64,
		err error)
}

// Observer gets durable changes in order. Its methods are called from the loop and must not block.
type Observer interface {
	// Observe gets the changes of one commit, or the state of a batch that was loaded.
	Observe(deltas []hive.Delta)
	// Reread names batches whose stored rows may differ from what was observed: the answer of a commit was lost, or a
	// batch is stuck or is no longer stuck.
	Reread(batches []int64)
	// Session announces that a session begins. Whatever was observed in an earlier session may be out of date.
	Session(epoch int64)
}
