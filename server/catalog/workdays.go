package catalog

import (
	"context"
	"sync"
	"time"

	"github.com/rprp/hivego/server/calendar"
	"github.com/rprp/hivego/server/hive"
)

// WorkdaysStore reads the history of all calendars.
type WorkdaysStore interface {
	CalendarsVersion(ctx context.Context) (int64, error)
	// AllCalendarRevisions lists the revisions of all calendars, also of deleted ones, oldest first.
	AllCalendarRevisions(ctx context.Context) ([]hive.NamedCalendarRevision, error)
}

// Workdays has all calendars as they were at any time, for the expressions of batches. It is safe for concurrent use.
type Workdays struct {
	store WorkdaysStore

	mu      sync.Mutex
	version int64
	byName  map[string][]workdaysSince // oldest first
	sets    map[time.Time]map[string]hive.Workdays
}

type workdaysSince struct {
	from     time.Time
	workdays hive.Workdays
}

// NewWorkdays makes a Workdays.
func NewWorkdays(store WorkdaysStore) *Workdays { return &Workdays{store: store} }

// maxSets bounds the memory for shared maps.
const maxSets = 1000

// At returns, for each time, the calendars that were in force, by name, also deleted ones. Before its first revision, a
// calendar is what that says. The caller must not change the maps. They are nil if there is no calendar.
func (w *Workdays) At(ctx context.Context, times []time.Time) ([]map[string]hive.Workdays, error) {
	out := make([]map[string]hive.Workdays, len(times))
	version, err := w.store.CalendarsVersion(ctx)
	if err != nil || version == 0 {
		return out, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if version != w.version {
		byName, err := w.read(ctx)
		if err != nil {
			return nil, err
		}
		w.version, w.byName, w.sets = version, byName, map[time.Time]map[string]hive.Workdays{}
	}
	for i, at := range times {
		out[i] = w.set(w.since(at))
	}
	return out, nil
}

// set returns the calendars that were in force at the time of a change.
func (w *Workdays) set(since time.Time) map[string]hive.Workdays {
	if known := w.sets[since]; known != nil {
		return known
	}
	set := make(map[string]hive.Workdays, len(w.byName))
	for name, list := range w.byName {
		set[name] = list[0].workdays
		for _, r := range list[1:] {
			if !r.from.After(since) {
				set[name] = r.workdays
			}
		}
	}
	if len(w.sets) >= maxSets {
		clear(w.sets)
	}
	w.sets[since] = set
	return set
}

// since returns the time of the last change of a calendar up to at; zero if there was none.
func (w *Workdays) since(at time.Time) time.Time {
	var last time.Time
	for _, list := range w.byName {
		for _, r := range list {
			if !r.from.After(at) && r.from.After(last) {
				last = r.from
			}
		}
	}
	return last
}

func (w *Workdays) read(ctx context.Context) (map[string][]workdaysSince, error) {
	all, err := w.store.AllCalendarRevisions(ctx)
	if err != nil {
		return nil, err
	}
	byName := map[string][]workdaysSince{}
	for i := range all {
		doc, err := storedCalendar(&all[i].CalendarRevision)
		if err != nil {
			return nil, err
		}
		name := all[i].Name
		byName[name] = append(byName[name], workdaysSince{all[i].CreatedAt, calendar.New(doc.Calendar)})
	}
	return byName, nil
}
