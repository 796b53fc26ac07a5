package schedule_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/schedule"
)

// world runs a schedule with a ticker, minute by minute. Each batch takes the usual duration. It is the slow reference
// of a simulation: only the rules of the queue are written here a second time, because the owner applies them.
type world struct {
	*schedule.Ticker
	store   *store
	now     time.Time
	usual   time.Duration
	policy  hive.Policy
	ends    map[int64]time.Time // of running batches
	starts  map[int64]time.Time
	expired map[int64]bool
}

func newWorld(t failer, def hive.Definition, usual time.Duration, now time.Time) *world {
	t.Helper()
	w := &world{
		store: newStore(), now: now, usual: usual, policy: def.Policy, ends: map[int64]time.Time{},
		starts: map[int64]time.Time{}, expired: map[int64]bool{},
	}
	w.store.publish(1, now, def)
	w.Ticker = schedule.NewTicker(schedule.Config{
		Store: w.store, Results: w.store, Links: w.store, Changes: w.store, Parse: parseJSON, NewRuns: runsOf,
		Made: func([]int64) {}, Log: slog.New(slog.DiscardHandler),
		Server: func() hive.Server { return hive.Server{ID: "me", Epoch: 1} },
		Clock: schedule.Clock{
			Wall:    func() time.Time { return w.now },
			Elapsed: func() time.Duration { return w.now.Sub(now) },
		},
	})
	return w
}

// minute lets one minute begin on a running server.
func (w *world) minute(t failer) {
	t.Helper()
	w.store.live[1] = slices.DeleteFunc(w.store.live[1], func(b hive.Batch) bool {
		return b.State == hive.BatchRunning && !w.ends[b.ID].After(w.now)
	})
	w.startQueued()
	known := len(w.store.batches)
	w.RunOnce(context.Background())
	for i := known; i < len(w.store.batches); i++ {
		b := w.store.batches[i].Batch
		b.ID = int64(i + 1)
		if b.Reason != hive.ReasonQueued {
			w.start(&b)
		}
		w.store.live[1] = append(w.store.live[1], b)
	}
	for _, id := range w.store.replaced {
		w.store.live[1] = slices.DeleteFunc(w.store.live[1], func(b hive.Batch) bool { return b.ID == id })
	}
	w.store.replaced = nil
	w.startQueued()
}

func (w *world) start(b *hive.Batch) {
	b.State, w.ends[b.ID], w.starts[b.ID] = hive.BatchRunning, w.now.Add(w.usual), w.now
}

func (w *world) startQueued() {
	live := w.store.live[1]
	if slices.ContainsFunc(live, func(b hive.Batch) bool { return b.State == hive.BatchRunning }) {
		return
	}
	expire := w.policy.Expire.Std()
	for len(live) > 0 && expire > 0 && w.now.Sub(live[0].Moment) > expire {
		w.expired[live[0].ID] = true
		live = live[1:]
	}
	w.store.live[1] = live
	if len(live) > 0 {
		w.start(&live[0])
	}
}

// history returns what became of the ticks up to a time, one line for each.
func (w *world) history() []string {
	var lines []string
	byMoment := map[int64]int64{}
	for i := range w.store.batches {
		byMoment[w.store.batches[i].Batch.Moment.Unix()] = int64(i + 1)
	}
	ticks := slices.Clone(w.store.ticks[1])
	slices.SortFunc(ticks, func(a, b hive.Tick) int { return a.Moment.Compare(b.Moment) })
	for _, tick := range ticks {
		id := byMoment[tick.Moment.Unix()]
		lines = append(lines, line(&tick, w.starts[id], w.expired[id]))
	}
	return lines
}

func line(tick *hive.Tick, starts time.Time, expired bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s", tick.Moment.Format("2 15:04"), tick.Decision, tick.Rule)
	if tick.Count > 1 {
		fmt.Fprintf(&b, " %d", tick.Count)
	}
	if !starts.IsZero() {
		fmt.Fprintf(&b, " starts %s", starts.Format("2 15:04"))
	}
	if expired {
		b.WriteString(" expired")
	}
	return b.String()
}

// forecastOf simulates a schedule that does not exist yet.
func forecastOf(t failer, def *hive.Definition, usual time.Duration, now, until time.Time, down []hive.Span) []string {
	t.Helper()
	table, err := schedule.NewTimetable(def, now, nil)
	if err != nil {
		t.Fatalf("%v", err)
	}
	s := schedule.NewSimulation(schedule.Outlook{
		View:   hive.TickView{Schedule: hive.Schedule{ID: 1, Name: "s1", Enabled: true, CreatedAt: now}},
		Period: schedule.Period{From: now, Definition: def, Timetable: table}, Usual: usual, Down: down,
	}, now)
	var ticks []*hive.ForecastTick
	for at, ok := s.Next(); ok && !at.After(until); at, ok = s.Next() {
		ticks = append(ticks, s.Step()...)
	}
	s.Finish()
	var lines []string
	for _, tick := range ticks {
		lines = append(lines, line(&tick.Tick, tick.StartsAt, tick.Ends == hive.ForecastExpired))
	}
	return lines
}

// TestForecastIsTheLedger compares forecasts of random schedules with what a ticker then decides: for four days each,
// with times in which no server runs.
func TestForecastIsTheLedger(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) { compareForecast(rt, 4*24*time.Hour) })
}

func compareForecast(rt *rapid.T, length time.Duration) { compareWith(rt, length, nil) }

