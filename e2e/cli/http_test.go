package cli_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rprp/hivego/e2e/harness"
)

// builder is a service that accepts work and does it for some time.
type builder struct {
	mu     sync.Mutex
	asked  []string
	polls  int
	states []string // answers to polls; the last one repeats
}

func (b *builder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asked = append(b.asked, strings.TrimSpace(r.Method+" "+r.URL.RequestURI()+" "+string(body)))
	switch {
	case r.Header.Get("Authorization") != "Bearer open sesame":
		w.WriteHeader(http.StatusUnauthorized)
	case r.Method == http.MethodPost:
		w.WriteHeader(http.StatusCreated)
		_, _ = fmt.Fprint(w, `{"job": {"id": "j 7"}}`)
	case r.Method == http.MethodGet:
		state := b.states[min(b.polls, len(b.states)-1)]
		b.polls++
		_, _ = fmt.Fprintf(w, `{"state": %q, "progress": 50, "rows": 12}`, state)
	}
}

func (b *builder) calls() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.asked)
}

// buildSchedule submits to the service and polls. A task of the next job reads the result.
func buildSchedule(url string) string {
	const text = `apiVersion: hivego/v1
kind: Schedule
name: builds
params: {region: "a/b \"c\"", size: 3}
jobs:
  - key: build
    tasks:
      - key: cube
        handler: http
        params:
          method: POST
          url: URL/cubes/${{ params.region }}
          auth: {type: bearer, secret: builder}
          json: '{"region": "in ${{ params.region }}", "size": ${{ params.size }}}'
          expect: ["201"]
          outputs: {id: body.job.id}
          poll:
            url: URL/jobs/{id}
            done: body.state == "done"
            failed: body.state == "dead"
            progress: body.progress / 100
            interval: 100ms
            backoff: 1
            outputs: {rows: body.rows}
            cancel: {url: "URL/jobs/{id}"}
  - key: report
    tasks:
      - key: show
        handler: shell
        params:
          command: echo "$ID has $ROWS rows"
          env: {ID: "${{ outputs.cube.id }}", ROWS: "${{ outputs.cube.rows }}"}
`
	return strings.ReplaceAll(text, "URL", url)
}

// A real server assigns a task to its executor. The executor submits work to a service, polls until it is done, and
// passes on the result. A kill of the task cancels the work in the service.
func TestSubmitAndPoll(t *testing.T) {
	t.Parallel()
	s := harness.NewServer(t, harness.Options{})
	secrets := filepath.Join(s.Data, "executor", "secrets.yaml")
	if err := os.WriteFile(secrets, []byte("builder: {value: open sesame, hosts: [127.0.0.1]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b := &builder{states: []string{"waiting", "waiting", "done"}}
	site := httptest.NewServer(b)
	t.Cleanup(site.Close)

	s.Apply(buildSchedule(site.URL))
	want(t, s.Try("run", "builds", "--wait"), printed{stdout: `1\n`})
	poll := "GET /jobs/j%207"
	if got := b.calls(); !slices.Equal(got,
		[]string{`POST /cubes/a%2Fb%20%22c%22 {"region": "in a/b \"c\"", "size": 3}`, poll, poll, poll}) {
		t.Errorf("the service was asked %q", got)
	}
	if log := s.CLI("logs", "1", "show"); !strings.Contains(log, " out j 7 has 12 rows\n") {
		t.Errorf("log: %s", log)
	}
	log := s.CLI("logs", "1", "cube")
	if !strings.Contains(log, "201 Created") || !strings.Contains(log, "poll 1: 200 OK") ||
		strings.Contains(log, "sesame") {
		t.Errorf("log: %s", log)
	}

	b.mu.Lock()
	b.asked, b.polls, b.states = nil, 0, []string{"waiting"}
	b.mu.Unlock()
	id := s.Run("builds")
	harness.Eventually(t, "it polls", func() bool { return slices.Contains(b.calls(), poll) })
	s.CLI("cancel", fmt.Sprint(id))
	if ended := s.WaitEnd(id); ended.State != "canceled" {
		t.Errorf("batch: %+v", ended)
	}
	if calls := b.calls(); calls[len(calls)-1] != "DELETE /jobs/j%207" {
		t.Errorf("the service was asked %q", calls)
	}
}
