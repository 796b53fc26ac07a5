package dbtest_test

import (
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// An archived schedule keeps what it has, and takes nothing new.
func TestArchive(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		ended := must(x.CreateBatch(ctx, x.me, x.ended(x.schedule, x.revision, hive.BatchFailed, time.Hour)))(x)
		live := x.batch(1)
		x.code(hive.CodeNotFound, second(x.SetArchived(ctx, "none", true, "ada", t0)))
		s := must(x.SetArchived(ctx, "warehouse", true, "ada", after(time.Minute)))(x)
		same(x, "archived", []any{s.Archived(), s.ArchivedBy, s.ArchivedAt, s.Enabled, s.Active()},
			[]any{true, "ada", after(time.Minute), true, false})
		s = must(x.SetArchived(ctx, "warehouse", true, "bob", after(time.Hour)))(x)
		same(x, "the first one counts", []any{s.ArchivedBy, s.ArchivedAt}, []any{"ada", after(time.Minute)})
		same(x, "as it is stored", must(x.Schedule(ctx, "warehouse"))(x), s)

		_, _, _, err := x.SaveSchedule(ctx, hive.SaveSchedule{Name: "warehouse", Document: "2", Hash: "2", Now: t0})
		x.code(hive.CodeConflict, err)
		x.code(hive.CodeConflict, x.SetEnabled(ctx, "warehouse", false, t0))
		x.code(hive.CodeConflict, second(x.CreateBatch(ctx, x.me, x.newBatch(1))))
		_, _, err = x.AddWebhookCall(ctx, x.call("", t0))
		x.code(hive.CodeConflict, err)
		x.code(hive.CodeConflict, second(x.CreateBackfill(ctx, x.newBackfill(t0))))
		command := hive.Command{BatchID: ended.ID, Kind: hive.CommandRepair, Key: "a", CreatedAt: t0}
		_, _, err = x.AddCommand(ctx, command)
		x.code(hive.CodeConflict, err)
		command.BatchID, command.Key = live.Batch.ID, "b"
		_, _, err = x.AddCommand(ctx, command)
		x.ok(err)
		other, rev := x.save("other", "other", t0)
		_ = must(x.CreateBatch(ctx, x.me, x.ended(other, rev, hive.BatchFailed, time.Hour)))(x)
		same(x, "open failures", must(x.CountOpen(ctx))(x), 1)

		s = must(x.SetArchived(ctx, "warehouse", false, "bob", after(2*time.Hour)))(x)
		same(x, "unarchived", []any{s.Archived(), s.ArchivedBy, s.UnarchivedAt, s.Mark, s.Active()},
			[]any{false, "", after(2 * time.Hour), after(2 * time.Hour), true})
		again := must(x.SetArchived(ctx, "warehouse", false, "bob", after(3*time.Hour)))(x)
		same(x, "unarchived twice", again, s)
		_ = x.batch(1)
	})
}

// newBackfill is a backfill of the fixture's schedule.
func (x *fixture) newBackfill(moments ...time.Time) hive.NewBackfill {
	n := hive.NewBackfill{Backfill: hive.Backfill{
		ScheduleID: x.schedule.ID, RevisionID: x.revision.ID, Revision: x.revision.Number,
		State: hive.BackfillRunning, First: moments[0], Last: moments[len(moments)-1], Order: hive.OrderAscending,
		Parallel: 1, Existing: hive.ExistingKeep, OnFailure: hive.OnFailureStop, CreatedAt: t0, CreatedBy: "ada",
		Schedules: []hive.BackfillSchedule{{
			ScheduleID: x.schedule.ID, Schedule: x.schedule.Name, RevisionID: x.revision.ID,
			Revision: x.revision.Number, First: moments[0], Last: moments[len(moments)-1],
		}},
	}}
	for _, at := range moments {
		n.Moments = append(n.Moments, hive.NewBackfillMoment{ScheduleID: x.schedule.ID, Moment: at})
	}
	return n
}

func second[V any](_ V, err error) error { return err }
