package schedule_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/rprp/hivego/server/calendar"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/schedule"
)

// oneCalendar finds one calendar, under the name c.
func oneCalendar(def *hive.CalendarDefinition) schedule.Calendars {
	cal := calendar.New(def)
	return func(name string) *calendar.Calendar {
		if name == "c" {
			return cal
		}
		return nil
	}
}

// TestCalendarTriggersAgreeWithAVisitOfEachDay compares random triggers with a calendar with the cron alone. It keeps,
// drops or moves each moment of the cron by walking from day to day.
func TestCalendarTriggersAgreeWithAVisitOfEachDay(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		base := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		def := &hive.CalendarDefinition{
			Weekend: rapid.SampledFrom([][]string{nil, {}, {"fri", "sat"}}).Draw(t, "weekend"),
		}
		for day := 0; day < 200; day += rapid.IntRange(1, 12).Draw(t, "gap") {
			d := hive.CalendarDays{Date: base.AddDate(0, 0, day).Format(time.DateOnly)}
			if rapid.Bool().Draw(t, "holiday") {
				def.Holidays = append(def.Holidays, d)
			} else {
				def.Workdays = append(def.Workdays, d)
			}
		}
		by := hive.TriggerCalendar{
			Name: "c",
			On: rapid.SampledFrom(
				[]hive.CalendarOn{"", hive.OnWorkdays, hive.OnHolidays, hive.OnAll},
			).Draw(
				t,
				"on",
			),
			Otherwise: rapid.SampledFrom([]hive.OtherwiseDo{"", "skip", "next", "previous"}).Draw(t, "otherwise"),
		}
		if rapid.IntRange(0, 3).Draw(t, "nth") == 0 {
			by = hive.TriggerCalendar{
				Name:    "c",
				Workday: rapid.SampledFrom([]int{-25, -2, -1, 1, 2, 7, 23}).Draw(t, "n"),
			}
		}
		cron := rapid.SampledFrom([]string{
			"0 3 * * *", "0 3,21 1 * *", "30 2 L * *", "0 3 31 1,3,5 *", "0 3 * * 6", "0 */5 15,29 * *", "0 3 15W * *",
		}).Draw(t, "cron")
		checkCalendarTrigger(t, def, hive.Trigger{Cron: cron, Calendar: by})
	})
}

func checkCalendarTrigger(t *rapid.T, def *hive.CalendarDefinition, trigger hive.Trigger) {
	// Days far before and after the compared ones can be moved into them, by two years at most.
	const most = 732
	from, until := time.Date(2023, 12, 1, 0, 0, 0, 0, time.UTC), time.Date(2028, 9, 1, 0, 0, 0, 0, time.UTC)
	after, end := time.Date(2025, 12, 31, 0, 0, 0, 0, time.UTC), time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)
	plain := trigger
	plain.Calendar = hive.TriggerCalendar{}
	all := due(t, plain, nil, from, until)
	cal, by := calendar.New(def), trigger.Calendar
	allowed := func(day time.Time) bool {
		switch {
		case by.Workday != 0:
			return slowNth(cal, day, by.Workday)
		case by.On == hive.OnAll:
			return true
		default:
			return cal.IsWorkday(day) != (by.On == hive.OnHolidays)
		}
	}
	var want []time.Time
	for _, at := range all {
		step := map[hive.OtherwiseDo]int{"next": 1, "previous": -1}[by.Otherwise]
		for n := 0; n < most && step != 0 && !allowed(at); n++ {
			at = at.AddDate(0, 0, step)
		}
		if allowed(at) && at.After(after) && !at.After(end) {
			want = append(want, at)
		}
	}
	slices.SortFunc(want, time.Time.Compare)
	want = slices.CompactFunc(want, time.Time.Equal)
	got := due(t, trigger, oneCalendar(def), after, end)
	if !slices.EqualFunc(got, want, time.Time.Equal) {
		t.Fatalf("%+v\n got %v\nwant %v", trigger, got, want)
	}
	if faults := schedule.CheckTriggers(&hive.Definition{Triggers: []hive.Trigger{trigger}}, after,
		oneCalendar(def)); len(got) > 0 && hive.Refused(faults) {
		t.Fatalf("%+v is refused: %v", trigger, faults)
	}
}

