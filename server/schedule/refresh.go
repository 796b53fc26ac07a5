package schedule

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// refresh loads the schedules that have changed: those that Notify named, or all of them at the start and every
// Config.Refresh.
func (t *Ticker) refresh(ctx context.Context) error {
	ids := map[int64]bool{}
	for _, c := range t.changed.TakeAll() {
		t.stale = t.stale || c.all
		if c.ended {
			t.wake(c.schedule)
		} else {
			ids[c.schedule] = true
		}
	}
	mono := t.config.Clock.Elapsed()
	if t.stale || !t.loaded || mono-t.lastRefresh >= t.config.Refresh {
		t.stale = true
		if err := t.refreshAll(ctx); err != nil {
			return err
		}
		if err := t.sweep(ctx); err != nil {
			return err
		}
		t.loaded, t.stale, t.lastRefresh = true, false, mono
		return nil
	}
	if len(ids) == 0 {
		return nil
	}
	err := t.readFormer(ctx)
	if err == nil {
		err = t.fetch(ctx, slices.Sorted(maps.Keys(ids)))
	}
	if err != nil {
		t.stale = true // so that the next refresh reads all schedules of ids again
		return err
	}
	for id := range ids {
		t.waits.put(id, atOnce()) // a person may have released a tick, or a webhook was called
		t.waits.called[id] = true
	}
	return nil
}

// refreshAll reads the schedules that are due soon and those in memory, and puts aside those that are not.
func (t *Ticker) refreshAll(ctx context.Context) error {
	if err := t.refreshCalendars(ctx); err != nil {
		return err
	}
	if err := t.readFormer(ctx); err != nil {
		return err
	}
	now := t.now()
	due, err := t.config.Store.DueSchedules(ctx, now.Add(ahead*t.config.Refresh))
	if err != nil {
		return fmt.Errorf("list the schedules that are due soon: %w", err)
	}
	marked, err := t.config.Store.MarkedAfter(ctx, now.Add(aheadTolerance))
	if err != nil {
		return fmt.Errorf("list the schedules with future marks: %w", err)
	}
	ids := slices.Concat(due, marked, t.alarmed(), slices.Collect(maps.Keys(t.agenda.byID)))
	slices.Sort(ids)
	before := len(t.agenda.byID)
	for some := range slices.Chunk(slices.Compact(ids), chunk) {
		if err := t.fetch(ctx, some); err != nil {
			return err
		}
		if len(t.agenda.byID) < before+chunk {
			continue
		}
		// After an upgrade all schedules are read: they must not fill the memory.
		if err := t.putAside(ctx, now); err != nil {
			return err
		}
		before = len(t.agenda.byID)
	}
	return t.putAside(ctx, now)
}

// fetch reads schedules and loads them. It forgets those that do not exist.
func (t *Ticker) fetch(ctx context.Context, ids []int64) error {
	for some := range slices.Chunk(ids, chunk) {
		rows, err := t.config.Store.SchedulesByID(ctx, some)
		if err != nil {
			return fmt.Errorf("read schedules: %w", err)
		}
		if err := t.loadAll(ctx, rows); err != nil {
			return err
		}
		there := make(map[int64]bool, len(rows))
		for i := range rows {
			there[rows[i].ID] = true
		}
		for _, id := range some {
			if !there[id] {
				t.forget(id)
			}
		}
	}
	return nil
}

func (t *Ticker) loadAll(ctx context.Context, rows []hive.Schedule) error {
	ids := make([]int64, len(rows))
	for i := range rows {
		ids[i] = rows[i].ID
	}
	planned, err := t.config.Changes.ChangesToCome(ctx, ids)
	if err != nil {
		return fmt.Errorf("read the planned changes: %w", err)
	}
	for i := range rows {
		if err := t.loadOne(ctx, rows[i], planned[rows[i].ID]); err != nil {
			return err
		}
	}
	return nil
}

