package apitest

import (
	"time"

	"github.com/rprp/hivego/server/hive"
)

// withBackfills adds the answers of the calls about backfills.
func (f *Fakes) withBackfills() *Fakes {
	fill := SampleBackfill()
	f.PreviewFillF = func(hive.BackfillRequest) (hive.BackfillPreview, error) {
		return hive.BackfillPreview{
			Schedule: "warehouse", Revision: 3, First: fill.First, Last: fill.Last, Moments: 90, Existing: 10, Kept: 4,
			Usual: 10 * time.Minute, Expected: 290 * time.Minute,
			Schedules: []hive.BackfillPreviewSchedule{{
				BackfillSchedule: hive.BackfillSchedule{
					ScheduleID: 1, Schedule: "warehouse", RevisionID: 3, Revision: 3, First: fill.First,
					Last: fill.Last,
				},
				Moments: 90, Existing: 10, Kept: 4, Usual: 10 * time.Minute,
			}},
			LeftOut: []hive.BackfillLeftOut{{Schedule: "mail", Reason: hive.LeftOutDisabled}},
		}, nil
	}
	f.CreateFillF = func(hive.BackfillRequest) (hive.Backfill, error) { return fill, nil }
	f.BackfillsF = func(hive.BackfillFilter) ([]hive.Backfill, error) { return []hive.Backfill{fill}, nil }
	f.BackfillF = func(int64) (hive.Backfill, error) { return fill, nil }
	f.FillWishF = func(int64, hive.Wish, string) (hive.Backfill, error) { return fill, nil }
	return f
}

// SampleBackfill returns a backfill that a failed batch has stopped.
func SampleBackfill() hive.Backfill {
	return hive.Backfill{
		ID: 4, ScheduleID: 1, Schedule: "warehouse", RevisionID: 3, Revision: 3, State: hive.BackfillStopped,
		First: T0.AddDate(0, 0, -90), Last: T0.AddDate(0, 0, -1), Order: hive.OrderDescending, Parallel: 3,
		Existing: hive.ExistingKeep, OnFailure: hive.OnFailureStop, Params: map[string]any{"region": "east"},
		Note: "for the audit", CreatedAt: T0, CreatedBy: "ada", ChangedAt: T0, ChangedBy: "bob", StoppedBy: 7,
		Counts: hive.BackfillCounts{Waiting: 70, Running: 1, Succeeded: 12, Failed: 1, Canceled: 2, Kept: 4},
		Schedules: []hive.BackfillSchedule{{
			ScheduleID: 1, Schedule: "warehouse", RevisionID: 3, Revision: 3, First: T0.AddDate(0, 0, -90),
			Last:   T0.AddDate(0, 0, -1),
			Counts: hive.BackfillCounts{Waiting: 70, Running: 1, Succeeded: 12, Failed: 1, Canceled: 2, Kept: 4},
		}},
	}
}

// SampleWideBackfill returns a backfill with a dependant. It skips one moment.
func SampleWideBackfill() hive.Backfill {
	b := SampleBackfill()
	b.State, b.OnFailure, b.StoppedBy, b.WithDependants = hive.BackfillRunning, hive.OnFailureContinue, 0, true
	mart := hive.BackfillCounts{Waiting: 2, Running: 1, Skipped: 1}
	b.Schedules = append(b.Schedules, hive.BackfillSchedule{
		ScheduleID: 2, Schedule: "mart", RevisionID: 8, Revision: 5, First: T0.AddDate(0, 0, -90),
		Last: T0.AddDate(0, 0, -87), Counts: mart,
	})
	b.Counts.Waiting, b.Counts.Running, b.Counts.Skipped = 72, 2, 1
	b.Skipped = []hive.BackfillSkip{{
		Schedule: "mart", Moment: T0.AddDate(0, 0, -88), Upstream: "warehouse", UpstreamMoment: T0.AddDate(0, 0, -88),
		Batch: 7,
	}}
	return b
}
