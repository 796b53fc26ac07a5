package report_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/report"
)

const shanghai = "Asia/Shanghai"

// now is 2026-11-27 01:00 in Shanghai.
func now() time.Time { return time.Date(2026, 11, 26, 17, 0, 0, 0, time.UTC) }

// store is a database in memory.
type store struct {
	batches   []hive.ReportBatch // newest first
	runs      map[int64]hive.ReportRuns
	attempts  map[int64]hive.ReportAttempts
	byDay     []hive.ReportDeleted
	gone      []hive.ReportDeleted
	documents []hive.ReportLabels
	late      map[int64]bool
	more      bool
	filter    hive.ReportFilter
	asked     []int  // batches of each read of runs
	executor  string // of the last read of attempts
}

func (s *store) ReportBatches(_ context.Context, f hive.ReportFilter, each func(*hive.ReportBatch)) (bool, error) {
	s.filter = f
	for i := range s.batches {
		each(&s.batches[i])
	}
	return s.more, nil
}

func (s *store) ReportRuns(_ context.Context, ids []int64) (map[int64]hive.ReportRuns, error) {
	s.asked = append(s.asked, len(ids))
	return s.runs, nil
}

func (s *store) ReportAttempts(_ context.Context, _ []int64, executor string) (map[int64]hive.ReportAttempts, error) {
	s.executor = executor
	return s.attempts, nil
}

func (s *store) ReportDeleted(context.Context, []int64, int64, int64) (byDay, gone []hive.ReportDeleted, err error) {
	return s.byDay, s.gone, nil
}

func (s *store) LateBatches(context.Context, int64) (map[int64]bool, error) { return s.late, nil }

func (s *store) ReportLabels(_ context.Context, word string, _ []int64) ([]hive.ReportLabels, error) {
	if strings.ContainsRune(word, 0) {
		return nil, errors.New("PostgreSQL and SQLite take no NUL")
	}
	return s.documents, nil
}

func (s *store) Schedule(_ context.Context, name string) (hive.Schedule, error) {
	if name != "night" {
		return hive.Schedule{}, hive.Errorf(hive.CodeNotFound, "there is no schedule %s", name)
	}
	return hive.Schedule{ID: 1, Name: name}, nil
}

func (s *store) Revision(_ context.Context, id int64) (hive.Revision, error) {
	return hive.Revision{ID: id}, nil
}

func (s *store) service() *report.Service {
	return report.New(report.Config{
		Store: s, Schedules: s, Now: now,
		Parse: func(text string) (*hive.Definition, error) {
			if text == "broken" {
				return nil, errors.New("it cannot be read")
			}
			return &hive.Definition{Tags: []string{text}, Owners: []string{"owner of " + text}}, nil
		},
		Compile: func(*hive.Revision) (*graph.Graph, error) {
			task := func(key string, needs ...string) hive.Task {
				return hive.Task{Key: key, Handler: "h", Needs: needs}
			}
			return graph.Compile(&hive.Definition{
				APIVersion: hive.APIVersion, Kind: hive.KindSchedule, Name: "night",
				Jobs: []hive.Job{
					{Key: "a", Tasks: []hive.Task{task("one"), task("two")}},
					{Key: "b", Tasks: []hive.Task{task("three"), task("four", "one")}},
				},
			})
		},
	})
}

func at(text string) int64 {
	t, err := time.ParseInLocation("2006-01-02 15:04:05", text, time.FixedZone("", 8*3600))
	if err != nil {
		panic(err)
	}
	return t.UnixMilli()
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\n got %+v\nwant %+v", what, got, want)
	}
}

