package apitest

import (
	"context"
	"time"

	"github.com/rprp/hivego/server/hive"
)

type reports struct{ f *Fakes }

func (p reports) Batches(_ context.Context, r hive.ReportRequest) (hive.BatchReport, error) {
	if p.f.BatchReportF == nil {
		return hive.BatchReport{}, missing()
	}
	return p.f.BatchReportF(r)
}

func (p reports) Tasks(_ context.Context, r hive.ReportRequest) (hive.TaskReport, error) {
	if p.f.TaskReportF == nil {
		return hive.TaskReport{}, missing()
	}
	return p.f.TaskReportF(r)
}

func (p reports) Executors(_ context.Context, r hive.ReportRequest) (hive.ExecutorReport, error) {
	if p.f.ExecutorReportF == nil {
		return hive.ExecutorReport{}, missing()
	}
	return p.f.ExecutorReportF(r)
}

// addReports answers the calls about reports.
func addReports(f *Fakes) {
	const from, to = "2026-04-30", "2026-05-01"
	took := hive.Spread{Count: 3, Median: 90 * time.Second, P95: 2 * time.Minute}
	group := hive.ReportGroup{
		ReportCounts: hive.ReportCounts{Succeeded: 3, Failed: 1, Running: 1, Deleted: 1, Late: 1},
		Took:         took, Wait: took,
	}
	f.BatchReportF = func(hive.ReportRequest) (hive.BatchReport, error) {
		return hive.BatchReport{
			From: from, To: to, Since: to, Total: group, More: 2,
			Days: []hive.ReportDay{{Day: from}, {Day: to, ReportGroup: group}},
			Schedules: []hive.ReportSchedule{{
				Name: "warehouse", Tags: []string{"night"}, Owners: []string{"ada"}, ReportGroup: group,
				Before: time.Minute, After: 90 * time.Second,
			}},
		}, nil
	}
	task := hive.ReportTask{
		Schedule: "warehouse", Job: "load", Task: "b", Runs: 4, Retried: 1, Failed: 1, Took: took,
		WaitedFor: time.Minute, Waits: 2,
	}
	f.TaskReportF = func(hive.ReportRequest) (hive.TaskReport, error) {
		return hive.TaskReport{
			From: from, To: to, SampleSince: T0, Complete: true, Batches: 4, Runs: 8,
			Slowest: []hive.ReportTask{task}, Flakiest: []hive.ReportTask{task}, WaitedFor: []hive.ReportTask{task},
		}, nil
	}
	f.ExecutorReportF = func(hive.ReportRequest) (hive.ExecutorReport, error) {
		return hive.ExecutorReport{
			From: from, To: to, SampleSince: T0, Complete: true, Attempts: 9, Hourly: true,
			Parts: []time.Time{T0, T0.Add(time.Hour)},
			Executors: []hive.ReportExecutor{
				{Name: "embedded", Busy: time.Hour, Slots: []float64{0.75, 0.25}}, {Slots: []float64{0, 0}},
			},
		}, nil
	}
}
