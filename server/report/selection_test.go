package report_test

import (
	"testing"

	"github.com/rprp/hivego/server/hive"
)

func TestSelection(t *testing.T) {
	t.Parallel()
	s := &store{documents: []hive.ReportLabels{
		{ScheduleID: 1, RevisionID: 1, Name: "night", Document: "dwh"},
		{ScheduleID: 2, RevisionID: 2, Name: "mart", Document: "dwh"},
		{ScheduleID: 3, RevisionID: 3, Name: "other", Document: "web"},
	}}
	for _, tc := range []struct {
		request hive.ReportRequest
		want    []int64
	}{
		{hive.ReportRequest{}, nil},
		{hive.ReportRequest{Schedule: "night"}, []int64{1}},
		{hive.ReportRequest{Tag: "dwh"}, []int64{1, 2}},
		{hive.ReportRequest{Owner: "owner of dwh", Schedule: "night"}, []int64{1}},
		{hive.ReportRequest{Tag: "dwh", Owner: "owner of web"}, []int64{}},
		{hive.ReportRequest{Tag: "none"}, []int64{}},
		{hive.ReportRequest{Tag: "a\x00b"}, []int64{}},
	} {
		if _, err := s.service().Batches(t.Context(), tc.request); err != nil {
			t.Fatal(err)
		}
		same(t, "schedules", s.filter.Schedules, tc.want)
	}
}

// TestBatchSelection: a report by executor, starter or parameters is about such batches, without deleted ones, whose
// executors and parameters nobody knows.
func TestBatchSelection(t *testing.T) {
	t.Parallel()
	noon := at("2026-11-26 12:00:00")
	s := &store{
		batches: []hive.ReportBatch{{ID: 1, State: hive.BatchSucceeded, CreatedAt: noon}},
		byDay:   []hive.ReportDeleted{{Day: noon / 86_400_000, State: hive.BatchFailed, Batches: 3}},
		gone:    []hive.ReportDeleted{{State: hive.BatchFailed, Batches: 3}},
	}
	by := hive.ParseStarter("ada")
	for name, tc := range map[string]struct {
		chosen hive.BatchSelection
		want   int
	}{
		"all":      {hive.BatchSelection{}, 4},
		"executor": {hive.BatchSelection{Executor: "alpha"}, 1},
		"starter":  {hive.BatchSelection{By: &by}, 1},
		"params":   {hive.BatchSelection{Params: []hive.ParamFilter{{Name: "region", Value: "east"}}}, 1},
	} {
		r := hive.ReportRequest{From: "2026-11-25", BatchSelection: tc.chosen}
		got, err := s.service().Batches(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		same(t, name, got.Total.All(), tc.want)
		same(t, name+": batches", s.filter.BatchSelection, tc.chosen)
		if _, err = s.service().Executors(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		same(t, name+": attempts", s.executor, tc.chosen.Executor)
		same(t, name+": batches of executors", s.filter.BatchSelection, tc.chosen)
	}
}
