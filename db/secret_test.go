package db

import (
	"bytes"
	"log/slog"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/rprp/hivego/server/hive"
)

func testKey(b byte) []byte { return bytes.Repeat([]byte{b}, KeySize) }

// A sealed secret only opens with its key, for its executor, and if it was not changed.
func TestSealer(t *testing.T) {
	t.Parallel()
	k, err := newSealer(testKey(1))
	if err != nil {
		t.Fatal(err)
	}
	other, err := newSealer(testKey(2))
	if err != nil {
		t.Fatal(err)
	}
	ring, others := keyring{k.id: k}, keyring{other.id: other}
	const secret = "correct horse"
	sealed := k.seal("e1", secret)
	if strings.Contains(sealed, secret) || !strings.HasPrefix(sealed, sealedPrefix+KeyID(testKey(1))+":") ||
		sealed == k.seal("e1", secret) {
		t.Errorf("sealed: %s", sealed)
	}
	if got, err := ring.open("e1", sealed); got != secret || err != nil {
		t.Errorf("opened: %q, %v", got, err)
	}
	if got, err := ring.open("e1", secret); got != secret || err != nil {
		t.Errorf("in the clear: %q, %v", got, err)
	}
	if k.seal("e1", "") != "" || (*sealer)(nil).seal("e1", secret) != secret {
		t.Error("what needs no key is sealed")
	}
	renamed := strings.Replace(sealed, KeyID(testKey(1)), KeyID(testKey(2)), 1)
	for name, open := range map[string]func() (string, error){
		"of another executor": func() (string, error) { return ring.open("e2", sealed) },
		"with another key":    func() (string, error) { return others.open("e1", sealed) },
		"under its name":      func() (string, error) { return others.open("e1", renamed) },
		"without a key":       func() (string, error) { return keyring(nil).open("e1", sealed) },
		"cut":                 func() (string, error) { return ring.open("e1", sealed[:len(sealed)-4]) },
		"damaged":             func() (string, error) { return ring.open("e1", sealed[:len(sealed)-4]+"AAAA") },
		"no base64":           func() (string, error) { return ring.open("e1", sealed+"*") },
	} {
		if got, err := open(); got != "" || err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if _, err := newSealer(testKey(1)[1:]); err == nil {
		t.Error("a short key is accepted")
	}
}

// Once there is a key, the files have no copy of a secret that was stored as plain text.
func TestNothingInTheClear(t *testing.T) {
	t.Parallel()
	c := Config{Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler)}
	s, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	const secret = "correct-horse-battery-staple"
	// One that looks like a sealed secret, as an executor may choose its own.
	sly := sealedPrefix + KeyID(testKey(1)) + ":" + secret
	for id, text := range map[string]string{"e1": secret, "e2": sly} {
		if err := s.SaveExecutor(t.Context(), hive.Executor{ID: id, Name: id, Secret: text}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.UseSecretKey(t.Context(), "me", testKey(1)); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{"e1": secret, "e2": sly} {
		if e, err := s.Executor(t.Context(), id); err != nil || e.Secret != want {
			t.Errorf("%s: %q, %v", id, e.Secret, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(c.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		data, err := os.ReadFile(c.Dir + "/" + entry.Name())
		if err != nil || bytes.Contains(data, []byte(secret)) {
			t.Errorf("%s has the secret, or cannot be read: %v", entry.Name(), err)
		}
	}
}

// A row with a damaged part does not hide its executor or the others: only that part is missing.
func TestDamagedExecutors(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	s, err := Open(t.Context(), Config{Dir: t.TempDir(), Log: slog.New(slog.NewTextHandler(&out, nil))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if err := s.UseSecretKey(t.Context(), "me", testKey(1)); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"e1", "e2", "e3"} {
		e := hive.Executor{
			ID: id, Name: id, Secret: "secret of " + id, Labels: map[string]string{"zone": "a"},
			Handlers: []hive.Handler{{Name: "shell"}},
		}
		if err := s.SaveExecutor(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	for _, change := range []string{
		`UPDATE executors SET labels = '{"zone":"a","n":1}' WHERE id = 'e1'`,
		`UPDATE executors SET secret = secret || 'A' WHERE id = 'e2'`,
	} {
		if _, err := s.w.ExecContext(t.Context(), change); err != nil {
			t.Fatal(err)
		}
	}
	list, err := s.Executors(t.Context())
	if err != nil || len(list) != 3 {
		t.Fatalf("%+v, %v", list, err)
	}
	for i, want := range []hive.Executor{
		{ID: "e1", Secret: "secret of e1"},
		{ID: "e2", Labels: map[string]string{"zone": "a"}},
		{ID: "e3", Secret: "secret of e3", Labels: map[string]string{"zone": "a"}},
	} {
		got := list[i]
		if got.ID != want.ID || got.Name != want.ID || got.Secret != want.Secret || len(got.Handlers) != 1 ||
			!maps.Equal(got.Labels, want.Labels) {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	log := out.String()
	if strings.Count(log, "level=ERROR") != 2 || !strings.Contains(log, "executor=e1") ||
		strings.Contains(log, "secret of e1") || !strings.Contains(log, "the secret of executor") {
		t.Errorf("log: %s", log)
	}
	if _, err := s.Executor(t.Context(), "e1"); err == nil || !strings.Contains(err.Error(), "delete the executor") {
		t.Errorf("alone: %v", err)
	}
}

// A value that was sealed for one name does not open under another, nor as the secret of an executor.
func TestSealedValue(t *testing.T) {
	t.Parallel()
	k, err := newSealer(testKey(1))
	if err != nil {
		t.Fatal(err)
	}
	ring, sealed := keyring{k.id: k}, k.box(boundToName("A"), "correct horse")
	if got, err := ring.unseal(boundToName("A"), sealed); got != "correct horse" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	for name, to := range map[string][]byte{"another name": boundToName("B"), "an executor": bound("A")} {
		if got, err := ring.unseal(to, sealed); got != "" || err == nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if got, err := ring.unseal(boundToName("A"), "in clear"); got != "" || err == nil {
		t.Errorf("a value in clear opens: %q", got)
	}
}
