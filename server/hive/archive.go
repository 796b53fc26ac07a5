package hive

import "time"

// ArchiveRequest archives or unarchives a schedule.
type ArchiveRequest struct {
	Schedule  string
	Archived  bool
	Confirmed bool // archive it although others wait for it
	By        string
}

// Deletion is the deletion of a schedule with all that belongs to it. Its row stays.
type Deletion struct {
	ID         int64
	ScheduleID int64
	Schedule   string // name
	By         string
	BegunAt    time.Time
	FinishedAt time.Time // zero while rows are left
	Total      int       // batches at the beginning
	Deleted    DeletionCounts
}

// DeletionCounts is what a deletion has deleted so far.
type DeletionCounts struct{ Batches, Runs, Attempts, Ticks, Revisions int }
