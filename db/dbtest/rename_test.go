package dbtest_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// toBe asks for a new name of a schedule whose newest revision is base, and for revisions of others.
func toBe(name, to string, base int64, others ...hive.SaveSchedule) hive.RenameSchedule {
	return hive.RenameSchedule{
		Name: name, Redraft: func(text string) string { return text + " of " + to },
		Saves: append([]hive.SaveSchedule{{
			Name: to, Document: "as " + to, Hash: "as " + to, Base: base, By: "ada", Note: "why", Now: after(time.Hour),
			RenamedFrom: name, SameCalendars: true,
		}}, others...),
	}
}

func reasonOf(err error) hive.ErrorReason {
	e, _ := errors.AsType[*hive.Error](err)
	if e == nil {
		return ""
	}
	return e.Reason
}

// A renamed schedule keeps its id and all that refers to it. Its former name leads to it.
func TestRename(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		batch := x.batch(1).Batch.ID
		fill := must(x.CreateBackfill(ctx, x.newBackfill(t0)))(x)
		x.save("mart", "mart 1", t0)
		x.fourthOK(x.SaveCalendar(ctx, hive.SaveCalendar{Name: "china", Document: "c", Hash: "c", Now: t0}))
		x.fourthOK(x.SaveSchedule(ctx, hive.SaveSchedule{
			Name: "warehouse", Document: "2", Hash: "2", Now: after(time.Minute), Calendars: []string{"china"},
		}))
		mart := hive.SaveSchedule{Name: "mart", Document: "mart 2", Hash: "mart 2", Base: 1, Now: after(time.Hour)}
		saved := must(x.RenameSchedule(ctx, toBe("warehouse", "store", 2, mart)))(x)
		same(x, "saved", []any{
			len(saved), saved[0].Schedule.ID, saved[0].Schedule.Name, saved[0].Revision.Number,
			saved[0].Revision.RenamedFrom, saved[0].Revision.Note, saved[0].Revision.CreatedBy, saved[1].Schedule.Name,
			saved[1].Revision.Number,
		}, []any{2, x.schedule.ID, "store", int64(3), "warehouse", "why", "ada", "mart", int64(2)})

		h := must(x.Schedule(ctx, "store"))(x)
		same(x, "by its name", []any{h.ID, h.Revision, h.Former}, []any{x.schedule.ID, int64(3), []string{"warehouse"}})
		same(x, "by its id", must(x.ScheduleByID(ctx, h.ID))(x), h)
		all := must(x.Schedules(ctx))(x)
		same(x, "in the list", all[slices.IndexFunc(all, func(o hive.Schedule) bool { return o.ID == h.ID })], h)
		same(x, "by a former name", must(x.ScheduleEverNamed(ctx, "warehouse"))(x), h)
		same(x, "former names", must(x.FormerNames(ctx))(x), map[string]string{"warehouse": "store"})
		same(x, "an older revision", must(x.RevisionAt(ctx, h.ID, 1))(x), x.revision)
		same(x, "its batch", must(x.Batch(ctx, batch))(x).Schedule, "store")
		for _, name := range []string{"store", "warehouse"} {
			same(x, "batches", must(x.Batches(ctx, hive.BatchFilter{Schedule: name}))(x)[0].ID, batch)
			same(x, "backfills", must(x.Backfills(ctx, hive.BackfillFilter{Schedule: name}))(x)[0].ID, fill.ID)
		}
		calendar := must(x.Calendar(ctx, "china"))(x)
		x.code(hive.CodeConflict, x.DeleteCalendar(ctx, calendar.Name, t0)) // the schedule still uses it

		_, err := x.Schedule(ctx, "warehouse")
		same(x, "the former name", []any{hive.CodeOf(err), reasonOf(err), hive.RenamedTo(err)},
			[]any{hive.CodeNotFound, hive.ErrorRenamed, "store"})
		same(x, "a switch", reasonOf(x.SetEnabled(ctx, "warehouse", false, t0)), hive.ErrorRenamed)
		same(x, "again", reasonOf(second(x.RenameSchedule(ctx, toBe("warehouse", "store", 2)))), hive.ErrorRenamed)
		err = fourth(x.SaveSchedule(ctx, hive.SaveSchedule{Name: "warehouse", Document: "x", Hash: "x", Now: t0}))
		same(x, "a twin", []any{hive.CodeOf(err), reasonOf(err), hive.RenamedTo(err)},
			[]any{hive.CodeConflict, hive.ErrorFormerName, "store"})
		same(x, "no row is left of it", len(must(x.Schedules(ctx))(x)), len(all))

		same(x, "another takes it", reasonOf(second(x.RenameSchedule(ctx, toBe("mart", "warehouse", 2)))),
			hive.ErrorFormerName)
		_ = must(x.RenameSchedule(ctx, toBe("store", "warehouse", 3)))(x)
		same(x, "it takes its name back", must(x.FormerNames(ctx))(x), map[string]string{"store": "warehouse"})
		x.code(hive.CodeNotFound, second(x.ReleaseName(ctx, "warehouse")))
		same(x, "released", must(x.ReleaseName(ctx, "store"))(x), h.ID)
		x.save("store", "another", t0)
		same(x, "a name in use", reasonOf(second(x.RenameSchedule(ctx, toBe("warehouse", "store", 4)))),
			hive.ErrorScheduleExists)
	})
}

func (x *fixture) fourthOK(_, _, _ any, err error) {
	x.Helper()
	x.ok(err)
}

