package hive

import "time"

// The limits of a report.
const (
	MostReportDays      = 400
	MostReportBatches   = 200_000 // of one report; older ones are left out
	MostReportRuns      = 100_000 // from which a report of tasks is computed
	MostReportAttempts  = 100_000 // from which a report of executors is computed
	MostReportSchedules = 500     // rows
	MostReportTasks     = 50      // rows of each list
	MostReportExecutors = 20      // rows; the others are added up
)

// ReportRequest selects what a report is about. Empty fields select everything.
type ReportRequest struct {
	From, To string // days such as 2026-11-27 in Zone, both included; empty: the 30 days up to today
	Zone     string // IANA name; UTC when empty
	Schedule string
	Tag      string
	Owner    string
	BatchSelection
}

// BatchSelection selects batches by what they tell themselves. Its zero value selects all.
type BatchSelection struct {
	Executor string   // name of an executor that had one of their attempts
	By       *Starter // what made them
	Params   []ParamFilter
}

// All reports whether it selects all batches.
func (s *BatchSelection) All() bool { return s.Executor == "" && s.By == nil && len(s.Params) == 0 }

// ReportFilter selects the batches of a report.
type ReportFilter struct {
	From, To  time.Time // when they were made; To is excluded
	Schedules []int64   // nil: all
	Hooks     bool      // with the batches of hooks
	Most      int
	BatchSelection
}

// ReportBatch is what a report reads of a batch. Times are UTC milliseconds.
type ReportBatch struct {
	ID, ScheduleID, RevisionID int64 // ScheduleID is 0 for adhoc
	State                      BatchState
	Kind                       BatchKind
	Round                      int
	CreatedAt                  int64
	Moment                     int64
	StartedAt                  int64 // 0: not yet
	FinishedAt                 int64 // 0: not yet
	Took                       int64 // milliseconds of the last round, without pauses; 0 unless it has ended
}

// ReportRuns has the runs of a batch in no order; each list has one entry for each run.
type ReportRuns struct {
	Tasks string // as `job/task`, separated by commas; batches of a revision may share it
	// Cells has s for success, r for success after a failure or a loss or in a later round, f for failure, and - for
	// all others.
	Cells     string
	StartedAt []int64 // UTC milliseconds; 0: not yet
	EndedAt   []int64
}

// ReportAttempts has the started attempts of a batch in no order; each list has one entry for each attempt.
type ReportAttempts struct {
	Executors []string
	StartedAt []int64 // UTC milliseconds
	EndedAt   []int64 // 0: not yet
}

// ReportDeleted counts batches that retention has deleted.
type ReportDeleted struct {
	ScheduleID int64 // 0: adhoc
	Day        int64 // of their end in UTC, counted from 1970
	State      BatchState
	Batches    int
}

// ReportLabels is the newest revision of a schedule, for its tags and owners.
type ReportLabels struct {
	ScheduleID, RevisionID int64
	Name                   string
	Document               string
}

// ReportCounts counts batches.
type ReportCounts struct {
	Queued, Running, Succeeded, Failed, Canceled int
	Deleted                                      int // of these, those that retention has deleted
	Late                                         int // an alert has called them late
}

// All is the number of batches.
func (c *ReportCounts) All() int { return c.Queued + c.Running + c.Succeeded + c.Failed + c.Canceled }

// Add counts n batches of a state.
func (c *ReportCounts) Add(state BatchState, n int) {
	switch state {
	case BatchQueued:
		c.Queued += n
	case BatchRunning:
		c.Running += n
	case BatchSucceeded:
		c.Succeeded += n
	case BatchFailed:
		c.Failed += n
	case BatchCanceled:
		c.Canceled += n
	}
}

// Spread is what is usual among some durations.
type Spread struct {
	Count       int // of durations; the others are 0 if it is 0
	Median, P95 time.Duration
}

// ReportGroup is a row of a report of batches.
type ReportGroup struct {
	ReportCounts
	Took Spread // of those that succeeded; backfills do not count
	Wait Spread // from the moment to the start, of those that a trigger made
}

// ReportDay has the batches that were made on a day.
type ReportDay struct {
	Day string // such as 2026-11-27
	ReportGroup
}

// ReportSchedule has the batches of a schedule.
type ReportSchedule struct {
	Name         string // empty: adhoc
	Tags, Owners []string
	ReportGroup
	// Before and After are the medians of Took in the older and the newer half of the time; 0: none.
	Before, After time.Duration
}

// BatchReport tells how batches went.
type BatchReport struct {
	From, To  string // days
	Since     string // older days are not counted, because there are too many batches; empty: all are
	Total     ReportGroup
	Days      []ReportDay      // all days, oldest first
	Schedules []ReportSchedule // those with most failures first, then those with most batches
	More      int              // schedules that are left out
}

// ReportTask has the runs of a task.
type ReportTask struct {
	Schedule, Job, Task string
	Runs                int // that have succeeded or failed
	Retried             int // succeeded after a failure or a loss, or in a later round
	Failed              int
	Took                Spread        // of those that succeeded
	WaitedFor           time.Duration // how long others waited only for it while it ran, added up
	Waits               int           // how many did
}

// TaskReport tells which tasks are slow, fail sometimes, or are waited for. It is computed from the newest batches.
type TaskReport struct {
	From, To      string
	SampleSince   time.Time // when the oldest batch was made that is part of it
	Complete      bool      // it has all batches
	Batches, Runs int
	Slowest       []ReportTask // by their median
	Flakiest      []ReportTask // by the share of retried runs
	WaitedFor     []ReportTask
}

// ReportExecutor tells how much of its slots an executor used.
type ReportExecutor struct {
	Name string // empty: all others
	Busy time.Duration
	// Slots is how many of its slots were used on average, for each part of the time.
	Slots []float64
}

// ExecutorReport tells how slots were used. It is computed from the newest batches.
type ExecutorReport struct {
	From, To    string
	SampleSince time.Time
	Complete    bool
	Attempts    int
	Hourly      bool        // the parts are hours, else days
	Parts       []time.Time // the beginning of each, oldest first
	Executors   []ReportExecutor
}
