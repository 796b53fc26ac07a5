package dbtest_test

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"github.com/rprp/hivego/db"
	"github.com/rprp/hivego/db/dbtest"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/report"
)

func (x *fixture) reported(f hive.ReportFilter) (ids []int64, more bool) {
	x.Helper()
	more, err := x.ReportBatches(x.Context(), f, func(b *hive.ReportBatch) { ids = append(ids, b.ID) })
	x.ok(err)
	return ids, more
}

func TestReportBatches(t *testing.T) {
	each(t, func(x *fixture) {
		ids := x.old(hive.BatchSucceeded, hive.BatchFailed, hive.BatchRunning)
		other, _ := x.save("other", "document 2", t0)
		second := x.newBatch(0)
		second.Batch.ScheduleID, second.Batch.CreatedAt = other.ID, after(aDay) // at the same time as the failed one
		same1 := must(x.CreateBatch(x.Context(), x.me, second))(x).ID
		all := hive.ReportFilter{From: t0, To: after(3 * aDay), Most: 10}
		got, more := x.reported(all)
		same(x, "newest first", got, []int64{ids[2], same1, ids[1], ids[0]})
		same(x, "more", more, false)
		f := all
		f.Most = 2
		got, more = x.reported(f)
		same(x, "at most", got, []int64{ids[2], same1})
		same(x, "there are more", more, true)
		f = all
		f.From, f.To = t0.Add(time.Millisecond), after(2*aDay)
		got, _ = x.reported(f)
		same(x, "by time", got, []int64{same1, ids[1]})
		f = all
		f.Schedules = []int64{other.ID}
		got, _ = x.reported(f)
		same(x, "by schedule", got, []int64{same1})
		f.Schedules = []int64{}
		got, _ = x.reported(f)
		same(x, "of no schedule", len(got), 0)
		var first hive.ReportBatch
		_, err := x.Store.ReportBatches(x.Context(), all, func(b *hive.ReportBatch) { first = *b })
		x.ok(err)
		same(x, "a batch", first, hive.ReportBatch{
			ID: ids[0], ScheduleID: x.schedule.ID, RevisionID: x.revision.ID, State: hive.BatchSucceeded,
			Kind: hive.KindManual, Round: 1, CreatedAt: t0.UnixMilli(), Moment: t0.UnixMilli(),
			StartedAt: t0.UnixMilli(), FinishedAt: after(time.Hour).UnixMilli(), Took: time.Hour.Milliseconds(),
		})
	})
}

// TestReportBatchesSelected: a report is about batches by executor, starter and parameters, as the list of batches is.
func TestReportBatchesSelected(t *testing.T) {
	each(t, func(x *fixture) {
		other, revision := x.save("other", "document 2", t0)
		ids := x.filtered(other, revision)
		for name, c := range map[string]struct {
			selected  hive.BatchSelection
			schedules []int64
			want      []int
		}{
			"all":       {want: []int{0, 1, 2, 3, 4, 5}},
			"executor":  {selected: hive.BatchSelection{Executor: "alpha"}, want: []int{5}},
			"other one": {selected: hive.BatchSelection{Executor: "e1"}},
			"starter":   {selected: hive.BatchSelection{By: &hive.Starter{Person: "bob"}}, want: []int{1}},
			"a webhook": {
				selected: hive.BatchSelection{By: &hive.Starter{Trigger: hive.StarterWebhook}}, want: []int{3},
			},
			"a parameter": {selected: hive.BatchSelection{Params: paramFilters("day=5")}, want: []int{0, 1}},
			"two": {
				selected: hive.BatchSelection{Params: paramFilters("day=5", "region=west")}, want: []int{1},
			},
			"a hostile one": {selected: hive.BatchSelection{Params: paramFilters("a') OR 1=1 --=y")}},
			"of a schedule": {
				selected:  hive.BatchSelection{Params: paramFilters("day=5")},
				schedules: []int64{other.ID},
			},
			"executor of a schedule": {
				selected:  hive.BatchSelection{Executor: "alpha"},
				schedules: []int64{other.ID}, want: []int{5},
			},
		} {
			got, _ := x.reported(hive.ReportFilter{
				From: after(-10 * aDay), To: after(10 * aDay), Most: 10, Schedules: c.schedules,
				BatchSelection: c.selected,
			})
			places := make([]int, 0, len(got))
			for _, id := range got {
				places = append(places, slices.Index(ids, id))
			}
			slices.Sort(places)
			same(x, name, places, append([]int{}, c.want...))
		}
	})
}

