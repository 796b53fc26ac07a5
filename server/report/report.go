// Package report tells how batches, tasks and executors did over many days.
package report

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/schedule"
)

// Store reads what reports are computed from.
type Store interface {
	// ReportBatches calls each with batches, newest first. It reports whether there are more than f.Most.
	ReportBatches(ctx context.Context, f hive.ReportFilter, each func(*hive.ReportBatch)) (more bool, err error)
	ReportRuns(ctx context.Context, batches []int64) (map[int64]hive.ReportRuns, error)
	// ReportAttempts reads the started attempts of batches; those on one executor if it is named.
	ReportAttempts(ctx context.Context, batches []int64, executor string) (map[int64]hive.ReportAttempts, error)
	// ReportDeleted counts the batches that retention has deleted and that ended on some days, counted from 1970.
	ReportDeleted(ctx context.Context, schedules []int64, first, last int64) (byDay, bySchedule []hive.ReportDeleted,
		err error)
	// LateBatches lists the batches that alerts have called late since a time, in UTC milliseconds.
	LateBatches(ctx context.Context, since int64) (map[int64]bool, error)
	// ReportLabels reads the newest revisions whose documents have a word; those of some schedules if it is empty.
	ReportLabels(ctx context.Context, word string, schedules []int64) ([]hive.ReportLabels, error)
}

// Schedules reads schedules and revisions.
type Schedules interface {
	Schedule(ctx context.Context, name string) (hive.Schedule, error)
	Revision(ctx context.Context, id int64) (hive.Revision, error)
}

// Config holds the dependencies of a Service.
type Config struct {
	Store     Store
	Schedules Schedules
	Parse     func(text string) (*hive.Definition, error)
	Compile   func(*hive.Revision) (*graph.Graph, error)
	Now       func() time.Time
}

// Service computes reports.
type Service struct {
	config Config
	labels labelCache
}

// New makes a Service.
func New(c Config) *Service {
	return &Service{config: c, labels: labelCache{known: map[int64]labels{}}}
}

// defaultDays is the number of days of a report that names none.
const defaultDays = 30

// scope is what a request selects.
type scope struct {
	zone        *time.Location
	first, last time.Time // days, as 00:00 of UTC
	days        int
	schedules   []int64 // nil: all
	batches     hive.BatchSelection
}

// scope reads a request. Its errors are for people.
func (s *Service) scope(ctx context.Context, r hive.ReportRequest) (scope, error) {
	zone, err := schedule.Zone(r.Zone)
	if err != nil {
		return scope{}, err
	}
	sc := scope{zone: zone, batches: r.BatchSelection}
	y, m, d := s.config.Now().In(zone).Date()
	today := time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	if sc.last, err = readDay("to", r.To, today); err != nil {
		return sc, err
	}
	if sc.first, err = readDay("from", r.From, sc.last.AddDate(0, 0, 1-defaultDays)); err != nil {
		return sc, err
	}
	sc.days = int(dayNumber(sc.last)-dayNumber(sc.first)) + 1
	switch {
	case sc.days < 1:
		return sc, hive.Errorf(hive.CodeInvalid, "from: %s is after %s; a report begins before it ends",
			sc.first.Format(time.DateOnly), sc.last.Format(time.DateOnly)).WithReason(hive.ErrorReportOrder)
	case sc.days > hive.MostReportDays:
		return sc, hive.Errorf(hive.CodeInvalid, "from: a report has at most %d days, not %d", hive.MostReportDays,
			sc.days).WithReason(hive.ErrorReportLong, "days", sc.days, "most", hive.MostReportDays)
	}
	sc.schedules, err = s.selected(ctx, r)
	return sc, err
}

// readDay reads a day; an empty text is otherwise.
func readDay(field, text string, otherwise time.Time) (time.Time, error) {
	if text == "" {
		return otherwise, nil
	}
	day, err := time.Parse(time.DateOnly, text)
	if err != nil || day.Year() < 1970 {
		return day, hive.Errorf(hive.CodeInvalid, "%s: %.40q is no day; write it as in 2026-11-27", field, text).
			WithReason(hive.ErrorReportDay, "name", field, "value", text)
	}
	return day, nil
}

// dayNumber counts the days from 1970 to a day.
func dayNumber(day time.Time) int64 { return day.Unix() / int64(24*time.Hour/time.Second) }

// starts returns the first moment of a day of the scope, counted from its first day.
func (sc *scope) starts(day int) time.Time {
	return schedule.DayStart(sc.first.AddDate(0, 0, day), sc.zone)
}

// filter selects the batches of the scope.
func (sc *scope) filter(most int) hive.ReportFilter {
	return hive.ReportFilter{
		From: sc.starts(0), To: sc.starts(sc.days), Schedules: sc.schedules, Most: most,
		BatchSelection: sc.batches,
	}
}

// selected returns the schedules of a request, by its schedule, tag and owner; nil stands for all.
func (s *Service) selected(ctx context.Context, r hive.ReportRequest) ([]int64, error) {
	var ids []int64
	if r.Schedule != "" {
		found, err := s.config.Schedules.Schedule(ctx, r.Schedule)
		if err != nil {
			return nil, err
		}
		ids = []int64{found.ID}
	}
	for _, f := range []struct {
		value, key string
		has        func(labels) []string
	}{
		{r.Tag, "tags", func(l labels) []string { return l.tags }},
		{r.Owner, "owners", func(l labels) []string { return l.owners }},
	} {
		if f.value == "" {
			continue
		}
		word := f.value
		if strings.ContainsFunc(word, func(r rune) bool {
			return r < ' ' || r > '~' || strings.ContainsRune(`"'\<>&`, r)
		}) {
			word = f.key // documents may write the value in another way
		}
		documents, err := s.config.Store.ReportLabels(ctx, word, nil)
		if err != nil {
			return nil, err
		}
		with := []int64{}
		for i := range documents {
			d := &documents[i]
			if slices.Contains(f.has(s.labels.of(d, s.config.Parse)), f.value) &&
				(ids == nil || slices.Contains(ids, d.ScheduleID)) {
				with = append(with, d.ScheduleID)
			}
		}
		ids = with
	}
	return ids, nil
}

// labels are the tags and owners of a revision.
type labels struct{ tags, owners []string }

// mostLabels bounds the cache of labels.
const mostLabels = 20_000

// labelCache keeps the labels of revisions, which never change, so that a document is read once.
type labelCache struct {
	mu    sync.Mutex
	known map[int64]labels // by revision
}

// of returns the labels of a schedule. A document that cannot be read has none.
func (c *labelCache) of(d *hive.ReportLabels, parse func(string) (*hive.Definition, error)) labels {
	c.mu.Lock()
	l, ok := c.known[d.RevisionID]
	c.mu.Unlock()
	if ok {
		return l
	}
	if def, err := parse(d.Document); err == nil {
		l = labels{tags: def.Tags, owners: def.Owners}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.known) >= mostLabels {
		clear(c.known)
	}
	c.known[d.RevisionID] = l
	return l
}
