package dbtest_test

import (
	"sync"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

func TestBatchesByKey(t *testing.T) {
	each(t, func(x *fixture) {
		nb := x.newBatch(2)
		nb.Key = "ada/run:warehouse/1"
		var wg sync.WaitGroup
		ids := make([]int64, 4)
		for i := range ids {
			wg.Go(func() {
				b, err := x.CreateBatch(x.Context(), x.me, nb)
				if err != nil {
					x.Errorf("create with a key: %v", err)
				}
				ids[i] = b.ID
			})
		}
		wg.Wait()
		for _, id := range ids {
			same(x, "batch of the key", id, ids[0])
		}
		nb.Key = ""
		if b := must(x.CreateBatch(x.Context(), x.me, nb))(x); b.ID == ids[0] {
			x.Fatal("a batch without a key was taken for the one with a key")
		}
		same(x, "batches", len(must(x.Batches(x.Context(), hive.BatchFilter{}))(x)), 2)
	})
}

func TestDeleteToken(t *testing.T) {
	each(t, func(x *fixture) {
		u := must(x.AddUser(x.Context(), hive.User{Name: "ada", CreatedAt: t0}))(x)
		tok := must(x.AddToken(x.Context(), hive.Token{UserID: u.ID, Hash: "h1", CreatedAt: t0}))(x)
		group := must(x.AddToken(x.Context(), hive.Token{Group: "etl", Hash: "h2", CreatedAt: after(time.Second)}))(x)
		x.code(hive.CodeNotFound, x.DeleteToken(x.Context(), tok.ID, u.ID+1))
		x.ok(x.DeleteToken(x.Context(), tok.ID, u.ID))
		x.code(hive.CodeNotFound, x.DeleteToken(x.Context(), tok.ID, 0))
		x.code(hive.CodeNotFound, x.DeleteToken(x.Context(), group.ID, u.ID))
		x.ok(x.DeleteToken(x.Context(), group.ID, 0))
	})
}
