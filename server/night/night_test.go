package night

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

var t0 = time.Date(2026, 11, 24, 4, 0, 0, 0, time.UTC) //nolint:gochecknoglobals // a constant, if Go had it

func after(d time.Duration) time.Time { return t0.Add(d) }

func same[V any](t *testing.T, what string, got, want V) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%s:\n got %+v\nwant %+v", what, got, want)
	}
}

// world is a store and a forecast in memory.
type world struct {
	live          []hive.Batch
	ended         []hive.NightBatch // latest ends first
	waiting, soon []int64
	schedules     []hive.Schedule
	usual         map[int64]time.Duration
	tasks         map[int64][]hive.TaskTime
	times         []hive.Span
	open          []hive.OpenBatch
	ticks         map[int64][]hive.Tick
	forecast      hive.TickForecast
	asked         []int64 // schedules whose ticks were forecast
	timed         []int64 // batches whose task runs were read
	reads         int
	fault         error
}

func (w *world) AllLive(context.Context) ([]hive.Batch, error) {
	w.reads++
	return w.live, w.fault
}

func (w *world) LatestEnds(_ context.Context, in hive.Span, failed bool, _ int) (out []hive.NightBatch, err error) {
	for _, b := range w.ended {
		if !b.End.Before(in.From) && b.End.Before(in.To) && (!failed || b.State == hive.BatchFailed) {
			out = append(out, b)
		}
	}
	return out, nil
}

func (w *world) EndedWithin(_ context.Context, ids []int64, _ hive.Span, _ int) (map[int64][]hive.NightBatch, error) {
	out := map[int64][]hive.NightBatch{}
	for _, id := range ids {
		for _, b := range w.ended {
			if b.Schedule == id {
				out[id] = append(out[id], b)
			}
		}
	}
	return out, nil
}

func (w *world) SoonSchedules(context.Context, time.Time, int) (waiting, soon []int64, err error) {
	return w.waiting, w.soon, nil
}

func (w *world) RunTimes(_ context.Context, ids []int64) ([]hive.Span, error) {
	w.timed = ids
	return w.times, nil
}

func (w *world) UsualDurations(context.Context, []int64) (map[int64]time.Duration, error) {
	return w.usual, nil
}

func (w *world) UsualTasks(context.Context, []int64) (map[int64][]hive.TaskTime, error) {
	return w.tasks, nil
}

func (w *world) CountOpen(context.Context) (int, error) { return len(w.open), w.fault }

func (w *world) OpenBatches(context.Context, int64, int) ([]hive.OpenBatch, error) {
	return w.open, nil
}

func (w *world) SchedulesByID(_ context.Context, ids []int64) (out []hive.Schedule, err error) {
	for _, id := range ids {
		for i := range w.schedules {
			if w.schedules[i].ID == id {
				out = append(out, w.schedules[i])
			}
		}
	}
	return out, nil
}

