package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
)

// calendarStore keeps calendars in memory.
type calendarStore struct {
	calendars []hive.Calendar
	versions  []hive.NamedCalendarRevision
	users     []string
}

func (s *calendarStore) Calendars(context.Context) ([]hive.Calendar, error) {
	return slices.DeleteFunc(slices.Clone(s.calendars), func(c hive.Calendar) bool { return c.Deleted }), nil
}

func (s *calendarStore) Calendar(_ context.Context, name string) (hive.Calendar, error) {
	for _, c := range s.calendars {
		if c.Name == name {
			return c, nil
		}
	}
	return hive.Calendar{}, hive.Errorf(hive.CodeNotFound, "there is no calendar %q", name)
}

func (s *calendarStore) SaveCalendar(_ context.Context, in hive.SaveCalendar) (
	hive.Calendar, hive.CalendarRevision, bool, error,
) {
	i := slices.IndexFunc(s.calendars, func(c hive.Calendar) bool { return c.Name == in.Name })
	if i < 0 {
		i = len(s.calendars)
		s.calendars = append(s.calendars, hive.Calendar{ID: int64(i + 1), Name: in.Name})
	}
	c := &s.calendars[i]
	c.Revision, c.Deleted = c.Revision+1, false
	r := hive.CalendarRevision{
		ID: int64(len(s.versions) + 1), CalendarID: c.ID, Number: c.Revision, Document: in.Document, Hash: in.Hash,
		CreatedAt: in.Now, CreatedBy: in.By, Note: in.Note,
	}
	s.versions = append(s.versions, hive.NamedCalendarRevision{CalendarRevision: r, Name: in.Name})
	return *c, r, true, nil
}

func (s *calendarStore) DeleteCalendar(_ context.Context, name string, _ time.Time) error {
	for i := range s.calendars {
		if s.calendars[i].Name == name {
			s.calendars[i].Deleted = true
		}
	}
	return nil
}

func (s *calendarStore) CalendarRevisionAt(_ context.Context, id, number int64) (hive.CalendarRevision, error) {
	for _, r := range s.versions {
		if r.CalendarID == id && r.Number == number {
			return r.CalendarRevision, nil
		}
	}
	return hive.CalendarRevision{}, hive.Errorf(hive.CodeNotFound, "there is no revision %d", number)
}

func (s *calendarStore) CalendarRevisions(_ context.Context, id int64) ([]hive.CalendarRevision, error) {
	var out []hive.CalendarRevision
	for _, r := range slices.Backward(s.versions) {
		if r.CalendarID == id {
			out = append(out, r.CalendarRevision)
		}
	}
	return out, nil
}

func (s *calendarStore) AllCalendarRevisions(context.Context) ([]hive.NamedCalendarRevision, error) {
	return s.versions, nil
}

func (s *calendarStore) CalendarUsers(context.Context, int64) ([]string, error) { return s.users, nil }

func (s *calendarStore) CalendarsVersion(context.Context) (int64, error) {
	return int64(len(s.versions)), nil
}

const china = "apiVersion: hivego/v1\nkind: Calendar\nname: china\ntitle: China\n"

const onChina = `apiVersion: hivego/v1
kind: Schedule
name: nightly
triggers:
  - cron: "20 3 * * *"
    calendar: {name: china}
jobs:
  - key: load
    tasks:
      - {key: a, handler: shell, when: calendar.china.workday, params: {command: "true"}}
`

// saveCalendar saves the calendar with some more lines.
func saveCalendar(t *testing.T, s *Service, more string) hive.SavedCalendar {
	t.Helper()
	saved, err := s.SaveCalendar(
		t.Context(),
		hive.SaveRequest{Name: "china", Document: []byte(china + more), By: "ada"},
	)
	if err != nil {
		t.Fatal(err)
	}
	return saved
}

