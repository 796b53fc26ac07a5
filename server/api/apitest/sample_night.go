package apitest

import (
	"time"

	"github.com/rprp/hivego/server/hive"
)

// sampleNight returns a failed batch, and a tick that waits for it.
func sampleNight() hive.Night {
	return hive.Night{
		Now: T0, From: T0.Add(-12 * time.Hour), To: T0.Add(12 * time.Hour), Schedules: 31, More: true,
		Rows: []hive.NightRow{
			{
				Schedule: "warehouse", State: hive.NightFailed, Usual: time.Hour, Cut: true,
				Bars: []hive.NightBar{
					{
						ID: 6, Batches: 3, State: hive.BatchSucceeded, Moment: T0.Add(-2 * time.Hour),
						Begin: T0.Add(-2 * time.Hour), End: T0.Add(-time.Hour),
					},
					{
						ID: 7, Batches: 1, State: hive.BatchFailed, Moment: T0, Begin: T0, End: T0.Add(time.Minute),
						Open: true,
					},
				},
				Ticks: []hive.NightTick{{
					Moment: T0.Add(time.Hour), Ticks: 2, Begin: T0.Add(time.Hour), End: T0.Add(2 * time.Hour),
				}},
			},
			{
				Schedule: "mart", State: hive.NightRunning,
				Bars: []hive.NightBar{
					{ID: 8, Batches: 1, State: hive.BatchRunning, Moment: T0, Begin: T0, Late: true},
				},
				Ticks: []hive.NightTick{{
					Moment: T0, Ticks: 1, Waits: true, WaitsFor: []string{"warehouse"}, Late: true,
				}},
			},
		},
		Slots: hive.NightSlots{
			UsedFrom: T0.Add(-time.Hour), Used: []int{1, 2}, WantedUntil: T0.Add(time.Hour), Wanted: []int{3},
			Unknown: 1,
		},
	}
}

func sampleOpen() hive.OpenList {
	return hive.OpenList{Count: 3, Batches: []hive.OpenBatch{{
		ID: 7, Schedule: "warehouse", Kind: hive.KindScheduled, Round: 1, Moment: T0, FailedAt: T0.Add(time.Minute),
		Counts: hive.Counts{hive.RunFailed: 1, hive.RunSkipped: 5}, Job: "load", Task: "core", Error: "exit code 1",
		TakenBy: "ada", Waiting: []string{"mart"},
	}}}
}
