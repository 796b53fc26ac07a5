package http_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	handler "github.com/rprp/hivego/executor/http"
	"github.com/rprp/hivego/executor/sdk"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bench is a data folder with a handler.
type bench struct {
	t    testing.TB
	data string
	h    *handler.Handler
	n    atomic.Int64
}

func newBench(t testing.TB) *bench {
	t.Helper()
	data := t.TempDir()
	return &bench{t: t, data: data, h: handler.New(handler.Config{Data: data, Pause: time.Millisecond})}
}

// task makes a task with these params.
func (b *bench) task(params map[string]any) *sdk.Task {
	b.t.Helper()
	folder := filepath.Join(b.data, fmt.Sprint("attempt", b.n.Add(1)))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		b.t.Fatal(err)
	}
	text, err := json.Marshal(params)
	if err != nil {
		b.t.Fatal(err)
	}
	return &sdk.Task{Attempt: sdk.Ref{ID: b.n.Load()}, Params: text, Folder: folder}
}

// run runs a task and returns its log, outputs and error.
func (b *bench) run(ctx context.Context, params map[string]any) (string, map[string]string, error) {
	b.t.Helper()
	t := b.task(params)
	err := b.h.Run(ctx, t)
	data, _ := os.ReadFile(t.LogPath())
	return string(data), t.Outputs(), err
}

// secrets writes the file of secrets.
func (b *bench) secrets(text string) {
	b.t.Helper()
	if err := os.WriteFile(filepath.Join(b.data, handler.SecretsFile), []byte(text), 0o600); err != nil {
		b.t.Fatal(err)
	}
}

// site is a server that records its requests.
type site struct {
	*httptest.Server

	mu   sync.Mutex
	seen []string // "METHOD path?query body"
	last http.Header
}

func newSite(t testing.TB, answer func(n int, w http.ResponseWriter, r *http.Request)) *site {
	t.Helper()
	s := &site{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.seen = append(s.seen, strings.TrimSpace(r.Method+" "+r.URL.RequestURI()+" "+string(body)))
		s.last = r.Header.Clone()
		n := len(s.seen)
		s.mu.Unlock()
		answer(n, w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *site) asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.seen...)
}

func (s *site) header(name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last.Get(name)
}

// respond makes a handler that always responds with a text.
func respond(text string) func(int, http.ResponseWriter, *http.Request) {
	return func(_ int, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, text)
	}
}

func TestRequest(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		params map[string]any
		want   string // the request that the server gets
		kind   string
	}{
		"get": {map[string]any{"url": "/a%2Fb"}, "GET /a%2Fb", ""},
		"query": {
			map[string]any{"url": "/a?x=1", "query": map[string]any{"q": "a&b=ü"}},
			"GET /a?x=1&q=a%26b%3D%C3%BC", "",
		},
		"json": {
			map[string]any{"url": "/", "method": "POST", "json": `{"a": 1}`},
			`POST / {"a": 1}`,
			"application/json",
		},
		"form": {
			map[string]any{"url": "/", "method": "PUT", "form": map[string]any{"a": "b&c"}},
			"PUT / a=b%26c", "application/x-www-form-urlencoded",
		},
		"text": {
			map[string]any{"url": "/", "method": "PATCH", "body": "hello"},
			"PATCH / hello",
			"text/plain; charset=utf-8",
		},
		"another kind": {map[string]any{
			"url": "/", "method": "POST", "body": "a,b",
			"headers": map[string]any{"content-type": "text/csv"},
		}, "POST / a,b", "text/csv"},
		"head": {map[string]any{"url": "/", "method": "HEAD"}, "HEAD /", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, b := newSite(t, respond(`{}`)), newBench(t)
			params := maps.Clone(c.params)
			params["url"] = s.URL + c.params["url"].(string)
			log, _, err := b.run(t.Context(), params)
			if got := s.asked(); err != nil || len(got) != 1 || got[0] != c.want || s.header("Content-Type") != c.kind {
				t.Errorf("%q %q %v", got, s.header("Content-Type"), err)
			}
			if !strings.Contains(log, ": 200 OK, ") || !strings.Contains(log, "Content-Type: application/json") {
				t.Errorf("log: %s", log)
			}
		})
	}
}

