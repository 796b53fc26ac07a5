package http_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rprp/hivego/executor/sdk"
)

// cube returns a server that builds a cube in the background, like Kylin, Livy and Databricks.
func cube(t testing.TB, states ...string) *site {
	t.Helper()
	asked := 0
	return newSite(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodPost:
			w.Header().Set("Location", "/jobs/a%2Fb")
			w.WriteHeader(http.StatusCreated)
			_, _ = io.WriteString(w, `{"id": "a/b", "number": 12}`)
		case r.Method == http.MethodGet:
			state := states[min(asked, len(states)-1)]
			asked++
			if state == "503" {
				w.WriteHeader(http.StatusServiceUnavailable)
			}
			_, _ = fmt.Fprintf(w, `{"state": %q, "progress": %d, "rows": %d}`, state, 40*asked, 1000+asked)
		}
	})
}

// build makes the params of a task that builds a cube.
func build(s *site, poll map[string]any) map[string]any {
	p := map[string]any{
		"url": "{location}", "done": `body.state == "done"`, "failed": `body.state == "dead"`,
		"progress": "body.progress / 100",
		"interval": "100ms",
		"backoff":  1, "outputs": map[string]any{"rows": "body.rows"},
		"cancel": map[string]any{
			"method": "PUT", "url": "jobs/{id}/cancel?n={number}",
			"json": `{"id": {number}, "why": "for {id}", "none": {"a": "{b}"}}`,
		},
	}
	maps.Copy(p, poll)
	return map[string]any{
		"method": "POST", "url": s.URL, "json": `{"cube": "sales"}`, "expect": []any{"201"}, "poll": p,
		"outputs": map[string]any{"id": "body.id", "number": "body.number", "location": "headers.location"},
	}
}

func TestPoll(t *testing.T) {
	t.Parallel()
	s := cube(t, "waiting", "503", "waiting", "done")
	log, outputs, err := newBench(t).run(t.Context(), build(s, nil))
	if err != nil {
		t.Fatal(err)
	}
	ask := "GET /jobs/a%2Fb"
	if got := s.asked(); !slices.Equal(got, []string{`POST / {"cube": "sales"}`, ask, ask, ask, ask}) {
		t.Errorf("asked: %q", got)
	}
	if want := map[string]string{
		"id": "a/b", "number": "12", "location": "/jobs/a%2Fb",
		"rows": "1004",
	}; !maps.Equal(outputs, want) {
		t.Errorf("outputs: %v", outputs)
	}
	for _, line := range []string{
		"201 Created", "poll 1: 200 OK", "503 Service Unavailable; again in", `"rows": 1004}`,
	} {
		if !strings.Contains(log, line) {
			t.Errorf("no %q in %s", line, log)
		}
	}
}

func TestPollThatFails(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		states   []string
		poll     map[string]any
		err      string
		canceled bool
	}{
		"it fails": {
			[]string{"waiting", "dead"},
			nil,
			`it has failed: body.state == "dead": {"state": "dead"`, false,
		},
		"nothing answers": {[]string{"503"}, map[string]any{"patience": "1ms"}, "answered 503", true},
		"done is no condition": {
			[]string{"waiting"},
			map[string]any{"done": "body.rows"},
			"neither true nor false",
			true,
		},
		"another host": {
			[]string{"waiting"},
			map[string]any{"url": "http://elsewhere.example:{number}/"},
			"leads to another host, elsewhere.example:12", true,
		},
		"an output that is not": {
			[]string{"done"},
			map[string]any{"outputs": map[string]any{"x": "body.x"}},
			"body.x is not in the answer", false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := cube(t, c.states...)
			log, outputs, err := newBench(t).run(t.Context(), build(s, c.poll))
			if err == nil || !strings.Contains(err.Error(), c.err) || len(outputs) > 0 {
				t.Errorf("%v %v", err, outputs)
			}
			cancel := `PUT /jobs/a%2Fb/cancel?n=12 {"id": 12, "why": "for a/b", "none": {"a": "{b}"}}`
			if asked := s.asked(); slices.Contains(asked, cancel) != c.canceled ||
				strings.Contains(log, "cancel: PUT") != c.canceled {
				t.Errorf("asked: %q", asked)
			}
		})
	}
}

