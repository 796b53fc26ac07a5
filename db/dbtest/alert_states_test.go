package dbtest_test

import (
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// What the ends of many problems are judged by is read at once.
func TestAlertStates(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		finish := func(kind hive.BatchKind, state hive.BatchState) int64 {
			x.Helper()
			img := x.batch(1)
			ended := img.Batch
			ended.Kind, ended.State, ended.Live, ended.FinishedAt = kind, state, false, after(time.Hour)
			x.ok(x.commit(hive.BatchWrite{
				BatchID: img.Batch.ID, Batch: &hive.BatchChange{From: hive.BatchRunning, To: ended},
			}))
			return img.Batch.ID
		}
		schedules := []int64{x.schedule.ID, x.schedule.ID + 1000}
		first := finish(hive.KindManual, hive.BatchFailed)
		same(x, "no success", len(must(x.LastSuccesses(ctx, schedules))(x)), 0)
		second := finish(hive.KindManual, hive.BatchSucceeded)
		third := finish(hive.KindManual, hive.BatchSucceeded)
		fourth := finish(hive.KindManual, hive.BatchFailed)
		same(x, "last success", must(x.LastSuccesses(ctx, schedules))(x), map[int64]int64{x.schedule.ID: third})
		same(x, "next success", must(x.NextSuccess(ctx, x.schedule.ID, first))(x), second)
		same(x, "none after it", must(x.NextSuccess(ctx, x.schedule.ID, third))(x), 0)
		ids := make([]int64, 1200) // more than one query has
		for i := range ids {
			ids[i] = fourth + int64(i)
		}
		found := must(x.BatchesByID(ctx, append([]int64{first}, ids...)))(x)
		same(x, "batches", len(found), 2)
		same(x, "as it is", found[0], must(x.Batch(ctx, first))(x))
		same(x, "latest", found[1].ID, fourth)
		same(x, "nothing", len(must(x.BatchesByID(ctx, nil))(x)), 0)
	})
}
