package dbtest_test

import (
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// look stores a next look of a schedule by its present version.
func (x *fixture) look(name string, next time.Time) {
	x.Helper()
	s := must(x.Schedule(x.Context(), name))(x)
	x.ok(x.NoteLooks(x.Context(), []hive.ScheduleLook{{ScheduleID: s.ID, Version: s.Version, NextAt: next}}))
}

// due lists the schedules that are due up to a time, without the one of the fixture.
func (x *fixture) due(until time.Time) (names []string) {
	x.Helper()
	ids := must(x.DueSchedules(x.Context(), until))(x)
	for _, id := range ids {
		if s := must(x.ScheduleByID(x.Context(), id))(x); id != x.schedule.ID {
			names = append(names, s.Name)
		}
	}
	return names
}

// A schedule is due when its next look says so, and after each change that moves its ticks.
func TestNextLooks(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		x.ok(fourth(x.SaveCalendar(ctx, hive.SaveCalendar{Name: "work", Document: "1", Hash: "1", Now: t0})))
		s, _ := x.save("mart", "1", t0)
		x.ok(fourth(x.SaveSchedule(ctx, hive.SaveSchedule{
			Name: "mart", Document: "2", Hash: "2", Now: t0, Calendars: []string{"work"},
			Links: []hive.ScheduleLink{{Upstream: "orders"}},
		})))
		x.save("never", "1", t0)
		x.look("mart", after(time.Hour))
		x.look("never", hive.Never())
		same(x, "before", x.due(after(time.Minute)), nil)
		same(x, "at the time", x.due(after(time.Hour)), []string{"mart"})

		moment := after(2 * time.Hour)
		for _, change := range []struct {
			what string
			do   func() error
		}{
			{"a revision", func() error {
				return fourth(x.SaveSchedule(ctx, hive.SaveSchedule{
					Name: "mart", Document: "3", Hash: "3", Now: t0, Calendars: []string{"work"},
				}))
			}},
			{"the switch", func() error { return x.SetEnabled(ctx, "mart", false, t0) }},
			{"a planned change", func() error {
				return x.PlanChange(ctx, hive.PlannedChange{
					ScheduleID: s.ID, Moment: moment, Action: hive.ChangeSkip, At: t0,
				})
			}},
			{"no planned change", func() error { return x.UndoChange(ctx, s.ID, moment) }},
			{"a calendar", func() error {
				return fourth(x.SaveCalendar(ctx, hive.SaveCalendar{Name: "work", Document: "2", Hash: "2", Now: t0}))
			}},
			{"archived", func() error { _, err := x.SetArchived(ctx, "mart", true, "ada", t0); return err }},
			{"unarchived", func() error { _, err := x.SetArchived(ctx, "mart", false, "ada", t0); return err }},
		} {
			old := must(x.Schedule(ctx, "mart"))(x)
			x.ok(change.do())
			same(x, change.what+" is looked at", x.due(t0), []string{"mart"})
			x.ok(x.NoteLooks(ctx, []hive.ScheduleLook{{ScheduleID: s.ID, Version: old.Version, NextAt: hive.Never()}}))
			same(x, change.what+" is not overwritten by who has not seen it", x.due(t0), []string{"mart"})
			x.look("mart", after(time.Hour))
			same(x, change.what+" was looked at", x.due(t0), nil)
		}
		same(x, "marks", len(must(x.MarkedAfter(ctx, t0))(x)), 0)
		x.decide(waits(after(time.Minute)))
		same(x, "future marks", must(x.MarkedAfter(ctx, t0))(x), []int64{x.schedule.ID})
		same(x, "a mark at the time", len(must(x.MarkedAfter(ctx, after(time.Minute)))(x)), 0)
	})
}

