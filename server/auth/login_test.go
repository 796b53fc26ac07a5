package auth

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// tries logs in and answers the code of the refusal, "" for none.
func (w *world) tries(t *testing.T, name, password, address string) hive.Code {
	t.Helper()
	_, _, err := w.LogIn(t.Context(), name, password, from(address))
	if err == nil {
		return ""
	}
	return hive.CodeOf(err)
}

func TestLogIn(t *testing.T) {
	t.Parallel()
	w, _, _ := set(t)
	if _, err := w.memory.AddUser(t.Context(), hive.User{Name: "no-password"}); err != nil {
		t.Fatal(err)
	}
	id, text, err := w.LogIn(t.Context(), "ada", password, from("192.0.2.7"))
	if err != nil || id.User.Name != "ada" || id.CSRF == "" {
		t.Fatal(id, err)
	}
	if _, err := w.Session(t.Context(), text); err != nil {
		t.Error(err)
	}
	words := map[string]bool{}
	for i, c := range [][2]string{
		{"ada", "wrong horse"},
		{"ada", ""},
		{"ada", strings.Repeat("x", 100_000)},
		{"ada", "correct horse\x00"},
		{"Ada", password},
		{"eve", password},
		{"", password},
		{"ada ", password},
		{"ada' OR 1=1 --", password},
		{"no-password", ""},
		{"no-password", password},
	} {
		_, _, err := w.LogIn(t.Context(), c[0], c[1], from(fmt.Sprintf("192.0.2.%d", i)))
		if hive.CodeOf(err) != hive.CodeUnauthorized {
			t.Errorf("%.20q: %v", c, err)
			continue
		}
		words[err.Error()] = true
	}
	if len(words) != 1 {
		t.Errorf("the answers tell names from passwords: %v", words)
	}
	if same, err := VerifyPassword(fullCost().decoy(), password); same || err != nil {
		t.Errorf("a name that is not there: %v %v", same, err)
	}
	w.err = errors.New("disk on fire")
	if code := w.tries(t, "ada", password, "192.0.2.99"); code != hive.CodeInternal {
		t.Errorf("a broken database is no wrong password: %s", code)
	}
}

// A log-in that proved a password which was changed meanwhile makes no session.
func TestLogInAgainstChange(t *testing.T) {
	t.Parallel()
	w, _, _ := set(t)
	w.meddle = func() {
		w.meddle = nil
		if err := w.ResetPassword(t.Context(), "ada", "battery staple"); err != nil {
			t.Error(err)
		}
	}
	if code := w.tries(t, "ada", password, "192.0.2.7"); code != hive.CodeUnauthorized || len(w.memory.sessions) != 0 {
		t.Errorf("%q, %d sessions", code, len(w.memory.sessions))
	}
}

// Wrong passwords make an address wait, twice as long each time, up to a limit. What is right then passes.
func TestBackoffByAddress(t *testing.T) {
	t.Parallel()
	w, _, _ := set(t)
	for i := range 5 {
		if code := w.tries(t, fmt.Sprint("user", i), "wrong horse", "192.0.2.7"); code != hive.CodeUnauthorized {
			t.Fatalf("try %d: %s", i, code)
		}
	}
	for _, want := range []int{1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300} {
		_, _, err := w.LogIn(t.Context(), "ada", password, from("192.0.2.7"))
		var e *hive.Error
		if !errors.As(err, &e) || e.Code != hive.CodeTooMany || e.Wait > time.Duration(want)*time.Second+time.Second ||
			e.Wait < time.Duration(want)*time.Second {
			t.Fatalf("after waits up to %d s: %v", want, err)
		}
		w.now = w.now.Add(time.Duration(want) * time.Second)
		if code := w.tries(t, "ada", "wrong horse", "192.0.2.7"); code != hive.CodeUnauthorized {
			t.Fatalf("after %d s: %s", want, code)
		}
	}
	if code := w.tries(t, "ada", password, "192.0.2.8"); code != "" {
		t.Errorf("another address: %s", code)
	}
	w.now = w.now.Add(5 * time.Minute)
	if code := w.tries(t, "ada", password, "192.0.2.7"); code != "" {
		t.Errorf("the right password after the wait: %s", code)
	}
	w.now = w.now.Add(15 * time.Minute)
	for range 5 {
		if code := w.tries(t, "ada", "wrong horse", "192.0.2.7"); code != hive.CodeUnauthorized {
			t.Errorf("forgotten after a while: %s", code)
		}
	}
}

