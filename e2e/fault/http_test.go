package fault

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"github.com/rprp/hivego/e2e/harness"
)

// farm is another system, which runs jobs that tasks submit.
type farm struct {
	*httptest.Server

	mu    sync.Mutex
	asked []string // what changed something
	polls int
	done  bool
}

func newFarm(t *testing.T) *farm {
	t.Helper()
	f := &farm{}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		defer f.mu.Unlock()
		if r.Method != http.MethodGet {
			f.asked = append(f.asked, r.Method+" "+r.URL.Path)
		} else {
			f.polls++
		}
		_, _ = io.WriteString(w, map[bool]string{true: `{"id": 7, "state": "done"}`, false: `{"id": 7, "state": "running"}`}[f.done])
	}))
	t.Cleanup(f.Close)
	return f
}

// polledAgain waits until somebody asks how the job stands.
func (f *farm) polledAgain(t *testing.T) {
	t.Helper()
	polls := func() int {
		f.mu.Lock()
		defer f.mu.Unlock()
		return f.polls
	}
	before := polls()
	harness.Eventually(t, "the job is asked about", func() bool { return polls() > before })
}

// The server and its executor die, and are stopped, while a job that a task has submitted runs elsewhere: the same attempt
// asks on, and the job is neither submitted again nor cancelled.
func TestPollingOutlivesTheServer(t *testing.T) {
	t.Parallel()
	harness.Each(t, func(t *testing.T, opts harness.Options) {
		f := newFarm(t)
		s := harness.NewServer(t, opts)
		s.Apply(fmt.Sprintf(`apiVersion: hivego/v1
kind: Schedule
name: remote
jobs:
  - key: j
    tasks:
      - key: build
        handler: http
        params:
          method: POST
          url: %s/jobs
          outputs: {id: body.id}
          poll: {url: "jobs/{id}", interval: 100ms, backoff: 1, done: body.state == "done", cancel: {url: "jobs/{id}"}}
`, f.URL))
		id := s.Run("remote")
		f.polledAgain(t)
		s.Kill()
		s.Start()
		f.polledAgain(t)
		s.Terminate()
		s.Start()
		f.polledAgain(t)
		f.mu.Lock()
		f.done = true
		f.mu.Unlock()
		b := s.WaitEnd(id)
		if task := b.Task("build"); b.State != "succeeded" || task.Attempts != 1 {
			t.Errorf("the batch is %s: %+v", b.State, b.Tasks)
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		if !slices.Equal(f.asked, []string{"POST /jobs"}) {
			t.Errorf("asked %q", f.asked)
		}
	})
}
