package hive

import "time"

// PruneQuiet is how long a batch stays after its end, whatever the limits are: its logs may still arrive.
const PruneQuiet = time.Hour

// PruneSchedule is what retention must know of a schedule.
type PruneSchedule struct {
	ID        int64
	Name      string
	Former    []string // the names that it had before
	Revision  int64    // number of the newest one
	CreatedAt time.Time
	Mark      time.Time
	Active    bool      // neither disabled nor archived
	Waiting   time.Time // moment of the oldest waiting tick; zero if there is none
	MayLimit  bool      // its newest revision may have limits of its own
}

// PruneRule determines which batches of one schedule may go. Those that nothing may delete are left out always.
type PruneRule struct {
	ScheduleID  int64     // 0: adhoc batches
	EndedBefore time.Time // those that ended before it go; zero: none
	Below       int64     // those with a smaller id go; 0: none
	Floor       time.Time // those with a moment after it stay
	Now         time.Time
}

// PruneCursor is the place in the list of the batches of a PruneRule after which the next part begins.
type PruneCursor struct {
	EndedAt time.Time
	ID      int64
}

// PruneCounts is what was deleted, or would be.
type PruneCounts struct {
	Batches  int
	Runs     int
	Attempts int
	Ticks    int
	Drafts   int
	LogBytes int64 // of the logs of the attempts, as their executors told them
}

// Add adds other counts.
func (c *PruneCounts) Add(o PruneCounts) {
	c.Batches += o.Batches
	c.Runs += o.Runs
	c.Attempts += o.Attempts
	c.Ticks += o.Ticks
	c.Drafts += o.Drafts
	c.LogBytes += o.LogBytes
}

// EndedBatch is an ended batch in the order of ends.
type EndedBatch struct {
	ID      int64
	EndedAt time.Time
}

// PruneRequest asks for one part of the work of retention.
type PruneRequest struct {
	Schedule string // empty: all
	Days     int    // instead of all limits; 0: the limits
	DryRun   bool
	By       string
	// Orphans asks for the logs without an attempt instead, from a place that the last report gave; empty: the
	// beginning.
	Orphans bool
	From    string
}

// PruneReport is what a part deleted, or what a dry run counted.
type PruneReport struct {
	PruneCounts

	More bool // there is more to delete: ask again
	// OrphanLogs are logs without an attempt, of OrphanBytes. Next is where the next part begins; empty: this is the
	// end.
	OrphanLogs  int
	OrphanBytes int64
	Next        string
}

// StoredLog is a log in the folder of a server, or in the store of logs.
type StoredLog struct {
	Attempt AttemptRef
	Size    int64
	At      time.Time // of its last change
}

// DiskUse is the size of what is stored on one day.
type DiskUse struct {
	Day      time.Time // its begin in UTC
	Server   string    // whose logs
	At       time.Time
	Database int64 // bytes
	Logs     int64 // bytes in the server's folder
}

// DatabaseSize is the size of the database in bytes.
type DatabaseSize struct {
	Total int64
	Free  int64 // of Total: what it will use before it grows; 0 if that is not known
}

// DiskReport is what is known of the disk of a server.
type DiskReport struct {
	Database    DatabaseSize
	HasDatabase bool  // the database is on the file system of the data folder
	Free, Total int64 // bytes of the file system
	Logs        int64 // bytes of the logs at MeasuredAt
	MeasuredAt  time.Time
	// GrowthPerDay is how much database and logs together grew in the last days. It is not known if Over is 0.
	GrowthPerDay int64
	Over         time.Duration
	DaysLeft     int // until Free is used at that pace; -1 if it is not known or if nothing grows
}

// Grow computes logs and growth from the sizes that a server noted, oldest first. Over less than shortest the growth is
// not known.
func (r *DiskReport) Grow(list []DiskUse, server string, shortest time.Duration) {
	r.DaysLeft = -1
	var first, last DiskUse
	for _, u := range list {
		if u.Server != server {
			continue
		}
		if first.At.IsZero() {
			first = u
		}
		last = u
	}
	r.Logs, r.MeasuredAt = last.Logs, last.At
	over := last.At.Sub(first.At)
	if over < shortest {
		return
	}
	grown := last.Logs - first.Logs
	if r.HasDatabase {
		grown += last.Database - first.Database
	}
	const day = 24 * time.Hour
	r.Over = over
	r.GrowthPerDay = int64(float64(grown) * float64(day) / float64(over))
	if r.GrowthPerDay > 0 {
		r.DaysLeft = int(r.Free / r.GrowthPerDay)
	}
}