func (w *world) NamedSchedules(_ context.Context, find string) (out []hive.NamedSchedule, _ error) {
	for i := range w.schedules {
		if h := &w.schedules[i]; !h.Archived() && strings.Contains(h.Name, find) {
			out = append(out, hive.NamedSchedule{ID: h.ID, Name: h.Name})
		}
	}
	slices.SortFunc(out, func(a, b hive.NamedSchedule) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

func (w *world) Dependants(context.Context, []int64) ([]hive.Dependant, error) {
	return []hive.Dependant{{ScheduleID: 5, Of: 1}}, nil
}

func (w *world) WaitingTicks(context.Context, []int64) (map[int64][]hive.Tick, error) {
	return w.ticks, nil
}

func (w *world) Coming(_ context.Context, ids []int64, _ time.Time, _ int) (hive.TickForecast, error) {
	w.asked = ids
	return w.forecast, nil
}

func (w *world) service() *Service {
	return New(Config{Store: w, Open: w, Forecasts: w, Now: func() time.Time { return t0 }})
}

func ended(id, schedule int64, state hive.BatchState, begin, end time.Duration) hive.NightBatch {
	return hive.NightBatch{
		ID: id, Schedule: schedule, State: state, Moment: after(begin), Begin: after(begin), End: after(end),
		Open: state == hive.BatchFailed, Counts: hive.Counts{hive.RunSucceeded: 2},
	}
}

func example() *world {
	w := &world{
		schedules: []hive.Schedule{
			{ID: 1, Name: "warehouse", Enabled: true},
			{ID: 2, Name: "backup", Enabled: true},
			{ID: 3, Name: "archived", ArchivedAt: t0},
			{ID: 4, Name: "soon", Enabled: true, NextAt: after(time.Minute)},
			{ID: 5, Name: "mart", Enabled: true},
			{ID: 6, Name: "runs", Enabled: true},
		},
		ended: []hive.NightBatch{
			ended(9, 1, hive.BatchSucceeded, -time.Hour, -30*time.Minute),
			ended(8, 3, hive.BatchSucceeded, -2*time.Hour, -time.Hour),
			ended(7, 2, hive.BatchSucceeded, -3*time.Hour, -2*time.Hour),
			ended(6, 1, hive.BatchFailed, -5*time.Hour, -4*time.Hour),
		},
		live: []hive.Batch{
			{ID: 10, ScheduleID: 6, State: hive.BatchRunning, Moment: t0, RoundAt: after(-time.Hour), Live: true},
			{ID: 11, ScheduleID: 0, State: hive.BatchRunning, RoundAt: t0, Live: true},
		},
		waiting: []int64{5}, soon: []int64{4},
		usual: map[int64]time.Duration{6: 10 * time.Minute},
		tasks: map[int64][]hive.TaskTime{4: {{End: 2 * time.Hour}, {End: 2 * time.Hour}}},
		times: []hive.Span{{From: after(-time.Hour)}},
	}
	w.forecast = hive.TickForecast{From: t0, Until: after(12 * time.Hour), Ticks: []hive.ForecastTick{
		{
			Tick: hive.Tick{
				Moment: after(-time.Minute), Decision: hive.DecisionWaiting,
				Wait: hive.Wait{Missing: []hive.Missing{{Schedule: "warehouse", State: hive.MissingFailed, Batch: 6}}},
			},
			Schedule: "mart",
		},
		{Tick: hive.Tick{Moment: t0, Decision: hive.DecisionSkipped}, Schedule: "soon"},
		{
			Tick:     hive.Tick{Moment: after(6 * time.Hour), Decision: hive.DecisionFired},
			Schedule: "soon", StartsAt: after(6 * time.Hour), EndsAt: after(8 * time.Hour),
		},
		{
			Tick: hive.Tick{
				Moment: after(7 * time.Hour), Decision: hive.DecisionWaiting,
				Wait: hive.Wait{Missing: []hive.Missing{{Schedule: "warehouse", State: hive.MissingWaiting}}},
			},
			Schedule: "mart",
		},
	}}
	return w
}

func TestNight(t *testing.T) {
	t.Parallel()
	w := example()
	s := w.service()
	n, err := s.Night(t.Context(), hive.NightRequest{Rows: 12, Parts: 4})
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for _, r := range n.Rows {
		rows = append(rows, string(r.State)+" "+r.Schedule)
	}
	same(t, "rows", rows, []string{"failed warehouse", "running runs", "quiet backup", "quiet mart", "quiet soon"})
	same(t, "how many", []any{n.Schedules, n.More}, []any{5, false})
	same(t, "forecast", w.asked, []int64{1, 6, 5, 4, 2})
	same(t, "bars", n.Rows[0].Bars, []hive.NightBar{
		{
			ID: 6, Batches: 1, State: hive.BatchFailed, Moment: after(-5 * time.Hour), Begin: after(-5 * time.Hour),
			End: after(-4 * time.Hour), Open: true,
		},
		{
			ID: 9, Batches: 1, State: hive.BatchSucceeded, Moment: after(-time.Hour), Begin: after(-time.Hour),
			End: after(-30 * time.Minute),
		},
	})
	same(t, "a live batch that takes long", n.Rows[1].Bars, []hive.NightBar{
		{ID: 10, Batches: 1, State: hive.BatchRunning, Moment: t0, Begin: after(-time.Hour), Late: true},
	})
	same(t, "waiting ticks", n.Rows[3].Ticks, []hive.NightTick{
		{Moment: after(-time.Minute), Ticks: 1, Waits: true, WaitsFor: []string{"warehouse"}},
		{Moment: after(7 * time.Hour), Ticks: 1, Waits: true, WaitsFor: []string{"warehouse"}, Late: true},
	})
	same(t, "coming ticks", n.Rows[4].Ticks, []hive.NightTick{
		{Moment: after(6 * time.Hour), Ticks: 1, Begin: after(6 * time.Hour), End: after(8 * time.Hour)},
	})
	same(t, "slots", n.Slots, hive.NightSlots{
		UsedFrom: after(-12 * time.Hour), Used: []int{0, 1}, WantedUntil: after(12 * time.Hour), Wanted: []int{0, 2},
	})

	if _, err = s.Night(t.Context(), hive.NightRequest{Rows: 12, Parts: 4}); err != nil || w.reads != 1 {
		t.Fatalf("read %d times: %v", w.reads, err)
	}
	few, err := s.Night(t.Context(), hive.NightRequest{Rows: 2, Parts: 4})
	if err != nil || few.Rows[1].Schedule != "runs" || few.Schedules != 5 || w.reads != 2 {
		t.Fatalf("%+v %d %v", few, w.reads, err)
	}
	over := hive.NightRequest{From: after(-9 * time.Hour), To: after(-30 * time.Minute), Rows: 9, Parts: 4}
	past, err := s.Night(t.Context(), over)
	if err != nil || len(past.Rows) != 3 || len(past.Slots.Wanted) != 0 || len(past.Slots.Used) != 4 {
		t.Fatalf("%+v %v", past, err)
	}
	w.fault = errors.New("away")
	if _, err = s.Night(t.Context(), hive.NightRequest{Rows: 3, Parts: 4}); !errors.Is(err, w.fault) {
		t.Fatal(err)
	}
}

// The number of task runs that are read is bounded, also for old batches without counts. With very many live batches,
// the same batches are read each time.
func TestSlotsAreBounded(t *testing.T) {
	t.Parallel()
	w := example()
	w.ended, w.live = nil, nil
	for i := range int64(150) {
		b := ended(1000-i, 1, hive.BatchSucceeded, -time.Hour, -time.Duration(i)*time.Minute)
		b.Counts = nil
		w.ended = append(w.ended, b)
		w.live = append(w.live, hive.Batch{ID: 2000 + i, ScheduleID: 10 + i, State: hive.BatchRunning, Live: true})
	}
	n, err := w.service().Night(t.Context(), hive.NightRequest{Rows: 1, Parts: 4})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "from when on the slots are known", n.Slots.UsedFrom, after(-100*time.Minute))
	same(t, "batches", len(w.timed), 200)
	same(t, "the last of them", []int64{w.timed[99], w.timed[100], w.timed[199]}, []int64{901, 2000, 2099})
}

// With all, every schedule has a row, also one that does nothing: those that failed or run come first.
func TestNightOfAll(t *testing.T) {
	t.Parallel()
	names := func(r hive.NightRequest) (list []string, n hive.Night) {
		t.Helper()
		n, err := example().service().Night(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		for i := range n.Rows {
			list = append(list, n.Rows[i].Schedule)
		}
		return list, n
	}
	rows, n := names(hive.NightRequest{Rows: 9, Parts: 4, All: true})
	same(t, "rows", rows, []string{"warehouse", "runs", "backup", "mart", "soon"})
	if n.Schedules != 5 || n.More || n.Slots.Used != nil || n.Slots.Wanted != nil {
		t.Fatalf("%+v", n)
	}
	rows, n = names(hive.NightRequest{Rows: 2, Parts: 4, All: true, Skip: 1})
	same(t, "the rows after the first", rows, []string{"runs", "backup"})
	same(t, "all of them", n.Schedules, 5)
	rows, n = names(hive.NightRequest{Rows: 9, Parts: 4, All: true, Find: "ar"})
	same(t, "what was found", rows, []string{"warehouse", "mart"})
	same(t, "how many were found", n.Schedules, 2)
	rows, _ = names(hive.NightRequest{Rows: 9, Parts: 4, All: true, Skip: 9})
	same(t, "nothing is left", rows, nil)
}

func TestNightRefuses(t *testing.T) {
	t.Parallel()
	s := example().service()
	for _, r := range []hive.NightRequest{
		{Rows: 0, Parts: 1},
		{Rows: hive.MostNightRows + 1, Parts: 1},
		{Rows: 1, Parts: 0},
		{Rows: 1, Parts: mostParts + 1},
		{Rows: 1, Parts: 1, From: t0, To: t0},
		{Rows: 1, Parts: 1, All: true, Skip: -1},
		{Rows: 1, Parts: 1, From: t0, To: after(15 * 24 * time.Hour)},
	} {
		if _, err := s.Night(t.Context(), r); hive.CodeOf(err) != hive.CodeInvalid {
			t.Fatalf("%+v: %v", r, err)
		}
	}
	if _, err := s.Open(t.Context(), 0, 0); hive.CodeOf(err) != hive.CodeInvalid {
		t.Fatal(err)
	}
}

// Short batches that follow each other within a part are one bar; open failures and long batches are not joined.
func TestBarsAreJoined(t *testing.T) {
	t.Parallel()
	minutes := func(id int64, state hive.BatchState, begin, end int) hive.NightBatch {
		return ended(id, 1, state, time.Duration(begin)*time.Minute, time.Duration(end)*time.Minute)
	}
	bars := barsOf([]hive.NightBatch{ // latest first
		minutes(7, hive.BatchSucceeded, 90, 100), minutes(6, hive.BatchSucceeded, 30, 60),
		minutes(5, hive.BatchFailed, 24, 25), minutes(4, hive.BatchFailed, 22, 23),
		minutes(3, hive.BatchSucceeded, 6, 7), minutes(2, hive.BatchSucceeded, 3, 4),
		minutes(1, hive.BatchSucceeded, 0, 1),
	}, nil, window{hive.Span{From: t0, To: after(2 * time.Hour)}, 5 * time.Minute, t0}, 0)
	type bar struct {
		id      int64
		batches int
	}
	var got []bar
	for _, b := range bars {
		got = append(got, bar{b.ID, b.Batches})
	}
	same(t, "bars", got, []bar{{3, 3}, {4, 1}, {5, 1}, {6, 1}, {7, 1}})
}

func TestTicksAreJoined(t *testing.T) {
	t.Parallel()
	var all []hive.ForecastTick
	for i := range 6 {
		at := after(time.Duration(i) * time.Minute)
		all = append(all, hive.ForecastTick{
			Tick: hive.Tick{Moment: at, Decision: hive.DecisionFired}, Schedule: "a", StartsAt: at,
			EndsAt: at.Add(time.Second),
		})
	}
	all[5].Ends = hive.ForecastExpired
	got := ticksOf(all, hive.Span{From: t0, To: after(time.Hour)}, 3*time.Minute, t0)["a"]
	same(t, "ticks", got, []hive.NightTick{
		{Moment: t0, Ticks: 3, Begin: t0, End: after(2*time.Minute + time.Second)},
		{
			Moment: after(3 * time.Minute), Ticks: 2, Begin: after(3 * time.Minute),
			End: after(4*time.Minute + time.Second),
		},
		{
			Moment: after(5 * time.Minute), Ticks: 1, Begin: after(5 * time.Minute),
			End: after(5*time.Minute + time.Second), Late: true,
		},
	})
}

func TestOpen(t *testing.T) {
	t.Parallel()
	w := example()
	w.open = []hive.OpenBatch{{ID: 6, ScheduleID: 1, Schedule: "warehouse"}, {ID: 4, ScheduleID: 2, Schedule: "backup"}}
	w.ticks = map[int64][]hive.Tick{5: {w.forecast.Ticks[0].Tick, w.forecast.Ticks[0].Tick}}
	list, err := w.service().Open(t.Context(), 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "what waits", [][]string{list.Batches[0].Waiting, list.Batches[1].Waiting}, [][]string{{"mart"}, nil})
	same(t, "count", list.Count, 2)
	w.open = nil
	list, err = w.service().Open(t.Context(), 0, 10)
	if err != nil || list.Count != 0 {
		t.Fatal(list, err)
	}
}
