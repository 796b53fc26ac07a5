package hive

import (
	"encoding/json"
	"time"
)

// KindCalendar is the kind of the document of a calendar.
const KindCalendar = "Calendar"

// CalendarDefinition is one calendar as people write it: which days are workdays. A day without an entry is a workday
// unless its weekday belongs to the weekend.
type CalendarDefinition struct {
	APIVersion  string         `json:"apiVersion"`
	Kind        string         `json:"kind"`
	Name        string         `json:"name"` // unique among the calendars of a server; as names of schedules
	Title       string         `json:"title,omitempty"`
	Description string         `json:"description,omitempty"`
	Weekend     []string       `json:"weekend,omitzero"`   // sun, mon, …, sat; sat and sun when nil, none when empty
	Holidays    []CalendarDays `json:"holidays,omitempty"` // days off, whatever their weekday is
	Workdays    []CalendarDays `json:"workdays,omitempty"` // make-up workdays: days of the weekend on which people work
}

// CalendarDays is one day or a range of days with a name. Dates are written 2026-10-01.
type CalendarDays struct {
	Date string `json:"date,omitempty"`
	From string `json:"from,omitempty"` // with To instead of Date; both are included
	To   string `json:"to,omitempty"`
	Name string `json:"name,omitempty"`
}

// TriggerCalendar determines on which days of a calendar a cron is due.
type TriggerCalendar struct {
	Name      string      `json:"name"`
	On        CalendarOn  `json:"on,omitempty"`        // workdays when empty
	Otherwise OtherwiseDo `json:"otherwise,omitempty"` // skip when empty
	Workday   int         `json:"workday,omitempty"`   // instead of both: the n-th workday of the month; -1 is the last
}

// CalendarOn is one of workdays, holidays, all.
type CalendarOn string

// The days of a calendar on which a trigger is due.
const (
	OnWorkdays CalendarOn = "workdays" // default
	OnHolidays CalendarOn = "holidays" // all days that are no workdays, weekends included
	OnAll      CalendarOn = "all"      // every day: the calendar changes nothing
)

// OtherwiseDo is what becomes of a moment on another day: skip, next, previous.
type OtherwiseDo string

// What a trigger does with a moment on a day that On excludes.
const (
	OtherwiseSkip     OtherwiseDo = "skip"     // default
	OtherwiseNext     OtherwiseDo = "next"     // moved to the next day that On includes, at the same time of day
	OtherwisePrevious OtherwiseDo = "previous" // moved to the day before that On includes
)

// MostWorkdays is the largest number of workdays that a month can have.
const MostWorkdays = 31

// Workdays tells workdays from other days. The date of day counts, in the zone of day.
type Workdays interface {
	IsWorkday(day time.Time) bool
}

// Calendar is the row of a calendar. Its documents are revisions, which never change.
type Calendar struct {
	ID        int64
	Name      string
	Revision  int64 // number of the newest revision
	CreatedAt time.Time
	UpdatedAt time.Time
	Deleted   bool // no trigger may name it any more; its revisions stay
}

// CalendarRevision is one version of a calendar. It is in force from CreatedAt until the next one was created.
type CalendarRevision struct {
	ID         int64
	CalendarID int64
	Number     int64
	Document   string // canonical YAML
	Hash       string // hex SHA-256 of Document
	CreatedAt  time.Time
	CreatedBy  string
	Note       string
}

// NamedCalendarRevision is a revision with the name of its calendar.
type NamedCalendarRevision struct {
	CalendarRevision
	Name string
}

// CalendarView is a calendar with its newest revision.
type CalendarView struct {
	Calendar Calendar
	Revision CalendarRevision // without its document in lists
	Title    string
	// Description and Weekend come from the definition. Weekend is never nil.
	Description string
	Weekend     []string
	FirstYear   int // with an entry; 0 if there is none
	LastYear    int
	Holidays    int             // entries
	Workdays    int             // entries of make-up workdays
	UsedBy      []string        // schedules whose newest revision names it
	Definition  json.RawMessage // the revision as JSON; nil in lists
}

// CalendarRevisionView is a revision of a calendar with its document as JSON.
type CalendarRevisionView struct {
	CalendarRevision
	Definition json.RawMessage
}

// SavedCalendar is the result of a SaveRequest for a calendar.
type SavedCalendar struct {
	Calendar Calendar
	Revision CalendarRevision
	Changed  bool    // a new revision was made
	Faults   []Fault // warnings
}

// SaveCalendar asks for a document to be stored as the newest revision of the calendar of a name.
type SaveCalendar struct {
	Name     string
	Document string
	Hash     string
	Base     int64 // the newest revision must be this one; 0: any
	Fresh    bool  // there must be no such calendar yet
	By       string
	Note     string
	Now      time.Time
}

// CalendarFormat is the format of a file with the days of a calendar.
type CalendarFormat string

// The formats of files.
const (
	FormatICS  CalendarFormat = "ics"
	FormatCSV  CalendarFormat = "csv"
	FormatYAML CalendarFormat = "yaml" // the document of a calendar
)

// CalendarFile asks for the days of a file.
type CalendarFile struct {
	Format              CalendarFormat
	Text                []byte
	FirstYear, LastYear int // recurrences of ICS are written out for these years; 0: from last year on, for three more
}

// CalendarFileDays are the days of a file. There are none if it has faults.
type CalendarFileDays struct {
	Holidays []CalendarDays
	Workdays []CalendarDays
	Left     int // events that were left out because they have a time of day
	Faults   []Fault
}