// paramFilters reads parameters written NAME=VALUE.
func paramFilters(words ...string) []hive.ParamFilter {
	var list []hive.ParamFilter
	for _, w := range words {
		p, _ := hive.ParseParamFilter(w)
		list = append(list, p)
	}
	return list
}

func TestReportRuns(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		nb := x.newBatch(4)
		for i, state := range []hive.RunState{hive.RunSucceeded, hive.RunSucceeded, hive.RunFailed, hive.RunSkipped} {
			r := &nb.Runs[i]
			r.State = state
			if state != hive.RunSkipped {
				r.StartedAt, r.FinishedAt = t0, after(time.Duration(i+1)*time.Second)
			}
		}
		nb.Runs[1].Failures = 1
		b := must(x.CreateBatch(ctx, x.me, nb))(x)
		empty := must(x.CreateBatch(ctx, x.me, x.newBatch(0)))(x)
		got := must(x.ReportRuns(ctx, []int64{b.ID, empty.ID}))(x)
		at := func(d time.Duration) int64 { return after(d).UnixMilli() }
		same(x, "runs", got, map[int64]hive.ReportRuns{b.ID: {
			Tasks: "load/task-0,load/task-1,load/task-2,load/task-3", Cells: "srf-",
			StartedAt: []int64{at(0), at(0), at(0), 0},
			EndedAt:   []int64{at(time.Second), at(2 * time.Second), at(3 * time.Second), 0},
		}})
		x.endedWithAttempts("c")
		latest := must(x.RecentBatches(ctx, []int64{x.schedule.ID}, 1))(x)[x.schedule.ID][0]
		attempts := must(x.ReportAttempts(ctx, []int64{b.ID, latest.ID}, ""))(x)
		same(x, "batches with attempts", len(attempts), 1)
		same(x, "executors", attempts[latest.ID].Executors, []string{"alpha"})
		same(x, "times", []int{len(attempts[latest.ID].StartedAt), len(attempts[latest.ID].EndedAt)}, []int{1, 1})
		for executor, n := range map[string]int{"alpha": 1, "beta": 0} {
			only := must(x.ReportAttempts(ctx, []int64{b.ID, latest.ID}, executor))(x)
			same(x, "batches with attempts on "+executor, len(only), n)
		}
	})
}

// TestReportDeleted: what retention deletes is still counted.
func TestReportDeleted(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		ids := x.old(hive.BatchSucceeded, hive.BatchCanceled, hive.BatchSucceeded, hive.BatchSucceeded)
		same(x, "pruned", x.prune(x.rule(100), ids), 3)
		day := t0.Unix() / 86_400
		byDay, bySchedule, err := x.ReportDeleted(ctx, nil, day, day+1)
		x.ok(err)
		same(x, "by day", byDay, []hive.ReportDeleted{
			{Day: day, State: hive.BatchSucceeded, Batches: 1}, {Day: day + 1, State: hive.BatchCanceled, Batches: 1},
		})
		same(x, "by schedule", bySchedule, []hive.ReportDeleted{
			{ScheduleID: x.schedule.ID, State: hive.BatchCanceled, Batches: 1},
			{ScheduleID: x.schedule.ID, State: hive.BatchSucceeded, Batches: 1},
		})
		byDay, _, err = x.ReportDeleted(ctx, []int64{99}, day, day+1)
		x.ok(err)
		same(x, "of another schedule", len(byDay), 0)
	})
}

func TestReportLabels(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		marked, revision := x.save("marked", "tags: [a_b]", t0)
		x.save("other", "tags: [axb]", t0)
		want := []hive.ReportLabels{{
			ScheduleID: marked.ID, RevisionID: revision.ID, Name: "marked", Document: "tags: [a_b]",
		}}
		same(x, "by word", must(x.ReportLabels(ctx, "a_b", nil))(x), want)
		same(x, "by id", must(x.ReportLabels(ctx, "", []int64{marked.ID}))(x), want)
		same(x, "none", len(must(x.ReportLabels(ctx, "", nil))(x)), 0)
	})
}

func TestLateBatches(t *testing.T) {
	each(t, func(x *fixture) {
		late := func(key string, batch int64, at time.Time, kind hive.AlertKind) {
			x.Helper()
			e := x.event(key, key)
			e.Event.BatchID, e.Event.At, e.Event.Kind = batch, at, kind
			same(x, key, must(x.StoreAlertEvent(x.Context(), e))(x), true)
		}
		late("twice", 3, t0, hive.AlertLate)
		late("again", 3, after(time.Minute), hive.AlertLate)
		late("before", 4, after(-time.Millisecond), hive.AlertLate)
		late("failed", 5, t0, hive.AlertFailed)
		late("of no batch", 0, t0, hive.AlertLate)
		same(x, "late", must(x.LateBatches(x.Context(), t0.UnixMilli()))(x), map[int64]bool{3: true})
	})
}