// The newest revision that was saved with links says who waits for whom.
func TestLinks(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		save := func(name, hash string, links ...hive.ScheduleLink) hive.Schedule {
			s, _, _, err := x.SaveSchedule(ctx, hive.SaveSchedule{
				Name: name, Document: hash, Hash: hash, Now: t0, Links: links,
			})
			x.ok(err)
			return s
		}
		orders := save("orders", "1", []hive.ScheduleLink{}...)
		mart := save("mart", "1", hive.ScheduleLink{Upstream: "orders"}, hive.ScheduleLink{Upstream: "mart"})
		late := save("late", "1", hive.ScheduleLink{Upstream: "orders", Follows: true})
		dependants := func() []hive.Dependant {
			return must(x.Dependants(ctx, []int64{orders.ID, mart.ID, 999}))(x)
		}
		same(x, "dependants", dependants(), []hive.Dependant{
			{ScheduleID: mart.ID, Of: orders.ID},
			{ScheduleID: mart.ID, Of: mart.ID},
			{ScheduleID: late.ID, Of: orders.ID},
		})
		same(x, "names", must(x.DependantNames(ctx, "orders", false))(x), []string{"late", "mart"})
		same(x, "not itself", len(must(x.DependantNames(ctx, "mart", true))(x)), 0)
		same(x, "followers are swept", must(x.WaitingSchedules(ctx))(x), []int64{late.ID})
		linked := must(x.LinkedSchedules(ctx, "warehouse"))(x)
		same(x, "linked schedules", namesOf(linked), []string{"late", "mart", "orders", "warehouse"})
		_, err := x.SetArchived(ctx, "late", true, "ada", t0)
		x.ok(err)
		same(x, "names without archived", must(x.DependantNames(ctx, "orders", false))(x), []string{"mart"})
		same(x, "names with archived", must(x.DependantNames(ctx, "orders", true))(x), []string{"late", "mart"})

		mart, _ = x.save("mart", "2", t0) // by somebody who does not know the links
		same(x, "the links are of an older revision", []int64{mart.Linked, mart.Revision}, []int64{1, 2})
		x.ok(x.NoteLooks(ctx, []hive.ScheduleLook{{
			ScheduleID: mart.ID, Version: mart.Version, NextAt: hive.Never(), Linked: 2,
			Links: []hive.ScheduleLink{{Upstream: "late"}},
		}}))
		same(x, "new links", dependants(), []hive.Dependant{{ScheduleID: late.ID, Of: orders.ID}})
		same(x, "they are known", must(x.Schedule(ctx, "mart"))(x).Linked, int64(2))
	})
}

// A page of the list, and schedules by id and name.
func TestSchedulePages(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		for _, name := range []string{"b", "a", "c", "old"} {
			x.save(name, name, t0)
		}
		_, err := x.SetArchived(ctx, "old", true, "ada", t0)
		x.ok(err)
		page := func(archived bool, after string, limit int) []string {
			sel := &hive.ScheduleSelection{Archived: archived}
			return namesOf(must(x.FindSchedules(ctx, sel, after, false, limit))(x))
		}
		same(x, "first page", page(false, "", 2), []string{"a", "b"})
		same(x, "next page", page(false, "b", 9), []string{"c", "warehouse"})
		same(x, "archived", page(true, "", 9), []string{"old"})
		same(x, "names", must(x.ScheduleNames(ctx))(x), []string{"a", "b", "c", "warehouse"})
		same(x, "count", must(x.CountSchedules(ctx))(x), 4)
		same(x, "by name", namesOf(must(x.SchedulesNamed(ctx, []string{"c", "none", "old"}))(x)), []string{"c", "old"})
		c, old := must(x.Schedule(ctx, "c"))(x), must(x.Schedule(ctx, "old"))(x)
		same(x, "by id", namesOf(must(x.SchedulesByID(ctx, []int64{old.ID, 999, c.ID}))(x)), []string{"c", "old"})
		same(x, "none", len(must(x.SchedulesByID(ctx, nil))(x)), 0)
	})
}

func namesOf(list []hive.Schedule) (names []string) {
	for i := range list {
		names = append(names, list[i].Name)
	}
	return names
}

// Who names a schedule by its former name waits for it still.
func TestLinksToARenamedSchedule(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		x.ok(fourth(x.SaveSchedule(ctx, hive.SaveSchedule{
			Name: "mart", Document: "1", Hash: "1", Now: t0, Links: []hive.ScheduleLink{{Upstream: "warehouse"}},
		})))
		mart := must(x.Schedule(ctx, "mart"))(x)
		before := must(x.Schedule(ctx, "warehouse"))(x)
		_ = must(x.RenameSchedule(ctx, toBe("warehouse", "store", 1)))(x)
		now := must(x.Schedule(ctx, "store"))(x)
		same(x, "a rename is looked at", now.Version > before.Version && now.NextAt.IsZero(), true)
		dependants := []hive.Dependant{{ScheduleID: mart.ID, Of: now.ID}}
		same(x, "dependants", must(x.Dependants(ctx, []int64{now.ID}))(x), dependants)
		for _, name := range []string{"store", "warehouse"} {
			same(x, "names of dependants", must(x.DependantNames(ctx, name, false))(x), []string{"mart"})
		}
		same(x, "linked", namesOf(must(x.LinkedSchedules(ctx, ""))(x)), []string{"mart", "store"})
		found := must(x.SchedulesNamed(ctx, []string{"warehouse"}))(x)
		same(x, "by the former name", namesOf(found), []string{"store"})
		same(x, "with it", found[0].Former, []string{"warehouse"})
		list := must(x.FindSchedules(ctx, &hive.ScheduleSelection{}, "mart", false, 9))(x)
		same(x, "in the list", list[0].Former, []string{"warehouse"})
	})
}
