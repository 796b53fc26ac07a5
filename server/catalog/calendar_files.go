package catalog

import (
	"context"
	"errors"

	"github.com/rprp/hivego/server/calendar/reader"
	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
)

// lookAhead is for how many years to come the recurrences of a file are written out, unless the request says.
const lookAhead = 3

// ReadCalendarFile reads the days of a file, and saves nothing. A file that cannot be read, or that has no days, has
// faults.
func (s *Service) ReadCalendarFile(ctx context.Context, f hive.CalendarFile) (hive.CalendarFileDays, error) {
	release, err := s.parsing.acquire(ctx, len(f.Text))
	if err != nil {
		return hive.CalendarFileDays{}, err
	}
	defer release()
	year := s.now().Year()
	if f.FirstYear == 0 {
		f.FirstYear = year - 1
	}
	if f.LastYear == 0 {
		f.LastYear = year + lookAhead
	}
	out, err := calendarFile(&f)
	if wrong, ok := errors.AsType[*reader.Error](err); ok {
		return hive.CalendarFileDays{Faults: []hive.Fault{wrong.Fault}}, nil
	}
	if err == nil && len(out.Holidays)+len(out.Workdays) == 0 && !hive.Refused(out.Faults) {
		out.Faults = append(out.Faults, hive.NewFault("calendar_file", hive.FaultFileNone,
			"the file has no whole days from ‹first› to ‹last›",
			"choose a file with events of whole days in these years", "first", f.FirstYear, "last", f.LastYear))
	}
	return out, err
}

func calendarFile(f *hive.CalendarFile) (hive.CalendarFileDays, error) {
	var days reader.Days
	var err error
	switch f.Format {
	case hive.FormatYAML:
		doc, faults := document.ParseCalendar(f.Text, document.Options{})
		if doc == nil {
			return hive.CalendarFileDays{Faults: faults}, nil
		}
		days = reader.Days{Holidays: doc.Calendar.Holidays, Workdays: doc.Calendar.Workdays}
	case hive.FormatICS:
		days, err = reader.ICS(f.Text, reader.Options{FirstYear: f.FirstYear, LastYear: f.LastYear})
	case hive.FormatCSV:
		days, err = reader.CSV(f.Text)
	}
	return hive.CalendarFileDays{Holidays: days.Holidays, Workdays: days.Workdays, Left: days.Left}, err
}
