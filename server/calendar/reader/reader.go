// Package reader reads the calendars of other programs, ICS and CSV, as the entries of a calendar. It is pure.
package reader

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rprp/hivego/server/calendar"
	"github.com/rprp/hivego/server/hive"
)

// Limits of a file.
const (
	MaxSize   = 4 << 20 // bytes
	maxEvents = 20_000
	maxRules  = 200      // events that recur
	maxLine   = 64 << 10 // bytes, of a line of ICS with its continuations
	maxName   = 200      // characters of the name of an entry; the rest is cut
)

// Error is a mistake in a file.
type Error struct {
	Line    int // 0: of the file as a whole
	Message string
	Remedy  string
}

// Error returns the message with the line and the remedy.
func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Message + "; " + e.Remedy
	}
	return fmt.Sprintf("line %d: %s; %s", e.Line, e.Message, e.Remedy)
}

func wrong(line int, remedy, format string, args ...any) error {
	return &Error{Line: line, Message: fmt.Sprintf(format, args...), Remedy: remedy}
}

// Options say what to take from a file.
type Options struct {
	FirstYear, LastYear int // recurrences are written out for these years
}

// Days is what a file says.
type Days struct {
	Holidays []hive.CalendarDays
	Workdays []hive.CalendarDays
	Left     int // events that were left out because they have a time of day
}

// collector gathers days in any order.
type collector struct {
	days map[string]collected // by date
}

type collected struct {
	workday bool
	name    string
}

// add adds the days of one event.
func (c *collector) add(line int, from time.Time, count int, workday bool, name string) error {
	if runes := []rune(name); len(runes) > maxName {
		name = string(runes[:maxName])
	}
	name = hive.Clean(strings.TrimSpace(name), maxName*4)
	for i := range count {
		day := from.AddDate(0, 0, i)
		if day.Year() < 1970 || day.Year() > 9999 {
			return wrong(line, "take the event out", "the year %d is out of range", day.Year())
		}
		date := day.Format(time.DateOnly)
		known, ok := c.days[date]
		switch {
		case !ok && len(c.days) >= calendar.MaxEntries:
			return wrong(line, "take fewer years", "the file has more than %d days", calendar.MaxEntries)
		case ok && known.workday != workday:
			return wrong(line, "take one of the two out", "%s is a holiday and a workday", date)
		case ok && known.name != name && name != "" && !strings.Contains(known.name, name):
			name = strings.TrimPrefix(known.name+", "+name, ", ")
		case ok:
			continue
		}
		c.days[date] = collected{workday: workday, name: name}
	}
	return nil
}

// entries returns the days in order. Days in a row with one name are one entry.
func (c *collector) entries() Days {
	dates := make([]string, 0, len(c.days))
	for date := range c.days {
		dates = append(dates, date)
	}
	slices.Sort(dates)
	var out Days
	for i := 0; i < len(dates); {
		d, end := c.days[dates[i]], i
		for end+1 < len(dates) && dates[end+1] == following(dates[end]) && c.days[dates[end+1]] == d &&
			end-i+2 <= calendar.MaxSpan {
			end++
		}
		entry := hive.CalendarDays{Date: dates[i], Name: d.name}
		if end > i {
			entry = hive.CalendarDays{From: dates[i], To: dates[end], Name: d.name}
		}
		if d.workday {
			out.Workdays = append(out.Workdays, entry)
		} else {
			out.Holidays = append(out.Holidays, entry)
		}
		i = end + 1
	}
	return out
}

// following returns the date after a date.
func following(date string) string {
	day, _ := time.Parse(time.DateOnly, date) // made by Format
	return day.AddDate(0, 0, 1).Format(time.DateOnly)
}

// Merge returns def with the days of a file in place of its own of the same years. Entries of other years stay.
func Merge(def hive.CalendarDefinition, days Days) hive.CalendarDefinition {
	years := map[string]bool{}
	for _, list := range [][]hive.CalendarDays{days.Holidays, days.Workdays} {
		for i := range list {
			years[year(&list[i])] = true
		}
	}
	keep := func(list, more []hive.CalendarDays) []hive.CalendarDays {
		list = slices.DeleteFunc(slices.Clone(list), func(d hive.CalendarDays) bool { return years[year(&d)] })
		list = append(list, more...)
		slices.SortStableFunc(list, func(a, b hive.CalendarDays) int {
			return strings.Compare(a.Date+a.From, b.Date+b.From)
		})
		return list
	}
	def.Holidays, def.Workdays = keep(def.Holidays, days.Holidays), keep(def.Workdays, days.Workdays)
	return def
}

// year returns the year in which an entry begins.
func year(d *hive.CalendarDays) string {
	text, _, _ := strings.Cut(d.Date+d.From, "-")
	return text
}

// checkText refuses a file that is too large, or no text.
func checkText(src []byte) (string, error) {
	if len(src) > MaxSize {
		return "", wrong(0, "take fewer years or events", "the file has more than %d bytes", MaxSize)
	}
	text := strings.TrimPrefix(string(src), "\uFEFF")
	for n, line := range strings.Split(text, "\n") {
		if i := strings.IndexFunc(line, func(r rune) bool { return r == '\uFFFD' || r == 0 }); i >= 0 {
			return "", wrong(n+1, "save the file as UTF-8", "the line is no text")
		}
	}
	return text, nil
}
