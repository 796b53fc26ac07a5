package auth

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

const password = "correct horse"

// here returns a visitor at the server's machine.
func here() hive.Visitor { return hive.Visitor{Address: "127.0.0.1", Agent: "browser", Local: true} }

// from returns a visitor at another machine.
func from(address string) hive.Visitor { return hive.Visitor{Address: address} }

// setUp returns a world after its setup by ada, with ada's session.
func setUp(t *testing.T) (*world, hive.Identity, string) {
	t.Helper()
	w := newWorld()
	id, text, err := w.SetUp(t.Context(), "ada", password, "", here())
	if err != nil {
		t.Fatal(err)
	}
	return w, id, text
}

func (w *world) unlogged(t *testing.T, what, text string) {
	t.Helper()
	if _, err := w.Session(t.Context(), text); hive.CodeOf(err) != hive.CodeUnauthorized {
		t.Errorf("%s: %v", what, err)
	}
}

func TestSession(t *testing.T) {
	t.Parallel()
	w, id, text := setUp(t)
	ctx := t.Context()
	got, err := w.Session(ctx, text)
	if err != nil || got.User.Name != "ada" || !got.User.Admin || got.Session.ID != id.Session.ID || got.Token.ID != 0 {
		t.Fatalf("%+v %v", got, err)
	}
	if got.CSRF != id.CSRF || len(got.CSRF) != 43 || strings.Contains(text, got.CSRF) {
		t.Errorf("CSRF text %q of %q", got.CSRF, text)
	}
	stored := w.memory.sessions[id.Session.ID]
	if stored.Hash != HashToken(text) || stored.Agent != "browser" || stored.Address != "127.0.0.1" {
		t.Errorf("stored: %+v", stored)
	}
	for name, bad := range map[string]string{
		"nothing": "", "cut": text[:len(text)-1], "long": text +
			"x", "another": newSecret(sessionPrefix), "its hash": stored.Hash,
		"a token": NewToken(), "as a token": tokenPrefix +
			strings.TrimPrefix(text, sessionPrefix), "its CSRF text": sessionPrefix + id.CSRF,
	} {
		w.unlogged(t, name, bad)
	}
	if _, err := w.Authenticate(ctx, text); hive.CodeOf(err) != hive.CodeUnauthorized {
		t.Errorf("a session passes as a token: %v", err)
	}
	_, second, err := w.LogIn(ctx, "ada", password, here())
	if err != nil {
		t.Fatal(err)
	}
	if other, err := w.Session(ctx, second); err != nil || other.CSRF == id.CSRF {
		t.Errorf("two sessions share their CSRF text: %v", err)
	}
	w.err = errors.New("disk on fire")
	if _, err := w.Session(ctx, text); hive.CodeOf(err) != hive.CodeInternal {
		t.Errorf("a database error is reported as a wrong session: %v", err)
	}
}

// A session ends after a time without use and at a fixed age, also if the clock is set back or forward.
func TestSessionsEnd(t *testing.T) {
	t.Parallel()
	day := 24 * time.Hour
	for name, tc := range map[string]struct {
		steps []time.Duration // of the clock, each followed by a use
		live  bool
	}{
		"used at once":           {[]time.Duration{0}, true},
		"idle, nearly too long":  {[]time.Duration{7*day - time.Millisecond}, true},
		"idle for too long":      {[]time.Duration{7 * day}, false},
		"used again and again":   {[]time.Duration{6 * day, 6 * day, 6 * day, 6 * day, 6*day - time.Millisecond}, true},
		"used beyond its end":    {[]time.Duration{6 * day, 6 * day, 6 * day, 6 * day, 6 * day}, false},
		"the clock set back":     {[]time.Duration{-365 * day}, true},
		"back, then idle":        {[]time.Duration{-365 * day, 7 * day}, false},
		"forth and back":         {[]time.Duration{365 * day, -365 * day}, false},
		"back a bit, then forth": {[]time.Duration{-time.Hour, 2 * time.Hour, 6 * day}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, _, text := setUp(t)
			var err error
			for _, d := range tc.steps {
				w.now = w.now.Add(d)
				_, err = w.Session(t.Context(), text)
				w.sweep(t.Context())
			}
			if (err == nil) != tc.live {
				t.Errorf("live: %v, want %v", err, tc.live)
			}
		})
	}
}