func TestSuccess(t *testing.T) {
	t.Parallel()
	const body = `{"code": 7, "job": {"id": 12345678901234567, "rate": 0.5, "tags": ["a"]}, "none": null, "on": true}`
	s := newSite(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", "/jobs/3")
		if r.URL.Path == "/404" {
			w.WriteHeader(http.StatusNotFound)
		}
		if r.URL.Path == "/big" {
			_, _ = io.WriteString(w, strings.Repeat("é", 1<<20))
			return
		}
		_, _ = io.WriteString(w, body)
	})
	b := newBench(t)
	for name, c := range map[string]struct {
		params  map[string]any
		outputs map[string]string
		err     string
	}{
		"a bad status":    {map[string]any{"url": "/404"}, nil, `answered 404 Not Found: {"code": 7`},
		"an expected one": {map[string]any{"url": "/404", "expect": []any{"2xx", "404"}}, nil, ""},
		"another kind":    {map[string]any{"url": "/", "expect": []any{"3xx"}}, nil, "answered 200 OK"},
		"a condition": {map[string]any{
			"url":     "/",
			"success": `status == 200 and body.code == 7 and body.job.tags[0] == "a"`,
		}, nil, ""},
		"a false condition": {map[string]any{"url": "/", "success": "body.code == 0"}, nil, "but not body.code == 0"},
		"a missing field":   {map[string]any{"url": "/", "success": "body.a.b == 0"}, nil, "write ?. before"},
		"an optional field": {map[string]any{"url": "/", "success": "(body.a?.b ?? 1) == 1"}, nil, ""},
		"not a condition":   {map[string]any{"url": "/", "success": "body.code"}, nil, "neither true nor false"},
		"outputs": {
			map[string]any{"url": "/", "outputs": map[string]any{
				"id": "body.job.id", "rate": "body.job.rate", "tags": "body.job.tags", "on": "body.on",
				"where": "headers.location", "n": "len(text)",
			}},
			map[string]string{
				"id": "12345678901234567", "rate": "0.5", "tags": `["a"]`, "on": "true",
				"where": "/jobs/3", "n": fmt.Sprint(len(body)),
			},
			"",
		},
		"an output of null": {
			map[string]any{"url": "/", "outputs": map[string]any{"a": "body.none"}},
			nil,
			"body.none is not in the answer",
		},
		"a large body": {map[string]any{"url": "/big"}, nil, ""},
		"a condition on a large body": {
			map[string]any{"url": "/big", "success": `text != ""`},
			nil,
			"too many to look into",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			params := maps.Clone(c.params)
			params["url"] = s.URL + c.params["url"].(string)
			log, outputs, err := b.run(t.Context(), params)
			if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
				t.Errorf("%v", err)
			}
			if !maps.Equal(outputs, c.outputs) {
				t.Errorf("%v", outputs)
			}
			if len(log) > 20<<10 {
				t.Errorf("a log of %d bytes", len(log))
			}
		})
	}
}

