package schedule_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/schedule"
)

// mergeOf forecasts schedules that do not exist yet.
func mergeOf(t failer, defs []hive.Definition, usuals []time.Duration, now, until time.Time,
	planned map[int64][]hive.PlannedChange, calendars schedule.Calendars, down []hive.Span,
) []hive.ForecastTick {
	t.Helper()
	m := schedule.Merged{Stored: newStore(), From: now, Until: until, Most: 100_000}
	for i := range defs {
		table, err := schedule.NewTimetable(&defs[i], now, calendars)
		if err != nil {
			t.Fatalf("%v", err)
		}
		m.Simulations = append(m.Simulations, schedule.NewSimulation(schedule.Outlook{
			View: hive.TickView{Schedule: hive.Schedule{
				ID: int64(i + 1), Name: fmt.Sprintf("s%d", i+1), Enabled: true, CreatedAt: now,
			}, Changes: planned[int64(i+1)]},
			Period: schedule.Period{From: now, Definition: &defs[i], Timetable: table}, Usual: usuals[i],
			Following: schedule.Following{Since: now}, Down: down,
		}, now))
	}
	ticks, _, err := schedule.Merge(context.Background(), m)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return ticks
}

// TestForecastOfWaitsIsTheLedger compares forecasts of random chains with what a ticker then decides.
func TestForecastOfWaitsIsTheLedger(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(2, 4).Draw(rt, "schedules")
		var defs []hive.Definition
		var usuals []time.Duration
		for i := range n {
			defs = append(defs, drawWaiting(rt, i))
			usuals = append(usuals, rapid.SampledFrom([]time.Duration{
				61 * time.Second, 20*time.Minute + time.Second, 50*time.Minute + time.Second, 3*time.Hour + time.Second,
			}).Draw(rt, "usual"))
		}
		now := time.Date(2026, 3, 25, 20, 30, 0, 0, time.UTC)
		until := now.Add(30 * time.Hour)
		c := newChain(rt, defs, usuals, now)
		planned := map[int64][]hive.PlannedChange{}
		for i := range defs {
			id := int64(i + 1)
			planned[id] = c.plan(id, drawPlanned(rt, &defs[i], now, until))
		}
		ticks := mergeOf(rt, defs, usuals, now, until, planned, nil, nil)
		c.run(until)
		if c.open {
			rt.Skip("a batch ends at the very time of a moment")
		}
		c.compare(rt, ticks, until)
	})
}

// drawWaiting makes schedule i of a chain; only earlier ones are its upstreams.
func drawWaiting(rt *rapid.T, i int) hive.Definition {
	d := def()
	d.Name = fmt.Sprintf("s%d", i+1)
	d.Policy.Overlap = rapid.SampledFrom([]hive.Overlap{
		hive.OverlapAllow, hive.OverlapSkip, hive.OverlapQueue,
	}).Draw(rt, "overlap")
	t := hive.Trigger{Cron: rapid.SampledFrom([]string{
		"0 * * * *", "17 */2 * * *", "30 2 * * *", "0,30 1-3 * * *",
	}).Draw(rt, "cron")}
	if t.Cron != "" && rapid.IntRange(0, 2).Draw(rt, "jitters") == 0 {
		t.Jitter = hive.Duration(rapid.SampledFrom([]time.Duration{time.Minute, mostJitter}).Draw(rt, "jitter"))
	}
	t.Serial = rapid.IntRange(0, 3).Draw(rt, "serial") == 0
	names := rapid.IntRange(0, min(i, 2)).Draw(rt, "upstreams")
	if names > 0 && rapid.Bool().Draw(rt, "follows") {
		t.Cron, t.Jitter = "", 0
	}
	windows := []string{"", "same_day", "same_hour"}
	if t.Cron != "" {
		windows = append(windows, "last 6h")
	}
	window := rapid.SampledFrom(windows).Draw(rt, "window")
	for _, u := range rapid.SliceOfNDistinct(rapid.IntRange(1, max(i, 1)), names, names, rapid.ID[int]).
		Draw(rt, "of") {
		policies := []string{"", "any"}
		if window != "" {
			policies = append(policies, "last(1)", "first(2)")
		}
		t.After = append(t.After, hive.Upstream{
			Schedule: fmt.Sprintf("s%d", u), Window: window, Policy: rapid.SampledFrom(policies).Draw(rt, "policy"),
		})
	}
	d.Triggers = []hive.Trigger{t}
	return d
}