// loadOne loads one schedule. If it cannot be read, an alarm says so and the others go on. It returns an error only if
// nothing can be read.
func (t *Ticker) loadOne(ctx context.Context, row hive.Schedule, planned changes) error {
	err := t.load(ctx, row, planned)
	switch {
	case err == nil:
		t.clear(row.ID, hive.AlarmUnreadable)
		return nil
	case ctx.Err() != nil || errors.Is(err, hive.ErrConnection):
		return err
	}
	t.raise(row.ID, hive.TickAlarm{
		Reason: hive.AlarmUnreadable, Schedule: row.Name,
		Words: "schedule " + row.Name + " cannot be read; see the log",
	}, "error", err)
	return nil
}

func (t *Ticker) forget(id int64) {
	t.forgetWaits(id)
	t.agenda.remove(id)
	for _, reason := range []hive.AlarmReason{hive.AlarmLedgerAhead, hive.AlarmUnreadable, hive.AlarmNotStored} {
		t.clear(id, reason)
	}
}

// load stores the row of one schedule in the agenda, and reads its new revisions.
func (t *Ticker) load(ctx context.Context, row hive.Schedule, planned changes) error {
	if alarm, ahead := aheadAlarm(&row, t.now()); ahead {
		t.raise(row.ID, alarm)
	} else {
		t.clear(row.ID, hive.AlarmLedgerAhead)
	}
	e := t.agenda.byID[row.ID]
	known := e != nil
	switch {
	case !known:
		e = &entry{index: -1, row: row, used: t.config.Clock.Elapsed() - keepIdle}
	case e.replaced(&row):
		t.rename(e, row.Name)
		e.row, e.periods, e.due = row, nil, time.Time{}
	case e.newest() == row.Revision && e.wait.revision == row.Revision && !row.Mark.After(e.row.Mark):
		t.rename(e, row.Name)
		changed := e.row.Active() != row.Active() || !e.changes.same(planned)
		if e.row, e.changes = row, planned; changed {
			e.plan()
			t.agenda.put(e)
			t.wake(row.ID)
		}
		t.isUnlinked(e)
		return nil
	default:
		t.rename(e, row.Name)
		row.Mark = later(row.Mark, e.row.Mark)
		e.row = row
	}
	e.changes = planned
	e.trim()
	if err := t.readPeriods(ctx, e, row.Revision); err != nil {
		return err
	}
	if err := t.divideAgain(ctx, e); err != nil {
		return err
	}
	e.plan()
	t.agenda.put(e)
	if err := t.loadWaits(ctx, e); err != nil {
		return err
	}
	switch {
	case t.isUnlinked(e): // what waits for it is not known yet; the sweep judges that
	case known || row.NextAt.IsZero():
		t.wake(row.ID)
	case row.NextAt.Before(hive.Never()) && (e.wake.IsZero() || row.NextAt.Before(e.wake)):
		t.waits.put(row.ID, row.NextAt) // for another reason than its next moment
	}
	return nil
}

// readPeriods adds the revisions that e does not know, up to the given one. For a new entry it goes back to the
// revision that was in force at the mark.
func (t *Ticker) readPeriods(ctx context.Context, e *entry, newest int64) error {
	var fresh []hive.Revision
	for number := newest; number > e.newest() && len(fresh) < maxPeriods; number-- {
		rev, err := t.config.Store.RevisionAt(ctx, e.row.ID, number)
		if err != nil {
			return fmt.Errorf("read revision %d of schedule %s: %w", number, e.row.Name, err)
		}
		fresh = append(fresh, rev)
		if !rev.CreatedAt.After(e.since()) {
			e.periods = nil
			break
		}
	}
	slices.Reverse(fresh)
	for i := range fresh {
		until := time.Time{}
		if i+1 < len(fresh) {
			until = fresh[i+1].CreatedAt
		}
		added, err := t.divide(ctx, e, t.period(&e.row, &fresh[i]), until)
		if err != nil {
			return err
		}
		e.periods = append(e.periods, added...)
	}
	return nil
}

