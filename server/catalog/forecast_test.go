package catalog

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// noResults is the ledger of schedules that have had no batch.
type noResults struct{ ResultStore }

func (noResults) WaitingTicks(context.Context, []int64) (map[int64][]hive.Tick, error) {
	return nil, nil
}

func (noResults) MomentResults(context.Context, int64, time.Time, time.Time, int) ([]hive.MomentResult, error) {
	return nil, nil
}

func (noResults) MomentBefore(context.Context, int64, time.Time) (hive.MomentResult, bool, error) {
	return hive.MomentResult{}, false, nil
}

func (noResults) LastOfTrigger(context.Context, int64, string) (time.Time, error) {
	return time.Time{}, nil
}

// UsualTasks knows two tasks of each schedule, one after the other, with a minute each.
func (s *store) UsualTasks(_ context.Context, schedules []int64) (map[int64][]hive.TaskTime, error) {
	out := map[int64][]hive.TaskTime{}
	for _, id := range schedules {
		if !s.unknown[id] {
			out[id] = []hive.TaskTime{{End: time.Minute}, {Begin: time.Minute, End: 2 * time.Minute}}
		}
	}
	return out, nil
}

// saveEvery saves a schedule with a cron and a policy.
func (w *world) saveEvery(name, cron, policy string) {
	w.Helper()
	document := strings.NewReplacer("nightly", name, "20 3 * * *", cron).Replace(nightly) + policy
	if _, err := w.Save(w.Context(), hive.SaveRequest{Name: name, Document: []byte(document), By: "ada"}); err != nil {
		w.Fatal(err)
	}
}

func (w *world) forecastTicks(r hive.TickForecastRequest) []string {
	w.Helper()
	f, err := w.ForecastTicks(w.Context(), r)
	if err != nil {
		w.Fatal(err)
	}
	var lines []string
	for i := range f.Ticks {
		t := &f.Ticks[i]
		line := fmt.Sprintf("%s %s %s %s", t.Moment.Format("15:04"), t.Schedule, t.Decision, t.Rule)
		if !t.StartsAt.IsZero() {
			line += fmt.Sprintf(" %s-%s", t.StartsAt.Format("15:04:05"), t.EndsAt.Format("15:04:05"))
		}
		if t.Unsure {
			line += " ?"
		}
		lines = append(lines, line)
	}
	return append(lines, "until "+f.Until.Format("15:04:05"))
}

func TestForecastTicks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.saveEvery("nightly", "30 3 * * *", "")
	w.saveEvery("often", "0/1 3 * * *", "policy: {overlap: queue}\n") // it usually takes two minutes
	w.saveEvery("manual", "0 4 * * *", "")
	w.db.live = map[int64][]hive.Batch{
		1: {{ID: 4, State: hive.BatchRunning, Wish: hive.WishPause, RoundAt: t0}}, // until a person continues it
		2: {{ID: 5, State: hive.BatchRunning, RoundAt: t0.Add(-time.Minute)}},
	}
	if err := w.SetEnabled(t.Context(), "manual", false); err != nil {
		t.Fatal(err)
	}
	ask := hive.TickForecastRequest{Until: t0.Add(2 * time.Hour), Most: 100}
	want := []string{
		"03:01 often fired on_time 03:01:00-03:03:00",
		"03:02 often queued overlap 03:03:00-03:05:00",
		"03:03 often queued overlap 03:05:00-03:07:00",
		"03:04 often merged overlap",
	}
	if got := w.forecastTicks(ask); !slices.Equal(got[:4], want) || len(got) != 62 {
		t.Errorf("%d lines: %q", len(got), got[:5])
	}
	ask.Schedule = "nightly"
	want = []string{"03:30 nightly skipped overlap", "until 05:00:00"}
	if got := w.forecastTicks(ask); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	ask.Schedule = "manual"
	if got := w.forecastTicks(ask); got[0] != "04:00 manual skipped paused" {
		t.Errorf("%q", got)
	}
	// A server that is down decides afterwards, and runs the latest.
	ask.Schedule = "often"
	ask.Down = []hive.Span{
		{From: t0.Add(30 * time.Minute), To: t0.Add(40 * time.Minute)},
		{From: t0.Add(time.Minute), To: t0.Add(30*time.Minute + time.Second)},
	}
	got := w.forecastTicks(ask)
	want = []string{
		"03:38 often missed catch_up", "03:39 often fired catch_up 03:40:00-03:42:00",
		"03:40 often queued overlap 03:42:00-03:44:00",
	}
	if got[0] != "03:01 often missed catch_up" || !slices.Equal(got[37:40], want) {
		t.Errorf("%q", got)
	}
	ask.Most, ask.Down = 2, nil
	want = []string{
		"03:01 often fired on_time 03:01:00-03:03:00", "03:02 often queued overlap 03:03:00-03:05:00", "until 03:02:59",
	}
	if got := w.forecastTicks(ask); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// TestForecastOfWaits has schedules that wait: their usual durations are one minute for the first schedule, two for the
