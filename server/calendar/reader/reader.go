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

// Error is a mistake in a file. The line of the fault is 0 if it is of the file as a whole.
type Error struct{ Fault hive.Fault }

// Error returns the message with the line and the remedy.
func (e *Error) Error() string {
	if e.Fault.Line == 0 {
		return e.Fault.Sentence()
	}
	return fmt.Sprintf("line %d: %s", e.Fault.Line, e.Fault.Sentence())
}

// codeFile is the code of the faults of a file.
const codeFile = "calendar_file"

// wrong refuses a file. message, remedy and params are as in hive.NewFault.
func wrong(line int, reason hive.FaultReason, message, remedy string, params ...any) error {
	f := hive.NewFault(codeFile, reason, message, remedy, params...)
	f.Line = line
	return &Error{f}
}

// quoted cuts a text of the file for a message.
func quoted(text string) string { return hive.Clean(text, 40) }

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
			return wrong(line, hive.FaultFileYear, "the year ‹value› is out of range",
				"take years from 1970 to 9999", "value", day.Year())
		}
		date := day.Format(time.DateOnly)
		known, ok := c.days[date]
		switch {
		case !ok && len(c.days) >= calendar.MaxEntries:
			return wrong(line, hive.FaultFileDays, "the file has more than ‹most› days", "take fewer years",
				"most", calendar.MaxEntries)
		case ok && known.workday != workday:
			return wrong(line, hive.FaultFileBoth, "‹value› is a holiday and a workday", "take one of the two out",
				"value", date)
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
		return "", wrong(0, hive.FaultFileSize, "the file has more than ‹most› bytes", "take fewer years or events",
			"most", MaxSize)
	}
	text := strings.TrimPrefix(string(src), "\uFEFF")
	for n, line := range strings.Split(text, "\n") {
		if i := strings.IndexFunc(line, func(r rune) bool { return r == '\uFFFD' || r == 0 }); i >= 0 {
			return "", wrong(n+1, hive.FaultFileText, "the line is not text", "save the file as UTF-8")
		}
	}
	return text, nil
}