// An outage of the server does not end the task, if it is over in time. A definite answer such as 404 ends it at once.
func TestPollsThroughAnOutage(t *testing.T) {
	t.Parallel()
	s := cube(t, "waiting", "503", "503", "503", "503", "503", "503", "503", "done")
	inner := s.Config.Handler
	var broken atomic.Int64
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && broken.Add(1) < 5 {
			panic(http.ErrAbortHandler) // the connection ends without an answer
		}
		inner.ServeHTTP(w, r)
	})
	log, outputs, err := newBench(t).run(t.Context(), build(s, nil))
	if err != nil || outputs["rows"] != "1009" {
		t.Fatalf("%v %v", err, outputs)
	}
	for _, problem := range []string{"EOF", "503 Service Unavailable"} {
		if line := problem + "; will poll for another 5m0s"; !strings.Contains(log, line) {
			t.Errorf("no %q in %s", line, log)
		}
	}
	s = cube(t, "waiting", "404")
	began := 0
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if began++; began > 1 {
			w.WriteHeader(http.StatusNotFound)
		}
		_, _ = io.WriteString(w, `{"id": 1, "number": 2}`)
	})
	params := build(s, map[string]any{"url": "jobs/{id}"})
	params["expect"], params["outputs"] = []any{"200"}, map[string]any{"id": "body.id", "number": "body.number"}
	if _, _, err := newBench(t).run(t.Context(), params); err == nil || !strings.Contains(err.Error(), "answered 404") {
		t.Errorf("%v", err)
	}
}

// After a restart of the executor the task only polls, at once, with the outputs of the first answer from the
// checkpoint.
func TestResumesPolling(t *testing.T) {
	t.Parallel()
	s := cube(t, "waiting", "done")
	b := newBench(t)
	poll := map[string]any{"url": "jobs/{id}?n={number}", "method": "POST", "json": `{"n": {number}}`}
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.seen = append(s.seen, r.Method+" "+r.URL.RequestURI()+" "+string(body))
		n := len(s.seen)
		s.mu.Unlock()
		_, _ = fmt.Fprintf(w, `{"state": %q, "rows": 7}`, []string{"waiting", "done"}[n-1])
	})
	task := b.task(build(s, poll))
	if err := b.h.Resume(t.Context(), task,
		[]byte(`{"id": "a/b", "number": 12345678901234567, "location": "/x"}`)); err != nil {
		t.Fatal(err)
	}
	ask := `POST /jobs/a%2Fb?n=12345678901234567 {"n": 12345678901234567}`
	if got := s.asked(); !slices.Equal(got, []string{ask, ask}) {
		t.Errorf("asked: %q", got)
	}
	want := map[string]string{"id": "a/b", "number": "12345678901234567", "location": "/x", "rows": "7"}
	if got := task.Outputs(); !maps.Equal(got, want) {
		t.Errorf("outputs: %v", got)
	}
	for _, state := range []string{"", "[]", "{}", `{"id": null, "number": 1, "location": "/x"}`} {
		if err := b.h.Resume(t.Context(), b.task(build(s, poll)), []byte(state)); err == nil ||
			!strings.Contains(err.Error(), "cannot be read") {
			t.Errorf("checkpoint %q: %v", state, err)
		}
	}
	secret := build(s, poll)
	secret["auth"] = map[string]any{"type": "bearer", "secret": "gone"}
	err := b.h.Resume(t.Context(), b.task(secret), []byte(`{"id": "a", "number": 1, "location": "/x"}`))
	if err == nil || !strings.Contains(err.Error(), "what was submitted before the executor was restarted goes on") {
		t.Errorf("without its secret: %v", err)
	}
	if err := b.h.Resume(t.Context(), b.task(map[string]any{"url": s.URL}), []byte("{}")); err == nil {
		t.Error("resumed a task without poll")
	}
}

// A kill also cancels the work on the server.
func TestKilledWhilePolling(t *testing.T) {
	t.Parallel()
	s := cube(t, "waiting")
	ctx, kill := context.WithCancelCause(t.Context())
	inner := s.Config.Handler
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		inner.ServeHTTP(w, r)
		if r.Method == http.MethodGet {
			kill(&sdk.Stopped{Reason: "killed: ada"})
		}
	})
	log, _, err := newBench(t).run(ctx, build(s, nil))
	var stopped *sdk.Stopped
	if !errors.As(err, &stopped) || stopped.Reason != "killed: ada" {
		t.Errorf("%v", err)
	}
	asked := s.asked()
	if last := asked[len(asked)-1]; !strings.HasPrefix(last, "PUT /jobs/a%2Fb/cancel") ||
		!strings.Contains(log, "cancel: PUT ") {
		t.Errorf("asked: %q, log %s", asked, log)
	}
}

// The request that cancels the work has the timeout of the params if that is shorter than its own.
func TestTimeoutOfACancel(t *testing.T) {
	t.Parallel()
	done := make(chan struct{})
	s := cube(t, "waiting")
	ctx, kill := context.WithCancelCause(t.Context())
	inner := s.Config.Handler
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut {
			<-done
			return
		}
		inner.ServeHTTP(w, r)
		if r.Method == http.MethodGet {
			kill(&sdk.Stopped{Reason: "killed: ada"})
		}
	})
	t.Cleanup(func() { close(done) })
	params := build(s, nil)
	params["timeout"] = "1s"
	log, _, _ := newBench(t).run(ctx, params)
	if !strings.Contains(log, "cancel: PUT ") || !strings.Contains(log, "no answer within 1s") {
		t.Errorf("log %s", log)
	}
}
