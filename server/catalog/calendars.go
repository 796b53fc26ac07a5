package catalog

import (
	"context"
	"fmt"
	"time"

	"github.com/rprp/hivego/server/calendar"
	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/schedule"
)

// CalendarStore stores calendars and their revisions.
type CalendarStore interface {
	schedule.CalendarStore
	Calendars(ctx context.Context) ([]hive.Calendar, error)
	CalendarRevisions(ctx context.Context, calendarID int64) ([]hive.CalendarRevision, error)
	CalendarUsers(ctx context.Context, calendarID int64) ([]string, error)
	SaveCalendar(ctx context.Context, in hive.SaveCalendar) (hive.Calendar, hive.CalendarRevision, bool, error)
	DeleteCalendar(ctx context.Context, name string, now time.Time) error
}

// ListCalendars returns all calendars by name.
func (s *Service) ListCalendars(ctx context.Context) ([]hive.CalendarView, error) {
	all, err := s.calendars.Calendars(ctx)
	if err != nil {
		return nil, err
	}
	views := make([]hive.CalendarView, 0, len(all))
	for i := range all {
		v, err := s.calendarView(ctx, &all[i])
		if err != nil {
			return nil, err
		}
		v.Revision.Document, v.Definition = "", nil
		views = append(views, v)
	}
	return views, nil
}

// GetCalendar returns a calendar with its newest revision.
func (s *Service) GetCalendar(ctx context.Context, name string) (hive.CalendarView, error) {
	row, err := s.calendar(ctx, name)
	if err != nil {
		return hive.CalendarView{}, err
	}
	return s.calendarView(ctx, &row)
}

// calendar finds a calendar that is not deleted.
func (s *Service) calendar(ctx context.Context, name string) (hive.Calendar, error) {
	row, err := s.calendars.Calendar(ctx, name)
	if err == nil && row.Deleted {
		err = hive.Errorf(hive.CodeNotFound, "there is no calendar %.80q", name).
			WithReason(hive.ErrorNoCalendar, "calendar", hive.Clean(name, 80))
	}
	return row, err
}

func (s *Service) calendarView(ctx context.Context, row *hive.Calendar) (hive.CalendarView, error) {
	v := hive.CalendarView{Calendar: *row}
	var err error
	if v.Revision, err = s.calendars.CalendarRevisionAt(ctx, row.ID, row.Revision); err != nil {
		return v, err
	}
	if v.UsedBy, err = s.calendars.CalendarUsers(ctx, row.ID); err != nil {
		return v, err
	}
	doc, err := storedCalendar(&v.Revision)
	if err != nil {
		return v, err
	}
	v.Title, v.Description, v.Definition = doc.Calendar.Title, doc.Calendar.Description, doc.JSON()
	if v.Weekend = doc.Calendar.Weekend; v.Weekend == nil {
		v.Weekend = []string{"sat", "sun"}
	}
	v.FirstYear, v.LastYear = calendar.New(doc.Calendar).Years()
	v.Holidays, v.Workdays = len(doc.Calendar.Holidays), len(doc.Calendar.Workdays)
	return v, nil
}

// storedCalendar parses a stored revision. It was valid when it was saved.
func storedCalendar(rev *hive.CalendarRevision) (*document.Document, error) {
	doc, faults := document.ParseCalendar([]byte(rev.Document), document.Options{Stored: true})
	if doc == nil {
		return nil, &hive.Error{
			Code:   hive.CodeInternal,
			Words:  fmt.Sprintf("revision %d of a calendar (id %d) cannot be read any more", rev.Number, rev.ID),
			Faults: faults,
		}
	}
	return doc, nil
}

// SaveCalendar makes a document the newest revision of a calendar, unless the newest one is equal. CodeInvalid has all
// faults. CodeConflict: the newest revision is not Base.
func (s *Service) SaveCalendar(ctx context.Context, r hive.SaveRequest) (hive.SavedCalendar, error) {
	release, err := s.parsing.acquire(ctx, len(r.Document))
	if err != nil {
		return hive.SavedCalendar{}, err
	}
	doc, faults := document.ParseCalendar(r.Document, document.Options{})
	release()
	if doc == nil {
		return hive.SavedCalendar{}, documentFaults(faults)
	}
	if doc.Name() != r.Name {
		return hive.SavedCalendar{}, otherName("calendar", doc.Name(), r.Name)
	}
	row, rev, changed, err := s.calendars.SaveCalendar(ctx, hive.SaveCalendar{
		Name: r.Name, Document: string(doc.Canonical), Hash: doc.Hash, Base: r.Base, Fresh: r.Fresh, By: r.By,
		Note: r.Note, Now: s.moment(),
	})
	if err != nil {
		return hive.SavedCalendar{}, err
	}
	if changed {
		s.calendarChanged()
	}
	return hive.SavedCalendar{Calendar: row, Revision: rev, Changed: changed, Faults: faults}, nil
}

// DeleteCalendar deletes a calendar that no schedule uses. Its revisions stay.
func (s *Service) DeleteCalendar(ctx context.Context, name string) error {
	return s.calendars.DeleteCalendar(ctx, name, s.moment())
}

// CalendarRevisions lists the revisions of a calendar, newest first.
func (s *Service) CalendarRevisions(ctx context.Context, name string) ([]hive.CalendarRevision, error) {
	row, err := s.calendar(ctx, name)
	if err != nil {
		return nil, err
	}
	return s.calendars.CalendarRevisions(ctx, row.ID)
}

// CalendarRevision returns a revision of a calendar with its definition as JSON; 0 stands for the newest.
func (s *Service) CalendarRevision(ctx context.Context, name string, number int64) (hive.CalendarRevisionView, error) {
	row, err := s.calendar(ctx, name)
	if err != nil {
		return hive.CalendarRevisionView{}, err
	}
	if number == 0 {
		number = row.Revision
	}
	rev, err := s.calendars.CalendarRevisionAt(ctx, row.ID, number)
	if err != nil {
		return hive.CalendarRevisionView{}, err
	}
	doc, err := storedCalendar(&rev)
	if err != nil {
		return hive.CalendarRevisionView{}, err
	}
	return hive.CalendarRevisionView{CalendarRevision: rev, Definition: doc.JSON()}, nil
}