func TestBatches(t *testing.T) {
	t.Parallel()
	batch := func(id, schedule int64, made string, state hive.BatchState, took int64) hive.ReportBatch {
		b := hive.ReportBatch{
			ID: id, ScheduleID: schedule, State: state, Kind: hive.KindScheduled, Round: 1, CreatedAt: at(made),
			Moment: at(made), StartedAt: at(made) + 500, Took: took,
		}
		return b
	}
	s := &store{
		batches: []hive.ReportBatch{
			batch(6, 1, "2026-11-27 00:30:00", hive.BatchRunning, 0),
			batch(5, 1, "2026-11-26 23:59:59", hive.BatchSucceeded, 4000),
			batch(4, 2, "2026-11-26 00:00:00", hive.BatchFailed, 9000),
			batch(3, 1, "2026-11-25 12:00:00", hive.BatchSucceeded, 2000),
			batch(2, 1, "2026-11-25 00:00:00", hive.BatchSucceeded, 1000),
		},
		late: map[int64]bool{4: true},
		byDay: []hive.ReportDeleted{{
			Day: at("2026-11-25 12:00:00") / 86_400_000, State: hive.BatchCanceled, Batches: 3,
		}},
		gone: []hive.ReportDeleted{{ScheduleID: 2, State: hive.BatchCanceled, Batches: 3}},
		documents: []hive.ReportLabels{
			{ScheduleID: 1, RevisionID: 1, Name: "night", Document: "dwh"},
			{ScheduleID: 2, RevisionID: 2, Name: "mart", Document: "broken"},
		},
	}
	s.batches[3].Kind = hive.KindBackfill // its duration and its delay do not count
	got, err := s.service().Batches(t.Context(), hive.ReportRequest{From: "2026-11-25", Zone: shanghai})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "filter", []int64{s.filter.From.UnixMilli(), s.filter.To.UnixMilli()},
		[]int64{at("2026-11-25 00:00:00"), at("2026-11-28 00:00:00")})
	wait := func(n int) hive.Spread {
		return hive.Spread{Count: n, Median: 500 * time.Millisecond, P95: 500 * time.Millisecond}
	}
	took := func(ms int) hive.Spread {
		d := time.Duration(ms) * time.Millisecond
		return hive.Spread{Count: 1, Median: d, P95: d}
	}
	same(t, "days", got.Days, []hive.ReportDay{
		{Day: "2026-11-25", ReportGroup: hive.ReportGroup{
			ReportCounts: hive.ReportCounts{Succeeded: 2, Canceled: 3, Deleted: 3}, Took: took(1000), Wait: wait(1),
		}},
		{Day: "2026-11-26", ReportGroup: hive.ReportGroup{
			ReportCounts: hive.ReportCounts{Succeeded: 1, Failed: 1, Late: 1}, Took: took(4000), Wait: wait(2),
		}},
		{Day: "2026-11-27", ReportGroup: hive.ReportGroup{
			ReportCounts: hive.ReportCounts{Running: 1}, Wait: wait(1),
		}},
	})
	same(t, "all", got.Total.All(), 8)
	same(t, "schedules", len(got.Schedules), 2)
	same(t, "that with failures first", got.Schedules[0].Name, "mart")
	same(t, "a document that cannot be read", len(got.Schedules[0].Tags), 0)
	night := got.Schedules[1]
	same(t, "labels", []any{night.Tags, night.Owners}, []any{[]string{"dwh"}, []string{"owner of dwh"}})
	same(t, "trend", []time.Duration{night.Before, night.After}, []time.Duration{time.Second, 4 * time.Second})
	s.more = true
	got, err = s.service().Batches(t.Context(), hive.ReportRequest{From: "2026-11-20", Zone: shanghai})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "too many", got.Since, "2026-11-25")
}

// In Chile, 2026-09-06 begins at 01:00, because daylight saving skips midnight; in Cuba, 2026-11-01 has two midnights.
func TestDaysWithoutMidnight(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		zone, from, to string
		starts         time.Time // of the second of the three days
	}{
		{"America/Santiago", "2026-09-05", "2026-09-07", time.Date(2026, 9, 6, 4, 0, 0, 0, time.UTC)},
		{"America/Santiago", "2026-09-06", "2026-09-07", time.Date(2026, 9, 7, 3, 0, 0, 0, time.UTC)},
		{"America/Havana", "2026-10-31", "2026-11-02", time.Date(2026, 11, 1, 4, 0, 0, 0, time.UTC)},
	} {
		made := func(at time.Time) hive.ReportBatch {
			return hive.ReportBatch{ID: at.UnixMilli(), State: hive.BatchFailed, CreatedAt: at.UnixMilli()}
		}
		s := &store{batches: []hive.ReportBatch{made(c.starts), made(c.starts.Add(-time.Millisecond))}}
		got, err := s.service().Batches(t.Context(), hive.ReportRequest{From: c.from, To: c.to, Zone: c.zone})
		if err != nil {
			t.Fatal(err)
		}
		same(t, c.zone+" from and to", []string{got.From, got.To}, []string{c.from, c.to})
		var days []string
		for _, d := range got.Days {
			days = append(days, fmt.Sprint(d.Day, ":", d.Failed))
		}
		first, err := time.Parse(time.DateOnly, c.from)
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for i, n := range []int{1, 1, 0} {
			if day := first.AddDate(0, 0, i).Format(time.DateOnly); day <= c.to {
				want = append(want, fmt.Sprint(day, ":", n))
			}
		}
		same(t, c.zone+" days", days, want)
		hours, err := s.service().Executors(t.Context(), hive.ReportRequest{From: c.from, To: c.to, Zone: c.zone})
		if err != nil {
			t.Fatal(err)
		}
		same(t, c.zone+" begins with its first hour", hours.Parts[0], s.filter.From.UTC())
	}
}

