package calendar_test

import (
	"math/bits"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/rprp/hivego/server/calendar"
	"github.com/rprp/hivego/server/hive"
)

func date(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.DateOnly, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// china is part of the Chinese holidays of 2026.
func china() *hive.CalendarDefinition {
	return &hive.CalendarDefinition{
		Holidays: []hive.CalendarDays{
			{From: "2026-02-15", To: "2026-02-23", Name: "Spring Festival"}, {Date: "2026-01-01", Name: "New Year"},
		},
		Workdays: []hive.CalendarDays{{Date: "2026-02-14"}, {Date: "2026-02-28", Name: "make-up"}},
	}
}

func TestDaysOfACalendar(t *testing.T) {
	t.Parallel()
	c := calendar.New(china())
	for _, x := range []struct {
		day  string
		kind calendar.Kind
		name string
	}{
		{"2026-02-13", calendar.Workday, ""},
		{"2026-02-14", calendar.MakeUp, ""},
		{"2026-02-15", calendar.Holiday, "Spring Festival"}, // a Sunday
		{"2026-02-23", calendar.Holiday, "Spring Festival"},
		{"2026-02-24", calendar.Workday, ""},
		{"2026-02-28", calendar.MakeUp, "make-up"},
		{"2026-03-01", calendar.Weekend, ""},
		{"2027-01-01", calendar.Workday, ""}, // a Friday of a year without entries
	} {
		kind, name := c.Day(date(t, x.day))
		if kind != x.kind || name != x.name {
			t.Errorf("%s is %s %q, not %s %q", x.day, kind, name, x.kind, x.name)
		}
	}
	if first, last := c.Years(); first != 2026 || last != 2026 {
		t.Errorf("years %d to %d", first, last)
	}
}

func TestWorkdaysOfAMonth(t *testing.T) {
	t.Parallel()
	c := calendar.New(china())
	february := date(t, "2026-02-01")
	if n := bits.OnesCount32(c.Workdays(february)); n != 16 {
		t.Errorf("February 2026 has %d workdays", n)
	}
	for n, want := range map[int]int{1: 2, 2: 3, 11: 14, 12: 24, 16: 28, -1: 28, -2: 27, -16: 2} {
		if got := bits.TrailingZeros32(c.NthWorkday(february, n)); got != want {
			t.Errorf("workday %d is the %dth, not the %dth", n, got, want)
		}
	}
	for _, n := range []int{0, 17, -17} {
		if got := c.NthWorkday(february, n); got != 0 {
			t.Errorf("there is a workday %d: %b", n, got)
		}
	}
}

func TestOtherWeekends(t *testing.T) {
	t.Parallel()
	gulf := calendar.New(&hive.CalendarDefinition{Weekend: []string{"fri", "sat"}})
	if gulf.IsWorkday(date(t, "2026-03-06")) || !gulf.IsWorkday(date(t, "2026-03-08")) {
		t.Error("Friday is a workday, or Sunday is none")
	}
	none := calendar.New(&hive.CalendarDefinition{Weekend: []string{}})
	if !none.IsWorkday(date(t, "2026-03-07")) {
		t.Error("Saturday is no workday")
	}
}

// TestWorkdaysAgreeWithAVisitOfEachDay compares the bits of random months with the kinds of their days.
func TestWorkdaysAgreeWithAVisitOfEachDay(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		def := &hive.CalendarDefinition{}
		base := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		listed := map[string]bool{}
		for range rapid.IntRange(0, 40).Draw(t, "entries") {
			day := base.AddDate(0, 0, rapid.IntRange(0, 120).Draw(t, "day")).Format(time.DateOnly)
			if listed[day] {
				continue
			}
			listed[day] = true
			if rapid.Bool().Draw(t, "holiday") {
				def.Holidays = append(def.Holidays, hive.CalendarDays{Date: day})
			} else {
				def.Workdays = append(def.Workdays, hive.CalendarDays{Date: day})
			}
		}
		if faults := calendar.Check(def); len(faults) > 0 {
			t.Fatal(faults)
		}
		c := calendar.New(def)
		first := base.AddDate(0, rapid.IntRange(0, 5).Draw(t, "month"), 0)
		n := 0
		for day := first; day.Month() == first.Month(); day = day.AddDate(0, 0, 1) {
			text := day.Format(time.DateOnly)
			work := day.Weekday() != time.Saturday && day.Weekday() != time.Sunday
			for _, d := range def.Workdays {
				work = work || d.Date == text
			}
			for _, d := range def.Holidays {
				work = work && d.Date != text
			}
			if got := c.Workdays(first)>>day.Day()&1 == 1; got != work || c.IsWorkday(day) != work {
				t.Fatalf("%s: %v, not %v", text, got, work)
			}
			if work {
				if n++; c.NthWorkday(first, n) != 1<<day.Day() {
					t.Fatalf("%s is not workday %d", text, n)
				}
			}
		}
	})
}

func TestFaultsOfACalendar(t *testing.T) {
	t.Parallel()
	days := func(d ...hive.CalendarDays) *hive.CalendarDefinition { return &hive.CalendarDefinition{Holidays: d} }
	for _, c := range []struct {
		def    *hive.CalendarDefinition
		reason hive.FaultReason
		path   string
	}{
		{&hive.CalendarDefinition{Weekend: []string{"sat", "Sunday"}}, hive.FaultWeekday, "weekend[1]"},
		{days(hive.CalendarDays{}), hive.FaultCalendarDays, "holidays[0]"},
		{days(hive.CalendarDays{From: "2026-01-01"}), hive.FaultCalendarDays, "holidays[0]"},
		{days(hive.CalendarDays{Date: "2026-01-01", To: "2026-01-02"}), hive.FaultCalendarDays, "holidays[0]"},
		{days(hive.CalendarDays{Date: "2026-02-30"}), hive.FaultDate, "holidays[0].date"},
		{days(hive.CalendarDays{From: "2026-02-01", To: "1.3.2026"}), hive.FaultDate, "holidays[0].to"},
		{days(hive.CalendarDays{Date: "1969-12-31"}), hive.FaultDate, "holidays[0].date"},
		{days(hive.CalendarDays{From: "2026-02-02", To: "2026-02-01"}), hive.FaultDaysBackwards, "holidays[0].to"},
		{days(hive.CalendarDays{From: "2026-01-01", To: "2027-01-02"}), hive.FaultDaysMany, "holidays[0].to"},
		{
			&hive.CalendarDefinition{
				Holidays: []hive.CalendarDays{{From: "2026-02-01", To: "2026-02-05"}},
				Workdays: []hive.CalendarDays{{Date: "2026-02-05"}},
			}, hive.FaultDayTwice, "workdays[0]",
		},
		{days(make([]hive.CalendarDays, calendar.MaxEntries+1)...), hive.FaultCalendarEntries, "holidays"},
	} {
		faults := calendar.Check(c.def)
		if len(faults) != 1 || faults[0].Reason != c.reason || faults[0].Path != c.path || faults[0].Remedy == "" {
			t.Errorf("%v: %+v", c.reason, faults)
		}
	}
	if faults := calendar.Check(china()); len(faults) > 0 {
		t.Error(faults)
	}
}
