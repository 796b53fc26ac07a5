// Package calendar knows the days of a calendar: workdays, weekends, holidays and make-up workdays. It is pure. Of a
// time.Time only the date counts, so the caller brings moments into the schedule's zone.
package calendar

import (
	"math/bits"
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Kind is what a day is.
type Kind string

// The kinds of a day.
const (
	Workday Kind = "workday" // no weekend, and without an entry
	Weekend Kind = "weekend" // a day of the weekend without an entry
	Holiday Kind = "holiday" // listed among the holidays
	MakeUp  Kind = "make_up" // listed among the workdays: people work, although it is a day of the weekend
)

// Calendar answers questions about days. It never changes.
type Calendar struct {
	weekend [7]bool
	entries map[int]entry // by day number
	first   int           // the first year with an entry; 0 if there is none
	last    int           // the last one
}

type entry struct {
	kind Kind
	name string
}

const secondsPerDay = 24 * 60 * 60

// number returns the days from 1 January 1970 to a date.
func number(day time.Time) int {
	date := time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, time.UTC)
	return int(date.Unix() / secondsPerDay)
}

// New makes the calendar of a definition. Entries with faults are left out: Check lists them.
func New(def *hive.CalendarDefinition) *Calendar {
	c := &Calendar{entries: map[int]entry{}}
	weekend := def.Weekend
	if weekend == nil {
		weekend = []string{"sat", "sun"}
	}
	for i, name := range weekdays() {
		c.weekend[i] = slices.Contains(weekend, name)
	}
	for i := range def.Holidays {
		c.add(&def.Holidays[i], Holiday)
	}
	for i := range def.Workdays {
		c.add(&def.Workdays[i], MakeUp)
	}
	return c
}

func (c *Calendar) add(days *hive.CalendarDays, kind Kind) {
	from, to, fault := span(days)
	if fault != nil {
		return
	}
	for n := number(from); n <= number(to); n++ {
		c.entries[n] = entry{kind: kind, name: days.Name}
	}
	if c.first == 0 || from.Year() < c.first {
		c.first = from.Year()
	}
	c.last = max(c.last, to.Year())
}

// weekdays are the names of the days of the week, from Sunday as in package time.
func weekdays() []string { return []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"} }

// Day returns the kind of a day, and the name of its entry.
func (c *Calendar) Day(day time.Time) (Kind, string) {
	if e, ok := c.entries[number(day)]; ok {
		return e.kind, e.name
	}
	if c.weekend[day.Weekday()] {
		return Weekend, ""
	}
	return Workday, ""
}

// IsWorkday reports whether people work on a day.
func (c *Calendar) IsWorkday(day time.Time) bool {
	kind, _ := c.Day(day)
	return kind == Workday || kind == MakeUp
}

// Years returns the first and the last year with an entry; 0 and 0 if there is none. In other years only the weekend
// decides.
func (c *Calendar) Years() (first, last int) { return c.first, c.last }

// Workdays returns the workdays of a month as bits 1 to 31. first is the first day of the month.
func (c *Calendar) Workdays(first time.Time) uint32 {
	var found uint32
	for day := first; day.Month() == first.Month(); day = day.AddDate(0, 0, 1) {
		if c.IsWorkday(day) {
			found |= 1 << day.Day()
		}
	}
	return found
}

// NthWorkday returns the n-th workday of a month as a bit, from the end if n is negative; 0 if the month has fewer
// workdays.
func (c *Calendar) NthWorkday(first time.Time, n int) uint32 {
	found := c.Workdays(first)
	count := bits.OnesCount32(found)
	if n < 0 {
		n = count + n + 1
	}
	if n < 1 || n > count {
		return 0
	}
	for range n - 1 {
		found &= found - 1
	}
	return found & -found
}

// Ordinary returns the calendar without its entries: only the weekend decides.
func (c *Calendar) Ordinary() *Calendar { return &Calendar{weekend: c.weekend} }

// Entry returns the kind and the name of a day's entry; false if it has none.
func (c *Calendar) Entry(day time.Time) (Kind, string, bool) {
	e, ok := c.entries[number(day)]
	return e.kind, e.name, ok
}
