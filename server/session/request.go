package session

import (
	"time"

	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
)

// Request is something that the shell does for the keeper outside of the loop: a call of the store, or slow work. The
// shell starts each request at once, concurrently with all others, and passes the answer to the keeper's method that
// the comment of the request names. A request without an answer in time has failed.
type Request interface {
	// Within returns how long the request may take.
	Within() time.Duration
	request()
}

// origin holds the session, the epoch and the time of a request. It is part of each request.
type origin struct {
	session int // Keeper.number
	epoch   int64
	at      time.Time
	within  time.Duration
}

// Within returns how long the request may take.
func (o origin) Within() time.Duration { return o.within }

func (o origin) request() {}

// StartSession begins a session in the store, and draws the first ids of each kind. Answer: SessionStarted.
type StartSession struct {
	Lease time.Duration
	IDs   int // of each kind (IDKinds)
	origin
}

// Heartbeat renews the session's lease. It fails with hive.ErrSessionLost if the session was taken over, or if the
// store lacks commits that were stored before. Answer: Renewed.
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

// ReadBatches reads the snapshots of batches, all at once. The answer leaves out batches that do not exist. Answer:
// BatchesRead.
type ReadBatches struct {
	IDs   []int64
	later bool // postpone queued batches
	origin
}

// CompileGraphs compiles the graphs of batches outside of the loop; loading the batch then finds them in
// document.Graphs. Errors are reported when the batch is loaded. Answer: GraphsCompiled.
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

// ReadRevision reads the revision that a command names, and compiles its graph. Answer: RevisionRead.
type ReadRevision struct {
	ID      int64
	command hive.Command
	origin
}

// Revision is the answer of ReadRevision. Unreadable is the error if the graph of the revision cannot be compiled.
type Revision struct {
	Row        hive.Revision
	Graph      *graph.Graph
	Unreadable error
}

// CheckQueued asks which of these queued batches wait for another batch of their schedule, on any server. Answer:
// QueuedChecked.
type CheckQueued struct {
	Batches []int64
	origin
}

// Commit stores a group in one transaction. Answer: Committed.
type Commit struct {
	Group *hive.Group
	origin
}

// TakeRequests returns the requests since the last call, in order.
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

// isOutdated reports whether a request was made in a session that is over. Its answer must be ignored.
func (k *Keeper) isOutdated(o origin) bool { return k.over || o.session != k.number }
