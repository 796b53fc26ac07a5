// Package engine owns live batches: one owner decides every change in memory, one writer makes groups of changes
// durable, and only then do their effects leave.
//
// Owner is the decision core. It has no goroutine, no clock and no I/O: it is handed events and the time, collects
// what must be stored, and hands out effects once told that the store has it. Engine is the loop around it.
package engine

import (
	"context"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Fleet is what the owner asks of the executors. All methods are called from the owner's loop and never block.
type Fleet interface {
	// Pick answers the executor that should run the next task with this requirement, or why none can.
	Pick(req hive.Requirement) (id, name string, hold hive.WaitReason)
	// Reserve holds a slot for an attempt that is being made durable.
	Reserve(executor string, attempt hive.AttemptRef)
	// Offer hands a durable attempt over. Its receipt comes as an event.
	Offer(a hive.Assignment)
	// Kill asks for the end of an attempt; the end comes as an event.
	Kill(executor string, o hive.KillOrder)
	// Ack says that the end of an attempt is durable; seq is of the event that told of it, 0 if none is known.
	Ack(attempt hive.AttemptRef, seq int64)
	// Drop gives up the reservation of an attempt that was never offered. It answers false for one that left already.
	Drop(attempt hive.AttemptRef) bool
	// Adopt takes over a stored attempt that the executor may still have.
	Adopt(now time.Time, executor string, h hive.HeldAttempt)
	// Rendering says how the params of a handler take values; nil for a handler that the executor does not offer.
	Rendering(executor, handler string) *hive.Rendering
}

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

// Session is the server's right to write: its id and epoch.
type Session struct {
	Server string
	Epoch  int64
}

// Kinds of ids that the engine draws from the store.
const (
	idsOfAttempts = "attempt"
	idsOfRuns     = "run"
)

// lazyDelay is how long a change that nobody waits for (a run is running now) may wait for a commit to ride with.
const lazyDelay = 100 * time.Millisecond
