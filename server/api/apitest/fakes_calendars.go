package apitest

import (
	"context"
	"encoding/json"

	"github.com/rprp/hivego/server/hive"
)

type calendars struct{ f *Fakes }

func (p calendars) ListCalendars(context.Context) ([]hive.CalendarView, error) {
	if p.f.ListCalendarsF == nil {
		return nil, missing()
	}
	return p.f.ListCalendarsF()
}

func (p calendars) GetCalendar(_ context.Context, name string) (hive.CalendarView, error) {
	if p.f.GetCalendarF == nil {
		return hive.CalendarView{}, missing()
	}
	return p.f.GetCalendarF(name)
}

func (p calendars) SaveCalendar(_ context.Context, r hive.SaveRequest) (hive.SavedCalendar, error) {
	if p.f.SaveCalendarF == nil {
		return hive.SavedCalendar{}, missing()
	}
	return p.f.SaveCalendarF(r)
}

func (p calendars) DeleteCalendar(_ context.Context, name string) error {
	if p.f.DeleteCalendarF == nil {
		return missing()
	}
	return p.f.DeleteCalendarF(name)
}

func (p calendars) CalendarRevisions(_ context.Context, name string) ([]hive.CalendarRevision, error) {
	v, err := p.GetCalendar(context.Background(), name)
	return []hive.CalendarRevision{v.Revision}, err
}

func (p calendars) CalendarRevision(_ context.Context, name string, _ int64) (hive.CalendarRevisionView, error) {
	v, err := p.GetCalendar(context.Background(), name)
	return hive.CalendarRevisionView{CalendarRevision: v.Revision, Definition: v.Definition}, err
}

func (p calendars) ReadCalendarFile(_ context.Context, f hive.CalendarFile) (hive.CalendarFileDays, error) {
	if p.f.ReadCalendarFileF == nil {
		return hive.CalendarFileDays{}, missing()
	}
	return p.f.ReadCalendarFileF(f)
}

// Calendar is the text of the sample calendar.
const Calendar = "apiVersion: hivego/v1\nkind: Calendar\nname: china\n"

func sampleCalendar() hive.CalendarView {
	return hive.CalendarView{
		Calendar: hive.Calendar{ID: 3, Name: "china", Revision: 2, CreatedAt: T0, UpdatedAt: T0},
		Revision: hive.CalendarRevision{
			ID:         5,
			CalendarID: 3,
			Number:     2,
			Document:   Calendar,
			Hash:       "abc",
			CreatedAt:  T0,
			CreatedBy:  "ada",
			Note:       "2026",
		},
		Title: "China", Weekend: []string{"sat", "sun"}, FirstYear: 2026, LastYear: 2026, Holidays: 7, Workdays: 6,
		UsedBy:     []string{"warehouse"},
		Definition: json.RawMessage(`{"name":"china"}`),
	}
}

// answerCalendars lets f answer every call about calendars with the sample.
func answerCalendars(f *Fakes) {
	c := sampleCalendar()
	f.ListCalendarsF = func() ([]hive.CalendarView, error) { return []hive.CalendarView{c}, nil }
	f.GetCalendarF = func(string) (hive.CalendarView, error) { return c, nil }
	f.SaveCalendarF = func(hive.SaveRequest) (hive.SavedCalendar, error) {
		return hive.SavedCalendar{Calendar: c.Calendar, Revision: c.Revision, Changed: true}, nil
	}
	f.DeleteCalendarF = func(string) error { return nil }
	f.ReadCalendarFileF = func(hive.CalendarFile) (hive.CalendarFileDays, error) {
		holidays := []hive.CalendarDays{{Date: "2026-01-01", Name: "New Year"}}
		return hive.CalendarFileDays{Holidays: holidays, Left: 1}, nil
	}
}
