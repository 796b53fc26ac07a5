// Package owner decides everything about the live batches of one server session. It is a core: it has no goroutine, no
// clock and no I/O. The shell (server/engine) passes events and the time to it, commits its changes, and reports the
// result of each commit. Only then does the owner release the effects.
package owner

import (
	"time"

	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
)

// Chooser chooses executors for the owner. The owner calls its methods from its loop, and none of them blocks.
type Chooser interface {
	// Pick chooses the executor that should run the next task with this requirement, or says why none can. The choice
	// counts for the turns of a route once a slot is reserved.
	Pick(req hive.Requirement) hive.Choice
	// Everyone lists the executors that a broadcast with this requirement goes to now, or says why there is none yet.
	Everyone(req hive.Requirement) ([]hive.ExecutorRef, hive.WaitReason)
}

// Fleet is the owner's view of the executors. The owner calls all methods from its loop, and none of them blocks.
type Fleet interface {
	// Reserve holds a slot for an attempt that is being made durable.
	Reserve(executor string, attempt hive.AttemptRef)
	// Offer sends a durable attempt to its executor. The receipt comes as an event.
	Offer(a hive.Assignment)
	// Kill requests the end of an attempt. The end comes as an event.
	Kill(executor string, o hive.KillOrder)
	// Ack reports that the end of an attempt is durable. seq is the number of the event that reported the end, or 0 if
	// the owner does not know it.
	Ack(attempt hive.AttemptRef, seq int64)
	// Drop gives up the reservation of an attempt that was never offered. It returns false for an attempt that was
	// offered.
	Drop(attempt hive.AttemptRef) bool
	// Adopt starts to track a stored attempt that the executor may still have.
	Adopt(now time.Time, executor string, h hive.HeldAttempt)
	// Rendering returns how values are rendered into the params of a handler, or nil if the executor does not offer it.
	Rendering(executor, handler string) *hive.Rendering
}

// Graphs builds the graph of a stored revision.
type Graphs interface {
	Compile(rev *hive.Revision) (*graph.Graph, error)
}

// Session is the server's right to write: its id and epoch.
type Session struct {
	Server string
	Epoch  int64
}

// Kinds of ids that the owner needs from the store.
const (
	AttemptIDs = "attempt"
	RunIDs     = "run"
)

// flushDelay is how long a change that nobody waits for (for example, a run has started) may wait for another change,
// so that one commit stores both.
const flushDelay = 100 * time.Millisecond
