package schedule_test

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/schedule"
)

// fewYears is the simulated years that every test run compares. HIVEGO_YEARS=300 takes that many, HIVEGO_YEAR=17 one.
// In that of 54, schedules that wait for each other have late moments after a time without a server.
func fewYears() []int { return []int{2, 3, 4, 5, 6, 54} }

// TestForecastOfAYearIsTheLedger forecasts random schedules for a year, lets a ticker run through that year, and
// compares the ledger with the forecast, row by row.
func TestForecastOfAYearIsTheLedger(t *testing.T) {
	t.Parallel()
	if raced {
		t.Skip("it has no goroutines; shorter times of the same code run with the race detector")
	}
	years := fewYears()
	if n, err := strconv.Atoi(os.Getenv("HIVEGO_YEARS")); err == nil {
		years = nil
		for seed := range n {
			years = append(years, seed+1)
		}
	}
	if n, err := strconv.Atoi(os.Getenv("HIVEGO_YEAR")); err == nil {
		years = []int{n}
	}
	for _, seed := range years {
		t.Run(strconv.Itoa(seed), func(t *testing.T) {
			t.Parallel()
			draw := rapid.Custom(drawYear)
			defer func() {
				if p := recover(); p != nil {
					t.Fatalf("HIVEGO_YEAR=%d: %v", seed, p)
				}
			}()
			y := draw.Example(seed)
			y.compare(t)
		})
	}
}

// year is some schedules and what people have planned for them.
type year struct {
	defs     []hive.Definition
	usuals   []time.Duration
	calendar hive.CalendarDefinition
	planned  [][]hive.PlannedChange
	down     []hive.Span
	now      time.Time
	until    time.Time
}

func (y *year) compare(t failer) {
	t.Helper()
	c := newChainOn(t, y.defs, y.usuals, y.now, &y.calendar)
	c.down, c.longest = y.down, 24*time.Hour
	planned := map[int64][]hive.PlannedChange{}
	for i := range y.defs {
		planned[int64(i+1)] = c.plan(int64(i+1), y.planned[i])
	}
	ticks := mergeOf(t, y.defs, y.usuals, y.now, y.until, planned, oneCalendar(&y.calendar), y.down)
	c.run(y.until)
	c.compare(t, ticks, y.until)
	if c.store.double != 0 {
		t.Fatalf("%d moments were decided twice", c.store.double)
	}
}

func drawYear(rt *rapid.T) *year {
	now := time.Date(2026, 2, 25, 20, 30, 0, 0, time.UTC)
	y := &year{now: now, until: now.AddDate(1, 0, 0)}
	for at := now; ; {
		at = at.AddDate(0, 0, rapid.IntRange(1, 40).Draw(rt, "workdays"))
		if at.After(y.until) {
			break
		}
		d := hive.CalendarDays{Date: at.Format(time.DateOnly)}
		if rapid.Bool().Draw(rt, "workday") {
			y.calendar.Workdays = append(y.calendar.Workdays, d)
		} else {
			last := at.AddDate(0, 0, rapid.IntRange(0, 8).Draw(rt, "days"))
			d.Date, d.From, d.To = "", d.Date, last.Format(time.DateOnly)
			y.calendar.Holidays = append(y.calendar.Holidays, d)
			at = at.AddDate(0, 0, 9)
		}
	}
	for i := range rapid.IntRange(1, 4).Draw(rt, "schedules") {
		d := drawYearly(rt, i, y)
		y.defs = append(y.defs, d)
		y.usuals = append(y.usuals, rapid.SampledFrom([]time.Duration{
			61 * time.Second, 20*time.Minute + 2*time.Second, 50*time.Minute + time.Second, 3*time.Hour + time.Second,
			25*time.Hour + time.Second,
		}).Draw(rt, "usual"))
		y.planned = append(y.planned, drawPlannedOn(rt, &d, y.now, y.until, oneCalendar(&y.calendar)))
	}
	for at, n := now, rapid.IntRange(0, 4).Draw(rt, "outages"); n > 0; n-- {
		at = at.Add(time.Duration(rapid.IntRange(1, 100*24*60).Draw(rt, "up")) * time.Minute)
		end := at.Add(time.Duration(rapid.IntRange(1, 5*24*60).Draw(rt, "down")) * time.Minute)
		y.down = append(y.down, hive.Span{From: at, To: end})
		at = end
	}
	return y
}

