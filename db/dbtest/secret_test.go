package dbtest_test

import (
	"bytes"
	"testing"

	"github.com/rprp/hivego/db"
	"github.com/rprp/hivego/db/dbtest"
	"github.com/rprp/hivego/server/hive"
)

// The secrets of executors are encrypted from the first key on, open with that alone, and can be given another.
func TestSecretKey(t *testing.T) {
	t.Parallel()
	first, second := bytes.Repeat([]byte{1}, db.KeySize), bytes.Repeat([]byte{2}, db.KeySize)
	dbtest.Each(t, func(t *testing.T, open func() *db.Store) {
		ctx := t.Context()
		x := newFixture(t, open())
		reopen := func() {
			t.Helper()
			x.ok(x.Close())
			x.Store = open()
		}
		secrets := func(want ...string) {
			t.Helper()
			all := must(x.Executors(ctx))(x)
			same(x, "executors", len(all), len(want))
			for i := range all {
				same(x, all[i].ID, all[i].Secret, want[i])
			}
		}
		same(x, "key at first", must(x.SecretKeyID(ctx))(x), "")
		x.ok(x.SaveExecutor(ctx, hive.Executor{ID: "e1", Name: "alpha", Secret: "old secret"}))
		x.ok(x.SaveExecutor(ctx, hive.Executor{ID: "e2", Name: "beta"}))
		old := x.session("an older server", lease)
		x.code(hive.CodeUnavailable, x.UseSecretKey(ctx, x.me.ID, first)) // it could not read what is encrypted
		secrets("old secret", "")
		x.ok(x.EndSession(ctx, old.ID, old.Epoch))
		for range 2 {
			x.ok(x.UseSecretKey(ctx, x.me.ID, first))
			secrets("old secret", "")
		}
		x.ok(x.SaveExecutor(ctx, hive.Executor{ID: "e2", Name: "beta", Secret: "new secret"}))
		secrets("old secret", "new secret")
		same(x, "key", must(x.SecretKeyID(ctx))(x), db.KeyID(first))
		reopen()
		if _, err := x.Executors(ctx); err == nil {
			t.Error("the secrets can be read without a key")
		}
		x.code(hive.CodeConflict, x.UseSecretKey(ctx, x.me.ID, second))
		x.ok(x.UseSecretKey(ctx, x.me.ID, first))
		secrets("old secret", "new secret")

		x.code(hive.CodeConflict, x.ChangeSecretKey(ctx, first, second)) // its session lives
		x.ok(x.EndSession(ctx, x.me.ID, x.me.Epoch))
		if err := x.ChangeSecretKey(ctx, second, first); err == nil {
			t.Error("a key that the secrets do not have opens them")
		}
		secrets("old secret", "new secret")
		x.ok(x.ChangeSecretKey(ctx, first, second))
		reopen()
		x.ok(x.UseSecretKey(ctx, x.me.ID, second))
		secrets("old secret", "new secret")

		x.ok(x.ChangeSecretKey(ctx, nil, first)) // the key is lost
		reopen()
		x.ok(x.UseSecretKey(ctx, x.me.ID, first))
		secrets("", "")
	})
}
