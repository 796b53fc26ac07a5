package calendar

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// The codes of the faults of a calendar.
const (
	codeBadDate    = "bad_date"
	codeBadWeekend = "bad_weekend"
	codeTwice      = "day_twice"
	codeTooMany    = "too_many_days"
)

// Limits of a calendar.
const (
	MaxEntries = 5000 // entries in both lists together
	MaxSpan    = 366  // days in one range
	firstYear  = 1970
	lastYear   = 9999
)

// Check lists the faults of a calendar: weekdays and dates that cannot be read, ranges that end before they begin, and
// days that are listed twice. Paths are weekend[i], holidays[i] and workdays[i] with their fields.
func Check(def *hive.CalendarDefinition) []hive.Fault {
	var faults []hive.Fault
	for i, name := range def.Weekend {
		if !slices.Contains(weekdays(), name) {
			faults = append(faults, hive.NewFault(codeBadWeekend, hive.FaultWeekday, "‹value› is not a weekday",
				"write some of ‹known›", "value", hive.Clean(name, 40), "known", strings.Join(weekdays(), ", ")).
				At(fmt.Sprintf("weekend[%d]", i)))
		}
	}
	if n := len(def.Holidays) + len(def.Workdays); n > MaxEntries {
		return append(faults, hive.NewFault(codeTooMany, hive.FaultCalendarEntries,
			"the calendar has ‹value› entries, more than ‹most›", "remove the years that have passed", "value", n,
			"most", MaxEntries).At("holidays"))
	}
	seen := map[int]string{}
	for _, part := range []struct {
		name string
		list []hive.CalendarDays
	}{{"holidays", def.Holidays}, {"workdays", def.Workdays}} {
		for i := range part.list {
			faults = append(faults, checkDays(&part.list[i], fmt.Sprintf("%s[%d]", part.name, i), seen)...)
		}
	}
	return faults
}

func checkDays(days *hive.CalendarDays, path string, seen map[int]string) []hive.Fault {
	from, to, fault := span(days)
	if fault != nil {
		if fault.Path != "" {
			path += "." + fault.Path
		}
		return []hive.Fault{fault.At(path)}
	}
	for n := number(from); n <= number(to); n++ {
		if other, ok := seen[n]; ok {
			day := time.Unix(int64(n)*secondsPerDay, 0).UTC().Format(time.DateOnly)
			return []hive.Fault{hive.NewFault(codeTwice, hive.FaultDayTwice,
				"‹value› is already listed at ‹other›", "list each day once, as a holiday or as a workday",
				"value", day, "other", other).At(path)}
		}
		seen[n] = path
	}
	return nil
}

// span reads the first and the last day of an entry. The path of a fault is the name of the field.
func span(days *hive.CalendarDays) (from, to time.Time, fault *hive.Fault) {
	refuse := func(path string, f hive.Fault) (time.Time, time.Time, *hive.Fault) {
		f.Path = path
		return time.Time{}, time.Time{}, &f
	}
	if days.Date != "" && (days.From != "" || days.To != "") || days.Date == "" && (days.From == "" || days.To == "") {
		return refuse(
			"",
			hive.NewFault(codeBadDate, hive.FaultCalendarDays, "an entry has a date, or a first and a last day",
				"write date, or from and to"),
		)
	}
	first, last, fields := days.From, days.To, [2]string{"from", "to"}
	if days.Date != "" {
		first, last, fields = days.Date, days.Date, [2]string{"date", "date"}
	}
	var read [2]time.Time
	for i, text := range []string{first, last} {
		at, err := time.Parse(time.DateOnly, text)
		if err != nil || at.Year() < firstYear || at.Year() > lastYear {
			return refuse(fields[i], hive.NewFault(codeBadDate, hive.FaultDate, "‹value› is not a date",
				"write one such as 2026-10-01", "value", hive.Clean(text, 40)))
		}
		read[i] = at
	}
	switch count := number(read[1]) - number(read[0]) + 1; {
	case count < 1:
		return refuse("to", hive.NewFault(codeBadDate, hive.FaultDaysBackwards, "‹to› is before ‹from›",
			"write the last day of the range", "from", first, "to", last))
	case count > MaxSpan:
		return refuse(
			"to",
			hive.NewFault(codeBadDate, hive.FaultDaysMany, "the range has ‹value› days, more than ‹most›",
				"split it by year", "value", count, "most", MaxSpan),
		)
	}
	return read[0], read[1], nil
}
