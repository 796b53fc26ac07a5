package http_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	handler "github.com/rprp/hivego/executor/http"
)

func TestSecrets(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Set-Cookie", "session=cookie-secret")
		w.Header().Set("X-Echo", r.Header.Get("X-Key"))
		data, _ := json.Marshal(map[string]string{"auth": r.Header.Get("Authorization"), "key": r.Header.Get("X-Key")})
		_, _ = w.Write(data)
	})
	b := newBench(t)
	b.secrets("api: 'hush\"hush'\nbound: {value: elsewhere, hosts: [api.example.com]}\n" +
		"here: {value: local, hosts: [127.0.0.1]}\nbroken: \"a\\nb\"\n")
	log, outputs, err := b.run(t.Context(), map[string]any{
		"url":           s.URL,
		"auth":          map[string]any{"type": "basic", "user": "ada", "secret": "api"},
		"secretHeaders": map[string]any{"X-Key": "here"},
		"outputs":       map[string]any{"key": "body.key"},
	})
	sent := &http.Request{Header: http.Header{"Authorization": {s.header("Authorization")}}}
	if user, password, ok := sent.BasicAuth(); err != nil || !ok ||
		user != "ada" || password != `hush"hush` || s.header("X-Key") != "local" {
		t.Fatalf("%v %s %s", err, user, password)
	}
	for _, secret := range []string{"hush", "local\"", "cookie-secret", s.header("Authorization")[6:]} {
		if strings.Contains(log, secret) {
			t.Errorf("the log shows %q: %s", secret, log)
		}
	}
	if outputs["key"] != "•••" {
		t.Errorf("outputs: %v", outputs)
	}
	if _, _, err := b.run(t.Context(),
		map[string]any{"url": s.URL, "auth": map[string]any{"type": "bearer", "secret": "here"}}); err != nil ||
		s.header("Authorization") != "Bearer local" {
		t.Errorf("%v %s", err, s.header("Authorization"))
	}
	_, _, err = b.run(t.Context(), map[string]any{
		"url": s.URL, "auth": map[string]any{"type": "bearer", "secret": "here"}, "success": "body.auth == ''",
	})
	if err == nil || strings.Contains(err.Error(), "local") {
		t.Errorf("%v", err)
	}
	for name, want := range map[string]string{
		"none":   "neither in secrets.yaml of this executor nor in its environment as HIVEGO_SECRET_NONE",
		"bound":  "may not go to 127.0.0.1",
		"broken": "line break",
	} {
		_, _, err := b.run(t.Context(),
			map[string]any{"url": s.URL, "auth": map[string]any{"type": "bearer", "secret": name}})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "elsewhere") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := os.Chmod(filepath.Join(b.data, handler.SecretsFile), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := b.run(t.Context(),
		map[string]any{"url": s.URL, "secretHeaders": map[string]any{"X-Key": "here"}}); err == nil ||
		!strings.Contains(err.Error(), "chmod 600") {
		t.Error(err)
	}
}

func TestSecretFromTheEnvironment(t *testing.T) {
	t.Setenv("HIVEGO_SECRET_MY_KEY", "from outside")
	s, b := newSite(t, respond(`{}`)), newBench(t)
	if _, _, err := b.run(t.Context(),
		map[string]any{"url": s.URL, "secretHeaders": map[string]any{"X-Key": "my-key"}}); err != nil ||
		s.header("X-Key") != "from outside" {
		t.Error(err, s.header("X-Key"))
	}
}

// An error quotes the beginning of the answer. A secret that stands where it is cut is masked as a whole.
func TestSecretAtTheCutOfAnExcerpt(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		_, _ = w.Write([]byte(strings.Repeat("x", 194) + " " + r.Header.Get("X-Key")))
	})
	b := newBench(t)
	b.secrets("api: secret-of-many-letters\n")
	_, _, err := b.run(t.Context(),
		map[string]any{"url": s.URL, "secretHeaders": map[string]any{"X-Key": "api"}})
	if err == nil || strings.Contains(err.Error(), "secr") || !strings.Contains(err.Error(), "xx •••") {
		t.Error(err)
	}
}