// drawYearly makes schedule i; only earlier ones are its upstreams.
func drawYearly(rt *rapid.T, i int, y *year) hive.Definition {
	d := def()
	d.Name = fmt.Sprintf("s%d", i+1)
	d.Timezone = rapid.SampledFrom([]string{
		"", "Europe/Berlin", "Asia/Shanghai", "Australia/Lord_Howe", "America/St_Johns",
	}).Draw(rt, "zone")
	grace := hive.Duration(rapid.SampledFrom([]time.Duration{0, time.Minute, time.Hour}).Draw(rt, "grace"))
	expire := rapid.SampledFrom([]time.Duration{0, 0, 5 * time.Hour, 49 * time.Hour}).Draw(rt, "expire")
	d.Policy = hive.Policy{
		Overlap: rapid.SampledFrom([]hive.Overlap{
			hive.OverlapAllow, hive.OverlapSkip, hive.OverlapQueue, hive.OverlapReplace,
		}).Draw(rt, "overlap"),
		CatchUp: hive.CatchUp{
			Mode: rapid.SampledFrom([]hive.CatchUpMode{
				hive.CatchUpAll, hive.CatchUpLatest, hive.CatchUpNone,
			}).Draw(rt, "catchUp"),
			Grace: &grace,
		},
		Expire:     hive.Duration(expire),
		MaxBatches: rapid.SampledFrom([]int{0, 0, 0, 200}).Draw(rt, "maxBatches"),
	}
	if i > 0 && rapid.IntRange(0, 3).Draw(rt, "follows") == 0 {
		d.Triggers = []hive.Trigger{drawUpstreams(rt, hive.Trigger{}, i)}
		return d
	}
	for n := rapid.IntRange(1, 2).Draw(rt, "triggers"); n > 0; n-- {
		t := drawSeries(rt, y)
		if i > 0 && t.At == "" && rapid.Bool().Draw(rt, "waits") {
			t = drawUpstreams(rt, t, i)
		}
		t.Serial = t.At == "" && rapid.IntRange(0, 4).Draw(rt, "serial") == 0
		one := hive.Definition{Name: d.Name, Timezone: d.Timezone, Triggers: []hive.Trigger{t}}
		refused := slices.ContainsFunc(schedule.CheckTriggers(&one, y.now, oneCalendar(&y.calendar)),
			func(f hive.Fault) bool { return !f.Warning })
		if !refused && !slices.ContainsFunc(d.Triggers, func(o hive.Trigger) bool { return o.String() == t.String() }) {
			d.Triggers = append(d.Triggers, t)
		}
	}
	if len(d.Triggers) == 0 {
		d.Triggers = []hive.Trigger{{Cron: "30 2 * * *"}}
	}
	// What waits for a person costs time at each decision: a whole year of hours takes too long for a test.
	frequent := func(t hive.Trigger) bool { return t.Cron == "0 * * * *" || t.Cron == "17 */2 * * *" }
	if d.Policy.Expire == 0 && slices.ContainsFunc(d.Triggers, frequent) {
		d.Policy.Expire = hours(24 * 14)
	}
	if rapid.IntRange(0, 4).Draw(rt, "delay") == 0 {
		every := rapid.SampledFrom([]time.Duration{time.Hour, 7 * time.Hour, 24 * time.Hour}).Draw(rt, "every")
		t := hive.Trigger{Every: hive.Duration(every), From: hive.FromEnd}
		if rapid.Bool().Draw(rt, "bounded") {
			t.Start, t.End = drawBounds(rt, y)
		}
		d.Triggers[0] = t
	}
	return d
}

// drawSeries makes a trigger with moments of its own.
func drawSeries(rt *rapid.T, y *year) hive.Trigger {
	if rapid.IntRange(0, 9).Draw(rt, "at") == 0 {
		at := y.now.Add(time.Duration(rapid.IntRange(1, 364*24*60).Draw(rt, "once")) * time.Minute)
		return hive.Trigger{At: at.Format(time.RFC3339)}
	}
	t := hive.Trigger{Cron: rapid.SampledFrom([]string{
		"0 * * * *", "17 */2 * * *", "30 2 * * *", "0,30 1-3 * * *", "@every 7h", "15 2 L * *", "0 9 * * 1-5",
		"0 3 15W * *", "45 1 29 2 *", "30 0 ? * FRI#2", "0 0 1 */3 *",
	}).Draw(rt, "cron")}
	if rapid.IntRange(0, 2).Draw(rt, "jitters") == 0 {
		t.Jitter = hive.Duration(rapid.SampledFrom([]time.Duration{time.Minute, mostJitter}).Draw(rt, "jitter"))
	}
	if t.Cron[0] != '@' {
		t.DST = hive.DST{
			Gap:    rapid.SampledFrom([]string{"", "skip"}).Draw(rt, "gap"),
			Repeat: rapid.SampledFrom([]string{"", "last", "both"}).Draw(rt, "repeat"),
		}
		switch rapid.IntRange(0, 5).Draw(rt, "calendar") {
		case 0:
			t.Calendar = hive.TriggerCalendar{Name: "c", Workday: rapid.SampledFrom([]int{1, 2, -1}).Draw(rt, "nth")}
		case 1:
			t.Calendar = hive.TriggerCalendar{
				Name: "c", On: rapid.SampledFrom([]hive.CalendarOn{hive.OnWorkdays, hive.OnHolidays}).Draw(rt, "on"),
				Otherwise: rapid.SampledFrom([]hive.OtherwiseDo{
					hive.OtherwiseSkip, hive.OtherwiseNext, hive.OtherwisePrevious,
				}).Draw(rt, "otherwise"),
			}
		}
	}
	if rapid.IntRange(0, 4).Draw(rt, "bounded") == 0 {
		t.Start, t.End = drawBounds(rt, y)
	}
	return t
}

func drawBounds(rt *rapid.T, y *year) (start, end string) {
	first := rapid.IntRange(0, 300).Draw(rt, "start")
	return y.now.AddDate(0, 0, first).Format(time.DateOnly),
		y.now.AddDate(0, 0, rapid.IntRange(first+1, 400).Draw(rt, "end")).Format(time.DateOnly)
}

// drawUpstreams lets a trigger of schedule i wait for one or two earlier ones.
func drawUpstreams(rt *rapid.T, t hive.Trigger, i int) hive.Trigger {
	windows := []string{"", "same_day", "same_hour"}
	if t.Cron != "" {
		windows = append(windows, "last 6h", "(-3d, 0h]", "(-1d, -1h]")
	}
	window := rapid.SampledFrom(windows).Draw(rt, "window")
	for _, u := range rapid.SliceOfNDistinct(rapid.IntRange(1, i), 1, min(i, 2), rapid.ID[int]).Draw(rt, "of") {
		policies := []string{"", "any"}
		if window != "" {
			policies = append(policies, "last(1)", "first(2)")
		}
		t.After = append(t.After, hive.Upstream{
			Schedule: fmt.Sprintf("s%d", u), Window: window, Policy: rapid.SampledFrom(policies).Draw(rt, "policy"),
		})
	}
	return t
}