func TestUseIsNotedOnceAMinute(t *testing.T) {
	t.Parallel()
	w, id, text := setUp(t)
	for range 120 {
		w.now = w.now.Add(time.Second)
		if _, err := w.Session(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	if w.touched != 2 || w.memory.sessions[id.Session.ID].SeenAt != w.now.Truncate(time.Millisecond) {
		t.Errorf("noted %d times, last at %v", w.touched, w.memory.sessions[id.Session.ID].SeenAt)
	}
}

// ended reports whether the channel of a watch is closed.
func ended(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func TestLogOut(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	w, id, text := setUp(t)
	other, otherText, err := w.LogIn(ctx, "ada", password, here())
	if err != nil {
		t.Fatal(err)
	}
	mine, _ := w.Watch(id)
	again, stop := w.Watch(id)
	stop()
	stop()
	theirs, _ := w.Watch(other)
	for range 2 {
		if err := w.LogOut(ctx, id); err != nil {
			t.Fatal(err)
		}
	}
	w.unlogged(t, "replayed after the log-out", text)
	if !ended(mine) || ended(again) || ended(theirs) {
		t.Error("the wrong watches were closed")
	}
	if _, err := w.Session(ctx, otherText); err != nil {
		t.Errorf("the other session: %v", err)
	}
	if err := w.LogOut(ctx, hive.Identity{Token: hive.Token{ID: 1}}); err != nil || len(w.memory.sessions) != 1 {
		t.Errorf("a log-out with a token: %v", err)
	}
}

// closeEnded notices sessions and tokens that another server, a local command or the clock has ended.
func TestCloseEnded(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	w, id, _ := setUp(t)
	other, _, err := w.LogIn(ctx, "ada", password, here())
	if err != nil {
		t.Fatal(err)
	}
	token, _, err := w.CreateTokenFor(ctx, "ada", hive.Token{ExpiresAt: w.now.Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	mine, _ := w.Watch(id)
	theirs, _ := w.Watch(other)
	tokens, _ := w.Watch(hive.Identity{Token: token})
	w.err = errors.New("away")
	w.closeEnded(ctx)
	w.err = nil
	w.closeEnded(ctx)
	if ended(mine) || ended(theirs) || ended(tokens) {
		t.Fatal("a watch was closed without reason")
	}
	delete(w.memory.sessions, id.Session.ID)
	w.closeEnded(ctx)
	if !ended(mine) || ended(theirs) || ended(tokens) {
		t.Error("a session that was ended elsewhere")
	}
	w.now = w.now.Add(time.Hour)
	w.closeEnded(ctx)
	if ended(theirs) || !ended(tokens) {
		t.Error("a token that has expired")
	}
	w.now = w.now.Add(sessionIdle)
	w.closeEnded(ctx)
	if !ended(theirs) {
		t.Error("a session that has expired")
	}
	revoked, _, err := w.CreateTokenFor(ctx, "ada", hive.Token{})
	if err != nil {
		t.Fatal(err)
	}
	c, _ := w.Watch(hive.Identity{Token: revoked})
	if err := w.Service.DeleteToken(ctx, revoked.ID, 0); err != nil || !ended(c) {
		t.Errorf("a token that was revoked: %v", err)
	}
}

func TestKeeper(t *testing.T) {
	t.Parallel()
	w, id, _ := setUp(t)
	w.now = w.now.Add(sessionEnd)
	k := NewKeeper(w.Service)
	if err := k.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	<-k.Started()
	k.Stop()
	k.Stop()
	if _, ok := w.memory.sessions[id.Session.ID]; ok {
		t.Error("a session that has ended is still stored")
	}
}

func TestChangePassword(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	w, id, text := setUp(t)
	other, otherText, err := w.LogIn(ctx, "ada", password, here())
	if err != nil {
		t.Fatal(err)
	}
	theirs, _ := w.Watch(other)
	mine, _ := w.Watch(id)
	for next, code := range map[string]hive.Code{"short": hive.CodeInvalid, "": hive.CodeInvalid} {
		if err := w.ChangePassword(ctx, id, password, next); hive.CodeOf(err) != code {
			t.Errorf("%q: %v", next, err)
		}
	}
	if err := w.ChangePassword(ctx, id, "wrong horse", "battery staple"); hive.CodeOf(err) != hive.CodeForbidden {
		t.Errorf("with a wrong password: %v", err)
	}
	if err := w.ChangePassword(ctx, id, password, "battery staple"); err != nil {
		t.Fatal(err)
	}
	if !ended(theirs) || ended(mine) {
		t.Error("the wrong watches were closed")
	}
	w.unlogged(t, "the other session", otherText)
	if _, err := w.Session(ctx, text); err != nil {
		t.Errorf("the own session: %v", err)
	}
	if _, _, err := w.LogIn(ctx, "ada", password, here()); hive.CodeOf(err) != hive.CodeUnauthorized {
		t.Errorf("the old password: %v", err)
	}
	if err := w.ResetPassword(ctx, "ada", "third password"); err != nil || !ended(mine) {
		t.Errorf("a reset has not ended the session: %v", err)
	}
	w.unlogged(t, "after a reset", text)
	if _, _, err := w.LogIn(ctx, "ada", "third password", here()); err != nil {
		t.Errorf("the new password: %v", err)
	}
	if err := w.ResetPassword(ctx, "eve", "third password"); hive.CodeOf(err) != hive.CodeNotFound {
		t.Errorf("a reset for a missing user: %v", err)
	}
}

func TestSetUp(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	w := newWorld()
	if needed, err := w.NeedsSetup(ctx); !needed || err != nil {
		t.Fatal(needed, err)
	}
	for name, code := range map[string]string{
		"none": "", "wrong": "AAAA-BBBB-CCCC-DDDD", "cut": w.SetupCode()[:18],
		"more": w.SetupCode() + "A",
	} {
		if _, _, err := w.SetUp(ctx, "eve", password, code, from("192.0.2.7")); hive.CodeOf(err) != hive.CodeForbidden {
			t.Errorf("%s: %v", name, err)
		}
	}
	for range 3 {
		_, _, _ = w.SetUp(ctx, "eve", password, "", from("192.0.2.7"))
	}
	if _, _, err := w.SetUp(ctx, "eve", password, w.SetupCode(),
		from("192.0.2.7")); hive.CodeOf(err) != hive.CodeTooMany {
		t.Errorf("after too many codes: %v", err)
	}
	if _, _, err := w.SetUp(ctx, "ada", "short", "", here()); hive.CodeOf(err) != hive.CodeInvalid {
		t.Errorf("a short password: %v", err)
	}
	if len(w.memory.users) != 0 {
		t.Fatal("there is a user")
	}
	given := " " + strings.ToLower(strings.ReplaceAll(w.SetupCode(), "-", " "))
	id, text, err := w.SetUp(ctx, "ada", password, given, from("198.51.100.1"))
	if err != nil || !id.User.Admin {
		t.Fatal(id, err)
	}
	if _, err := w.Session(ctx, text); err != nil {
		t.Errorf("not logged in: %v", err)
	}
	if _, _, err := w.SetUp(ctx, "eve", password, w.SetupCode(), here()); hive.CodeOf(err) != hive.CodeConflict {
		t.Errorf("a second time: %v", err)
	}
	if newWorld().SetupCode() == w.SetupCode() {
		t.Error("two starts share their code")
	}
}

func TestSetUpByManyAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld()
	var wg sync.WaitGroup
	errs := make([]error, 6)
	for i := range errs {
		wg.Go(func() { _, _, errs[i] = w.SetUp(t.Context(), fmt.Sprint("admin", i), password, "", here()) })
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
	if won != 1 || len(w.memory.users) != 1 {
		t.Errorf("%d became the administrator, %d users", won, len(w.memory.users))
	}
}
