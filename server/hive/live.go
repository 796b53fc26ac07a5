package hive

import (
	"errors"
	"sync"
	"time"
)

// Delta is one change of a live batch that has become durable: what a watcher needs to follow it.
type Delta struct {
	Batch    int64
	Run      int // number; -1 for the batch itself
	Task     string
	State    RunState   // of the run
	BState   BatchState // of the batch, when Run is -1
	Wish     Wish       // of the batch, when Run is -1
	Reason   Reason
	Attempt  int64
	Executor string
	At       time.Time
	// Now is the run as it is stored, or ready where the store has it as waiting; nil when Run is -1. Who gets it may
	// keep it, but not change it.
	Now *RunView
	// Partial: which executor had the run's latest attempt, and what went wrong with it, was stored before this server
	// had the batch. Now leaves it out.
	Partial bool
	// Whole is the batch as it is stored after the commit, with its counts. All changes of one commit share it.
	Whole *Batch
}

// PublishedBatch is a live batch as its observers have been told of it: nothing in it is provisional.
type PublishedBatch struct {
	States      []RunState         // by run number
	Progress    map[int]float64    // of running runs, by number, 0 to 1
	WaitReasons map[int]WaitReason // of ready runs without an attempt: why no executor takes them
	// of all rounds, by run number, as in memory: what else is told of a run is of that attempt
	Attempts []int
	Whole    Batch  // as stored, with its counts
	Stuck    string // the writer cannot store this batch: why. All else may be empty then
}

// BatchSummary is a live batch as its owner sees it now, in short.
type BatchSummary struct {
	Counts Counts // ready and unknown included
	// NeedsPerson: a run of it has failed for good, and may not; or one is held.
	NeedsPerson bool
	Stuck       string // the writer cannot store this batch: why
}

// LiveView is a live batch as its owner sees it now: ready and unknown included, and why things wait.
type LiveView struct {
	Batch       Batch
	Runs        []Run
	Progress    map[int]float64    // by run number, 0 to 1
	WaitReasons map[int]WaitReason // of ready runs without an attempt: why no executor takes them
	Stuck       string             // the writer cannot store this batch: why
}

// LiveTopic is what a client can follow.
type LiveTopic string

// The topics.
const (
	TopicBatch     LiveTopic = "batch"     // one batch with its task runs
	TopicBatches   LiveTopic = "batches"   // how all batches stand
	TopicExecutors LiveTopic = "executors" // that something changed with them
)

// Why a client that follows topics has to leave.
var (
	ErrStopping = errors.New("the server is stopping")
	ErrEnded    = errors.New("the session or token has ended")
)

// LiveFrame is one message to a client about a topic that it follows.
type LiveFrame struct {
	ID       int   // the client's number for the topic
	Epoch    int64 // of the server's session
	N        int64 // 1, 2, … within the topic and the epoch
	Snapshot bool  // Body is everything, not what changed
	Refused  error // the topic has ended, and why; nothing else is set then but ID
	Body     *LiveBody
}

// LiveBody is what a frame says. Clients at the same point share one, so it is written as bytes only once.
type LiveBody struct {
	Batch   *BatchView // topic batch: the batch, with its runs in a snapshot
	Runs    []RunView  // topic batch: the runs that changed
	Batches []Batch    // topic batches

	once  sync.Once
	bytes []byte
}

// Bytes is the body as write makes it, which is called once.
func (b *LiveBody) Bytes(write func(*LiveBody) []byte) []byte {
	b.once.Do(func() { b.bytes = write(b) })
	return b.bytes
}