// One read covers few large batches, so that their runs fit into memory, or many small ones.
func TestSampleIsBounded(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tasks int
		asked []int
	}{
		{8_000, []int{20}},
		{1_000, []int{20, 40, 40}},
		{1, []int{20, 40, 80, 160, 320, 640, 740}},
	} {
		s := &store{runs: map[int64]hive.ReportRuns{}}
		runs := hive.ReportRuns{
			Tasks: strings.Repeat("a/t,", c.tasks-1) + "a/t", Cells: strings.Repeat("s", c.tasks),
			StartedAt: make([]int64, c.tasks), EndedAt: make([]int64, c.tasks),
		}
		for id := int64(1); id <= 2_000; id++ {
			s.batches = append(s.batches, hive.ReportBatch{ID: id, ScheduleID: 1})
			s.runs[id] = runs
		}
		if _, err := s.service().Tasks(t.Context(), hive.ReportRequest{}); err != nil {
			t.Fatal(err)
		}
		same(t, fmt.Sprint("reads of ", c.tasks, " tasks"), s.asked, c.asked)
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	s := &store{}
	for reason, r := range map[hive.ErrorReason]hive.ReportRequest{
		hive.ErrorReportDay:    {From: "yesterday"},
		hive.ErrorReportOrder:  {From: "2026-11-02", To: "2026-11-01"},
		hive.ErrorReportLong:   {From: "2025-01-01", To: "2026-11-01"},
		hive.ErrorForecastZone: {Zone: "Mars/Olympus"},
		"":                     {Schedule: "none"},
	} {
		_, err := s.service().Tasks(t.Context(), r)
		he, ok := errors.AsType[*hive.Error](err)
		if !ok || he.Reason != reason || he.Words == "" {
			t.Errorf("%+v: %v", r, err)
		}
	}
}

func TestTasks(t *testing.T) {
	t.Parallel()
	begin := at("2026-11-26 10:00:00")
	seconds := func(list ...int64) []int64 {
		for i := range list {
			list[i] = begin + 1000*list[i]
		}
		return list
	}
	s := &store{
		batches: []hive.ReportBatch{
			{ID: 2, ScheduleID: 1, RevisionID: 1, Round: 1, CreatedAt: begin, FinishedAt: begin + 60_000},
			{ID: 1, CreatedAt: begin}, // adhoc
		},
		// one takes 10 s, two takes 4 s: three waits 6 s for one alone, and four 10 s.
		runs: map[int64]hive.ReportRuns{
			2: {
				Tasks: "a/one,a/two,b/three,b/four", Cells: "srf-", StartedAt: seconds(0, 0, 10, 10),
				EndedAt: seconds(10, 4, 12, 11),
			},
			1: {Tasks: "a/one", Cells: "s", StartedAt: seconds(0), EndedAt: seconds(9)},
		},
		documents: []hive.ReportLabels{{ScheduleID: 1, RevisionID: 1, Name: "night", Document: "dwh"}},
	}
	got, err := s.service().Tasks(t.Context(), hive.ReportRequest{})
	if err != nil {
		t.Fatal(err)
	}
	spread := func(d time.Duration) hive.Spread { return hive.Spread{Count: 1, Median: d, P95: d} }
	one := hive.ReportTask{
		Schedule: "night", Job: "a", Task: "one", Runs: 1, Took: spread(10 * time.Second), WaitedFor: 16 * time.Second,
		Waits: 2,
	}
	two := hive.ReportTask{
		Schedule: "night", Job: "a", Task: "two", Runs: 1, Retried: 1, Took: spread(4 * time.Second),
	}
	same(t, "slowest", got.Slowest, []hive.ReportTask{one, two})
	same(t, "flakiest", got.Flakiest, []hive.ReportTask{two})
	same(t, "waited for", got.WaitedFor, []hive.ReportTask{one})
	same(t, "sample", []any{got.Complete, got.Batches, got.Runs}, []any{true, 2, 4})
}

func TestExecutors(t *testing.T) {
	t.Parallel()
	s := &store{
		batches: []hive.ReportBatch{{ID: 1, CreatedAt: at("2026-11-26 23:00:00")}},
		attempts: map[int64]hive.ReportAttempts{1: {
			Executors: []string{"alpha", "alpha", "beta"},
			StartedAt: []int64{at("2026-11-26 22:30:00"), at("2026-11-26 23:00:00"), at("2026-11-27 00:30:00")},
			EndedAt:   []int64{at("2026-11-26 23:30:00"), at("2026-11-26 23:15:00"), 0},
		}},
	}
	got, err := s.service().Executors(t.Context(), hive.ReportRequest{From: "2026-11-26", Zone: shanghai})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "parts", []any{got.Hourly, len(got.Parts), got.Attempts}, []any{true, 48, 3})
	alpha, beta := got.Executors[0], got.Executors[1]
	same(t, "alpha", []any{alpha.Name, alpha.Busy, alpha.Slots[22], alpha.Slots[23]},
		[]any{"alpha", 75 * time.Minute, 0.5, 0.75})
	same(t, "beta still works", []any{beta.Name, beta.Busy, beta.Slots[24]}, []any{"beta", 30 * time.Minute, 0.5})
	got, err = s.service().Executors(t.Context(), hive.ReportRequest{From: "2026-10-26", Zone: shanghai})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "by day", []any{got.Hourly, len(got.Parts)}, []any{false, 33})
	same(t, "hooks too", s.filter.Hooks, true)
}
