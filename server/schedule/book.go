package schedule

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/rprp/hivego/server/calendar"
	"github.com/rprp/hivego/server/hive"
)

// CalendarStore reads calendars.
type CalendarStore interface {
	// CalendarsVersion returns a number that grows with each new revision of any calendar.
	CalendarsVersion(ctx context.Context) (int64, error)
	// Calendar finds a calendar by its name, also a deleted one.
	Calendar(ctx context.Context, name string) (hive.Calendar, error)
	CalendarRevisionAt(ctx context.Context, calendarID, number int64) (hive.CalendarRevision, error)
}

// CalendarNames lists the calendars that the triggers of a definition name, each once.
func CalendarNames(def *hive.Definition) []string {
	var names []string
	for i := range def.Triggers {
		if name := def.Triggers[i].Calendar.Name; name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// calendarVersion is one revision of a calendar, which is in force from a time until that of the next one.
type calendarVersion struct {
	number   int64
	from     time.Time
	calendar *calendar.Calendar
}

// calendarBook has the revisions of the calendars that triggers name.
type calendarBook struct {
	store   CalendarStore
	parse   func(document string) (*hive.CalendarDefinition, error)
	version int64                        // of the calendars, when the book was last renewed
	byName  map[string][]calendarVersion // oldest first
	current map[string]bool              // names that have been read at this version
}

// renew notes the version of the calendars. If it is another one, calendars are read again when they are asked for.
func (b *calendarBook) renew(version int64) (changed bool) {
	if version == b.version && b.byName != nil {
		return false
	}
	if version < b.version || b.byName == nil { // the database went back to an earlier state
		b.byName = map[string][]calendarVersion{}
	}
	b.version, b.current = version, map[string]bool{}
	return true
}

// history returns the revisions of a calendar, from the one in force at a time to the newest. It is empty if there is
// no such calendar.
func (b *calendarBook) history(ctx context.Context, name string, since time.Time) ([]calendarVersion, error) {
	list := b.byName[name]
	first, from := int64(0), int64(1) // of the revisions to read before and after those in the list
	if n := len(list); n > 0 {
		first, from = list[0].number, list[n-1].number+1
	}
	if !b.current[name] || first > 1 && list[0].from.After(since) {
		row, err := b.store.Calendar(ctx, name)
		if hive.CodeOf(err) == hive.CodeNotFound {
			b.current[name] = true
			return nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read calendar %s: %w", name, err)
		}
		if list, err = b.read(ctx, &row, list, first, from, since); err != nil {
			return nil, err
		}
		b.byName[name], b.current[name] = list, true
	}
	for len(list) > 1 && !list[1].from.After(since) {
		list = list[1:]
	}
	return list, nil
}

// read adds to a list the revisions from a number on, and those before it back to the one in force at a time.
func (b *calendarBook) read(
	ctx context.Context, row *hive.Calendar, list []calendarVersion, first, from int64, since time.Time,
) ([]calendarVersion, error) {
	var newer []calendarVersion
	for n := row.Revision; n >= from; n-- {
		v, err := b.readOne(ctx, row, n)
		if err != nil {
			return nil, err
		}
		newer = append(newer, v)
		if len(list) == 0 && (!v.from.After(since) || len(newer) == maxPeriods) {
			break
		}
	}
	slices.Reverse(newer)
	list = slices.Concat(list, newer)
	for n := first - 1; n > 0 && list[0].from.After(since) && len(list) < maxPeriods; n-- {
		v, err := b.readOne(ctx, row, n)
		if err != nil {
			return nil, err
		}
		list = slices.Insert(list, 0, v)
	}
	return list, nil
}

func (b *calendarBook) readOne(ctx context.Context, row *hive.Calendar, number int64) (calendarVersion, error) {
	rev, err := b.store.CalendarRevisionAt(ctx, row.ID, number)
	if err != nil {
		return calendarVersion{}, fmt.Errorf("read revision %d of calendar %s: %w", number, row.Name, err)
	}
	def, err := b.parse(rev.Document)
	if err != nil {
		return calendarVersion{}, fmt.Errorf("read revision %d of calendar %s: %w", number, row.Name, err)
	}
	return calendarVersion{number: number, from: rev.CreatedAt, calendar: calendar.New(def)}, nil
}

// histories returns the revisions of all calendars that a definition names.
func (b *calendarBook) histories(
	ctx context.Context, names []string, since time.Time,
) (map[string][]calendarVersion, error) {
	out := make(map[string][]calendarVersion, len(names))
	for _, name := range names {
		list, err := b.history(ctx, name, since)
		if err != nil {
			return nil, err
		}
		out[name] = list
	}
	return out, nil
}

// inForce returns the calendars that were in force at a time. Before its first revision, a calendar is what that says.
func inForce(all map[string][]calendarVersion, at time.Time) Calendars {
	return func(name string) *calendar.Calendar {
		list := all[name]
		if len(list) == 0 {
			return nil
		}
		found := list[0].calendar
		for _, v := range list[1:] {
			if !v.from.After(at) {
				found = v.calendar
			}
		}
		return found
	}
}
