package dbtest_test

import (
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

func TestSaveSchedule(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		same(x, "new schedule", x.schedule, hive.Schedule{
			ID: x.schedule.ID, Name: "warehouse", Enabled: true, Revision: 1, CreatedAt: t0, UpdatedAt: t0,
			Version: 1,
		})
		same(x, "first revision", x.revision, hive.Revision{
			ID: x.revision.ID, ScheduleID: x.schedule.ID, Number: 1, Document: "document 1", Hash: "hash of document 1",
			CreatedAt: t0, CreatedBy: "ada",
		})

		// The same document is no new revision, whatever it was made from.
		_, r, changed, err := x.SaveSchedule(ctx, hive.SaveSchedule{
			Name: "warehouse", Document: "document 1", Hash: "hash of document 1", Base: 99, By: "bob",
			Now: after(time.Hour),
		})
		x.ok(err)
		same(x, "revision of the same document", r, x.revision)
		same(x, "changed", changed, false)

		second, r2 := x.save("warehouse", "document 2", after(time.Hour))
		same(x, "schedule after the second revision", second, must(x.Schedule(ctx, "warehouse"))(x))
		same(x, "number, time of the change", []any{second.Revision, second.UpdatedAt, second.CreatedAt},
			[]any{int64(2), after(time.Hour), t0})

		_, _, _, err = x.SaveSchedule(ctx, hive.SaveSchedule{
			Name: "warehouse", Document: "document 3", Hash: "hash 3", Base: 1, Now: after(2 * time.Hour),
		})
		x.code(hive.CodeConflict, err)
		_, _, changed, err = x.SaveSchedule(ctx, hive.SaveSchedule{
			Name: "warehouse", Document: "document 3", Hash: "hash 3", Base: 2, Now: after(2 * time.Hour),
		})
		x.ok(err)
		same(x, "changed", changed, true)
		_, _, _, err = x.SaveSchedule(ctx, hive.SaveSchedule{Name: "new", Document: "d", Hash: "h", Base: 1, Now: t0})
		x.code(hive.CodeConflict, err)
		_, err = x.Schedule(ctx, "new")
		x.code(hive.CodeNotFound, err)

		_, _, _, err = x.SaveSchedule(ctx, hive.SaveSchedule{
			Name: "warehouse", Document: "document 3", Hash: "hash 3", Fresh: true, Now: after(2 * time.Hour),
		})
		same(x, "params", x.refusal(hive.CodeConflict, hive.ErrorScheduleExists, err),
			map[string]string{"schedule": "warehouse", "newest": "3"})
		_, fresh, changed, err := x.SaveSchedule(ctx, hive.SaveSchedule{
			Name: "new", Document: "d", Hash: "h", Fresh: true, Note: "für später", Now: t0,
		})
		x.ok(err)
		same(x, "changed", changed, true)
		same(x, "note", must(x.RevisionAt(ctx, fresh.ScheduleID, 1))(x).Note, "für später")

		same(x, "revision by number", must(x.RevisionAt(ctx, x.schedule.ID, 2))(x), r2)
		same(x, "revision by id", must(x.Revision(ctx, r2.ID))(x), r2)
		numbers := []int64{}
		for _, r := range must(x.Revisions(ctx, x.schedule.ID))(x) {
			numbers = append(numbers, r.Number)
		}
		same(x, "revisions", numbers, []int64{3, 2, 1})
	})
}

func TestRevisionInForce(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		x.save("warehouse", "document 2", after(time.Hour))
		x.save("warehouse", "document 3", after(time.Minute)) // the clock went back: it counts from its predecessor on
		for _, c := range []struct {
			at   time.Time
			want int64
		}{
			{t0, 1}, {after(59 * time.Minute), 1}, {after(time.Hour), 3}, {after(100 * time.Hour), 3},
		} {
			r := must(x.RevisionInForce(ctx, x.schedule.ID, c.at))(x)
			same(x, "revision in force at "+c.at.String(), r.Number, c.want)
		}
		_, err := x.RevisionInForce(ctx, x.schedule.ID, t0.Add(-time.Millisecond))
		x.code(hive.CodeNotFound, err)
	})
}

