package hive

import "time"

// Wait is what a waiting tick waits for, and who released it.
type Wait struct {
	Missing  []Missing // at most MaxMissing
	More     int       // how many are missing beside them
	Released Release
}

// MaxMissing is the number of missing moments that a waiting tick names.
const MaxMissing = 20

// Missing is one moment that a waiting tick needs and that has not succeeded.
type Missing struct {
	Schedule string       `json:"schedule"`
	Moment   time.Time    `json:"moment,omitzero"` // zero if no single moment is missing
	State    MissingState `json:"state"`
	Batch    int64        `json:"batch,omitempty"` // the latest of that moment; 0 if it has none
}

// MissingState is the state of what is missing.
type MissingState string

// The states of what is missing.
const (
	MissingDue      MissingState = "due"      // its tick is not decided yet
	MissingWaiting  MissingState = "waiting"  // its tick waits too
	MissingQueued   MissingState = "queued"   // its batch is queued
	MissingRunning  MissingState = "running"  // its batch runs
	MissingFailed   MissingState = "failed"   // its batch failed: until it is repaired, or a person releases the tick
	MissingCanceled MissingState = "canceled" // its batch was canceled
	MissingGone     MissingState = "gone"     // its batch is not stored any more
	MissingSuccess  MissingState = "success"  // policy any: nothing in the window has succeeded
	MissingSchedule MissingState = "schedule" // there is no schedule of this name
)

// Release is a person's decision that a tick need not wait any longer: it starts, or it is skipped. It is empty if
// nobody made it.
type Release struct {
	By     string    `json:"by"`
	Reason string    `json:"reason"`
	At     time.Time `json:"at"`
	Skip   bool      `json:"skip,omitempty"` // the tick makes no batch
}

// ReleaseRequest asks for the release of one waiting tick.
type ReleaseRequest struct {
	Schedule string
	Moment   time.Time
	By       string
	Reason   string
	Skip     bool // it makes no batch instead of starting
}

// MomentResult is what a schedule's ledger and batches say about one moment.
type MomentResult struct {
	Moment   time.Time
	Decision Decision // empty: there is no tick
	Batch    int64    // the newest of the moment; 0 if there is none
	State    BatchState
	Filled   bool // a backfill made Batch
}

// Expected reports whether the moment has a tick that was to make a batch.
func (m *MomentResult) Expected() bool {
	return m.Decision == DecisionFired || m.Decision == DecisionQueued || m.Decision == DecisionWaiting
}

// BatchLink is a batch that made another one start, or that was started by another one.
type BatchLink struct {
	ID       int64
	Schedule string
	Moment   time.Time
	State    BatchState
}
