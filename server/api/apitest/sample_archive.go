package apitest

import (
	"time"

	"github.com/rprp/hivego/server/hive"
)

// addArchive answers the calls that end schedules.
func addArchive(f *Fakes) {
	f.DeleteScheduleF = func(name, by string) (hive.Deletion, error) {
		return hive.Deletion{ID: 1, Schedule: name, By: by, BegunAt: T0, Total: 3}, nil
	}
	f.DeletionsF = func(int) ([]hive.Deletion, error) {
		return []hive.Deletion{{
			ID: 1, Schedule: "old", By: "ada", BegunAt: T0, FinishedAt: T0.Add(time.Minute), Total: 3,
			Deleted: hive.DeletionCounts{Batches: 3, Runs: 6, Attempts: 7, Ticks: 3, Revisions: 2},
		}}, nil
	}
	f.SetArchivedF = func(r hive.ArchiveRequest) (hive.Schedule, error) {
		return hive.Schedule{Name: r.Schedule, ArchivedAt: T0, ArchivedBy: r.By}, nil
	}
}
