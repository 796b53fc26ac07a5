package hive

import (
	"errors"
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
	// Now is the run as it is stored, or ready where the store has it as waiting; nil when Run is -1. All observers
	// share it: they may keep it, but not change it.
	Now *RunView
	// Partial: which executor had the run's latest attempt, and what went wrong with it, was stored before this server
	// had the batch. Now leaves it out.
	Partial bool
	// Whole is the batch as it is stored after the commit, with its counts. All changes of one commit share it.
	Whole *Batch
}

// PublishedBatch is a live batch as its observers know it, with the values of its runs that are never stored.
type PublishedBatch struct {
	States      []RunState         // by run number; nothing in it is provisional
	Progress    map[int]float64    // of running runs, by number, 0 to 1
	WaitReasons map[int]WaitReason // of ready runs without an attempt: why no executor takes them
	// Attempts is how many attempts each run has had, by run number. Progress and WaitReasons belong to these attempts,
	// which may be newer than States.
	Attempts []int
	Whole    Batch  // as stored, with its counts
	Stuck    string // why the writer cannot store this batch; empty if it can. All else may be empty then
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
	// Body is a LiveBody as bytes. Clients at the same version share it: it must not be changed.
	Body []byte
}

// LiveBody is the content of a frame, before it is encoded. Nothing in it may be changed: rows are shared.
type LiveBody struct {
	Snapshot bool
	Batch    *BatchView // topic batch: the batch without its runs; nil if it has not changed
	Runs     []*RunView // topic batch: all runs by number in a snapshot, otherwise those that changed
	Batches  []Batch    // topic batches; nil for other topics
}