// Strangers everywhere cannot lock out who comes from an address of their own; but they get fewer tries.
func TestBackoffByName(t *testing.T) {
	t.Parallel()
	w, _, _ := set(t)
	for i := range 200 {
		w.tries(t, "ada", "wrong horse", fmt.Sprintf("10.1.0.%d", i))
	}
	for range 20 {
		if code := w.tries(t, "ada", password, "192.0.2.7"); code != "" {
			t.Fatalf("locked out by strangers: %s", code)
		}
	}
	if code := w.tries(t, "ada", "wrong horse", "10.1.0.1"); code != hive.CodeTooMany {
		t.Errorf("a stranger's second try: %s", code)
	}
	if code := w.tries(t, "ada", password, "10.1.0.1"); code != hive.CodeTooMany {
		t.Errorf("whoever has failed waits, right or wrong: %s", code)
	}
	w.now = w.now.Add(time.Minute)
	if code := w.tries(t, "ada", password, "10.1.0.1"); code != "" {
		t.Errorf("after the wait: %s", code)
	}
}

// A thousand at once are not all the first.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	w, _, _ := set(t)
	var wg sync.WaitGroup
	codes := make([]hive.Code, 60)
	for i := range codes {
		wg.Go(func() { codes[i] = w.tries(t, "ada", "wrong horse", "192.0.2.7") })
	}
	wg.Wait()
	count := map[hive.Code]int{}
	for _, c := range codes {
		count[c]++
	}
	if count[hive.CodeUnauthorized] != 5 || count[hive.CodeTooMany] != 55 {
		t.Errorf("%v", count)
	}
}

// When there is no memory for more hashes, people are told to come back.
func TestHashingIsLimited(t *testing.T) {
	t.Parallel()
	w, _, _ := set(t)
	for range cap(w.slots) {
		w.slots <- struct{}{}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 20 { // more than an address may fail: it has not
		_, _, err := w.LogIn(ctx, "ada", password, from("192.0.2.7"))
		if hive.CodeOf(err) != hive.CodeUnavailable {
			t.Fatal(err)
		}
	}
	<-w.slots
	if code := w.tries(t, "ada", password, "192.0.2.7"); code != "" {
		t.Errorf("when there is room: %s", code)
	}
	for range cap(w.queue) {
		w.queue <- struct{}{}
	}
	if code := w.tries(t, "ada", password, "192.0.2.7"); code != hive.CodeUnavailable {
		t.Errorf("when too many wait: %s", code)
	}
}

// wrong tries once, wrongly, and answers how long to wait instead.
func (b *backoff) wrong(key string, now time.Time) time.Duration {
	wait, _ := b.may(key, now)
	if wait == 0 {
		b.begin(key, now)
		b.end(key, now, true)
	}
	return wait
}

func TestBackoffAndClocks(t *testing.T) {
	t.Parallel()
	b := newBackoff(limits{free: 1, first: time.Second, most: time.Minute, forget: time.Hour, keys: 10})
	now := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	b.wrong("a", now)
	if b.wrong("a", now) == 0 {
		t.Error("no wait")
	}
	now = now.AddDate(-1, 0, 0)
	if wait := b.wrong("a", now); wait != time.Second {
		t.Errorf("a clock that was set back by a year makes wait %v", wait)
	}
	if wait := b.wrong("a", now.Add(time.Second)); wait != 0 {
		t.Errorf("and then %v", wait)
	}
	if wait := b.wrong("a", now.AddDate(10, 0, 0)); wait != 0 {
		t.Errorf("a clock that was set forth makes wait %v", wait)
	}
}

// What is remembered is bounded.
func TestBackoffIsBounded(t *testing.T) {
	t.Parallel()
	b := newBackoff(limits{free: 1, first: time.Minute, most: time.Hour, forget: 24 * time.Hour, keys: 100})
	now := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	b.wrong("ada", now)
	for i := range 10_000 {
		now = now.Add(time.Millisecond)
		b.wrong(fmt.Sprint(i), now)
		if i%1000 == 0 {
			now = now.Add(2 * time.Hour)
			b.wrong("ada", now)
		}
		if len(b.marks) > 100 {
			t.Fatalf("%d are remembered", len(b.marks))
		}
	}
	for range 3 {
		b.end("nobody", now, false)
	}
	if _, known := b.marks["nobody"]; known {
		t.Error("what was not wrong is remembered")
	}
	b.begin("b", now)
	b.end("b", now, false)
	if wait := b.wrong("b", now); wait != 0 {
		t.Errorf("it was right, and waits %v", wait)
	}
}

func TestNetworks(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"192.0.2.7": "192.0.2.7", "::ffff:192.0.2.7": "192.0.2.7", "2001:db8:1:2:3::4": "2001:db8:1:2::/64",
		"2001:db8:1:2::9": "2001:db8:1:2::/64", "fe80::1%eth0": "fe80::/64", "": "", "x": "",
	} {
		if got := network(address); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}
