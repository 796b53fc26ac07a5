package schedule

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// clockTime returns a time of the day on which the schedules of these tests are created, at midnight.
func clockTime(minutes float64) time.Time {
	start := time.Date(2026, time.March, 2, 0, 0, 0, 0, time.UTC)
	return start.Add(time.Duration(minutes * float64(time.Minute)))
}

// delayed is a schedule with a trigger that counts from the end of the last batch, created at 00:00.
func delayed(t *testing.T, p hive.Policy, triggers ...hive.Trigger) (hive.TickView, []Period) {
	t.Helper()
	def := &hive.Definition{Name: "poll", Policy: p, Triggers: append([]hive.Trigger{
		{Every: hive.Duration(10 * time.Minute), From: hive.FromEnd},
	}, triggers...)}
	table, err := NewTimetable(def, clockTime(0), nil)
	if err != nil {
		t.Fatal(err)
	}
	v := hive.TickView{Schedule: hive.Schedule{ID: 1, Name: "poll", Enabled: true, CreatedAt: clockTime(0)}}
	return v, []Period{{From: clockTime(0), Definition: def, Timetable: table}}
}

func shown(writes []hive.TickWrite) []string {
	out := []string{}
	for i := range writes {
		k := &writes[i].Tick
		text := fmt.Sprintf("%s %s %s", k.Moment.Format("15:04:05"), k.Decision, k.Rule)
		if k.Count > 1 {
			text += fmt.Sprintf(" %d until %s", k.Count, k.Until.Format("15:04:05"))
		}
		out = append(out, text)
	}
	return out
}