// A rename that is refused changes nothing, neither of the schedule nor of the others.
func TestRenameRefused(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		ada := must(x.AddUser(ctx, hive.User{Name: "ada", CreatedAt: t0}))(x)
		x.keep(ada.ID, "warehouse", 0, "{}", t0)
		x.save("mart", "mart 1", t0)
		x.save("old", "old 1", t0)
		_ = must(x.SetArchived(ctx, "old", true, "ada", t0))(x)
		before := must(x.Schedules(ctx))(x)
		other := func(name string, base int64) hive.SaveSchedule {
			return hive.SaveSchedule{Name: name, Document: "new", Hash: "new", Base: base, Now: after(time.Hour)}
		}
		asked := func(o hive.SaveSchedule) hive.RenameSchedule { return toBe("warehouse", "store", 1, o) }
		for what, c := range map[string]struct {
			ask    hive.RenameSchedule
			reason hive.ErrorReason
		}{
			"a revision that is not the newest": {toBe("warehouse", "store", 7), hive.ErrorRevisionMoved},
			"one of others that is not":         {asked(other("mart", 7)), hive.ErrorRevisionMoved},
			"an archived one among them":        {asked(other("old", 1)), hive.ErrorScheduleArchived},
			"an unknown one among them":         {asked(other("none", 0)), hive.ErrorNoSchedule},
			"an archived schedule":              {toBe("old", "store", 1), hive.ErrorScheduleArchived},
			"an unknown schedule":               {toBe("none", "store", 1), hive.ErrorNoSchedule},
			"a name in use":                     {toBe("warehouse", "mart", 1), hive.ErrorScheduleExists},
			"a name of an archived one":         {toBe("warehouse", "old", 1), hive.ErrorScheduleExists},
		} {
			if err := second(x.RenameSchedule(ctx, c.ask)); reasonOf(err) != c.reason {
				x.Errorf("%s: %v", what, err)
			}
			same(x, what, must(x.Schedules(ctx))(x), before)
			same(x, what, must(x.Draft(ctx, ada.ID, "warehouse"))(x).Document, "{}")
		}
	})
}

// Drafts move to the new name with what they say. Under the former name none is begun.
func TestRenameDrafts(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		ada := must(x.AddUser(ctx, hive.User{Name: "ada", CreatedAt: t0}))(x)
		bob := must(x.AddUser(ctx, hive.User{Name: "bob", CreatedAt: t0}))(x)
		draft := func(user int64, name string) hive.Draft {
			return hive.Draft{User: user, Name: name, Base: 1, Document: name, UpdatedAt: t0}
		}
		kept := must(x.PutDraft(ctx, draft(ada.ID, "warehouse"), 10))(x)
		_ = must(x.PutDraft(ctx, draft(bob.ID, "warehouse"), 10))(x)
		_ = must(x.PutDraft(ctx, draft(bob.ID, "store"), 10))(x)
		_ = must(x.RenameSchedule(ctx, toBe("warehouse", "store", 1)))(x)
		kept.Name, kept.Document = "store", "warehouse of store"
		same(x, "the draft", must(x.Draft(ctx, ada.ID, "store"))(x), kept)
		x.code(hive.CodeNotFound, second(x.Draft(ctx, ada.ID, "warehouse")))
		same(x, "both", []string{
			must(x.Draft(ctx, bob.ID, "warehouse"))(x).Document, must(x.Draft(ctx, bob.ID, "store"))(x).Document,
		}, []string{"warehouse", "store"})
		same(x, "a new draft", reasonOf(second(x.PutDraft(ctx, draft(ada.ID, "warehouse"), 10))), hive.ErrorFormerName)
		kept.Document = "more"
		_ = must(x.PutDraft(ctx, kept, 10))(x)
	})
}

// Of several renames at the same moment one wins, and the others are refused in words for people. Whatever is published
// meanwhile, the schedule has one name.
func TestRenameRace(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		for round := range 10 {
			old := must(x.ScheduleByID(ctx, x.schedule.ID))(x)
			other, _ := x.save("other", "other", t0)
			names := []string{"left", "right"}
			if slices.Contains(names, old.Name) {
				names = []string{"up", "down"}
			}
			for _, former := range old.Former {
				_ = must(x.ReleaseName(ctx, former))(x)
			}
			var group sync.WaitGroup
			errs := make([]error, 4)
			for i, ask := range []hive.RenameSchedule{
				toBe(old.Name, names[0], old.Revision), toBe(old.Name, names[1], old.Revision),
				toBe("other", names[0], other.Revision),
			} {
				group.Go(func() { errs[i] = second(x.RenameSchedule(ctx, ask)) })
			}
			group.Go(func() {
				errs[3] = fourth(x.SaveSchedule(ctx, hive.SaveSchedule{
					Name: old.Name, Document: "meanwhile", Hash: fmt.Sprint(round), Base: old.Revision, Now: t0,
				}))
			})
			group.Wait()
			done := 0
			for i, err := range errs {
				switch reasonOf(err) {
				case "":
					x.ok(err)
					if i != 2 {
						done++
					}
				case hive.ErrorRenamed, hive.ErrorFormerName, hive.ErrorScheduleExists, hive.ErrorRevisionMoved:
				default:
					x.Fatal(err)
				}
			}
			now := must(x.ScheduleByID(ctx, x.schedule.ID))(x)
			same(x, "revisions", []any{done, now.Revision - old.Revision}, []any{1, int64(1)})
			if now.Name != old.Name {
				same(x, "former names", now.Former, []string{old.Name})
			}
			another := must(x.ScheduleByID(ctx, other.ID))(x)
			if another.Name == now.Name || strings.TrimSpace(another.Name) == "" {
				x.Fatalf("both are called %q", now.Name)
			}
			if another.Name != "other" { // for the next round
				_ = must(x.RenameSchedule(ctx, toBe(another.Name, "other", another.Revision)))(x)
				_ = must(x.ReleaseName(ctx, another.Name))(x)
			}
		}
	})
}
