package dbtest_test

import (
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/rprp/hivego/db"
	"github.com/rprp/hivego/db/dbtest"
	"github.com/rprp/hivego/server/hive"
)

// manyBatches is one each 30 seconds for about a year.
const manyBatches = 1_000_000

// BenchmarkBatchFilters lists batches by filters that few or no batches fit, which is the worst case: there is no page
// after which the search could end.
func BenchmarkBatchFilters(b *testing.B) {
	configs := map[string]db.Config{"sqlite": dbtest.SQLite(b)}
	if os.Getenv("HIVEGO_TEST_POSTGRES_URL") != "" {
		configs["postgres"] = db.Config{URL: dbtest.Postgres(b), Dir: b.TempDir()}
	}
	rare := make([]int64, fewLabeled+1)
	for i := range rare {
		rare[i] = int64(2_001 + i) // they have no batches
	}
	by := func(word string) *hive.Starter { s := hive.ParseStarter(word); return &s }
	old := t0.Add(-30 * time.Second * (manyBatches - 20))
	for name, config := range configs {
		s := dbtest.Open(b, config)
		fillBatches(b, config)
		for _, c := range []struct {
			name   string
			filter hive.BatchFilter
		}{
			{"all", hive.BatchFilter{}},
			{"since", hive.BatchFilter{Since: t0.Add(-5 * time.Minute)}},
			{"since long ago", hive.BatchFilter{Since: old}},
			{"until", hive.BatchFilter{Until: old}},
			{"since and until", hive.BatchFilter{Since: old, Until: old.Add(5 * time.Minute)}},
			{"from", hive.BatchFilter{From: t0.Add(-5 * time.Minute)}},
			{"to", hive.BatchFilter{To: old}},
			{"moment from", hive.BatchFilter{MomentFrom: t0.Add(-5 * time.Minute)}},
			{"moment to", hive.BatchFilter{MomentTo: old}},
			{"longer", hive.BatchFilter{Longer: time.Hour, Now: t0}},
			{"nobody", hive.BatchFilter{By: by("nobody")}},
			{"old person", hive.BatchFilter{By: by("ada")}},
			{"a person", hive.BatchFilter{By: by("person")}},
			{"webhook", hive.BatchFilter{By: by("webhook")}},
			{"backfill", hive.BatchFilter{By: by("backfill")}},
			{"executor", hive.BatchFilter{Executor: "gone"}},
			{"old executor", hive.BatchFilter{Executor: "old"}},
			{"state", hive.BatchFilter{States: []hive.BatchState{hive.BatchCanceled}}},
			{"param", hive.BatchFilter{Params: []hive.ParamFilter{{Name: "region", Value: "east"}}}},
			{"few labels", hive.BatchFilter{Tag: "x", Schedules: rare[:fewLabeled]}},
			{"labels", hive.BatchFilter{Tag: "x", Schedules: rare}},
			{"hooks", hive.BatchFilter{Kind: hive.KindHook}},
		} {
			b.Run(name+"/"+c.name, func(b *testing.B) {
				for b.Loop() {
					must(s.Batches(b.Context(), c.filter))(b)
				}
			})
		}
	}
}

// fewLabeled is the number of schedules up to which their index finds batches.
const fewLabeled = 20

func fillBatches(b *testing.B, config db.Config) {
	b.Helper()
	raw := dbtest.Raw(b, config)
	numbers := func(n int) string {
		return "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < " + strconv.Itoa(n) +
			") SELECT i FROM n) AS n"
	}
	for _, query := range []string{
		"INSERT INTO schedules (id, name, enabled, revision, mark, counted, created_at, updated_at) " +
			"SELECT i, 's-' || i, true, 1, 0, 0, 0, 0 FROM " + numbers(2_100),
		"INSERT INTO revisions (id, schedule_id, number, document, hash, created_at, created_by) " +
			"SELECT i AS id, i AS schedule, 1, 'document', 'h', 0, 'ada' FROM " + numbers(2_100),
		"INSERT INTO batches (id, schedule_id, revision_id, revision, kind, state, wish, reason, round, moment, " +
			"params, created_at, created_by, started_at, round_at, finished_at, paused_at, paused_for, job_clocks, " +
			"owner, live, closed_note, counts) SELECT i, 1 + i % 2000, 1 + i % 2000, 1, CASE WHEN i <= 10 THEN " +
			"'manual' ELSE 'scheduled' END, CASE WHEN i % 17 = 0 THEN 'failed' ELSE 'succeeded' END, 'run', '', 1, " +
			"c, CASE WHEN i % 50 = 0 THEN '{\"region\":\"west\",\"day\":5}' ELSE '' END, c, CASE WHEN i <= 10 " +
			"THEN 'ada' ELSE '' END, c + 100, c + 100, c + 60000, 0, 0, '', 'server-1', false, '', " +
			"'{\"succeeded\":10}' " +
			"FROM (SELECT i, " + strconv.FormatInt(t0.UnixMilli(), 10) + " - (" + strconv.Itoa(manyBatches) +
			" - i) * CAST(30000 AS BIGINT) AS c FROM " + numbers(manyBatches) + ") AS m",
		"INSERT INTO ticks (schedule_id, moment, until, count, cron, decision, rule, detail, batch_id, revision_id, " +
			"decided_at) SELECT schedule_id, moment, moment + 0, 1, '* * * * *', 'fired', '', '', id, revision_id, " +
			"created_at FROM batches WHERE id > 10",
		"INSERT INTO attempts (id, batch_id, run_id, number, round, executor, executor_name, state, outcome, error, " +
			"outputs, killing_at, kill_reason, offered_at, started_at, finished_at, log_bytes, notes) " +
			"SELECT id, id + 0, id * 10, 1, 1, 'e', CASE WHEN id <= 10 THEN 'old' ELSE 'executor-' || (id % 7) END, " +
			"'ended', 'success', '', '', 0, '', created_at, started_at, finished_at, 1, '' FROM batches",
	} {
		if _, err := raw.NewRaw(query).Exec(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
