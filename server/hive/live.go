package hive

import (
	"errors"
	"time"
)

// Delta is one durable change of a live batch, with everything that an observer needs to follow the batch.
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
	// Now is the run as stored, or ready if the store still has it as waiting; nil when Run is -1. All observers share
	// it: they may retain it, but not change it.
	Now *RunView
	// Partial reports that Now lacks the executor and the error of the run's latest attempt, because they were stored
	// before this server had the batch.
	Partial bool
	// BatchRow is the batch as stored after the commit, with its counts. All changes of one commit share it.
	BatchRow *Batch
}

// FarChange names what another server has changed in a batch that it owns.
type FarChange struct {
	Batch int64
	Runs  []int // numbers of the changed runs; the batch's own row may have changed too
	Whole bool  // any run may have changed
}

// PublishedBatch is the state of a live batch for observers, with the values of its runs that are never stored.
type PublishedBatch struct {
	States      []RunState         // by run number; nothing in it is provisional
	Progress    map[int]float64    // of running runs, by number, 0 to 1
	WaitReasons map[int]WaitReason // of runs that may be offered: why no executor takes them
	// Attempts is the number of attempts of each run, by run number. Progress and WaitReasons belong to these attempts,
	// which may be newer than States.
	Attempts []int
	Stuck    Sentence // see BatchView. If it is set, all other fields may be empty
}

// BatchSummary is a short form of the state of a live batch in its owner's memory.
type BatchSummary struct {
	Counts Counts // ready and unknown included
	// NeedsPerson reports that a run has failed for good although it may not, or that one is held.
	NeedsPerson bool
	Stuck       bool // the server cannot load or store the batch
}

// LiveView is the state of a live batch in its owner's memory, including ready, unknown and the reasons to wait.
type LiveView struct {
	Batch       Batch
	Runs        []Run
	Progress    map[int]float64    // by run number, 0 to 1
	WaitReasons map[int]WaitReason // of runs that may be offered: why no executor takes them
	WaitFor     map[int]string     // of these runs: the executor that they wait for, if it must be that one
	Stuck       Sentence           // see BatchView
}

// LiveTopic is a kind of topic that a client can follow.
type LiveTopic string

// The topics.
const (
	TopicBatch     LiveTopic = "batch"     // one batch with its task runs
	TopicBatches   LiveTopic = "batches"   // the states of all batches
	TopicExecutors LiveTopic = "executors" // notifies of any change of executors
	TopicPresence  LiveTopic = "presence"  // who has a schedule open in the editor
)

// The reasons for which the server disconnects a client that follows topics.
var (
	ErrStopping = errors.New("the server is stopping")
	ErrEnded    = errors.New("the session or token has ended")
)

// LiveFrame is one message to a client about a topic that it follows.
type LiveFrame struct {
	ID       int   // the client's number for the topic
	Epoch    int64 // of the server's session
	N        int64 // 1, 2, … within the topic and the epoch
	Snapshot bool  // Body is the complete state, not a change
	Refused  error // why the topic has ended; then only ID is set beside it
	// Body is an encoded LiveBody. Clients at the same version share it: it must not be changed.
	Body []byte
}

// LiveBody is the content of a frame before it is encoded. Nothing in it may be changed: rows are shared.
type LiveBody struct {
	Snapshot bool
	Batch    *BatchView // topic batch: the batch without its runs; nil if it has not changed
	Runs     []*RunView // topic batch: all runs by number in a snapshot, otherwise the changed ones
	Batches  []Batch    // topic batches; nil for other topics
	// People are all people of the topic presence, not only those that have changed; nil for other topics. MorePeople
	// counts those who are not named.
	People     []PersonHere
	MorePeople int
}
