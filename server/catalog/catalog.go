// Package catalog has the use cases of schedules and drafts: check, convert, preview, save, list and switch them.
package catalog

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/rprp/hivego/server/calendar"
	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
)

// ScheduleStore stores schedules, their revisions and the ledger of their ticks.
type ScheduleStore interface {
	Schedule(ctx context.Context, name string) (hive.Schedule, error)
	// Schedules lists all schedules by name: only what shows all of them asks for it.
	Schedules(ctx context.Context) ([]hive.Schedule, error)
	SaveSchedule(ctx context.Context, in hive.SaveSchedule) (hive.Schedule, hive.Revision, bool, error)
	SetEnabled(ctx context.Context, name string, on bool, now time.Time) error
	RevisionAt(ctx context.Context, scheduleID, number int64) (hive.Revision, error)
	Revisions(ctx context.Context, scheduleID int64) ([]hive.Revision, error)
	Ticks(ctx context.Context, scheduleID int64, before time.Time, limit int) ([]hive.Tick, error)
	ReleaseTick(ctx context.Context, scheduleID int64, at time.Time, r hive.Release) error
}

// DirectoryStore finds schedules without reading all of them.
type DirectoryStore interface {
	// SchedulesNamed leaves out names that do not exist.
	SchedulesNamed(ctx context.Context, names []string) ([]hive.Schedule, error)
	SchedulesByID(ctx context.Context, ids []int64) ([]hive.Schedule, error)
	// CountSchedules counts the schedules that are not archived.
	CountSchedules(ctx context.Context) (int, error)
	// ScheduleNames lists the names of the schedules that are not archived.
	ScheduleNames(ctx context.Context) ([]string, error)
	// LinkedSchedules lists the schedules that wait for others or for which others wait, by name, and the named one.
	LinkedSchedules(ctx context.Context, name string) ([]hive.Schedule, error)
	// DependantNames lists the schedules that wait for another one, by name.
	DependantNames(ctx context.Context, name string, archived bool) ([]string, error)
}

// Connections reads what the connections of the server say.
type Connections interface {
	Definitions(ctx context.Context) (map[string]hive.ConnectionDefinition, error)
}

// SecretStore lists the secrets of tasks, without their values.
type SecretStore interface {
	Secrets(ctx context.Context) ([]hive.Secret, error)
}

// LimitStore lists the limits on what runs, pools included.
type LimitStore interface {
	Limits(ctx context.Context) ([]hive.Limit, error)
}

// Config holds the dependencies of a Service.
type Config struct {
	Schedules   ScheduleStore
	Directory   DirectoryStore
	Lists       ListStore
	Archive     ArchiveStore
	Renames     RenameStore // nil: schedules are not renamed
	Drafts      DraftStore
	Batches     BatchStore
	Chains      ChainStore
	Executors   ExecutorStore
	Calendars   CalendarStore
	Results     ResultStore
	Changes     ChangeStore
	Secrets     SecretStore // nil: documents are not checked against them
	Connections Connections // nil: documents are not checked against them
	Limits      LimitStore  // nil: documents are not checked against the pools
	Now         func() time.Time
	// CalendarChanged is called after a calendar was saved, so that ticks follow at once.
	CalendarChanged func()
	// Changed is called for every schedule that was saved or switched, so that its ticks follow at once.
	Changed func(id int64)
	// Deleting is called after a deletion of a schedule was begun.
	Deleting func()
	// Urgent lists the schedules with a live batch that cannot go on without a person. nil: there are none.
	Urgent func(ctx context.Context) ([]int64, error)
	// Late lists the schedules with a live batch that is late. nil: there are none.
	Late func(ctx context.Context) ([]int64, error)
	// Count fills in the number of runs of each batch by state. If it is nil, batches keep their stored counts.
	Count func(ctx context.Context, list []hive.Batch) error
}

// Service implements the use cases of schedules and drafts.
type Service struct {
	schedules   ScheduleStore
	directory   DirectoryStore
	lists       ListStore
	archive     ArchiveStore
	renames     RenameStore
	drafts      DraftStore
	batches     BatchStore
	chains      ChainStore
	executors   ExecutorStore
	calendars   CalendarStore
	results     ResultStore
	changes     ChangeStore
	secrets     SecretStore
	limits      LimitStore
	connections Connections
	now         func() time.Time
	changed     func(id int64)
	deleting    func()
	count       func(ctx context.Context, list []hive.Batch) error
	urgent      func(ctx context.Context) ([]int64, error)
	late        func(ctx context.Context) ([]int64, error)

	parsing parseLimit

	describing turn // of the call that reads documents for their texts
	usual      usualCache

	mu      sync.Mutex
	digests map[revisionKey]digest
	dues    map[int64]due                      // next moments by schedule, which the order by them keeps
	parsed  map[revisionKey]*calendar.Calendar // newest revisions of calendars

	calendarChanged func()
}

