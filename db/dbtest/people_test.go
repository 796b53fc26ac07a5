package dbtest_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

func TestExecutors(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		e := hive.Executor{
			ID: "e1", Name: "alpha", Group: "etl", Labels: map[string]string{
				"zone": "a",
				"'":    `"\`,
			}, Address: "10.0.0.1:9999",
			TLS: true, Secret: "s", Slots: 8, Version: "1", BootID: "b1", Durable: true, CreatedAt: t0, SeenAt: t0,
			Origin: hive.OriginRegistered,
			Handlers: []hive.Handler{
				{Name: "shell", Title: "命令", Schema: `{"type":"object"}`, Survives: true},
				{Name: "sql"},
			},
		}
		x.ok(x.SaveExecutor(ctx, e))
		same(x, "stored", must(x.Executor(ctx, "e1"))(x), e)

		e.BootID, e.SeenAt, e.Labels, e.Handlers = "b2", after(time.Hour), nil, nil
		later := e
		later.CreatedAt = after(time.Hour)
		x.ok(x.SaveExecutor(ctx, later))
		same(x, "stored again", must(x.Executor(ctx, "e1"))(x), e)
		x.code(hive.CodeConflict, x.SaveExecutor(ctx, hive.Executor{ID: "e2", Name: "alpha"}))

		// Off line holds for the name, also when the executor is installed anew.
		x.ok(x.SetOffline(ctx, "alpha", true))
		x.ok(x.SetOffline(ctx, "alpha", true))
		x.ok(x.SaveExecutor(ctx, e))
		same(x, "off line", must(x.Executor(ctx, "e1"))(x).Offline, true)
		x.ok(x.DeleteExecutor(ctx, "e1"))
		x.ok(x.SaveExecutor(ctx, hive.Executor{ID: "e2", Name: "alpha"}))
		x.ok(x.SaveExecutor(ctx, hive.Executor{ID: "e0", Name: "beta"}))
		all := must(x.Executors(ctx))(x)
		same(x, "executors", []any{len(all), all[0].Name, all[0].Offline, all[1].Name, all[1].Offline},
			[]any{2, "alpha", true, "beta", false})
		x.ok(x.SetOffline(ctx, "alpha", false))
		same(x, "on line", must(x.Executor(ctx, "e2"))(x).Offline, false)
	})
}

func TestUsersAndTokens(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		ada := must(x.AddUser(ctx,
			hive.User{Name: "ada", Admin: true, PasswordHash: "$argon2id$v=19$…", CreatedAt: t0}))(x)
		bob := must(x.AddUser(ctx, hive.User{Name: "Bob", CreatedAt: t0}))(x)
		_, err := x.AddUser(ctx, hive.User{Name: "ada"})
		x.code(hive.CodeConflict, err)
		same(x, "by name", must(x.UserByName(ctx, "ada"))(x), ada)
		same(x, "by id", must(x.UserByID(ctx, bob.ID))(x), bob)
		same(x, "users", must(x.Users(ctx))(x), []hive.User{bob, ada})

		token := must(x.AddToken(ctx, hive.Token{
			UserID: ada.ID, Hash: "h1", Name: "ci", CreatedAt: t0, ExpiresAt: after(time.Hour),
		}))(x)
		join := must(x.AddToken(ctx, hive.Token{Group: "etl", Hash: "h2", CreatedAt: t0}))(x)
		_, err = x.AddToken(ctx, hive.Token{UserID: bob.ID, Hash: "h1"})
		x.code(hive.CodeConflict, err)
		_, err = x.AddToken(ctx, hive.Token{UserID: 999, Hash: "h3"})
		x.code(hive.CodeNotFound, err)
		x.ok(x.TouchToken(ctx, token.ID, after(time.Minute)))
		token.UsedAt = after(time.Minute)
		same(x, "token", must(x.TokenByHash(ctx, "h1"))(x), token)
		same(x, "tokens of ada", must(x.Tokens(ctx, ada.ID))(x), []hive.Token{token})
		same(x, "tokens of bob", len(must(x.Tokens(ctx, bob.ID))(x)), 0)
		same(x, "tokens of executors", must(x.Tokens(ctx, 0))(x), []hive.Token{join})
		for i := range hive.MaxTokens {
			must(x.AddToken(ctx, hive.Token{UserID: bob.ID, Hash: fmt.Sprint("b", i)}))(x)
		}
		_, err = x.AddToken(ctx, hive.Token{UserID: bob.ID, Hash: "b"})
		x.code(hive.CodeConflict, err)
		same(x, "the most tokens", len(must(x.Tokens(ctx, bob.ID))(x)), hive.MaxTokens)

		x.ok(x.SetMeta(ctx, "k", "1"))
		x.ok(x.SetMeta(ctx, "k", "2"))
		same(x, "meta", must(x.Meta(ctx, "k"))(x), "2")
	})
}

// Text that breaks programs is stored as it is, apart from bytes that are no text.
func TestHostileText(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		for i, s := range hostile {
			name := string(rune('a'+i)) + s
			u := must(x.AddUser(ctx, hive.User{Name: name, CreatedAt: t0}))(x)
			same(x, "user", u.Name, cleaned(name))
			same(x, "user by name", must(x.UserByName(ctx, cleaned(name)))(x), u)
			_, r := x.save("warehouse", name, t0)
			same(x, "document", must(x.Revision(ctx, r.ID))(x).Document, cleaned(name))
			nb := x.newBatch(1)
			nb.Batch.CreatedBy, nb.Runs[0].Detail, nb.Batch.Params = name, name, map[string]any{"p": cleaned(name)}
			img := x.snapshot(must(x.CreateBatch(ctx, x.me, nb))(x).ID)
			same(x, "batch", []any{img.Batch.CreatedBy, img.Runs[0].Detail, img.Batch.Params["p"]},
				[]any{cleaned(name), cleaned(name), cleaned(name)})
			if _, err := x.UserByName(ctx, s+"\x00\xff"); err == nil {
				x.Errorf("a user with a name that is no text: %q", s)
			}
		}
	})
}
