package auth

import (
	"context"
	"errors"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// memory is a store that keeps everything in maps.
type memory struct {
	mu       sync.Mutex
	users    map[int64]hive.User
	tokens   map[string]hive.Token
	sessions map[int64]hive.Session
	last     int64 // id of a session
	touched  int
	onAdd    func() // runs before a session is stored
	err      error
}

func newMemory() *memory {
	return &memory{users: map[int64]hive.User{}, tokens: map[string]hive.Token{}, sessions: map[int64]hive.Session{}}
}

func (m *memory) AddUser(_ context.Context, u hive.User) (hive.User, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.addUser(u)
}

func (m *memory) addUser(u hive.User) (hive.User, error) {
	for _, o := range m.users {
		if o.Name == u.Name {
			return u, hive.Errorf(hive.CodeConflict, "taken")
		}
	}
	u.ID = int64(len(m.users) + 1)
	m.users[u.ID] = u
	return u, m.err
}

func (m *memory) UserByName(_ context.Context, name string) (hive.User, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, u := range m.users {
		if u.Name == name {
			return u, nil
		}
	}
	return hive.User{}, hive.Errorf(hive.CodeNotFound, "no user %q", name)
}

func (m *memory) UserByID(_ context.Context, id int64) (hive.User, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if u, ok := m.users[id]; ok {
		return u, nil
	}
	return hive.User{}, hive.Errorf(hive.CodeNotFound, "no user %d", id)
}

func (m *memory) AddToken(_ context.Context, t hive.Token) (hive.Token, error) {
	t.ID = int64(len(m.tokens) + 1)
	m.tokens[t.Hash] = t
	return t, m.err
}

func (m *memory) TokenByHash(_ context.Context, hash string) (hive.Token, error) {
	if m.err != nil {
		return hive.Token{}, m.err
	}
	if t, ok := m.tokens[hash]; ok {
		return t, nil
	}
	return hive.Token{}, hive.Errorf(hive.CodeNotFound, "no token")
}

func (m *memory) Tokens(_ context.Context, user int64) ([]hive.Token, error) {
	var out []hive.Token
	for _, t := range m.tokens {
		if t.UserID == user {
			out = append(out, t)
		}
	}
	return out, nil
}

func (m *memory) DeleteToken(_ context.Context, id, user int64) error {
	for h, t := range m.tokens {
		if t.ID == id && (user == 0 || user == t.UserID) {
			delete(m.tokens, h)
			return nil
		}
	}
	return hive.Errorf(hive.CodeNotFound, "no token")
}

func (m *memory) TouchToken(_ context.Context, id int64, at time.Time) error {
	m.touched++
	for h, t := range m.tokens {
		if t.ID == id {
			t.UsedAt = at
			m.tokens[h] = t
		}
	}
	return nil
}

func TestPasswords(t *testing.T) {
	t.Parallel()
	hash := fullCost().hash("correct horse")
	phc := regexp.MustCompile(`^\$argon2id\$v=19\$m=65536,t=3,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$`)
	if !phc.MatchString(hash) {
		t.Errorf("not PHC: %s", hash)
	}
	if hash == fullCost().hash("correct horse") {
		t.Error("two hashes share their salt")
	}
	for password, want := range map[string]bool{"correct horse": true, "correct horsf": false} {
		if ok, err := VerifyPassword(hash, password); ok != want || err != nil {
			t.Errorf("%q: %v %v", password, ok, err)
		}
	}
	for _, damaged := range []string{
		"", "x", "$argon2id$v=19$m=65536,t=3,p=1$c2FsdA", strings.Replace(hash, "argon2id", "argon2i", 1),
		strings.Replace(hash, "v=19", "v=16", 1), strings.Replace(hash, "m=65536", "m=4294967295", 1),
		strings.Replace(hash, "t=3", "t=0", 1), strings.Replace(hash, "p=1", "p=0", 1), strings.Replace(hash, "p=1$",
			"p=1$!", 1),
		strings.Replace(hash, "m=65536", "m=x", 1),
	} {
		if ok, err := VerifyPassword(damaged, "correct horse"); ok || err == nil {
			t.Errorf("%q was accepted", damaged)
		}
	}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	a, b := NewToken(), NewToken()
	if a == b || !regexp.MustCompile(`^hgo_[A-Za-z0-9_-]{43}$`).MatchString(a) {
		t.Errorf("%s %s", a, b)
	}
	if h := HashToken("hgo_x"); h != "d5483fc6affe547d4fb733b09b3677365d3028a5a30c443514d18112eca3a3c9" {
		t.Errorf("the hash has changed, so that stored tokens are not found: %s", h)
	}
}

type world struct {
	*Service
	*memory

	now time.Time
}

func newWorld() *world {
	w := &world{memory: newMemory(), now: time.Date(2026, 5, 1, 3, 20, 0, 0, time.UTC)}
	w.Service = New(Config{
		Users: w.memory, Tokens: w.memory, Sessions: w.memory,
		Now: func() time.Time { return w.now }, Log: slog.New(slog.DiscardHandler),
	})
	w.cost = cost{memory: 8, passes: 1} // TestPasswords uses the real one
	return w
}

func TestAuthenticate(t *testing.T) {
	t.Parallel()
	ctx, w := t.Context(), newWorld()
	u, err := w.memory.AddUser(ctx, hive.User{Name: "ada", Admin: true})
	if err != nil {
		t.Fatal(err)
	}
	stored, text, err := w.CreateTokenFor(ctx, "ada", hive.Token{Name: "ci", ExpiresAt: w.now.Add(time.Hour)})
	if err != nil || strings.Contains(stored.Hash, text) || stored.Hash != HashToken(text) {
		t.Fatalf("%+v %v", stored, err)
	}
	id, err := w.Authenticate(ctx, text)
	if err != nil || id.User.ID != u.ID || !id.User.Admin || id.Token.ID != stored.ID {
		t.Fatalf("%+v %v", id, err)
	}
	if _, err = w.Authenticate(ctx, text); err != nil || w.touched != 1 {
		t.Errorf("the use was noted %d times within a minute: %v", w.touched, err)
	}
	w.now = w.now.Add(time.Minute)
	if _, err = w.Authenticate(ctx, text); err != nil || w.touched != 2 {
		t.Errorf("the use was noted %d times: %v", w.touched, err)
	}
	_, group, err := w.Service.CreateToken(ctx, hive.Token{Group: "etl"})
	if err != nil {
		t.Fatal(err)
	}
	if g, err := w.Group(ctx, group); g != "etl" || err != nil {
		t.Errorf("%q %v", g, err)
	}
	refused := map[string]string{
		"nothing": "", "spaces": "   ", "no prefix": strings.TrimPrefix(text,
			"hgo_"), "cut": text[:len(text)-1], "long": text + "x",
		"another": NewToken(), "upper case": strings.ToUpper(text), "a group's": group,
	}
	for name, bad := range refused {
		if _, err := w.Authenticate(ctx, bad); hive.CodeOf(err) != hive.CodeUnauthorized {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, bad := range map[string]string{"a user's": text, "another": NewToken()} {
		if _, err := w.Group(ctx, bad); hive.CodeOf(err) != hive.CodeUnauthorized {
			t.Errorf("group by %s token: %v", name, err)
		}
	}
	w.now = w.now.Add(59 * time.Minute)
	if _, err := w.Authenticate(ctx, text); hive.CodeOf(err) != hive.CodeUnauthorized {
		t.Errorf("expired: %v", err)
	}
}

func TestRevokedTokens(t *testing.T) {
	t.Parallel()
	ctx, w := t.Context(), newWorld()
	if _, err := w.memory.AddUser(ctx, hive.User{Name: "ada"}); err != nil {
		t.Fatal(err)
	}
	stored, text, _ := w.CreateTokenFor(ctx, "ada", hive.Token{})
	if err := w.Service.DeleteToken(ctx, stored.ID, 99); hive.CodeOf(err) != hive.CodeNotFound {
		t.Errorf("another user's token was deleted: %v", err)
	}
	if err := w.Service.DeleteToken(ctx, stored.ID, stored.UserID); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Authenticate(ctx, text); hive.CodeOf(err) != hive.CodeUnauthorized {
		t.Errorf("revoked: %v", err)
	}
	_, text, _ = w.CreateTokenFor(ctx, "ada", hive.Token{})
	clear(w.memory.users)
	if _, err := w.Authenticate(ctx, text); hive.CodeOf(err) != hive.CodeUnauthorized {
		t.Errorf("token of a removed user: %v", err)
	}
	w.err = errors.New("disk on fire")
	if _, err := w.Authenticate(ctx, text); hive.CodeOf(err) != hive.CodeInternal || !errors.Is(err, w.err) {
		t.Errorf("a database error is reported as a wrong token: %v", err)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	ctx, w := t.Context(), newWorld()
	for _, name := range []string{"", "a b", "../x", "-a", strings.Repeat("a", 64), "数据", "a\n"} {
		if _, err := w.Service.AddUser(ctx, name, "correct horse", false); hive.CodeOf(err) != hive.CodeInvalid {
			t.Errorf("name %q: %v", name, err)
		}
	}
	for _, p := range []string{
		"", "short", "nine char", "two\nlines here", "nul\x00in the password",
		"\xff\xfe not UTF-8", strings.Repeat("x", 1025),
	} {
		if _, err := w.Service.AddUser(ctx, "ada", p, false); hive.CodeOf(err) != hive.CodeInvalid {
			t.Errorf("password %q: %v", p, err)
		}
	}
	if _, err := w.Service.AddUser(ctx, "ada", "密码密码密码密码密码", false); err != nil {
		t.Errorf("ten characters: %v", err)
	}
	if _, err := w.Service.AddUser(ctx, "ada", "correct horse", false); hive.CodeOf(err) != hive.CodeConflict {
		t.Errorf("twice: %v", err)
	}
	for _, tok := range []hive.Token{{}, {UserID: 1, Group: "g"}, {Group: "a b"}, {Group: "-x"}} {
		if _, _, err := w.Service.CreateToken(ctx, tok); hive.CodeOf(err) != hive.CodeInvalid {
			t.Errorf("%+v: %v", tok, err)
		}
	}
	if _, _, err := w.CreateTokenFor(ctx, "bob", hive.Token{}); hive.CodeOf(err) != hive.CodeNotFound {
		t.Errorf("token for a missing user: %v", err)
	}
}