// second, and so on; that of the fourth is not known.
func TestForecastOfWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.saveEvery("orders", "30 3 * * *", "")
	follow := func(name, after string) {
		t.Helper()
		document := strings.NewReplacer("nightly", name, `cron: "20 3 * * *"`, "after: [{schedule: "+after+"}]").
			Replace(nightly)
		r := hive.SaveRequest{Name: name, Document: []byte(document), By: "ada"}
		if _, err := w.Save(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	follow("mart", "orders")
	follow("report", "mart")
	w.saveEvery("odd", "0 4 * * *", "")
	follow("after-odd", "odd")
	w.saveEvery("alone", "45 3 * * *", "")
	w.db.unknown = map[int64]bool{4: true}
	ask := hive.TickForecastRequest{Until: t0.Add(2 * time.Hour), Most: 100}
	want := []string{
		"03:30 orders fired on_time 03:30:00-03:31:00", "03:30 mart fired after 03:31:00-03:33:00",
		"03:30 report fired after 03:33:00-03:36:00", "03:45 alone fired on_time 03:45:00-03:51:00",
		"04:00 odd fired on_time 04:00:00-00:00:00", "04:00 after-odd fired after ?", "until 05:00:00",
	}
	if got := w.forecastTicks(ask); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	ask.Schedule = "report" // what it waits for is simulated, and not listed
	want = []string{"03:30 report fired after 03:33:00-03:36:00", "until 05:00:00"}
	if got := w.forecastTicks(ask); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	ask.Schedule, ask.From = "", t0.Add(50*time.Minute)
	if got := w.forecastTicks(ask); len(got) != 3 || !strings.HasPrefix(got[0], "04:00 odd") {
		t.Errorf("%q", got)
	}
}

// TestForecastOfAShift moves a schedule that others wait for.
func TestForecastOfAShift(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.saveEvery("orders", "30 3,4 * * *", "")
	document := strings.NewReplacer("nightly", "mart", `cron: "20 3 * * *"`, "after: [{schedule: orders}]").
		Replace(nightly)
	r := hive.SaveRequest{Name: "mart", Document: []byte(document), By: "ada"}
	if _, err := w.Save(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	ask := hive.TickForecastRequest{Until: t0.Add(2 * time.Hour), Most: 100}
	for by, want := range map[time.Duration][]string{
		0: {
			"03:30 orders fired on_time 03:30:00-03:31:00", "03:30 mart fired after 03:31:00-03:33:00",
			"04:30 orders fired on_time 04:30:00-04:31:00", "04:30 mart fired after 04:31:00-04:33:00",
		},
		time.Hour: {
			"04:30 orders fired on_time 04:30:00-04:31:00", "04:30 mart fired after 04:31:00-04:33:00",
		},
		-20 * time.Minute: {
			"03:10 orders fired on_time 03:10:00-03:11:00", "03:10 mart fired after 03:11:00-03:13:00",
			"04:10 orders fired on_time 04:10:00-04:11:00", "04:10 mart fired after 04:11:00-04:13:00",
		},
		-time.Hour: { // the first moment would lie in the past
			"03:30 orders fired on_time 03:30:00-03:31:00", "03:30 mart fired after 03:31:00-03:33:00",
		},
	} {
		ask.Shift = map[string]time.Duration{"orders": by}
		if got := w.forecastTicks(ask); !slices.Equal(got, append(want, "until 05:00:00")) {
			t.Errorf("%s: %q", by, got)
		}
	}
	for _, c := range []struct {
		words string
		code  hive.Code
		name  string
		by    time.Duration
	}{
		{"no schedule weekly", hive.CodeNotFound, "weekly", time.Hour},
		{"at most a day", hive.CodeInvalid, "orders", 24*time.Hour + 1},
		{"moments of its own", hive.CodeInvalid, "mart", time.Hour},
	} {
		ask.Shift = map[string]time.Duration{c.name: c.by}
		_, err := w.ForecastTicks(t.Context(), ask)
		refused(t, err, c.code, c.words)
	}
}

// TestForecastSlots counts the tasks of batches that are to come, and of a batch that runs.
func TestForecastSlots(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.saveEvery("first", "2 3 * * *", "")
	w.saveEvery("second", "3 3 * * *", "")
	w.saveEvery("new", "3 3 * * *", "")
	w.db.unknown = map[int64]bool{3: true}
	w.db.live = map[int64][]hive.Batch{2: {{ID: 5, State: hive.BatchRunning, RoundAt: t0.Add(-time.Minute)}}}
	ask := hive.SlotsRequest{
		TickForecastRequest: hive.TickForecastRequest{Until: t0.Add(6 * time.Minute), Most: 100}, Parts: 6,
	}
	got, err := w.ForecastSlots(t.Context(), ask)
	if want := []int{1, 0, 1, 2, 1, 0}; err != nil || got.Unknown != 1 || !got.From.Equal(t0) ||
		!slices.Equal(got.Wanted, want) {
		t.Errorf("%+v, %v; want %d", got, err, want)
	}
	ask.From = t0.Add(4 * time.Minute)
	if got, err = w.ForecastSlots(t.Context(), ask); err != nil || got.Unknown != 0 {
		t.Errorf("%+v, %v", got, err)
	}
	ask.Schedule, ask.From = "first", t0.Add(3*time.Minute)
	ask.Parts = 3
	got, err = w.ForecastSlots(t.Context(), ask)
	if want := []int{1, 0, 0}; err != nil || got.Unknown != 0 || !slices.Equal(got.Wanted, want) {
		t.Errorf("%+v, %v; want %d", got, err, want)
	}
	for _, parts := range []int{0, -1, 1001} {
		ask.Parts = parts
		_, err = w.ForecastSlots(t.Context(), ask)
		refused(t, err, hive.CodeInvalid, "1 to 1000")
	}
}

func TestForecastMonth(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.saveEvery("nightly", "30 3 * * *", "")
	w.saveEvery("weekly", "0 4 * * MON", "")
	w.saveEvery("manual", "0 4 * * *", "")
	if err := w.SetEnabled(t.Context(), "manual", false); err != nil {
		t.Fatal(err)
	}
	r := hive.MonthRequest{Month: t0.AddDate(0, 1, 0).Format("2006-01"), Timezone: "UTC"}
	m, err := w.ForecastMonth(t.Context(), r)
	if err != nil || m.Schedules != 2 || m.Disabled != 1 || m.Days[0].Ticks != 2 ||
		m.Days[0].Items[0].Schedule != "weekly" {
		t.Errorf("%+v %v", m, err)
	}
	r.Schedule = "nightly"
	if m, err = w.ForecastMonth(t.Context(), r); err != nil || m.Days[0].Ticks != 1 {
		t.Errorf("%+v %v", m, err)
	}
	for _, c := range []struct {
		words string
		code  hive.Code
		hive.MonthRequest
	}{
		{"two years", hive.CodeInvalid, hive.MonthRequest{Month: "2090-01"}},
		{"not a month", hive.CodeInvalid, hive.MonthRequest{Month: "May"}},
		{"timezone", hive.CodeInvalid, hive.MonthRequest{Month: r.Month, Timezone: "Mars/Base"}},
		{"other", hive.CodeNotFound, hive.MonthRequest{Month: r.Month, Schedule: "other"}},
	} {
		_, err := w.ForecastMonth(t.Context(), c.MonthRequest)
		refused(t, err, c.code, c.words)
	}
}

func TestForecastTicksRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.save("nightly")
	for _, c := range []struct {
		words string
		code  hive.Code
		hive.TickForecastRequest
	}{
		{"in the future", hive.CodeInvalid, hive.TickForecastRequest{Until: t0, Most: 1}},
		{"two years", hive.CodeInvalid, hive.TickForecastRequest{Until: t0.AddDate(3, 0, 0), Most: 1}},
		{"limit", hive.CodeInvalid, hive.TickForecastRequest{Until: t0.AddDate(0, 0, 1)}},
		{"limit", hive.CodeInvalid, hive.TickForecastRequest{Until: t0.AddDate(0, 0, 1), Most: 10_001}},
		{"weekly", hive.CodeNotFound, hive.TickForecastRequest{
			Schedule: "weekly", Until: t0.AddDate(0, 0, 1), Most: 1,
		}},
		{"end after", hive.CodeInvalid, hive.TickForecastRequest{
			Until: t0.AddDate(0, 0, 1), Most: 1, Down: []hive.Span{{From: t0.Add(1), To: t0}},
		}},
	} {
		_, err := w.ForecastTicks(t.Context(), c.TickForecastRequest)
		refused(t, err, c.code, c.words)
	}
}

// A forecast of all schedules is refused while there are too many of them; that of one is not.
func TestForecastOfTooMany(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.save("nightly")
	w.db.more = hive.MaxForecast
	_, err := w.ForecastTicks(t.Context(), hive.TickForecastRequest{Until: t0.Add(time.Hour), Most: 10})
	refused(t, err, hive.CodeInvalid, "10001 schedules")
	_, err = w.ForecastMonth(t.Context(), hive.MonthRequest{Month: "2026-06"})
	refused(t, err, hive.CodeInvalid, "choose a schedule")
	w.forecastTicks(hive.TickForecastRequest{Schedule: "nightly", Until: t0.Add(time.Hour), Most: 10})
	w.db.more--
	w.forecastTicks(hive.TickForecastRequest{Until: t0.Add(time.Hour), Most: 10})
}