// compareWith compares with the planned changes that plan draws for a schedule, if it is given.
func compareWith(rt *rapid.T, length time.Duration,
	plan func(rt *rapid.T, def *hive.Definition, now, until time.Time) []hive.PlannedChange,
) {
	crons := []string{
		"0 * * * *", "*/7 * * * *", "@every 90m", "30 2 * * *", "0,30 1-3 * * *", "15 2 L * *", "0 9 * * 1-5",
	}
	def := def(rapid.SliceOfNDistinct(rapid.SampledFrom(crons), 1, 3, rapid.ID[string]).Draw(rt, "crons")...)
	def.Timezone = rapid.SampledFrom([]string{"", "Europe/Berlin", "Australia/Lord_Howe"}).Draw(rt, "zone")
	grace := hive.Duration(rapid.SampledFrom([]time.Duration{0, time.Minute, time.Hour}).Draw(rt, "grace"))
	def.Policy = hive.Policy{
		Overlap: rapid.SampledFrom([]hive.Overlap{
			hive.OverlapAllow, hive.OverlapSkip, hive.OverlapQueue, hive.OverlapReplace,
		}).Draw(rt, "overlap"),
		CatchUp: hive.CatchUp{
			Mode: rapid.SampledFrom([]hive.CatchUpMode{
				hive.CatchUpAll, hive.CatchUpLatest, hive.CatchUpNone,
			}).Draw(rt, "catchUp"),
			Grace: &grace,
		},
		Expire:     hive.Duration(rapid.SampledFrom([]time.Duration{0, time.Hour, 5 * time.Hour}).Draw(rt, "expire")),
		MaxBatches: rapid.SampledFrom([]int{0, 0, 0, 40}).Draw(rt, "maxBatches"),
	}
	usual := rapid.SampledFrom([]time.Duration{
		time.Minute, 20 * time.Minute, 50 * time.Minute, 3 * time.Hour, 25 * time.Hour,
	}).Draw(rt, "usual")
	now := time.Date(2026, 3, 25, 20, 30, 0, 0, time.UTC)
	until := now.Add(length)
	var down []hive.Span
	for at := now; ; {
		at = at.Add(time.Duration(rapid.IntRange(1, 4000).Draw(rt, "up")) * time.Minute)
		end := at.Add(time.Duration(rapid.IntRange(1, 1500).Draw(rt, "down")) * time.Minute)
		if !end.Before(until) {
			break
		}
		down = append(down, hive.Span{From: at, To: end})
		at = end
	}
	var want []string
	w := newWorld(rt, def, usual, now)
	if plan == nil {
		want = forecastOf(rt, &def, usual, now, until, down)
	} else {
		planned := plan(rt, &def, now, until)
		for _, c := range planned {
			w.store.plan(1, c)
		}
		want = plannedForecastOf(rt, &def, usual, now, until, down, w.store.toCome(1))
	}
	for ; !w.now.After(until); w.now = w.now.Add(time.Minute) {
		if !slices.ContainsFunc(down, func(d hive.Span) bool { return !w.now.Before(d.From) && w.now.Before(d.To) }) {
			w.minute(rt)
		}
	}
	got := w.history()
	if len(got) != len(want) {
		rt.Fatalf("%d ticks are forecast, %d came", len(want), len(got))
	}
	end := until.Format("2 15:04")
	for i := range got {
		// A batch that is still queued at the end starts or expires later.
		queued, _, _ := strings.Cut(want[i], " starts")
		queued = strings.TrimSuffix(queued, " expired")
		if got[i] != want[i] && got[i] != queued {
			rt.Fatalf("up to %s, forecast %d of %d is %q, and it came as %q", end, i, len(want), want[i], got[i])
		}
	}
}

// TestShiftedForecastIsThatOfAShiftedCron: a schedule that runs later by some minutes is decided as one whose cron is
// later by these minutes.
func TestShiftedForecastIsThatOfAShiftedCron(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		first := rapid.IntRange(0, 29).Draw(t, "minute")
		by := rapid.IntRange(-first, 30).Draw(t, "by")
		policy := hive.Policy{Overlap: rapid.SampledFrom([]hive.Overlap{
			hive.OverlapAllow, hive.OverlapSkip, hive.OverlapQueue, hive.OverlapReplace,
		}).Draw(t, "overlap")}
		usual := time.Duration(rapid.IntRange(0, 200).Draw(t, "usual")) * time.Minute
		now := start.Add(2*time.Hour + 30*time.Second)
		forecast := func(minute int, mark time.Time, by time.Duration) []string {
			d := def(fmt.Sprintf("%d * * * *", minute))
			d.Policy = policy
			times, err := schedule.NewTimetable(&d, start, nil)
			if err != nil {
				t.Fatal(err)
			}
			s := schedule.NewSimulation(schedule.Outlook{
				View: hive.TickView{Schedule: hive.Schedule{
					ID: 1, CreatedAt: start, Mark: mark, Enabled: true,
				}},
				Period: schedule.Period{Definition: &d, Timetable: times}, Usual: usual, Shift: by,
			}, now)
			var ticks []*hive.ForecastTick
			for range 20 {
				ticks = append(ticks, s.Step()...)
			}
			s.Finish()
			var lines []string
			for _, tick := range ticks {
				lines = append(lines, fmt.Sprint(tick.Moment, tick.Decision, tick.Rule, tick.StartsAt, tick.EndsAt))
			}
			return lines
		}
		mark := start.Add(time.Hour + time.Duration(first)*time.Minute)
		got := forecast(first, mark, time.Duration(by)*time.Minute)
		mark = mark.Add(time.Duration(by) * time.Minute)
		if by < 0 {
			mark = now
		}
		if want := forecast(first+by, mark, 0); !slices.Equal(got, want) {
			t.Fatalf("%q\nwant %q", got, want)
		}
	})
}
