package hive

// GridCell is the state of a task run in the grid of a schedule's runs: one ASCII letter.
type GridCell byte

// The cells of a grid. openapi.yaml lists them too.
const (
	CellNone      GridCell = '.' // the batch has no such task
	CellSucceeded GridCell = 's'
	CellRetried   GridCell = 'r' // succeeded, after a failure or a loss, or in a later round of its batch
	CellMarked    GridCell = 'm' // a person marked it as succeeded
	CellFailed    GridCell = 'f'
	CellCanceled  GridCell = 'c'
	CellSkipped   GridCell = 'k'
	CellFalse     GridCell = 'n' // ignored: its condition was false
	CellIgnored   GridCell = 'i' // ignored for another reason
	CellWaiting   GridCell = 'w'
	CellReady     GridCell = 'y'
	CellRunning   GridCell = 'u'
	CellUnknown   GridCell = 'x'
)

// RunColumn has the runs of one batch, by number.
type RunColumn struct {
	// Tasks has the tasks as `job/task`, separated by commas. Most batches of a schedule have the same text.
	Tasks string
	Cells string // one GridCell for each run
	// Took has how long each run took in its latest attempt, in milliseconds; 0 if it has not ended.
	Took []int64
}

// GridRow has the runs of one task in all batches of a grid.
type GridRow struct {
	Job, Task string
	Cells     []byte  // one GridCell for each batch
	Took      []int64 // as in RunColumn
}

// RunGrid shows many batches of a schedule: a column for each batch, and a row for each task.
type RunGrid struct {
	Batches []Batch // newest first
	// Rows has the tasks in the order of the newest batch. Tasks that it lacks follow those of their job.
	Rows []GridRow
	// Cut reports that batches were left out, because the grid would have more than MostGridCells cells.
	Cut bool
}

// The limits of a grid.
const (
	MostGridBatches = 366
	MostGridCells   = 500_000
)