func TestCalendars(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s, st := w.Service, w.db
	changes := 0
	s.calendarChanged = func() { changes++ }
	st.users = []string{"nightly"}
	saveCalendar(t, s, "holidays: [{from: 2026-10-01, to: 2026-10-07}]\n")
	saved := saveCalendar(t, s, "workdays: [{date: 2026-10-10}, {date: 2027-01-03}]\n")
	if changes != 2 || saved.Revision.Number != 2 || !saved.Changed {
		t.Errorf("%d changes, %+v", changes, saved)
	}
	v, err := s.GetCalendar(t.Context(), "china")
	if err != nil || v.Title != "China" || v.FirstYear != 2026 || v.LastYear != 2027 || v.Holidays != 0 ||
		v.Workdays != 2 || !strings.Contains(string(v.Definition), `"workdays":[`) || v.UsedBy[0] != "nightly" ||
		!slices.Equal(v.Weekend, []string{"sat", "sun"}) {
		t.Errorf("%+v, %v", v, err)
	}
	list, err := s.ListCalendars(t.Context())
	if err != nil || len(list) != 1 || list[0].Revision.Document != "" || list[0].Workdays != 2 {
		t.Errorf("%+v, %v", list, err)
	}
	history, err := s.CalendarRevisions(t.Context(), "china")
	if err != nil || len(history) != 2 || history[0].Number != 2 {
		t.Errorf("%+v, %v", history, err)
	}
	for number, want := range map[int64]string{0: "2027-01-03", 1: "2026-10-07"} {
		r, err := s.CalendarRevision(t.Context(), "china", number)
		if err != nil || !strings.Contains(string(r.Definition), want) {
			t.Errorf("revision %d: %s, %v", number, r.Definition, err)
		}
	}
	if err := s.DeleteCalendar(t.Context(), "china"); err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{
		"get":       second(s.GetCalendar(t.Context(), "china")),
		"revisions": second(s.CalendarRevisions(t.Context(), "china")),
		"revision":  second(s.CalendarRevision(t.Context(), "china", 1)),
	} {
		if hive.CodeOf(err) != hive.CodeNotFound {
			t.Errorf("%s of a deleted calendar: %v", what, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestCalendarsThatAreRefused(t *testing.T) {
	t.Parallel()
	s := newWorld(t).Service
	for text, words := range map[string]string{
		china + "holidays: [{date: 2026-02-30}]\n":              "faults",
		strings.Replace(china, "name: china", "name: x", 1):     "not of",
		strings.Replace(china, "Calendar", "Schedule", 1):       "faults",
		strings.Replace(china, "name: china", "name: 'A b'", 1): "faults",
		china + "---\n" + china:                                 "faults",
		"":                                                      "faults",
	} {
		_, err := s.SaveCalendar(t.Context(), hive.SaveRequest{Name: "china", Document: []byte(text)})
		if hive.CodeOf(err) != hive.CodeInvalid || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestSchedulesThatNameACalendar: a schedule may only name calendars that exist; its next moments follow their newest
// revision.
func TestSchedulesThatNameACalendar(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s, st := w.Service, w.db // it is Friday, 1 May 2026
	save := func() error {
		_, err := s.Save(t.Context(), hive.SaveRequest{Name: "nightly", Document: []byte(onChina)})
		return err
	}
	err := save()
	refused, ok := errors.AsType[*hive.Error](err)
	if !ok || len(refused.Faults) != 2 || refused.Faults[0].Path != "triggers[0].calendar.name" ||
		refused.Faults[1].Path != "jobs[0].tasks[0].when" {
		t.Errorf("without the calendar: %v", err)
	}
	saveCalendar(t, s, "holidays: [{from: 2026-05-01, to: 2026-05-05}]\n")
	if err := save(); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(st.named, []string{"china"}) {
		t.Errorf("the store learns of %v", st.named)
	}
	next := func() string {
		page, err := s.List(t.Context(), hive.ScheduleFilter{Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		list := page.Views
		v, err := s.Get(t.Context(), "nightly")
		if err != nil || !v.NextAt[0].Equal(list[0].NextAt[0]) {
			t.Fatalf("%v, %v", v.NextAt, err)
		}
		return v.NextAt[0].Format(time.DateOnly)
	}
	if got := next(); got != "2026-05-06" {
		t.Errorf("due on %s", got)
	}
	saveCalendar(t, s, "workdays: [{date: 2026-05-02}]\nholidays: [{date: 2026-05-01}]\n")
	if got := next(); got != "2026-05-02" {
		t.Errorf("after the change due on %s", got)
	}
	f, err := s.Forecast(t.Context(), hive.ForecastRequest{
		Count: 1, Triggers: []json.RawMessage{
			json.RawMessage(`{"cron": "0 3 * * *", "calendar": {"name": "china", "workday": -1}}`),
		},
	})
	if err != nil || len(f.Moments) != 1 || f.Moments[0].At.Format(time.DateOnly) != "2026-05-29" {
		t.Errorf("%+v, %v", f, err)
	}
}

// TestWorkdaysOfBatches: a batch sees the calendars as they were when it was created.
func TestWorkdaysOfBatches(t *testing.T) {
	t.Parallel()
	st := &calendarStore{}
	w := NewWorkdays(st)
	day := time.Date(2026, 5, 9, 0, 0, 0, 0, time.UTC) // a Saturday
	if sets, err := w.At(t.Context(), []time.Time{t0}); err != nil || len(sets) != 1 || sets[0] != nil {
		t.Errorf("%v, %v", sets, err)
	}
	for i, more := range []string{"", "workdays: [{date: 2026-05-09}]\n", "holidays: [{date: 2026-05-09}]\n"} {
		doc, faults := document.ParseCalendar([]byte(china+more), document.Options{})
		if doc == nil {
			t.Fatal(faults)
		}
		_, _, _, err := st.SaveCalendar(t.Context(), hive.SaveCalendar{
			Name: "china", Document: string(doc.Canonical), Now: t0.Add(time.Duration(i) * time.Hour),
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	times := []time.Time{t0.Add(-time.Hour), t0, t0.Add(time.Hour), t0.Add(90 * time.Minute), t0.Add(3 * time.Hour)}
	sets, err := w.At(t.Context(), times)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{false, false, true, true, false} {
		if got := sets[i]["china"].IsWorkday(day); got != want {
			t.Errorf("at %s: %v", times[i], got)
		}
	}
}
