package apitest

import (
	"time"

	"github.com/rprp/hivego/server/hive"
)

// addArchive answers the calls that end or rename schedules.
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
	f.RenameF = func(r hive.RenameRequest) (hive.Renamed, error) {
		h := hive.Schedule{Name: r.To, Revision: 3}
		return hive.Renamed{
			Schedule: h, Former: r.Schedule, Changed: true,
			Saved: []hive.Saved{{Schedule: h, Revision: hive.Revision{Number: 3, Hash: "ab"}, Changed: true}},
		}, nil
	}
	f.ReleaseNameF = func(string) error { return nil }
}
