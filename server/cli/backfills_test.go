package cli_test

import (
	"testing"
	"time"

	"github.com/rprp/hivego/server/api/apitest"
	"github.com/rprp/hivego/server/hive"
)

// With --wait the exit code tells whether every batch succeeded.
func TestBackfillWait(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	asks := 0
	counts := hive.BackfillCounts{Succeeded: 3}
	state := hive.BackfillDone
	w.BackfillF = func(int64) (hive.Backfill, error) {
		b := apitest.SampleBackfill()
		if asks++; asks%2 == 1 {
			b.State, b.Counts = hive.BackfillRunning, hive.BackfillCounts{Running: 1}
			return b, nil
		}
		b.State, b.Counts = state, counts
		return b, nil
	}
	args := []string{"backfill", "warehouse", "--from", "2026-02-01", "--wait"}
	w.want(w.hivego(args...), 0, "4\n", "")
	counts.Failed = 1
	w.want(w.hivego(args...), 1, "4\n",
		"backfill 4 is done: 3 succeeded, 1 failed of 4 moments; `hivego batches --backfill 4`")
	state = hive.BackfillStopped
	w.want(w.hivego(args...), 1, "4\n", "backfill 4 is stopped")
	for flag, words := range map[string]string{
		"--order=up": "asc or desc", "--existing=all": "one of keep, rerun, failed",
		"--on-failure=x": "stop or continue",
		"--parallel=0":   "1 or more",
	} {
		w.want(w.hivego("backfill", "warehouse", "--from", "2026-02-01", flag), 2, "", words)
	}
	w.want(w.hivego("backfill", "warehouse"), 2, "", "give --from")
	w.want(w.hivego("backfills", "show", "x"), 2, "", "a backfill is named by its number")
}

func TestBackfillOutput(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, args := range map[string][]string{
		"backfill.txt":      {"backfill", "warehouse", "--from", "2026-02-01", "--param", "region=west"},
		"backfill-dry.txt":  {"backfill", "warehouse", "--from", "2026-02-01", "--parallel", "3", "--dry-run"},
		"backfills.txt":     {"backfills", "--schedule", "warehouse", "--live"},
		"backfills.json":    {"backfills", "-o", "json"},
		"backfill-show.txt": {"backfills", "show", "4"},
		"backfill-wish.txt": {"backfills", "pause", "4"},
	} {
		o := w.hivego(args...)
		if o.code != 0 || o.stderr != "" {
			t.Errorf("%v: exit %d: %s", args, o.code, o.stderr)
		}
		golden(t, name, o.stdout)
	}
}

// The list is filtered by who created a backfill, and by when.
func TestBackfillFilters(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var got hive.BackfillFilter
	w.BackfillsF = func(f hive.BackfillFilter) ([]hive.Backfill, error) {
		got = f
		return nil, nil
	}
	args := []string{"backfills", "--by", "ada", "--since", "2026-02-01T00:00:00Z", "--until", "2026-03-01T00:00:00Z"}
	w.want(w.hivego(args...), 0, "", "")
	since, until := time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	if got.By != "ada" || !got.Since.Equal(since) || !got.Until.Equal(until) {
		t.Errorf("the filter is %+v", got)
	}
	w.want(w.hivego("backfills", "--since", "soon"), 2, "", "--since")
}

// With dependants there is a line for each schedule, and a skipped moment names what has not succeeded.
func TestWideBackfill(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var asked hive.BackfillRequest
	wide := apitest.SampleWideBackfill()
	w.CreateFillF = func(r hive.BackfillRequest) (hive.Backfill, error) {
		asked = r
		return wide, nil
	}
	w.BackfillF = func(int64) (hive.Backfill, error) { return wide, nil }
	golden(t, "backfill-wide.txt", w.hivego("backfills", "show", "4").stdout)
	asks := 0
	w.BackfillF = func(int64) (hive.Backfill, error) {
		if asks++; asks == 1 {
			return wide, nil
		}
		done := wide
		done.State = hive.BackfillDone
		done.Counts = hive.BackfillCounts{Succeeded: 93, Skipped: 1}
		done.Schedules = []hive.BackfillSchedule{wide.Schedules[0], wide.Schedules[1]}
		done.Schedules[1].Counts = hive.BackfillCounts{Succeeded: 3, Skipped: 1}
		return done, nil
	}
	o := w.hivego("backfill", "warehouse", "--from", "2026-02-01", "--with-dependants", "--wait")
	w.want(o, 1, "4\n", "mart: 3 succeeded, 1 skipped of 4 moments")
	w.want(o, 1, "4\n", "mart: 1 skipped, 1 running, 2 waiting of 4 moments")
	w.want(o, 1, "4\n", "backfill 4 is done: 93 succeeded, 1 skipped of 94 moments")
	if !asked.WithDependants {
		t.Errorf("asked for %+v", asked)
	}
}