// BenchmarkReport makes reports of 100,000 batches of 90 days and 200 schedules, with 1,000,000 runs and attempts.
func BenchmarkReport(b *testing.B) {
	configs := map[string]db.Config{"sqlite": dbtest.SQLite(b)}
	if os.Getenv("HIVEGO_TEST_POSTGRES_URL") != "" {
		configs["postgres"] = db.Config{URL: dbtest.Postgres(b), Dir: b.TempDir()}
	}
	for name, config := range configs {
		s := dbtest.Open(b, config)
		fillReport(b, dbtest.Raw(b, config))
		service := report.New(report.Config{
			Store: s, Schedules: s, Now: func() time.Time { return t0 },
			Parse: func(string) (*hive.Definition, error) { return &hive.Definition{}, nil },
		})
		r := hive.ReportRequest{From: t0.AddDate(0, 0, -89).Format(time.DateOnly)}
		b.Run(name+"/batches", func(b *testing.B) {
			for b.Loop() {
				if got := must(service.Batches(b.Context(), r))(b); got.Total.All() < 98_000 {
					b.Fatal(got.Total)
				}
			}
		})
		b.Run(name+"/executors", func(b *testing.B) {
			for b.Loop() {
				must(service.Executors(b.Context(), r))(b)
			}
		})
	}
}

// fillReport stores batches, runs and attempts.
func fillReport(b *testing.B, raw *bun.DB) {
	b.Helper()
	numbers := func(n int) string {
		return "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < " + strconv.Itoa(n) +
			") SELECT i FROM n) AS n"
	}
	for _, query := range []string{
		"INSERT INTO schedules (id, name, enabled, revision, mark, counted, created_at, updated_at) " +
			"SELECT i, 's-' || i, true, 1, 0, 0, 0, 0 FROM " + numbers(200),
		"INSERT INTO revisions (id, schedule_id, number, document, hash, created_at, created_by) " +
			"SELECT i AS id, i AS schedule, 1, 'document', 'h', 0, 'ada' FROM " + numbers(200),
		"INSERT INTO batches (id, schedule_id, revision_id, revision, kind, state, wish, reason, round, moment, " +
			"params, created_at, created_by, started_at, round_at, finished_at, paused_at, paused_for, " +
			"job_clocks, owner, live, closed_note) SELECT i, 1 + i % 200, 1 + i % 200, 1, 'scheduled', CASE WHEN " +
			"i % 17 = 0 THEN 'failed' ELSE 'succeeded' END, 'run', '', 1, c, '{}', c, 'its schedule', c + i * 7 " +
			"% 5000, c + i * 7 % 5000, c + i * 7 % 5000 + i * 104 % 600000, 0, 0, '', 'server-1', false, '' " +
			"FROM (SELECT i, CAST(? AS BIGINT) - (100000 - i) * CAST(77760 AS BIGINT) AS c FROM " + numbers(100_000) +
			") AS m",
		"INSERT INTO runs (id, batch_id, number, job, task, shard, state, reason, detail, cause, not_before, " +
			"round, attempt, attempts, failures, losses, started_at, finished_at, outputs, changed_at) SELECT " +
			"b.id * 10 + i, b.id, i, 'job-' || (i / 3), 'task-' || i, 0, 'succeeded', '', '', '', 0, 1, 0, 1, CASE " +
			"WHEN (b.id + i) % 23 = 0 THEN 1 ELSE 0 END, 0, b.started_at + i * 1000, b.started_at + i * 1000 + " +
			"b.id * 79 % 60000, '{}', b.finished_at FROM batches AS b CROSS JOIN " +
			numbers(10),
		"INSERT INTO attempts (id, batch_id, run_id, number, round, executor, executor_name, state, outcome, " +
			"error, outputs, killing_at, kill_reason, offered_at, started_at, finished_at, log_bytes, notes) " +
			"SELECT id, batch_id, id, 1, 1, 'e', 'executor-' || (id % 7), 'ended', 'success', '', '', 0, '', " +
			"started_at - 0, started_at, finished_at, 1, '' FROM runs",
	} {
		args := slices.Repeat([]any{t0.UnixMilli()}, strings.Count(query, "?"))
		if _, err := raw.NewRaw(query, args...).Exec(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