// divide divides the period of a revision, from the mark on, at each change of a calendar that its triggers name. A
// zero until means that the revision is still in force.
func (t *Ticker) divide(ctx context.Context, e *entry, p Period, until time.Time) ([]Period, error) {
	names := CalendarNames(p.Definition)
	if until.IsZero() {
		e.calendars, e.onCalendar = t.book.version, len(names) > 0
	}
	if len(names) == 0 || t.config.Calendars == nil {
		t.setTimetable(e, &p, nil)
		return []Period{p}, nil
	}
	begin := later(p.From, e.since())
	all, err := t.book.histories(ctx, names, begin)
	if err != nil {
		return nil, err
	}
	starts := []time.Time{begin}
	for _, list := range all {
		for _, v := range list {
			if v.from.After(begin) && (until.IsZero() || v.from.Before(until)) {
				starts = append(starts, v.from)
			}
		}
	}
	slices.SortFunc(starts, time.Time.Compare)
	starts = slices.CompactFunc(starts, time.Time.Equal)
	out := make([]Period, len(starts))
	for i, at := range starts {
		out[i] = p
		if i > 0 {
			out[i].From = at
		}
		t.setTimetable(e, &out[i], inForce(all, at))
	}
	return out, nil
}

// divideAgain divides the newest revision again if a calendar may have changed since.
func (t *Ticker) divideAgain(ctx context.Context, e *entry) error {
	n := len(e.periods)
	if !e.onCalendar || e.calendars == t.book.version || n == 0 {
		return nil
	}
	first := n - 1
	for first > 0 && e.periods[first-1].RevisionID == e.periods[n-1].RevisionID {
		first--
	}
	periods, err := t.divide(ctx, e, e.periods[first], time.Time{})
	if err != nil {
		return err
	}
	e.periods = slices.Concat(e.periods[:first], periods)
	return nil
}

// refreshCalendars looks for changed calendars, and plans the schedules again that name one.
func (t *Ticker) refreshCalendars(ctx context.Context) error {
	if t.config.Calendars == nil {
		return nil
	}
	version, err := t.config.Calendars.CalendarsVersion(ctx)
	if err != nil {
		return fmt.Errorf("read the version of the calendars: %w", err)
	}
	t.book.renew(version)
	for _, e := range t.agenda.byID {
		if !e.onCalendar || e.calendars == version {
			continue
		}
		if err := t.divideAgain(ctx, e); err != nil {
			return err
		}
		e.plan()
		t.agenda.put(e)
		t.wake(e.row.ID)
	}
	return nil
}

// period reads one revision, without its timetable. A revision that cannot be read is never due; the log says so. It
// was checked when it was published, so only a later version of HiveGo can have written it.
func (t *Ticker) period(row *hive.Schedule, rev *hive.Revision) Period {
	p := Period{From: rev.CreatedAt, RevisionID: rev.ID, Revision: rev.Number}
	def, err := t.config.Parse(rev.Document)
	if err != nil {
		def = &hive.Definition{}
	}
	p.Definition = def
	if err != nil {
		t.unreadTriggers(row.Name, &p, err)
	}
	return p
}

func (t *Ticker) setTimetable(e *entry, p *Period, calendars Calendars) {
	table, err := parseTimetable(p.Definition, e.row.CreatedAt, t.zone, calendars)
	p.Timetable = table
	if err != nil {
		t.unreadTriggers(e.row.Name, p, err)
	}
}

func (t *Ticker) unreadTriggers(schedule string, p *Period, err error) {
	t.config.Log.Error("triggers of a stored revision cannot be read", "schedule", schedule, "revision", p.Revision,
		"error", err)
}

// zone loads a time zone once for all schedules: each takes several KiB.
func (t *Ticker) zone(name string) (*time.Location, *parseError) {
	if zone, ok := t.zones[name]; ok {
		return zone, nil
	}
	zone, w := loadZone(name)
	if w == nil {
		t.zones[name] = zone
	}
	return zone, w
}
