// Package catalog keeps schedules: what people save, check, read and switch.
package catalog

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/schedule"
)

// Store is what is needed of the database.
type Store interface {
	Schedule(ctx context.Context, name string) (hive.Schedule, error)
	Schedules(ctx context.Context) ([]hive.Schedule, error)
	SaveSchedule(ctx context.Context, in hive.SaveSchedule) (hive.Schedule, hive.Revision, bool, error)
	SetEnabled(ctx context.Context, name string, on bool, now time.Time) error
	RevisionAt(ctx context.Context, scheduleID, number int64) (hive.Revision, error)
	Revisions(ctx context.Context, scheduleID int64) ([]hive.Revision, error)
	Ticks(ctx context.Context, scheduleID int64, before time.Time, limit int) ([]hive.Tick, error)
	Executors(ctx context.Context) ([]hive.Executor, error)
	RecentBatches(ctx context.Context, schedules []int64, limit int) (map[int64][]hive.Batch, error)
	UsualDurations(ctx context.Context, schedules []int64) (map[int64]time.Duration, error)
	Drafts(ctx context.Context, user int64) ([]hive.Draft, error)
	Draft(ctx context.Context, user int64, name string) (hive.Draft, error)
	PutDraft(ctx context.Context, d hive.Draft, most int) (hive.Draft, error)
	DeleteDraft(ctx context.Context, user int64, name string, version int64) error
}

// Config is what a Service needs.
type Config struct {
	Store Store
	Now   func() time.Time
	// Changed is told of every schedule that was saved or switched, so that ticks follow at once.
	Changed func(id int64)
	// Count fills in how many runs of batches are in which state; nil: they are shown as they are stored.
	Count func(ctx context.Context, list []hive.Batch) error
}

// Service does it.
type Service struct {
	store   Store
	now     func() time.Time
	changed func(id int64)
	count   func(ctx context.Context, list []hive.Batch) error

	small, large *desk // where texts are read

	mu     sync.Mutex
	digest map[revisionKey]digest
}

// New makes a Service.
func New(c Config) *Service {
	if c.Changed == nil {
		c.Changed = func(int64) {}
	}
	if c.Count == nil {
		c.Count = func(context.Context, []hive.Batch) error { return nil }
	}
	return &Service{
		store: c.Store, now: c.Now, changed: c.Changed, count: c.Count,
		small: newDesk(smallTexts), large: newDesk(largeTexts), digest: map[revisionKey]digest{},
	}
}

func (s *Service) moment() time.Time { return s.now().UTC().Truncate(time.Millisecond) }

// forecast is how many moments are shown of one schedule.
const forecast = 5

// List answers at most limit schedules after a name, by name, each with the next moment at which it is due.
func (s *Service) List(ctx context.Context, after string, limit int) ([]hive.ScheduleView, error) {
	all, err := s.store.Schedules(ctx)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b hive.Schedule) int { return strings.Compare(a.Name, b.Name) })
	from, _ := slices.BinarySearchFunc(all, after,
		func(h hive.Schedule, name string) int { return strings.Compare(h.Name, name) })
	if from < len(all) && all[from].Name == after {
		from++
	}
	page := all[from:min(from+limit, len(all))]
	views := make([]hive.ScheduleView, 0, len(page))
	for i := range page {
		d, err := s.digestOf(ctx, &page[i])
		if err != nil {
			return nil, err
		}
		v := d.view
		v.Schedule = page[i]
		if m, ok := d.times.Next(s.now()); ok {
			v.NextAt = []time.Time{m.At}
		}
		views = append(views, v)
	}
	return views, s.addRecent(ctx, views)
}

// Get is a schedule with its newest revision.
func (s *Service) Get(ctx context.Context, name string) (hive.ScheduleView, error) {
	h, err := s.store.Schedule(ctx, name)
	if err != nil {
		return hive.ScheduleView{}, err
	}
	rev, err := s.store.RevisionAt(ctx, h.ID, h.Revision)
	if err != nil {
		return hive.ScheduleView{}, err
	}
	doc, err := s.stored(ctx, rev)
	if err != nil {
		return hive.ScheduleView{}, err
	}
	v := viewOf(doc.Definition)
	v.Schedule, v.Revision, v.Definition = h, rev, doc.JSON()
	for _, m := range schedule.Forecast(doc.Definition, s.now(), forecast) {
		v.NextAt = append(v.NextAt, m.At)
	}
	one := []hive.ScheduleView{v}
	err = s.addRecent(ctx, one)
	return one[0], err
}

// stored reads a revision. It was valid when it was saved.
func (s *Service) stored(ctx context.Context, rev hive.Revision) (*document.Document, error) {
	leave, err := s.sit(ctx, len(rev.Document))
	if err != nil {
		return nil, err
	}
	defer leave()
	doc, faults := document.Parse([]byte(rev.Document), document.Options{Stored: true})
	if doc == nil {
		return nil, &hive.Error{
			Code: hive.CodeInternal, Words: fmt.Sprintf("revision %d (id %d) cannot be read any more", rev.Number,
				rev.ID), Faults: faults,
		}
	}
	return doc, nil
}

// SetEnabled switches a schedule.
func (s *Service) SetEnabled(ctx context.Context, name string, on bool) error {
	if err := s.store.SetEnabled(ctx, name, on, s.moment()); err != nil {
		return err
	}
	h, err := s.store.Schedule(ctx, name)
	if err != nil {
		return err
	}
	s.changed(h.ID)
	return nil
}

// Revisions lists the revisions of a schedule, newest first.
func (s *Service) Revisions(ctx context.Context, name string) ([]hive.Revision, error) {
	h, err := s.store.Schedule(ctx, name)
	if err != nil {
		return nil, err
	}
	list, err := s.store.Revisions(ctx, h.ID)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b hive.Revision) int { return int(b.Number - a.Number) })
	return list, nil
}

// Revision is a revision by its number; the newest for 0.
func (s *Service) Revision(ctx context.Context, name string, number int64) (hive.Revision, error) {
	h, err := s.store.Schedule(ctx, name)
	if err != nil {
		return hive.Revision{}, err
	}
	if number == 0 {
		number = h.Revision
	}
	return s.store.RevisionAt(ctx, h.ID, number)
}

// RevisionView is Revision with its document as JSON, comments under #.
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

// Ticks lists what was decided about moments before one, latest first; from the latest if before is zero.
func (s *Service) Ticks(ctx context.Context, name string, before time.Time, limit int) ([]hive.Tick, error) {
	h, err := s.store.Schedule(ctx, name)
	if err != nil {
		return nil, err
	}
	return s.store.Ticks(ctx, h.ID, before, limit)
}
