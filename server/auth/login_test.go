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

// tries logs in and returns the code of the refusal, "" for none.
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
	w, _, _ := setUp(t)
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
		t.Errorf("the errors reveal whether the name or the password was wrong: %v", words)
	}
	if same, err := VerifyPassword(fullCost().decoy(), password); same || err != nil {
		t.Errorf("an unknown name: %v %v", same, err)
	}
	w.err = errors.New("disk on fire")
	if code := w.tries(t, "ada", password, "192.0.2.99"); code != hive.CodeInternal {
		t.Errorf("a database error is reported as a wrong password: %s", code)
	}
}

// A log-in makes no session if the password was changed after its check.
func TestLogInDuringPasswordChange(t *testing.T) {
	t.Parallel()
	w, _, _ := setUp(t)
	w.onAdd = func() {
		w.onAdd = nil
		if err := w.ResetPassword(t.Context(), "ada", "battery staple"); err != nil {
			t.Error(err)
		}
	}
	if code := w.tries(t, "ada", password, "192.0.2.7"); code != hive.CodeUnauthorized || len(w.memory.sessions) != 0 {
		t.Errorf("%q, %d sessions", code, len(w.memory.sessions))
	}
}

// Wrong passwords make an address wait, twice as long each time, up to a limit. After the wait the right password
// works.
func TestBackoffByAddress(t *testing.T) {
	t.Parallel()
	w, _, _ := setUp(t)
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
		t.Errorf("the right password from another address: %s", code)
	}
	w.now = w.now.Add(5 * time.Minute)
	if code := w.tries(t, "ada", password, "192.0.2.7"); code != "" {
		t.Errorf("the right password after the wait: %s", code)
	}
	w.now = w.now.Add(15 * time.Minute)
	for range 5 {
		if code := w.tries(t, "ada", "wrong horse", "192.0.2.7"); code != hive.CodeUnauthorized {
			t.Errorf("a wrong password after the failures are forgotten: %s", code)
		}
	}
}

// Wrong tries from many addresses do not lock the user out at another address, but those addresses get fewer tries.
func TestBackoffByName(t *testing.T) {
	t.Parallel()
	w, _, _ := setUp(t)
	for i := range 200 {
		w.tries(t, "ada", "wrong horse", fmt.Sprintf("10.1.0.%d", i))
	}
	for range 20 {
		if code := w.tries(t, "ada", password, "192.0.2.7"); code != "" {
			t.Fatalf("locked out by other addresses: %s", code)
		}
	}
	if code := w.tries(t, "ada", "wrong horse", "10.1.0.1"); code != hive.CodeTooMany {
		t.Errorf("a second wrong try: %s", code)
	}
	if code := w.tries(t, "ada", password, "10.1.0.1"); code != hive.CodeTooMany {
		t.Errorf("the right password during the wait: %s", code)
	}
	w.now = w.now.Add(time.Minute)
	if code := w.tries(t, "ada", password, "10.1.0.1"); code != "" {
		t.Errorf("the right password after the wait: %s", code)
	}
}

// Parallel wrong log-ins get no more free tries than serial ones.
func TestParallelWrongLogIns(t *testing.T) {
	t.Parallel()
	w, _, _ := setUp(t)
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

// While all slots for hashes are taken, log-ins are refused as unavailable.
func TestHashingIsLimited(t *testing.T) {
	t.Parallel()
	w, _, _ := setUp(t)
	for range cap(w.slots) {
		w.slots <- struct{}{}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 20 { // more than an address may fail; none of these counts as a failure
		_, _, err := w.LogIn(ctx, "ada", password, from("192.0.2.7"))
		if hive.CodeOf(err) != hive.CodeUnavailable {
			t.Fatal(err)
		}
	}
	<-w.slots
	if code := w.tries(t, "ada", password, "192.0.2.7"); code != "" {
		t.Errorf("with a free slot: %s", code)
	}
	for range cap(w.queue) {
		w.queue <- struct{}{}
	}
	if code := w.tries(t, "ada", password, "192.0.2.7"); code != hive.CodeUnavailable {
		t.Errorf("with a full queue: %s", code)
	}
}

// wrong makes one wrong try. If a try has to wait, it makes none and returns the wait.
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
		t.Errorf("clock set back by a year: wait %v", wait)
	}
	if wait := b.wrong("a", now.Add(time.Second)); wait != 0 {
		t.Errorf("clock set back, a second later: wait %v", wait)
	}
	if wait := b.wrong("a", now.AddDate(10, 0, 0)); wait != 0 {
		t.Errorf("clock set forward: wait %v", wait)
	}
}

// The number of marks is bounded.
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
			t.Fatalf("%d marks", len(b.marks))
		}
	}
	for range 3 {
		b.end("nobody", now, false)
	}
	if _, known := b.marks["nobody"]; known {
		t.Error("a key without failures has a mark")
	}
	b.begin("b", now)
	b.end("b", now, false)
	if wait := b.wrong("b", now); wait != 0 {
		t.Errorf("wait %v after a right password", wait)
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
