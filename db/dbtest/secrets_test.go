package dbtest_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/rprp/hivego/db"
	"github.com/rprp/hivego/db/dbtest"
	"github.com/rprp/hivego/server/hive"
)

func (x *fixture) put(name, value string, groups ...string) hive.Secret {
	x.Helper()
	c := hive.SecretChange{Name: name, Groups: groups, By: "ada", At: t0}
	if value != "" {
		c.Value = &value
	}
	return must(x.PutSecret(x.Context(), c))(x)
}

func (x *fixture) values(names ...string) map[string]string {
	x.Helper()
	out := map[string]string{}
	for _, v := range must(x.SecretValues(x.Context(), names))(x) {
		out[v.Name] = v.Value
	}
	return out
}

// Secrets are stored sealed, with their groups and who changed them. A change keeps what it does not name.
func TestSecrets(t *testing.T) {
	t.Parallel()
	key := bytes.Repeat([]byte{1}, db.KeySize)
	dbtest.Each(t, func(t *testing.T, open func() *db.Store) {
		ctx := t.Context()
		x := newFixture(t, open())
		first := "correct horse"
		if _, err := x.PutSecret(ctx, hive.SecretChange{Name: "DW", Value: &first, At: t0}); err == nil {
			t.Error("a secret was stored without a key")
		}
		x.ok(x.EndSession(ctx, x.me.ID, x.me.Epoch))
		x.ok(x.UseSecretKey(ctx, x.me.ID, key))
		_, err := x.PutSecret(ctx, hive.SecretChange{Name: "DW", Groups: []string{"etl"}, At: t0})
		x.code(hive.CodeNotFound, err)
		x.put("DW", first, "etl", "dw", "etl")
		x.put("API", "battery staple")
		later := after(time.Hour)
		second := "another horse"
		changed := must(x.PutSecret(ctx, hive.SecretChange{Name: "DW", Value: &second, By: "bob", At: later}))(x)
		want := hive.Secret{
			Name: "DW", Groups: []string{"dw", "etl"}, CreatedAt: t0, CreatedBy: "ada",
			UpdatedAt: later, UpdatedBy: "bob",
		}
		same(x, "changed", changed, want)
		list := must(x.Secrets(ctx))(x)
		same(x, "names", []string{list[0].Name, list[1].Name}, []string{"API", "DW"})
		same(x, "listed", list[1], want)
		same(x, "values", x.values("DW", "API", "NONE"), map[string]string{"DW": second, "API": "battery staple"})
		x.put("DW", "", "other")
		same(x, "the value stays", x.values("DW"), map[string]string{"DW": second})
		x.ok(x.DeleteSecret(ctx, "API"))
		x.code(hive.CodeNotFound, x.DeleteSecret(ctx, "API"))
	})
}

// The documents that may name a secret are found by its name.
func TestDocumentsWithSecret(t *testing.T) {
	each(t, func(x *fixture) {
		x.save("uses", "x: ${{ secrets.DW }}", t0)
		found := must(x.DocumentsWithSecret(x.Context(), "DW"))(x)
		same(x, "found", found, map[string]string{"uses": "x: ${{ secrets.DW }}"})
		same(x, "none", len(must(x.DocumentsWithSecret(x.Context(), "API"))(x)), 0)
	})
}

// A key is rotated while servers run: what was sealed before opens all the time, and at the end without the old key.
func TestRotation(t *testing.T) {
	t.Parallel()
	old, next := bytes.Repeat([]byte{1}, db.KeySize), bytes.Repeat([]byte{2}, db.KeySize)
	dbtest.Each(t, func(t *testing.T, open func() *db.Store) {
		ctx := t.Context()
		x := newFixture(t, open())
		x.ok(x.EndSession(ctx, x.me.ID, x.me.Epoch))
		x.ok(x.UseSecretKey(ctx, x.me.ID, old))
		x.me = x.session(x.me.ID, lease)
		x.ok(x.SaveExecutor(ctx, hive.Executor{ID: "e1", Name: "alpha", Secret: "hush now"}))
		channel := x.saveAlert(hive.KindChannel, "night", "night").ID
		phone := map[string]string{"url": "https://chat", "key": "k"}
		x.ok(x.SetChannelSecrets(ctx, "night", phone, "ada", t0))
		want := map[string]string{}
		var names []string
		for i := range 25 {
			name := fmt.Sprintf("S%d", i)
			x.put(name, "value "+name, "etl")
			want[name], names = "value "+name, append(names, name)
		}
		if err := x.BeginRotation(ctx, db.KeyID(next)); err == nil {
			t.Error("a key that the server does not have seals")
		}
		x.ok(x.AddSecretKey(next))
		x.code(hive.CodeConflict, x.BeginRotation(ctx, db.KeyID(next))) // it is not announced
		x.ok(x.AnnounceSecretKeys(ctx, x.me.ID))
		other := x.session("other", lease)
		x.code(hive.CodeConflict, x.BeginRotation(ctx, db.KeyID(next))) // the other server would be locked out
		x.ok(x.EndSession(ctx, other.ID, other.Epoch))
		x.ok(x.BeginRotation(ctx, db.KeyID(next)))
		same(x, "the former key", must(x.FormerSecretKeyID(ctx))(x), db.KeyID(old))
		same(x, "the key", must(x.SecretKeyID(ctx))(x), db.KeyID(next))
		more := must(x.ResealChunk(ctx, 10))(x)
		same(x, "more", more, true)
		same(x, "in between", x.values(names...), want)
		phone["new"] = "set while the key changes"
		x.ok(x.SetChannelSecrets(ctx, "night", map[string]string{"new": phone["new"]}, "ada", t0))

		x.ok(x.EndSession(ctx, x.me.ID, x.me.Epoch)) // the server dies between two chunks
		x.ok(x.Close())
		x.Store = open()
		x.ok(x.UseSecretKey(ctx, x.me.ID, next, old))
		same(x, "after a crash", x.values(names...), want)
		same(x, "the channel after a crash", must(x.OpenChannelSecrets(ctx, channel))(x), phone)
		for must(x.ResealChunk(ctx, 10))(x) {
		}
		same(x, "the former key at the end", must(x.FormerSecretKeyID(ctx))(x), "")

		x.ok(x.Close())
		x.Store = open()
		x.ok(x.UseSecretKey(ctx, x.me.ID, next))
		same(x, "with the next key alone", x.values(names...), want)
		same(x, "the executor", must(x.Executor(ctx, "e1"))(x).Secret, "hush now")
		same(x, "the channel", must(x.OpenChannelSecrets(ctx, channel))(x), phone)

		x.ok(x.ChangeSecretKey(ctx, next, old))
		x.ok(x.Close())
		x.Store = open()
		x.ok(x.UseSecretKey(ctx, x.me.ID, old))
		same(x, "after a change while no server ran", x.values(names...), want)
		x.ok(x.ChangeSecretKey(ctx, nil, next))
		same(x, "given up", len(must(x.Secrets(ctx))(x)), 0)
		same(x, "given up by the channel", len(must(x.ChannelSecrets(ctx, channel))(x)), 0)
	})
}
