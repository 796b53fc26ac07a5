package dbtest_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/rprp/hivego/db"
	"github.com/rprp/hivego/server/hive"
)

func TestCreateBatch(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		nb := x.newBatch(3)
		nb.Batch.Params = map[string]any{
			"region": "east", "n": 5, "big": 1 << 53, "half": 0.5, "yes": true, "hostile": `'"\?$1 {} 数据`, "none": nil,
		}
		b := must(x.CreateBatch(ctx, x.me, nb))(x)
		want := nb.Batch
		want.ID, want.Owner = b.ID, x.me.ID
		same(x, "made", b, want)
		same(x, "read", must(x.Batch(ctx, b.ID))(x), want)
		img := x.snapshot(b.ID)
		same(x, "revision", img.Revision, x.revision)
		for i, r := range img.Runs {
			nb.Runs[i].ID, nb.Runs[i].BatchID = r.ID, b.ID
		}
		same(x, "runs", img.Runs, nb.Runs)

		adhoc := hive.NewBatch{Batch: hive.Batch{Kind: hive.KindAdhoc, Moment: t0, CreatedAt: t0}}
		adhoc.Batch.RevisionID = must(x.AdhocRevision(ctx, "adhoc", "h", "ada", t0))(x).ID
		b = must(x.CreateBatch(ctx, x.me, adhoc))(x)
		got := must(x.Batch(ctx, b.ID))(x)
		same(x, "adhoc", []any{got.ScheduleID, got.Schedule, got.State, got.Wish, got.Round, got.Live},
			[]any{int64(0), "", hive.BatchQueued, hive.WishRun, 1, true})

		nb.Batch.RevisionID = 999
		_, err := x.CreateBatch(ctx, x.me, nb)
		x.code(hive.CodeNotFound, err)
		nb.Batch.RevisionID, nb.Batch.Kind = x.revision.ID, "unknown"
		if _, err = x.CreateBatch(ctx, x.me, nb); err == nil {
			x.Fatal("a batch of an unknown kind was stored")
		}
	})
}

func TestCreateManyBatches(t *testing.T) {
	each(t, func(x *fixture) {
		var all []hive.NewBatch
		for i := range 1200 {
			nb := x.newBatch(i % 3)
			nb.Batch.Kind = hive.KindScheduled
			all = append(all, nb)
		}
		made := must(x.CreateBatches(x.Context(), x.me, all))(x)
		same(x, "batches", len(made), len(all))
		same(x, "counted", x.view().Counted, len(all))
		last := made[len(made)-1]
		same(x, "last batch", must(x.Batch(x.Context(), last.ID))(x), last)
		same(x, "its runs", len(x.snapshot(last.ID).Runs), len(all[len(all)-1].Runs))

		all[3].Batch.RevisionID = 999
		_, err := x.CreateBatches(x.Context(), x.me, all)
		x.code(hive.CodeNotFound, err)
		same(x, "live batches", len(must(x.LiveBatches(x.Context(), x.me.ID))(x)), len(made))
	})
}

func TestBatches(t *testing.T) {
	each(t, func(x *fixture) {
		other, rev := x.save("other", "another document", t0)
		var ids []int64
		for i := range 6 {
			nb := x.newBatch(1)
			nb.Batch.CreatedAt = after(time.Duration(i) * time.Minute)
			if i%2 == 1 {
				nb.Batch.ScheduleID, nb.Batch.RevisionID = other.ID, rev.ID
			}
			if i >= 4 {
				nb.Batch.Kind, nb.Batch.State = hive.KindBackfill, hive.BatchFailed
			}
			ids = append(ids, must(x.CreateBatch(x.Context(), x.me, nb))(x).ID)
		}
		for _, c := range []struct {
			filter hive.BatchFilter
			want   []int
		}{
			{hive.BatchFilter{}, []int{5, 4, 3, 2, 1, 0}},
			{hive.BatchFilter{Limit: 2}, []int{5, 4}},
			{hive.BatchFilter{Before: ids[4], Limit: 2}, []int{3, 2}},
			{hive.BatchFilter{Schedule: "other"}, []int{5, 3, 1}},
			{hive.BatchFilter{Schedule: "none"}, []int{}},
			{hive.BatchFilter{States: []hive.BatchState{hive.BatchFailed}}, []int{5, 4}},
			{
				hive.BatchFilter{States: []hive.BatchState{hive.BatchFailed, hive.BatchRunning}, Limit: 3},
				[]int{5, 4, 3},
			},
			{hive.BatchFilter{From: after(2 * time.Minute), To: after(4 * time.Minute)}, []int{3, 2}},
			{hive.BatchFilter{From: after(2 * time.Minute), Before: ids[4]}, []int{3, 2}},
			{hive.BatchFilter{To: t0}, []int{}},
			{hive.BatchFilter{Kind: hive.KindManual, Schedule: "warehouse"}, []int{2, 0}},
			{hive.BatchFilter{Live: true, Limit: 3}, []int{3, 2, 1}},
		} {
			got := []int{}
			for _, b := range must(x.Batches(x.Context(), c.filter))(x) {
				got = append(got, slices.Index(ids, b.ID))
			}
			same(x, "batches", got, c.want)
		}
	})
}

func TestNextIDs(t *testing.T) {
	each(t, func(x *fixture) {
		var mu sync.Mutex
		var all []int64
		var wg sync.WaitGroup
		for _, n := range []int{1, 1, 7, 999, 1000, 1001, 4000} {
			wg.Go(func() {
				for range 3 {
					first, err := x.NextIDs(x.Context(), db.CounterAttempt, n)
					if err != nil {
						x.Error(err)
						return
					}
					mu.Lock()
					for i := range n {
						all = append(all, first+int64(i))
					}
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		size := len(all)
		slices.Sort(all)
		same(x, "different ids", len(slices.Compact(all)), size)
		if all[0] < 1 {
			x.Fatalf("id %d", all[0])
		}
		for kind, n := range map[string]int{db.CounterRun: 0, "epoch": 1, "": 1} {
			if _, err := x.NextIDs(x.Context(), kind, n); err == nil {
				x.Errorf("%d ids of kind %q", n, kind)
			}
		}
	})
}

// Read together, batches have the snapshots that each has alone. Batches that do not exist are left out.
func TestBatchImages(t *testing.T) {
	each(t, func(x *fixture) {
		first, second, third := x.batch(2), x.batch(0), x.batch(3)
		ready, attempt := x.offer(third.Runs[1])
		x.ok(x.commit(hive.BatchWrite{
			BatchID: third.Batch.ID, Runs: []hive.RunChange{ready},
			Offers: []hive.Attempt{attempt},
		}))
		third = x.snapshot(third.Batch.ID)
		same(x.T, "attempts", len(third.Attempts), 1)
		ids := []int64{third.Batch.ID, first.Batch.ID, 9999, second.Batch.ID, first.Batch.ID}
		got := must(x.BatchSnapshots(x.Context(), ids))(x.T)
		same(x.T, "snapshots", got, []hive.BatchSnapshot{first, second, third})
		same(x.T, "none", len(must(x.BatchSnapshots(x.Context(), nil))(x.T)), 0)
	})
}
