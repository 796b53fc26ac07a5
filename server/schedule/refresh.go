package schedule

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// refresh takes over what has changed: what Notify named, or everything at first and every so often.
func (t *Ticker) refresh(ctx context.Context) error {
	ids := map[int64]bool{}
	for _, c := range t.changed.TakeAll() {
		ids[c.schedule] = true
		t.stale = t.stale || c.all
	}
	mono := t.config.Clock.Elapsed()
	if t.stale || !t.loaded || mono-t.fresh >= t.config.Refresh {
		t.stale = true
		if err := t.refreshAll(ctx); err != nil {
			return err
		}
		t.loaded, t.stale, t.fresh = true, false, mono
		return nil
	}
	for id := range ids {
		row, err := t.config.Store.ScheduleByID(ctx, id)
		switch {
		case err == nil:
			err = t.loadApart(ctx, row)
		case hive.CodeOf(err) == hive.CodeNotFound:
			t.forget(id)
			err = nil
		}
		if err != nil {
			t.stale = true // so that no schedule of ids is forgotten
			return err
		}
	}
	return nil
}

func (t *Ticker) refreshAll(ctx context.Context) error {
	rows, err := t.config.Store.Schedules(ctx)
	if err != nil {
		return fmt.Errorf("list the schedules: %w", err)
	}
	there := make(map[int64]bool, len(rows))
	for i := range rows {
		there[rows[i].ID] = true
		if err := t.loadApart(ctx, rows[i]); err != nil {
			return err
		}
	}
	for id := range t.agenda.byID {
		if !there[id] {
			t.forget(id)
		}
	}
	return nil
}

// loadApart loads one schedule. That it cannot be read is an alarm about it alone, unless nothing can be read.
func (t *Ticker) loadApart(ctx context.Context, row hive.Schedule) error {
	err := t.load(ctx, row)
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
	t.agenda.remove(id)
	for _, reason := range []hive.AlarmReason{hive.AlarmLedgerAhead, hive.AlarmUnreadable, hive.AlarmNotStored} {
		t.clear(id, reason)
	}
}

// load takes over one schedule's row, and its revisions if there are new ones.
func (t *Ticker) load(ctx context.Context, row hive.Schedule) error {
	now := t.now()
	if alarm, ahead := aheadAlarm(&row, now); ahead {
		t.raise(row.ID, alarm)
	} else {
		t.clear(row.ID, hive.AlarmLedgerAhead)
	}
	e := t.agenda.byID[row.ID]
	switch {
	case e == nil:
		e = &entry{index: -1, row: row}
	case e.newest() == row.Revision && !row.Mark.After(e.row.Mark):
		e.row = row
		return nil
	default:
		row.Mark = later(row.Mark, e.row.Mark)
		e.row = row
	}
	e.trim(now)
	if err := t.readEras(ctx, e, row.Revision); err != nil {
		return err
	}
	e.plan()
	t.agenda.put(e)
	return nil
}

// readEras adds the revisions up to the given one that e does not know. For a new entry it goes back to the one that
// was in force at the mark.
func (t *Ticker) readEras(ctx context.Context, e *entry, newest int64) error {
	var fresh []Era
	for number := newest; number > e.newest() && len(fresh) < maxEras; number-- {
		rev, err := t.config.Store.RevisionAt(ctx, e.row.ID, number)
		if err != nil {
			return fmt.Errorf("read revision %d of schedule %s: %w", number, e.row.Name, err)
		}
		fresh = append(fresh, t.era(&e.row, &rev))
		if !rev.CreatedAt.After(e.since()) {
			e.eras = nil
			break
		}
	}
	slices.Reverse(fresh)
	e.eras = append(e.eras, fresh...)
	return nil
}

// era reads one revision. One that cannot be read is never due, which is said in the log: it was checked when it was
// published, so that only a later version of HiveGo can have written it.
func (t *Ticker) era(row *hive.Schedule, rev *hive.Revision) Era {
	e := Era{From: rev.CreatedAt, RevisionID: rev.ID, Revision: rev.Number}
	def, err := t.config.Parse(rev.Document)
	if err != nil {
		def = &hive.Definition{}
	}
	e.Definition = def
	table, tableErr := newTimetable(def, t.zone)
	e.Timetable = table
	if err == nil {
		err = tableErr
	}
	if err != nil {
		t.config.Log.Error("triggers of a stored revision cannot be read", "schedule", row.Name, "revision", rev.Number,
			"error", err)
	}
	return e
}

// zone shares time zones between schedules: each is several KiB.
func (t *Ticker) zone(name string) (*time.Location, *wrong) {
	if zone, ok := t.zones[name]; ok {
		return zone, nil
	}
	zone, w := loadZone(name)
	if w == nil {
		t.zones[name] = zone
	}
	return zone, w
}
