package dbtest_test

import (
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// saveCalendar makes a document the newest revision of a calendar.
func (x *fixture) saveCalendar(name, document string, now time.Time) (hive.Calendar, hive.CalendarRevision) {
	x.Helper()
	c, r, _, err := x.SaveCalendar(x.Context(), hive.SaveCalendar{
		Name: name, Document: document, Hash: "hash of " + document, By: "ada", Note: "für 2026", Now: now,
	})
	x.ok(err)
	return c, r
}

func TestSaveCalendar(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		same(x, "version without a calendar", must(x.CalendarsVersion(ctx))(x), 0)
		c, r := x.saveCalendar("china", "document 1", t0)
		same(x, "calendar", c, hive.Calendar{ID: c.ID, Name: "china", Revision: 1, CreatedAt: t0, UpdatedAt: t0})
		same(x, "revision", r, hive.CalendarRevision{
			ID: r.ID, CalendarID: c.ID, Number: 1, Document: "document 1", Hash: "hash of document 1", CreatedAt: t0,
			CreatedBy: "ada", Note: "für 2026",
		})
		first := must(x.CalendarsVersion(ctx))(x)

		again, _ := x.saveCalendar("china", "document 1", after(time.Hour))
		same(x, "the same document is no new revision", again, c)
		same(x, "version", must(x.CalendarsVersion(ctx))(x), first)

		next, second := x.saveCalendar("china", "document 2", after(-time.Hour)) // the clock went back
		same(x, "second", []any{next.Revision, second.Number, second.CreatedAt}, []any{int64(2), int64(2), t0})
		if v := must(x.CalendarsVersion(ctx))(x); v <= first {
			x.Fatalf("version %d after %d", v, first)
		}
		same(x, "by number", must(x.CalendarRevisionAt(ctx, c.ID, 1))(x), r)
		list := must(x.CalendarRevisions(ctx, c.ID))(x)
		same(x, "revisions, newest first", []any{len(list), list[0].Number, list[0].Document},
			[]any{2, int64(2), ""})
		_, err := x.CalendarRevisionAt(ctx, c.ID, 3)
		x.refusal(hive.CodeNotFound, hive.ErrorNoRevision, err)
		_, err = x.Calendar(ctx, "none")
		x.refusal(hive.CodeNotFound, hive.ErrorNoCalendar, err)

		_, _, _, err = x.SaveCalendar(ctx, hive.SaveCalendar{Name: "china", Document: "3", Hash: "3", Base: 1, Now: t0})
		same(x, "params", x.refusal(hive.CodeConflict, hive.ErrorCalendarMoved, err),
			map[string]string{"calendar": "china", "newest": "2", "base": "1"})
		_, _, _, err = x.SaveCalendar(ctx, hive.SaveCalendar{
			Name: "china", Document: "document 2", Hash: "hash of document 2", Fresh: true, Now: t0,
		})
		x.refusal(hive.CodeConflict, hive.ErrorCalendarExists, err)
	})
}

func TestDeleteCalendar(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		x.saveCalendar("china", "document 1", t0)
		x.saveCalendar("berlin", "document 1", t0)
		use := func(hash string, names ...string) error {
			_, _, _, err := x.SaveSchedule(ctx, hive.SaveSchedule{
				Name: "warehouse", Document: hash, Hash: hash, Now: after(time.Hour), Calendars: names,
			})
			return err
		}
		x.refusal(hive.CodeConflict, hive.ErrorCalendarGone, use("none", "none"))
		x.ok(use("both", "berlin", "china"))
		c := must(x.Calendar(ctx, "china"))(x)
		same(x, "users", must(x.CalendarUsers(ctx, c.ID))(x), []string{"warehouse"})
		same(x, "params", x.refusal(hive.CodeConflict, hive.ErrorCalendarUsed, x.DeleteCalendar(ctx, "china", t0)),
			map[string]string{"calendar": "china", "schedules": "warehouse"})
		x.ok(use("berlin alone", "berlin"))
		x.ok(x.DeleteCalendar(ctx, "china", after(time.Hour)))
		x.refusal(hive.CodeNotFound, hive.ErrorNoCalendar, x.DeleteCalendar(ctx, "china", t0))
		x.refusal(hive.CodeConflict, hive.ErrorCalendarGone, use("china again", "china"))

		names := []string{}
		for _, c := range must(x.Calendars(ctx))(x) {
			names = append(names, c.Name)
		}
		same(x, "calendars", names, []string{"berlin"})
		c = must(x.Calendar(ctx, "china"))(x)
		same(
			x,
			"the row and its revisions stay",
			[]any{c.Deleted, must(x.CalendarRevisionAt(ctx, c.ID, 1))(x).Document},
			[]any{true, "document 1"},
		)
		c, r := x.saveCalendar("china", "document 1", after(2*time.Hour))
		same(
			x,
			"made again, with its history",
			[]any{c.Deleted, c.Revision, r.Number},
			[]any{false, int64(2), int64(2)},
		)
	})
}

// TestTicksSeeTheVersionOfTheCalendars: a decision learns in its transaction that a calendar has changed.
func TestTicksSeeTheVersionOfTheCalendars(t *testing.T) {
	each(t, func(x *fixture) {
		x.saveCalendar("china", "document 1", t0)
		want := must(x.CalendarsVersion(x.Context()))(x)
		_, err := x.DecideTicks(x.Context(), x.me, x.schedule.ID, t0, func(v hive.TickView) ([]hive.TickWrite, error) {
			same(x, "version", v.Calendars, want)
			return nil, nil
		})
		x.ok(err)
	})
}
