package catalog

import (
	"context"
	"time"

	"github.com/rprp/hivego/server/calendar"
	"github.com/rprp/hivego/server/expression"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/schedule"
)

// lookup finds the newest revision of each calendar while one request is handled. The first error stays in err.
type lookup struct {
	service *Service
	ctx     context.Context //nolint:containedctx // it lives as long as the request
	stored  bool            // also deleted calendars: a stored document may name them
	err     error
	found   map[string]*calendar.Calendar
}

func (s *Service) lookup(ctx context.Context) *lookup {
	return &lookup{service: s, ctx: ctx, found: map[string]*calendar.Calendar{}}
}

// NewestCalendars finds the newest revisions of calendars, also of deleted ones. failed tells whether one could not be
// read.
func (s *Service) NewestCalendars(ctx context.Context) (find schedule.Calendars, failed func() error) {
	l := s.lookup(ctx)
	l.stored = true
	return l.find, func() error { return l.err }
}

// find implements schedule.Calendars.
func (l *lookup) find(name string) *calendar.Calendar {
	if c, ok := l.found[name]; ok || l.err != nil {
		return c
	}
	c, err := l.read(name)
	if hive.CodeOf(err) == hive.CodeNotFound {
		err = nil
	}
	l.found[name], l.err = c, err
	return c
}

func (l *lookup) read(name string) (*calendar.Calendar, error) {
	s := l.service
	row, err := s.calendars.Calendar(l.ctx, name)
	if err != nil || row.Deleted && !l.stored {
		return nil, err
	}
	key := revisionKey{row.ID, row.Revision}
	s.mu.Lock()
	known := s.parsed[key]
	s.mu.Unlock()
	if known != nil {
		return known, nil
	}
	rev, err := s.calendars.CalendarRevisionAt(l.ctx, row.ID, row.Revision)
	if err != nil {
		return nil, err
	}
	doc, err := storedCalendar(&rev)
	if err != nil {
		return nil, err
	}
	c := calendar.New(doc.Calendar)
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.parsed) >= maxCalendars {
		clear(s.parsed)
	}
	s.parsed[key] = c
	return c, nil
}

// days returns what the date of a moment is by each calendar that was found.
func (l *lookup) days(at time.Time, zone *time.Location) map[string]expression.Day {
	all := map[string]hive.Workdays{}
	for name, c := range l.found {
		if c != nil {
			all[name] = c
		}
	}
	return expression.Days(all, at, zone)
}

// maxCalendars bounds the memory for parsed calendars.
const maxCalendars = 100
