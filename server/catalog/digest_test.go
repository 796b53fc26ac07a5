package catalog

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

func (w *world) saveWith(name, triggers, policy string) {
	w.Helper()
	text := strings.NewReplacer("name: nightly", "name: "+name,
		`triggers:
  - cron: "20 3 * * *"
`, "triggers: "+triggers+"\npolicy: "+policy+"\n").Replace(nightly)
	if _, err := w.Save(w.Context(), hive.SaveRequest{Name: name, Document: []byte(text), By: "ada"}); err != nil {
		w.Fatal(err)
	}
}

// TestFinished reads schedules whose triggers make no more batches, in the list and alone.
func TestFinished(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		triggers, policy string
		made             int // batches
		want             hive.Finished
		next             int // moments
	}{
		"endless":         {`[{cron: "@daily"}]`, "{}", 7, "", 5},
		"by-hand":         {`[]`, "{}", 7, "", 0},
		"once":            {`[{at: "2026-05-01T03:01"}]`, "{}", 0, "", 1},
		"passed":          {`[{at: "2026-05-01T03:00"}]`, "{}", 1, hive.FinishedEnded, 0},
		"ended":           {`[{cron: "@daily", end: "2026-04-30"}]`, "{}", 1, hive.FinishedEnded, 0},
		"one-of-two":      {`[{at: "2026-05-01T03:00"}, {cron: "@daily", end: "2026-05-02"}]`, "{}", 1, "", 1},
		"not-yet":         {`[{cron: "@daily", start: "2027-01-01"}]`, "{}", 0, "", 5},
		"delay":           {`[{every: 10m, from: end}]`, "{}", 1, "", 1},
		"delay-and-cron":  {`[{every: 10m, from: end}, {cron: "@daily"}]`, "{}", 1, "", 5},
		"delay-ended":     {`[{every: 10m, from: end, end: "2026-04-30"}]`, "{}", 1, hive.FinishedEnded, 0},
		"one-batch-left":  {`[{cron: "@daily"}]`, "{maxBatches: 8}", 7, "", 5},
		"all-batches":     {`[{cron: "@daily"}]`, "{maxBatches: 7}", 7, hive.FinishedMaxBatches, 0},
		"a-lower-maximum": {`[{cron: "@daily"}]`, "{maxBatches: 3}", 7, hive.FinishedMaxBatches, 0},
	} {
		w := newWorld(t)
		w.saveWith(name, tc.triggers, tc.policy)
		w.db.schedules[0].Counted = tc.made
		one, err := w.Get(t.Context(), name)
		if err != nil || one.Finished != tc.want || len(one.NextAt) != tc.next {
			t.Errorf("%s: finished %q, next %v, %v", name, one.Finished, one.NextAt, err)
		}
		page, err := w.List(t.Context(), hive.ScheduleFilter{Limit: 1})
		all := page.Views
		if err != nil || len(all) != 1 || all[0].Finished != tc.want || len(all[0].NextAt) != min(tc.next, 1) {
			t.Errorf("%s in the list: %+v, %v", name, all, err)
		}
	}
}

// TestNextOfADelay reads when a schedule is due next that counts from the end of its last batch.
func TestNextOfADelay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.saveWith("poll", `[{every: 10m, from: end}]`, "{}")
	id := w.db.schedules[0].ID
	check := func(want ...time.Time) {
		t.Helper()
		one, err := w.Get(t.Context(), "poll")
		if err != nil || !slices.Equal(one.NextAt, want) || one.Finished != "" {
			t.Errorf("next %v, %q, %v; want %v", one.NextAt, one.Finished, err, want)
		}
		page, err := w.List(t.Context(), hive.ScheduleFilter{Limit: 1})
		all := page.Views
		if err != nil || !slices.Equal(all[0].NextAt, want) {
			t.Errorf("next %v in the list, %v; want %v", all[0].NextAt, err, want)
		}
	}
	check(w.db.schedules[0].CreatedAt.Add(10 * time.Minute))
	w.db.ends = map[int64]time.Time{id: t0.Add(time.Hour)}
	check(t0.Add(70 * time.Minute))
	w.db.live = map[int64][]hive.Batch{id: {{ID: 1, State: hive.BatchRunning}}}
	check()
}

// TestViewsNameTriggers reads the texts by which lists name triggers.
func TestViewsNameTriggers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.saveWith("named", `
  - cron: "@daily"
  - {cron: 0 4 * * *, start: 2026-06-01}
  - {cron: 0 5 * * *, end: 2026-06-30T12:00}
  - {cron: 0 6 * * *, start: 2026-06-01, end: 2026-06-30}
  - at: 2026-06-01T18:00`, "{}")
	one, err := w.Get(t.Context(), "named")
	const want = "@daily|0 4 * * * from 2026-06-01|0 5 * * * until 2026-06-30T12:00|" +
		"0 6 * * * from 2026-06-01 until 2026-06-30|at 2026-06-01T18:00"
	if got := strings.Join(one.Triggers, "|"); err != nil || got != want {
		t.Errorf("%s, %v", got, err)
	}
}

// TestForecastOfPeriods counts periods from the creation of the schedule, or from now for a new one.
func TestForecastOfPeriods(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.save("nightly")
	w.db.schedules[0].CreatedAt = t0.Add(-10 * time.Minute)
	for schedule, want := range map[string]time.Duration{
		"nightly": 35 * time.Minute, "new": 45 * time.Minute, "": 45 * time.Minute,
	} {
		f, err := w.Forecast(t.Context(), hive.ForecastRequest{
			Schedule: schedule, Count: 1, Triggers: []json.RawMessage{[]byte(`{"cron":"@every 45m"}`)},
		})
		if err != nil || len(f.Moments) != 1 || !f.Moments[0].At.Equal(t0.Add(want)) {
			t.Errorf("%q: %+v %v", schedule, f, err)
		}
	}
}
