package dbtest_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/rprp/hivego/db"
	"github.com/rprp/hivego/db/dbtest"
	"github.com/rprp/hivego/server/hive"
)

// person stores a user, and login a session of theirs with this hash.
func (x *fixture) person(name string, admin bool) hive.User {
	x.Helper()
	return must(x.AddUser(x.Context(),
		hive.User{Name: name, Admin: admin, PasswordHash: "password of " + name, CreatedAt: t0}))(x)
}

func (x *fixture) login(u hive.User, hash string) hive.Session {
	x.Helper()
	return must(x.AddSession(x.Context(), hive.Session{
		UserID: u.ID, Hash: hash, CreatedAt: t0, SeenAt: t0, IdleAt: after(time.Hour), EndsAt: after(2 * time.Hour),
		Address: "192.0.2.7", Agent: "浏览器 ' \\",
	}, u.PasswordHash))(x)
}

func TestSessions(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		ada, bob := x.person("ada", true), x.person("bob", false)
		a, b, c := x.login(ada, "a"), x.login(ada, "b"), x.login(bob, "c")
		same(x, "session", must(x.SessionByHash(ctx, "a"))(x), a)
		_, err := x.SessionByHash(ctx, "A")
		x.code(hive.CodeNotFound, err)

		x.ok(x.TouchSession(ctx, a.ID, after(time.Minute), after(90*time.Minute)))
		a.SeenAt, a.IdleAt = after(time.Minute), after(90*time.Minute)
		same(x, "used", must(x.SessionByHash(ctx, "a"))(x), a)

		all := []int64{a.ID, b.ID, c.ID, 999}
		same(x, "live", len(must(x.LiveSessions(ctx, all, t0))(x)), 3)
		same(x, "live among none", len(must(x.LiveSessions(ctx, nil, t0))(x)), 0)
		same(x, "live when two have been idle", must(x.LiveSessions(ctx, all, after(time.Hour)))(x), []int64{a.ID})
		same(x, "swept", must(x.SweepSessions(ctx, after(time.Hour)))(x), int64(2))
		same(x, "swept again", must(x.SweepSessions(ctx, after(time.Hour)))(x), int64(0))
		x.ok(x.TouchSession(ctx, b.ID, after(time.Minute), after(time.Hour)))
		_, err = x.SessionByHash(ctx, "b")
		x.code(hive.CodeNotFound, err)

		x.ok(x.DeleteSession(ctx, a.ID))
		x.ok(x.DeleteSession(ctx, a.ID))
		_, err = x.SessionByHash(ctx, "a")
		x.code(hive.CodeNotFound, err)
	})
}

// A new password ends the other sessions, and a log-in that proved the old one comes too late.
func TestPasswordsEndSessions(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		ada, bob := x.person("ada", true), x.person("bob", false)
		kept, other, bobs := x.login(ada, "a"), x.login(ada, "b"), x.login(bob, "c")
		_, err := x.SetPassword(ctx, ada.ID, "another", "new", kept.ID)
		x.code(hive.CodeConflict, err)
		same(x, "ended", must(x.SetPassword(ctx, ada.ID, ada.PasswordHash, "new", kept.ID))(x), []int64{other.ID})
		same(x, "password", must(x.UserByID(ctx, ada.ID))(x).PasswordHash, "new")
		same(x, "left", must(x.LiveSessions(ctx, []int64{kept.ID, other.ID, bobs.ID}, t0))(x),
			[]int64{kept.ID, bobs.ID})
		_, err = x.AddSession(ctx, hive.Session{UserID: ada.ID, Hash: "d"}, ada.PasswordHash)
		x.code(hive.CodeConflict, err)
		_, err = x.AddSession(ctx, hive.Session{UserID: 999, Hash: "d"}, "")
		x.code(hive.CodeConflict, err)
		same(x, "ended by a reset", must(x.SetPassword(ctx, ada.ID, "new", "newer", 0))(x), []int64{kept.ID})
	})
}

func TestRemoveUser(t *testing.T) {
	each(t, func(x *fixture) {
		ctx := x.Context()
		ada, bob := x.person("ada", true), x.person("bob", false)
		x.login(bob, "b")
		token := must(x.AddToken(ctx, hive.Token{UserID: bob.ID, Hash: "h", ExpiresAt: after(time.Hour)}))(x)
		free := must(x.AddToken(ctx, hive.Token{UserID: ada.ID, Hash: "i"}))(x)
		same(x, "live tokens", len(must(x.LiveTokens(ctx, []int64{token.ID, free.ID, 999}, t0))(x)), 2)
		same(x, "live tokens later", must(x.LiveTokens(ctx, []int64{token.ID, free.ID}, after(time.Hour)))(x),
			[]int64{free.ID})

		x.code(hive.CodeConflict, x.RemoveUser(ctx, "ada"))
		x.code(hive.CodeNotFound, x.RemoveUser(ctx, "eve"))
		x.ok(x.RemoveUser(ctx, "bob"))
		_, err := x.SessionByHash(ctx, "b")
		x.code(hive.CodeNotFound, err)
		_, err = x.TokenByHash(ctx, "h")
		x.code(hive.CodeNotFound, err)
		x.person("cleo", true)
		x.ok(x.RemoveUser(ctx, "ada"))
	})
}

// When many people set up one server at once, or two servers on one PostgreSQL, exactly one is the first.
func TestFirstUser(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, open func() *db.Store) {
		first := open()
		stores := []*db.Store{first, first}
		if t.Name() == "TestFirstUser/postgres" {
			stores[1] = open()
		}
		var wg sync.WaitGroup
		errs := make([]error, 16)
		for i := range errs {
			wg.Go(func() {
				u := hive.User{Name: fmt.Sprintf("admin-%d", i), Admin: true, CreatedAt: t0}
				_, errs[i] = stores[i%2].AddFirstUser(t.Context(), u)
			})
		}
		wg.Wait()
		won := 0
		for _, err := range errs {
			if err == nil {
				won++
			} else if hive.CodeOf(err) != hive.CodeConflict {
				t.Errorf("refused by %v", err)
			}
		}
		same(t, "who was the first", won, 1)
		same(t, "users", len(must(first.Users(t.Context()))(t)), 1)
	})
}

// A data folder of the first schema goes on with its users when the program is newer.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	c := dbtest.SQLite(t)
	schema := must(os.ReadFile("../migration/sqlite/0001_schema.sql"))(t)
	file := must(sql.Open("sqlite", filepath.Join(c.Dir, "hivego.db")))(t)
	for _, step := range []string{
		string(schema),
		"CREATE TABLE migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL)",
		"INSERT INTO migrations (version, name) VALUES (1, '0001_schema.sql')",
		"INSERT INTO users (name, admin, password_hash, created_at) VALUES ('ada', TRUE, 'p', 1)",
	} {
		must(file.ExecContext(t.Context(), step))(t)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	s := dbtest.Open(t, c)
	ada := must(s.UserByName(t.Context(), "ada"))(t)
	must(s.AddSession(t.Context(), hive.Session{UserID: ada.ID, Hash: "h", CreatedAt: t0}, "p"))(t)
}