// TestTheDelayCountsFromWhatIsStored decides a schedule that was last decided at some time, whose last batch has ended
// at some time, and so on.
func TestTheDelayCountsFromWhatIsStored(t *testing.T) {
	t.Parallel()
	expire := hive.Policy{Expire: hive.Duration(time.Hour)}
	none := hive.Policy{CatchUp: hive.CatchUp{Mode: hive.CatchUpNone}}
	all := hive.Policy{CatchUp: hive.CatchUp{Mode: hive.CatchUpAll}}
	live := func(v *hive.TickView) { v.Live = []hive.Batch{{ID: 1}} }
	disabled := func(v *hive.TickView) { v.Schedule.Enabled = false }
	enabled := func(v *hive.TickView) { v.Schedule.EnabledAt = clockTime(20) }
	ended := func(v *hive.TickView) { v.EndedAt = clockTime(20.11) }
	ticked := func(v *hive.TickView) { v.Schedule.Mark = clockTime(20) }
	for name, c := range map[string]struct {
		policy hive.Policy
		more   []hive.Trigger
		change func(v *hive.TickView)
		now    float64
		want   []string
	}{
		"before the first": {now: 9.9, want: []string{}},
		"first":            {now: 10, want: []string{"00:10:00 fired on_time"}},
		"a batch is live":  {now: 30, change: live, want: []string{}},
		"disabled":         {now: 30, change: disabled, want: []string{}},
		"enabled again":    {now: 29, change: enabled, want: []string{}},
		"whole seconds":    {now: 31, change: ended, want: []string{"00:30:07 fired catch_up"}},
		"the tick before":  {now: 30, change: ticked, want: []string{"00:30:00 fired on_time"}},
		"late":             {now: 200, want: []string{"00:10:00 fired catch_up"}},
		"late, all":        {policy: all, now: 200, want: []string{"00:10:00 fired catch_up"}},
		"late, none": {
			policy: none, now: 201, want: []string{"00:10:00 missed catch_up 20 until 03:20:00"},
		},
		"late, none, then now": {
			policy: none, now: 200,
			want: []string{"00:10:00 missed catch_up 19 until 03:10:00", "03:20:00 fired on_time"},
		},
		"expired": {
			policy: expire, now: 201,
			want: []string{"00:10:00 missed expire 14 until 02:20:00", "02:30:00 fired catch_up"},
		},
		"no more batches": {
			policy: hive.Policy{MaxBatches: 1}, now: 35, change: func(v *hive.TickView) { v.Counted = 1 },
			want: []string{"00:10:00 skipped max_batches 3 until 00:30:00"},
		},
		"another trigger first": {
			more: []hive.Trigger{{Cron: "5 * * * *"}}, now: 10, want: []string{"00:05:00 fired catch_up"},
		},
		"another trigger at the same time": {
			more: []hive.Trigger{{Cron: "10 * * * *"}}, now: 10, want: []string{"00:10:00 fired on_time"},
		},
		"another trigger whose batch was left out": {
			policy: none, more: []hive.Trigger{{Cron: "5 0 * * *"}}, now: 15,
			want: []string{"00:05:00 missed catch_up", "00:15:00 fired on_time"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, periods := delayed(t, c.policy, c.more...)
			if c.change != nil {
				c.change(&v)
			}
			if got := shown(Decide(v, periods, clockTime(c.now))); !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// TestTheDelayWaitsForAnEarlierMoment: a moment whose jitter is not over must be decided first, since marks never go
// back.
func TestTheDelayWaitsForAnEarlierMoment(t *testing.T) {
	t.Parallel()
	v, periods := delayed(t, hive.Policy{}, hive.Trigger{Cron: "5 0 * * *", Jitter: hive.Duration(time.Hour)})
	m, _ := periods[0].Timetable.Next(clockTime(0))
	if m.Due.Before(clockTime(12)) {
		t.Fatalf("%s is due at %s: the test needs more jitter", m.At, m.Due)
	}
	if got := Decide(v, periods, clockTime(11)); len(got) > 0 {
		t.Errorf("%q at 00:11", shown(got))
	}
	if got := shown(Decide(v, periods, m.Due)); !slices.Equal(got, []string{"00:05:00 fired on_time"}) {
		t.Errorf("%q at %s", got, m.Due)
	}
}

// TestTheDelayHasItsBounds: with a start after the delay, the first moment is the start.
func TestTheDelayHasItsBounds(t *testing.T) {
	t.Parallel()
	v, periods := delayed(t, hive.Policy{})
	d := periods[0].Timetable.delay
	d.start, d.end = clockTime(15), clockTime(50)
	if got := shown(Decide(v, periods, clockTime(15))); !slices.Equal(got, []string{"00:15:00 fired on_time"}) {
		t.Errorf("%q", got)
	}
	v.EndedAt = clockTime(40.5)
	if m, ok := periods[0].Timetable.NextDelayed(&v, clockTime(0)); ok {
		t.Errorf("%s is after the end", m.At)
	}
	v.EndedAt = clockTime(40)
	if m, ok := periods[0].Timetable.NextDelayed(&v, clockTime(0)); !ok || !m.At.Equal(clockTime(50)) {
		t.Errorf("the last moment is %s", m.At)
	}
	if table := periods[0].Timetable; !table.Unplanned(clockTime(49)) || table.Unplanned(clockTime(50)) {
		t.Error("the timetable is finished at the wrong time")
	}
}

// forecastOf simulates one schedule.
func forecastOf(t *testing.T, s *Simulation, from, until time.Time, most int) []hive.ForecastTick {
	t.Helper()
	ticks, _, err := Merge(t.Context(), Merged{Simulations: []*Simulation{s}, From: from, Until: until, Most: most})
	if err != nil {
		t.Fatal(err)
	}
	return ticks
}

// TestTheForecastOfADelay lets each batch take its usual time, beside a cron and a time without a server.
func TestTheForecastOfADelay(t *testing.T) {
	t.Parallel()
	v, periods := delayed(t, hive.Policy{Overlap: hive.OverlapSkip}, hive.Trigger{Cron: "30 0 * * *"})
	v.Live = []hive.Batch{{ID: 7, State: hive.BatchRunning, RoundAt: clockTime(0)}}
	s := NewSimulation(Outlook{
		View: v, Period: periods[0], Usual: 6 * time.Minute,
		Down: []hive.Span{{From: clockTime(40), To: clockTime(70)}},
	}, clockTime(1))
	ticks := forecastOf(t, s, clockTime(1), clockTime(90), 100)
	var got []string
	for i := range ticks {
		k := &ticks[i]
		got = append(got, fmt.Sprintf("%s %s %s", k.Moment.Format("15:04"), k.Decision, k.StartsAt.Format("15:04")))
	}
	want := []string{"00:16 fired 00:16", "00:30 fired 00:30", "00:46 fired 01:10", "01:26 fired 01:26"}
	if !slices.Equal(got, want) {
		t.Errorf("the forecast is %q, want %q", got, want)
	}
}

// TestAForecastOfAPausedBatch has no moment: nobody knows when the batch ends.
func TestAForecastOfAPausedBatch(t *testing.T) {
	t.Parallel()
	for _, b := range []hive.Batch{
		{ID: 7, State: hive.BatchRunning, Wish: hive.WishPause},
		{ID: 7, State: hive.BatchQueued, Wish: hive.WishPause, Reason: hive.ReasonQueued},
	} {
		v, periods := delayed(t, hive.Policy{})
		v.Live = []hive.Batch{b}
		s := NewSimulation(Outlook{View: v, Period: periods[0], Usual: time.Minute}, clockTime(1))
		if ticks := forecastOf(t, s, clockTime(1), clockTime(90), 100); len(ticks) > 0 {
			t.Errorf("%s: the forecast has %d ticks", b.State, len(ticks))
		}
	}
}
