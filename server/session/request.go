package session

import (
	"time"

	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
)

// Request is something that the shell does for the keeper, outside of the loop: one call of the store, or work that
// takes its time. The shell does each request at once, beside all others, and hands its answer to the keeper's method
// that is named in the request's comment. A request without an answer within its time has failed.
type Request interface {
	// Within is how long the request may take.
	Within() time.Duration
	request()
}

// origin says in which session, under which epoch and when a request was made. It is part of each request.
type origin struct {
	session int // its number in the life of this process
	epoch   int64
	at      time.Time
	within  time.Duration
}

// Within is how long the request may take.
func (o origin) Within() time.Duration { return o.within }

func (o origin) request() {}

// StartSession begins a session in the store, and draws the first ids of each kind. Answer: SessionStarted.
type StartSession struct {
	Lease time.Duration
	IDs   int // of each kind (IDKinds)
	origin
}

// Heartbeat renews the session's lease. It fails with hive.ErrSessionLost if the session was taken over, or if the
// store does not have the last of Stored commits. Answer: Renewed.
type Heartbeat struct {
	Epoch  int64
	Stored int64 // commits of the session that are known to be stored
	Lease  time.Duration
	origin
}

// AnyDead asks whether there is a session that has ended and has batches. Answer: LookedForDead.
type AnyDead struct{ origin }

// TakeOver claims the batches of all sessions that have ended, and gives this session a new epoch if there are any.
// Answer: TakenOver.
type TakeOver struct {
	Epoch int64
	Lease time.Duration
	origin
}

// RaiseEpoch gives the session an epoch above the one that an executor has heard of. Answer: EpochRaised.
type RaiseEpoch struct {
	Epoch int64
	Lease time.Duration
	Later hive.Later
	origin
}

// DrawIDs draws a block of ids. Answer: IDsDrawn.
type DrawIDs struct {
	Kind  string
	Count int
	origin
}

// ListOwned reads all executors and the ids of this server's live batches. Answer: OwnedListed.
type ListOwned struct{ origin }

// ReadBatches reads the snapshots of batches, all at once. Those that are not there are left out. Answer: BatchesRead.
type ReadBatches struct {
	IDs []int64
	// later keeps queued batches for later.
	later bool
	origin
}

// CompileGraphs makes the graphs of batches ahead of the loop, which then finds them made. A fault is told when the
// batch is loaded. Answer: GraphsCompiled.
type CompileGraphs struct {
	Snapshots []hive.BatchSnapshot
	origin
}

// ReadCommands reads the pending commands of one batch, oldest first, or of all batches of this server if Batch is 0.
// Answer: CommandsRead.
type ReadCommands struct {
	Batch int64
	origin
}

// ReadRevision reads the revision that a command asks for, and makes its graph. Answer: RevisionRead.
type ReadRevision struct {
	ID      int64
	command hive.Command
	origin
}

// Revision is the answer of ReadRevision. Unreadable is why a revision that was read has no graph.
type Revision struct {
	Row        hive.Revision
	Graph      *graph.Graph
	Unreadable error
}

// Commit stores a group, or nothing of it. Answer: Committed.
type Commit struct {
	Group *hive.Group
	origin
}

// TakeRequests returns what is to be done since the last call, in order.
func (k *Keeper) TakeRequests() []Request {
	taken := k.requests
	k.requests = nil
	return taken
}

// origin makes the origin of a request.
func (k *Keeper) origin(now time.Time, within time.Duration) origin {
	return origin{session: k.number, epoch: k.epoch, at: now, within: within}
}

func (k *Keeper) request(r Request) { k.requests = append(k.requests, r) }

// isOutdated reports whether a request was made in a session that is over. Its answer is of no use any more.
func (k *Keeper) isOutdated(o origin) bool { return k.over || o.session != k.number }
