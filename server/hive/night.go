package hive

import "time"

// The limits of a view of the time around now.
const (
	MostNightRows = 200
	MostNightTime = 14 * 24 * time.Hour // of the window
	MostOpen      = 100                 // open batches of one answer
)

// NightRequest asks what ran, runs and will run in a window of time.
type NightRequest struct {
	From, To time.Time
	Rows     int // schedules, at most
	Parts    int // of the window, for the slots; what lies within one part is drawn as one
	// All asks for all schedules, also those that do nothing in the window, and for no slots. Find leaves out those
	// whose names do not have this text; Skip leaves out as many of the first rows.
	All  bool
	Find string
	Skip int
}

// Night is what ran, runs and will run in a window of time.
type Night struct {
	Now       time.Time
	From, To  time.Time
	Rows      []NightRow
	Schedules int  // that were found to do something in the window; with All, how many there are
	More      bool // there may be others beside these
	Slots     NightSlots
}

// NightRow is one schedule in a window of time.
type NightRow struct {
	Schedule string
	State    NightState
	Usual    time.Duration // of its batches; 0 if unknown
	Bars     []NightBar    // by their starts
	Ticks    []NightTick   // by their moments
	Cut      bool          // earlier bars were left out
}

// NamedSchedule is a schedule that is only named.
type NamedSchedule struct {
	ID   int64
	Name string
}

// NightState is why a row stands where it does.
type NightState string

// The states of rows, in their order.
const (
	NightFailed  NightState = "failed"  // a batch of the window failed, and nobody has settled it
	NightRunning NightState = "running" // a batch is live
	NightQuiet   NightState = "quiet"
)

// NightBatch is a batch as views of many batches need it.
type NightBatch struct {
	ID       int64
	Schedule int64
	State    BatchState
	Moment   time.Time
	Begin    time.Time // of the current round; zero while it is queued
	End      time.Time // zero while it is live
	Open     bool      // it failed, and nobody has settled it
	Counts   Counts    // nil while it is live
}

// NightBar is a batch in a row, or several that are too close to each other to be told apart.
type NightBar struct {
	ID      int64 // the latest
	Batches int   // 1, unless several are drawn as one
	State   BatchState
	Moment  time.Time // of the latest
	Begin   time.Time
	End     time.Time // zero while it is live
	Open    bool      // it failed, and nobody has settled it
	Late    bool      // it is live, and takes much longer than usual
}

// NightTick is a coming batch in a row, or several that are too close to each other to be told apart.
type NightTick struct {
	Moment   time.Time // of the first
	Ticks    int       // 1, unless several are drawn as one
	Begin    time.Time // zero if it is not known when it starts
	End      time.Time // zero if it is not known how long it takes
	Waits    bool      // for other schedules
	WaitsFor []string  // the schedules whose batches are missing
	// Late: what it waits for has failed or waits itself, so that it will not start at its moment; or it will wait for
	// too long to start at all.
	Late bool
}

// NightSlots is how many slots of executors were in use, and will be wanted.
type NightSlots struct {
	UsedFrom    time.Time // earlier parts are not known
	Used        []int     // by part of the time from UsedFrom to now: the most at one time
	WantedUntil time.Time // later parts are not known
	Wanted      []int     // by part of the time from now to WantedUntil: the most at one time
	Unknown     int       // coming batches whose schedules have never succeeded; they are not counted
}

// OpenBatch is a failed batch that nobody has settled.
type OpenBatch struct {
	ID       int64
	Schedule string

	ScheduleID int64

	Round    int
	Moment   time.Time
	FailedAt time.Time
	Counts   Counts
	Kind     BatchKind

	Task   string // the task that failed first; empty if none did
	Job    string
	Error  string // of that task
	Reason *TextReason

	TakenBy string   // who is on it; empty for nobody
	Waiting []string // schedules with a tick that waits for this batch
}

// OpenList is a page of open batches.
type OpenList struct {
	Batches []OpenBatch // newest first
	Count   int         // of all of them
}