// New makes a Service.
func New(c Config) *Service {
	if c.Changed == nil {
		c.Changed = func(int64) {}
	}
	if c.Deleting == nil {
		c.Deleting = func() {}
	}
	if c.CalendarChanged == nil {
		c.CalendarChanged = func() {}
	}
	none := func(context.Context) ([]int64, error) { return nil, nil }
	if c.Urgent == nil {
		c.Urgent = none
	}
	if c.Late == nil {
		c.Late = none
	}
	if c.Count == nil {
		c.Count = func(context.Context, []hive.Batch) error { return nil }
	}
	return &Service{
		schedules: c.Schedules, directory: c.Directory, lists: c.Lists, archive: c.Archive, renames: c.Renames,
		drafts: c.Drafts, batches: c.Batches, chains: c.Chains, executors: c.Executors, calendars: c.Calendars,
		results: c.Results, changes: c.Changes, secrets: c.Secrets, limits: c.Limits,
		connections:     c.Connections,
		calendarChanged: c.CalendarChanged, now: c.Now, changed: c.Changed, deleting: c.Deleting,
		count: c.Count, urgent: c.Urgent, late: c.Late, parsing: newParseLimit(),
		digests: map[revisionKey]digest{}, dues: map[int64]due{},
		describing: newTurn(),
		usual:      usualCache{turn: newTurn(), by: map[int64]time.Duration{}},
		parsed:     map[revisionKey]*calendar.Calendar{},
	}
}

func (s *Service) moment() time.Time { return s.now().UTC().Truncate(time.Millisecond) }

// forecast is the number of due moments that Get returns.
const forecast = 5

// Get returns a schedule with its newest revision.
func (s *Service) Get(ctx context.Context, name string) (hive.ScheduleView, error) {
	h, err := s.schedules.Schedule(ctx, name)
	if err != nil {
		return hive.ScheduleView{}, err
	}
	rev, err := s.schedules.RevisionAt(ctx, h.ID, h.Revision)
	if err != nil {
		return hive.ScheduleView{}, err
	}
	doc, err := s.stored(ctx, rev)
	if err != nil {
		return hive.ScheduleView{}, err
	}
	v := viewOf(doc.Definition)
	v.Schedule, v.Revision, v.Definition = h, rev, doc.JSON()
	after := map[int64][]string{h.ID: upstreamsOf(doc.Definition)}
	times, unread := s.timetable(ctx, doc.Definition, h.CreatedAt)
	if times == nil {
		return v, unread
	}
	d := digest{times: times, since: rev.CreatedAt, policy: doc.Definition.Policy}
	d.addTimes(&v, s.now(), forecast)
	if unread != nil && v.Finished == hive.FinishedEnded {
		v.Finished = "" // a trigger that cannot be read has not ended; the editor shows what is wrong with it
	}
	one := []hive.ScheduleView{v}
	if err := s.addDelayed(ctx, one, map[int64]digest{h.ID: d}, forecast); err != nil {
		return v, err
	}
	if err := s.addArchived(ctx, one, after); err != nil {
		return v, err
	}
	err = s.addRecent(ctx, one)
	return one[0], err
}

// stored parses a stored revision. It was valid when it was saved.
func (s *Service) stored(ctx context.Context, rev hive.Revision) (*document.Document, error) {
	release, err := s.parsing.acquire(ctx, len(rev.Document))
	if err != nil {
		return nil, err
	}
	defer release()
	doc, faults := document.Parse([]byte(rev.Document), document.Options{Stored: true})
	if doc == nil {
		return nil, &hive.Error{
			Code: hive.CodeInternal, Words: fmt.Sprintf("revision %d (id %d) cannot be read any more", rev.Number,
				rev.ID), Faults: faults,
		}
	}
	return doc, nil
}

// SetEnabled enables or disables a schedule.
func (s *Service) SetEnabled(ctx context.Context, name string, on bool) error {
	if err := s.schedules.SetEnabled(ctx, name, on, s.moment()); err != nil {
		return err
	}
	h, err := s.schedules.Schedule(ctx, name)
	if err != nil {
		return err
	}
	s.changed(h.ID)
	return nil
}

// Revisions lists the revisions of a schedule, newest first.
func (s *Service) Revisions(ctx context.Context, name string) ([]hive.Revision, error) {
	h, err := s.schedules.Schedule(ctx, name)
	if err != nil {
		return nil, err
	}
	list, err := s.schedules.Revisions(ctx, h.ID)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b hive.Revision) int { return int(b.Number - a.Number) })
	return list, nil
}

// Revision finds a revision by its number; 0 stands for the newest.
func (s *Service) Revision(ctx context.Context, name string, number int64) (hive.Revision, error) {
	h, err := s.schedules.Schedule(ctx, name)
	if err != nil {
		return hive.Revision{}, err
	}
	if number == 0 {
		number = h.Revision
	}
	return s.schedules.RevisionAt(ctx, h.ID, number)
}

// RevisionView returns a revision with the document as JSON, which has comments under "#".
func (s *Service) RevisionView(ctx context.Context, name string, number int64) (hive.RevisionView, error) {
	rev, err := s.Revision(ctx, name, number)
	if err != nil {
		return hive.RevisionView{}, err
	}
	doc, err := s.stored(ctx, rev)
	if err != nil {
		return hive.RevisionView{}, err
	}
	return hive.RevisionView{Revision: rev, Definition: doc.JSON()}, nil
}

// Ticks lists the decided ticks before a moment, latest first. If before is zero it begins with the latest tick.
func (s *Service) Ticks(ctx context.Context, name string, before time.Time, limit int) ([]hive.Tick, error) {
	h, err := s.schedules.Schedule(ctx, name)
	if err != nil {
		return nil, err
	}
	return s.schedules.Ticks(ctx, h.ID, before, limit)
}
