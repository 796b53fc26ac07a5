package schedule

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/rprp/hivego/server/hive"
)

// jitterWorld is a schedule with random triggers, and a new revision in the middle of its time.
type jitterWorld struct {
	periods []Period
	view    hive.TickView
}

func drawJitterWorld(t *rapid.T, start time.Time) jitterWorld {
	crons := []string{"* * * * *", "*/7 * * * *", "0 * * * *", "30 2 * * *", "@every 11m"}
	jitters := []time.Duration{0, time.Second, 50 * time.Second, 10 * time.Minute, time.Hour}
	w := jitterWorld{view: hive.TickView{Schedule: hive.Schedule{Enabled: true, CreatedAt: start}}}
	for number := range 2 {
		def := &hive.Definition{
			Name: rapid.StringMatching("[a-z]{1,8}").Draw(t, "name"), Timezone: "Europe/Berlin",
			Policy: hive.Policy{Overlap: hive.OverlapAllow},
		}
		for range rapid.IntRange(1, 3).Draw(t, "triggers") {
			def.Triggers = append(def.Triggers, hive.Trigger{
				Cron:   rapid.SampledFrom(crons).Draw(t, "cron"),
				Jitter: hive.Duration(rapid.SampledFrom(jitters).Draw(t, "jitter")),
			})
		}
		table, err := NewTimetable(def, start, nil)
		if err != nil {
			t.Fatal(err)
		}
		from := start
		if number == 1 {
			from = start.Add(time.Duration(rapid.IntRange(1, 7200).Draw(t, "edited after")) * time.Second)
		}
		w.periods = append(w.periods, Period{
			From: from, RevisionID: int64(number), Revision: int64(number), Definition: def, Timetable: table,
		})
	}
	return w
}

// all lists the moments from the start of the first period up to a time.
func (w *jitterWorld) all(until time.Time) []Moment {
	first, _ := w.periods[0].Timetable.Due(w.periods[0].From, justBefore(w.periods[1].From), 10_000)
	second, _ := w.periods[1].Timetable.Due(justBefore(w.periods[1].From), until, 10_000)
	return append(first, second...)
}

// TestJitterDecidesEachMomentOnceAndNotTooEarly decides random schedules with jitter at random times. The ledger must
// have each moment once and in order, as soon as it and all earlier ones are due.
func TestJitterDecidesEachMomentOnceAndNotTooEarly(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, time.October, 24, 23, 10, 3, 0, time.UTC) // a night in which the clocks change
	rapid.Check(t, func(t *rapid.T) {
		w := drawJitterWorld(t, start)
		var got []string
		for now := start; now.Before(start.Add(4 * time.Hour)); {
			now = now.Add(time.Duration(rapid.IntRange(1, 900_000).Draw(t, "sleep")) * time.Millisecond)
			for _, one := range Decide(w.view, w.periods, now) {
				if one.Tick.Count != 1 {
					t.Fatalf("a row has %d moments", one.Tick.Count)
				}
				got = append(got, one.Tick.Moment.Format(time.RFC3339))
				w.view.Schedule.Mark = one.Tick.Moment
			}
			var want []string
			for _, m := range w.all(now) {
				if m.At.After(now) || m.Due.After(now) {
					break
				}
				want = append(want, m.At.Format(time.RFC3339))
			}
			if !slices.Equal(got, want) {
				t.Fatalf("at %s the ledger has %v, want %v", now, got, want)
			}
		}
	})
}

// TestJitterKeepsTheOrder checks each moment of random timetables: it is due after itself, by less than its jitter, and
// before the next moment. The forecast of any time in between names the same.
func TestJitterKeepsTheOrder(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, time.October, 24, 23, 10, 3, 0, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		w := drawJitterWorld(t, start)
		table := w.periods[0].Timetable
		moments, _ := table.Due(start, start.Add(30*time.Hour), 200)
		for i, m := range moments {
			jitter := table.entries[m.Number].jitter
			if m.Due.Before(m.At) || !m.Due.Equal(m.At) && m.Due.Sub(m.At) >= jitter {
				t.Fatalf("%s with jitter %s is due at %s", m.At, jitter, m.Due)
			}
			if i+1 < len(moments) && !m.Due.Before(moments[i+1].At) {
				t.Fatalf("%s is due at %s, not before the next moment %s", m.At, m.Due, moments[i+1].At)
			}
			if m.Due.Equal(m.At) {
				continue
			}
			between := m.At.Add(m.Due.Sub(m.At) / 2)
			if got := table.Forecast(start, between, 1); len(got) != 1 || got[0] != m {
				t.Fatalf("the forecast at %s is %v, want %v", between, got, m)
			}
			if got := table.Forecast(m.At, between, 1); len(got) == 1 && got[0] == m {
				t.Fatalf("the forecast of later triggers has %v", m)
			}
		}
	})
}

// TestJitterSpreads checks that the schedules of one moment are spread over the whole of their jitter.
func TestJitterSpreads(t *testing.T) {
	t.Parallel()
	const schedules, parts = 10_000, 10
	var counts [parts]int
	at := time.Date(2026, time.March, 2, 3, 0, 0, 0, time.UTC)
	for i := range schedules {
		counts[delay(fmt.Sprintf("s%d", i), at, time.Minute)/(time.Minute/parts)]++
	}
	for _, n := range counts {
		if n < schedules/parts*8/10 || n > schedules/parts*12/10 {
			t.Fatalf("the tenths of a minute have %v schedules", counts)
		}
	}
}

// TestJitterStaysTheSame pins a delay: if it changed with a version of HiveGo, servers of two versions would
// disagree, and what people have read in a forecast would not happen.
func TestJitterStaysTheSame(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, time.March, 2, 3, 0, 0, 0, time.UTC)
	if got := delay("orders", at, 10*time.Minute); got != 8*time.Minute+4839*time.Millisecond {
		t.Errorf("delay = %s", got)
	}
}

// TestSimulationWaitsForTheJitter expects a simulation to start each batch when its moment is due.
func TestSimulationWaitsForTheJitter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.March, 2, 0, 0, 0, 0, time.UTC)
	def := &hive.Definition{
		Name: "orders", Triggers: []hive.Trigger{{Cron: "0 * * * *", Jitter: hive.Duration(time.Hour)}},
	}
	table, err := NewTimetable(def, now, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := NewSimulation(Outlook{
		View:   hive.TickView{Schedule: hive.Schedule{ID: 1, Enabled: true, CreatedAt: now}},
		Period: Period{From: now, Definition: def, Timetable: table}, Usual: time.Minute,
	}, now)
	ticks := forecastOf(t, s, now, now.Add(24*time.Hour), 24)
	want, _ := table.Due(now, now.Add(24*time.Hour), 24)
	if len(ticks) != len(want) {
		t.Fatalf("%d ticks, want %d", len(ticks), len(want))
	}
	for i, tick := range ticks {
		if !tick.Moment.Equal(want[i].At) || !tick.StartsAt.Equal(want[i].Due) ||
			tick.Decision != hive.DecisionFired || tick.Rule != ruleOnTime {
			t.Errorf("%s of %s starts at %s, want %s at %s",
				tick.Decision, tick.Moment, tick.StartsAt, want[i].At, want[i].Due)
		}
	}
}
