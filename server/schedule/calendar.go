package schedule

import (
	"sync/atomic"
	"time"

	"github.com/rprp/hivego/server/calendar"
	"github.com/rprp/hivego/server/hive"
)

// Calendars finds a calendar by its name; nil if there is none.
type Calendars func(name string) *calendar.Calendar

// find is safe for a nil Calendars.
func (f Calendars) find(name string) *calendar.Calendar {
	if f == nil {
		return nil
	}
	return f(name)
}

// longestShift is how many days a moment is moved at most. It is more than the longest range of holidays, so only a
// calendar that has nearly no workdays can exceed it.
const longestShift = 2 * calendar.MaxSpan

// calendarRule changes the days of a cron by a calendar.
type calendarRule struct {
	calendar *calendar.Calendar
	by       hive.TriggerCalendar
	days     *days  // of the cron, without the calendar
	months   uint64 // of the cron, as bits

	month  atomic.Pointer[monthDays] // a search asks for the days of the same month again and again
	latest atomic.Pointer[found]     // the next moment may be years away, and is asked for at each decision
}

// monthDays is the days of a month on which a cron is due, as bits 1 to 31.
type monthDays struct {
	first time.Time
	days  uint32
}

// withCalendar lets the days of c follow a calendar. From then on its spec only finds times of day.
func (c *Cron) withCalendar(cal *calendar.Calendar, by hive.TriggerCalendar) {
	if by.On == hive.OnAll {
		return
	}
	spec := *c.spec
	if c.days == nil {
		c.days = &days{month: spec.Dom, week: spec.Dow}
	}
	c.calendar = &calendarRule{calendar: cal, by: by, days: c.days, months: spec.Month}
	spec.Month, spec.Dom, spec.Dow = ^uint64(0), ^uint64(0), ^uint64(0)
	c.spec = &spec
}

// daysIn returns the days of a month on which the cron is due, as bits 1 to 31.
func (r *calendarRule) daysIn(first time.Time) uint32 {
	if m := r.month.Load(); m != nil && m.first.Equal(first) {
		return m.days
	}
	days := r.find(first)
	r.month.Store(&monthDays{first, days})
	return days
}

func (r *calendarRule) find(first time.Time) uint32 {
	plain := r.plain(first)
	moves := r.by.Otherwise == hive.OtherwiseNext || r.by.Otherwise == hive.OtherwisePrevious
	if plain == 0 && !moves {
		return 0
	}
	if r.by.Workday != 0 {
		return plain & r.calendar.NthWorkday(first, r.by.Workday)
	}
	allowed := r.calendar.Workdays(first)
	if r.by.On == hive.OnHolidays {
		allowed = ^allowed & monthBits(first)
	}
	if !moves {
		return plain & allowed
	}
	due := plain & allowed
	for day := first; day.Month() == first.Month(); day = day.AddDate(0, 0, 1) {
		if bit := uint32(1) << day.Day(); allowed&bit != 0 && due&bit == 0 && r.receives(day) {
			due |= bit
		}
	}
	return due
}

// plain returns the days of a month without the calendar.
func (r *calendarRule) plain(first time.Time) uint32 {
	if r.months>>uint(first.Month())&1 == 0 {
		return 0
	}
	return r.days.in(first)
}

// receives reports whether a day of the cron is moved to an allowed day: whether there is one among the other days
// before it (or after it, for previous) up to the nearest allowed one.
func (r *calendarRule) receives(day time.Time) bool {
	step := -1
	if r.by.Otherwise == hive.OtherwisePrevious {
		step = 1
	}
	month, plain := time.Time{}, uint32(0)
	for range longestShift {
		day = day.AddDate(0, 0, step)
		if r.calendar.IsWorkday(day) != (r.by.On == hive.OnHolidays) {
			return false
		}
		if first := day.AddDate(0, 0, 1-day.Day()); !first.Equal(month) {
			month, plain = first, r.plain(first)
		}
		if plain>>day.Day()&1 == 1 {
			return true
		}
	}
	return false
}

func firesAfter(c *Cron, at time.Time) bool {
	_, ok := c.Next(at.Add(-time.Second))
	return ok
}

// monthBits returns the days of a month as bits 1 to 31.
func monthBits(first time.Time) uint32 { return 1<<(first.AddDate(0, 1, -1).Day()+1) - 2 }

func noCalendar(name string) *parseError {
	name = hive.Clean(name, 80)
	return parseErrorf("write the name of one, or make it first", "there is no calendar %q", name).
		withReason(ReasonNoCalendar, "value", name)
}

// checkCalendar checks the calendar of a trigger whose cron is read. It returns false if the cron cannot be checked any
// further.
func (c *triggerCheck) checkCalendar(cron *Cron) bool {
	by := c.trigger.Calendar
	switch {
	case by == (hive.TriggerCalendar{}) || by.Name == "":
		return true
	case cron.every > 0:
		c.add(codeBadTrigger, "calendar", parseErrorf("write a cron with fields, such as */10 * * * *",
			"%q counts elapsed time and follows no calendar", c.trigger.Cron).
			withReason(ReasonCalendarEvery, "value", c.trigger.Cron))
		return false
	case c.calendars == nil:
		return false
	}
	cal := c.calendars(by.Name)
	if cal == nil {
		c.add(codeNoCalendar, "calendar.name", noCalendar(by.Name))
		return false
	}
	if _, ok := cron.Next(c.now); !ok {
		return true // it never fires, whatever the calendar says
	}
	cron.withCalendar(cal, by)
	if _, ok := cron.Next(c.now); ok {
		return true
	}
	w := parseErrorf("write other days, or complete the calendar",
		"%q has no moment on the days of calendar %q that it needs", c.trigger.Cron, by.Name).
		withReason(ReasonCalendarNever, "value", c.trigger.Cron, "calendar", by.Name)
	if first, _ := cal.Years(); first > 0 && firesAfter(cron, time.Date(first, time.January, 1, 0, 0, 0, 0, c.zone)) {
		c.warn(codeEnded, "calendar", w) // there were such days
	} else {
		c.add(codeNeverFires, "calendar", w)
	}
	return false
}