// slowNth reports whether a day is the n-th workday of its month, by counting from the other workdays of it.
func slowNth(cal *calendar.Calendar, day time.Time, n int) bool {
	before, behind := 0, 0
	for d := day.AddDate(0, 0, 1-day.Day()); d.Month() == day.Month(); d = d.AddDate(0, 0, 1) {
		switch {
		case !cal.IsWorkday(d):
		case d.Day() < day.Day():
			before++
		case d.Day() > day.Day():
			behind++
		}
	}
	return cal.IsWorkday(day) && (before+1 == n || -behind-1 == n)
}

func due(t interface{ Fatal(args ...any) }, trigger hive.Trigger, calendars schedule.Calendars, after, until time.Time,
) []time.Time {
	table, err := schedule.NewTimetable(&hive.Definition{Triggers: []hive.Trigger{trigger}}, time.Unix(0, 0), calendars)
	if err != nil {
		t.Fatal(err)
	}
	moments, _ := table.Due(after, until, 10_000)
	out := make([]time.Time, len(moments))
	for i := range moments {
		out[i] = moments[i].At
	}
	return out
}

// TestCalendarTriggersInZones: the day of a moment is that of the schedule's zone, and daylight saving places a moved
// moment as any other.
func TestCalendarTriggersInZones(t *testing.T) {
	t.Parallel()
	cal := oneCalendar(&hive.CalendarDefinition{Holidays: []hive.CalendarDays{{Date: "2026-03-30"}}})
	def := &hive.Definition{
		Timezone: "Europe/Berlin",
		Triggers: []hive.Trigger{{Cron: "30 0 30 3 *", Calendar: hive.TriggerCalendar{
			Name: "c", Otherwise: hive.OtherwisePrevious,
		}}},
	}
	table, err := schedule.NewTimetable(def, time.Unix(0, 0), cal)
	if err != nil {
		t.Fatal(err)
	}
	m, _ := table.Next(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	if want := time.Date(2026, 3, 26, 23, 30, 0, 0, time.UTC); !m.At.Equal(want) { // Friday in Berlin
		t.Errorf("due %s, not %s", m.At, want)
	}
}

func TestTriggersOfACalendarThatIsNotThere(t *testing.T) {
	t.Parallel()
	def := &hive.Definition{Triggers: []hive.Trigger{
		{Cron: "0 3 * * *", Calendar: hive.TriggerCalendar{Name: "other"}}, {Cron: "0 4 * * *"},
	}}
	table, err := schedule.NewTimetable(def, time.Unix(0, 0), oneCalendar(&hive.CalendarDefinition{}))
	if err == nil {
		t.Error("the calendar is not missed")
	}
	if m, ok := table.Next(time.Unix(0, 0)); !ok || m.At.Hour() != 4 {
		t.Errorf("the other trigger is due at %s, %v", m.At, ok)
	}
}

// TestCalendarTriggersThatHaveEnded: a trigger that only needed days of the past is not refused, so that its schedule
// can still be edited.
func TestCalendarTriggersThatHaveEnded(t *testing.T) {
	t.Parallel()
	cal := oneCalendar(&hive.CalendarDefinition{Workdays: []hive.CalendarDays{{Date: "2026-02-14"}}})
	def := &hive.Definition{Triggers: []hive.Trigger{{Cron: "0 3 ? * SAT", Calendar: hive.TriggerCalendar{Name: "c"}}}}
	faults := schedule.CheckTriggers(def, time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC), cal)
	if len(faults) != 1 || !faults[0].Warning || faults[0].Path != "triggers[0].calendar" {
		t.Errorf("%+v", faults)
	}
}