func TestRedirects(t *testing.T) {
	t.Parallel()
	other := newSite(t, respond(`{"here": true}`))
	s := newSite(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/same":
			http.Redirect(w, r, "/end", http.StatusFound)
		case "/other", "/other-body":
			http.Redirect(w, r, other.URL+"/x", http.StatusTemporaryRedirect)
		case "/file":
			w.Header().Set("Location", "file:///etc/passwd")
			w.WriteHeader(http.StatusFound)
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		default:
			_, _ = io.WriteString(w, r.Header.Get("X-Key"))
		}
	})
	b := newBench(t)
	b.secrets("key: hush\n")
	params := func(path string, more map[string]any) map[string]any {
		p := map[string]any{
			"url": s.URL + path, "secretHeaders": map[string]any{"X-Key": "key"},
			"headers": map[string]any{"X-Other": "o"},
		}
		maps.Copy(p, more)
		return p
	}
	if log, _, err := b.run(t.Context(), params("/same", nil)); err != nil || !strings.Contains(log, "•••") {
		t.Errorf("%v %s", err, log)
	}
	if _, _, err := b.run(t.Context(), params("/other", nil)); err != nil || other.header("X-Key") != "" ||
		other.header("X-Other") != "" {
		t.Errorf("%v %s", err, other.header("X-Key"))
	}
	for path, c := range map[string]struct {
		more map[string]any
		want string
	}{
		"/file":       {nil, "which is not http"},
		"/loop":       {nil, "more than 5 redirects"},
		"/same":       {map[string]any{"redirects": 0}, "more than 0 redirects"},
		"/other-body": {map[string]any{"method": "POST", "body": "x"}, "with its body"},
	} {
		if _, _, err := b.run(t.Context(), params(path, c.more)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if n := len(other.asked()); n != 1 {
		t.Errorf("the other host got %d requests", n)
	}
}

func TestRetries(t *testing.T) {
	t.Parallel()
	hangUp := func(w http.ResponseWriter) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_ = conn.Close()
		}
	}
	for name, c := range map[string]struct {
		method string
		key    bool
		bad    func(w http.ResponseWriter)
		tries  int // until the task ends
		good   bool
	}{
		"busy, get": {
			"GET", false,
			func(w http.ResponseWriter) { w.WriteHeader(http.StatusServiceUnavailable) }, 3, true,
		},
		"busy, post": {
			"POST", false,
			func(w http.ResponseWriter) { w.WriteHeader(http.StatusServiceUnavailable) }, 1, false,
		},
		"busy, post with a key": {
			"POST", true,
			func(w http.ResponseWriter) { w.WriteHeader(http.StatusTooManyRequests) }, 3, true,
		},
		"error, get": {
			"GET", false,
			func(w http.ResponseWriter) { w.WriteHeader(http.StatusInternalServerError) }, 1, false,
		},
		"hang-up, put":  {"PUT", false, hangUp, 3, true},
		"hang-up, post": {"POST", false, hangUp, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, func(n int, w http.ResponseWriter, _ *http.Request) {
				if n < 3 {
					c.bad(w)
				}
			})
			params := map[string]any{"url": s.URL, "method": c.method, "retries": 2}
			if c.key {
				params["headers"] = map[string]any{"Idempotency-Key": "one"}
			}
			_, _, err := newBench(t).run(t.Context(), params)
			if n := len(s.asked()); (err == nil) != c.good || n != c.tries {
				t.Errorf("%d tries, %v", n, err)
			}
		})
	}
	closed := httptest.NewServer(nil)
	closed.Close()
	log, _, err := newBench(t).run(t.Context(), map[string]any{"url": closed.URL, "method": "POST"})
	if err == nil || strings.Count(log, "; again in ") != 2 || !strings.Contains(err.Error(), "connection refused") {
		t.Errorf("%v %s", err, log)
	}
}

func TestTimeoutOfATry(t *testing.T) {
	t.Parallel()
	done := make(chan struct{})
	s := newSite(t, func(_ int, _ http.ResponseWriter, r *http.Request) {
		select {
		case <-done:
		case <-r.Context().Done():
		}
	})
	t.Cleanup(func() { close(done) })
	_, _, err := newBench(t).run(t.Context(), map[string]any{"url": s.URL, "timeout": "50ms", "retries": 1})
	if n := len(s.asked()); err == nil || !strings.Contains(err.Error(), "no answer within 50ms") || n != 2 {
		t.Errorf("%d tries, %v", n, err)
	}
}