func TestSchedulesAndSwitch(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		for _, name := range []string{"b", "a-1", "a0", "z"} {
			x.save(name, "document of "+name, t0)
		}
		names := []string{}
		for _, s := range must(x.Schedules(ctx))(x) {
			names = append(names, s.Name)
		}
		same(x, "order by bytes on every database", names, []string{"a-1", "a0", "b", "warehouse", "z"})

		x.ok(x.SetEnabled(ctx, "warehouse", false, after(time.Minute)))
		s := must(x.ScheduleByID(ctx, x.schedule.ID))(x)
		same(x, "switch and time", []any{s.Enabled, s.UpdatedAt}, []any{false, after(time.Minute)})
		s, _ = x.save("warehouse", "document 2", after(time.Hour))
		same(x, "the switch survives publishing", s.Enabled, false)
		same(x, "never enabled by a person", s.EnabledAt, time.Time{})
		for _, at := range []time.Duration{2 * time.Hour, 3 * time.Hour} { // the second changes nothing
			x.ok(x.SetEnabled(ctx, "warehouse", true, after(at)))
			s = must(x.ScheduleByID(ctx, x.schedule.ID))(x)
			same(x, "enabled", []any{s.Enabled, s.EnabledAt}, []any{true, after(2 * time.Hour)})
		}
		x.ok(x.SetEnabled(ctx, "warehouse", false, after(4*time.Hour)))
		s = must(x.ScheduleByID(ctx, x.schedule.ID))(x)
		same(x, "disabled", []any{s.Enabled, s.EnabledAt}, []any{false, after(2 * time.Hour)})
		x.code(hive.CodeNotFound, x.SetEnabled(ctx, "none", true, t0))
	})
}

func TestAdhocRevision(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		first := must(x.AdhocRevision(ctx, "adhoc", "hash", "ada", t0))(x)
		same(x, "adhoc revision", first,
			hive.Revision{ID: first.ID, Document: "adhoc", Hash: "hash", CreatedAt: t0, CreatedBy: "ada"})
		again := must(x.AdhocRevision(ctx, "adhoc", "hash", "bob", after(time.Hour)))(x)
		same(x, "same hash", again, first)
		other := must(x.AdhocRevision(ctx, "adhoc 2", "hash 2", "ada", t0))(x)
		if other.ID == first.ID {
			x.Fatal("two definitions are one revision")
		}
	})
}

func TestNotFound(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		for what, find := range map[string]func() error{
			"schedule":        func() error { _, err := x.Schedule(ctx, "none"); return err },
			"schedule by id":  func() error { _, err := x.ScheduleByID(ctx, 999); return err },
			"revision":        func() error { _, err := x.Revision(ctx, 999); return err },
			"revision number": func() error { _, err := x.RevisionAt(ctx, x.schedule.ID, 99); return err },
			"batch":           func() error { _, err := x.Batch(ctx, 999); return err },
			"snapshot":        func() error { _, err := x.BatchSnapshot(ctx, 999); return err },
			"attempt":         func() error { _, err := x.Attempt(ctx, 999); return err },
			"command":         func() error { _, err := x.Command(ctx, 999); return err },
			"executor":        func() error { _, err := x.Executor(ctx, "none"); return err },
			"user":            func() error { _, err := x.UserByName(ctx, "none"); return err },
			"user by id":      func() error { _, err := x.UserByID(ctx, 999); return err },
			"token":           func() error { _, err := x.TokenByHash(ctx, "none"); return err },
			"token use":       func() error { return x.TouchToken(ctx, 999, t0) },
			"meta":            func() error { _, err := x.Meta(ctx, "none"); return err },
			"offline":         func() error { return x.SetOffline(ctx, "none", true) },
			"delete executor": func() error { return x.DeleteExecutor(ctx, "none") },
		} {
			err := find()
			if hive.CodeOf(err) != hive.CodeNotFound {
				x.Errorf("%s: error %v, want not_found", what, err)
			}
		}
	})
}
