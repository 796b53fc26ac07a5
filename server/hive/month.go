package hive

import "time"

// MonthRequest asks how the ticks of a month spread over its days.
type MonthRequest struct {
	Schedule string // name; empty: all
	Month    string // as in 2026-12; empty: the present one
	Timezone string // of the days and hours, as an IANA name; empty: UTC
	Down     []Span // times in which no server is assumed to run
}

// ForecastMonth is the weeks of a month, from Monday to Sunday, with the ticks that are still to come.
type ForecastMonth struct {
	From      time.Time // only later ticks count
	Days      []ForecastDay
	Schedules int // enabled ones with moments of their own
	Disabled  int // schedules that make no batches now
	Following int // schedules whose moments come from others: they are not counted
	Uncounted int // schedules that are left out because there are too many moments
}

// ForecastDay is one day of a ForecastMonth.
type ForecastDay struct {
	Date    time.Time // its first moment, in the zone of the request
	Ticks   int
	Down    int     // of these, the ticks that are due while no server runs
	Hours   [24]int // ticks by the hour on the clock
	Items   []DayItem
	More    int // items that are left out
	Entries []DayEntry
}

// DayItem is a trigger that does on a day what it does not do every day.
type DayItem struct {
	Kind     DayKind
	Schedule string
	At       time.Time // the first moment of the day; for a moment left out, when it would have been due
	Count    int       // moments of the trigger on the day
	From     time.Time // the day from which it is moved
}

// DayKind says why a DayItem is listed.
type DayKind string

// The kinds of a DayItem.
const (
	DayDue     DayKind = "due"      // weekly or more rarely
	DayAdded   DayKind = "added"    // by a calendar, on a day that its weekday excludes
	DayMoved   DayKind = "moved"    // by a calendar, from another day
	DayLeftOut DayKind = "left_out" // by a calendar
	DayPlanned DayKind = "planned"  // changed by a person
)

// DayEntry is what a calendar says of a day.
type DayEntry struct {
	Calendar string
	Holiday  bool // otherwise it is a make-up workday
	Name     string
}