// TestForecastOfWaitsBeginsWithTheLedger has a waiting tick of the ledger, whose upstream runs or has failed.
func TestForecastOfWaitsBeginsWithTheLedger(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 25, 20, 30, 0, 0, time.UTC)
	moment := now.Add(-30 * time.Minute)
	up, down := def("0 * * * *"), def()
	down.Triggers = []hive.Trigger{{After: []hive.Upstream{{Schedule: "s1"}}}}
	for _, c := range []struct {
		state hive.BatchState
		want  string
	}{
		{hive.BatchRunning, "25 20:00 fired after starts 25 20:40, 25 21:00 fired after starts 25 21:50"},
		{hive.BatchFailed, "25 20:00 waiting after, 25 21:00 fired after starts 25 21:50"},
	} {
		s := newStore()
		b := hive.Batch{
			ID: 1, ScheduleID: 1, Moment: moment, State: c.state, Round: 1, RoundAt: now.Add(-40 * time.Minute),
		}
		s.batches = []hive.NewBatch{{Batch: b}}
		s.ticks[1] = []hive.Tick{{ID: 4, ScheduleID: 1, Moment: moment, Decision: hive.DecisionFired, Count: 1}}
		row := hive.Tick{
			ID: 5, ScheduleID: 2, Moment: moment, Decision: hive.DecisionWaiting, Rule: "after", Count: 1,
			Trigger: down.Triggers[0].String(),
		}
		s.ticks[2] = []hive.Tick{row}
		var live []hive.Batch
		if c.state == hive.BatchRunning {
			live = []hive.Batch{b}
		}
		outlook := func(id int64, d *hive.Definition) schedule.Outlook {
			table, err := schedule.NewTimetable(d, now, nil)
			if err != nil {
				t.Fatal(err)
			}
			return schedule.Outlook{
				View: hive.TickView{Schedule: hive.Schedule{
					ID: id, Name: fmt.Sprintf("s%d", id), Enabled: true, CreatedAt: now.Add(-time.Hour), Mark: now,
				}},
				Period: schedule.Period{From: now.Add(-time.Hour), Definition: d, Timetable: table},
				Usual:  50 * time.Minute, Following: schedule.Following{Since: now.Add(-time.Hour)},
			}
		}
		first, second := outlook(1, &up), outlook(2, &down)
		first.View.Live, first.Hidden, second.View.Waiting = live, true, []hive.Tick{row}
		ticks, end, err := schedule.Merge(t.Context(), schedule.Merged{
			Simulations: []*schedule.Simulation{
				schedule.NewSimulation(first, now), schedule.NewSimulation(second, now),
			},
			Stored: s, From: now, Until: now.Add(time.Hour), Most: 10,
		})
		if err != nil || !end.Equal(now.Add(time.Hour)) {
			t.Fatal(end, err)
		}
		var lines []string
		for i := range ticks {
			lines = append(lines, line(&ticks[i].Tick, ticks[i].StartsAt, false))
		}
		if got := strings.Join(lines, ", "); got != c.want {
			t.Errorf("%s: %s", c.state, got)
		}
	}
}

// TestForecastOfADelayThatOthersWaitForEnds: each moment of such a schedule leads to the next one, also those that make
// no batch.
func TestForecastOfADelayThatOthersWaitForEnds(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 25, 20, 30, 0, 0, time.UTC)
	for _, most := range []int{0, 2} {
		up, down := def(), def("0 4 * * *")
		up.Triggers = []hive.Trigger{{Every: hours(1), From: hive.FromEnd}}
		up.Policy.MaxBatches = most
		down.Triggers[0].After = []hive.Upstream{{Schedule: "s1", Window: "same_day"}}
		done := make(chan []hive.ForecastTick)
		go func() {
			done <- mergeOf(t, []hive.Definition{up, down}, []time.Duration{time.Minute, time.Minute}, now,
				now.Add(24*time.Hour), nil, nil, nil)
		}()
		select {
		case ticks := <-done:
			if want := 24; len(ticks) != want {
				t.Errorf("with maxBatches %d, %d ticks are forecast, want %d", most, len(ticks), want)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("with maxBatches %d, the forecast has no end", most)
		}
	}
}
