package fault

import (
	"fmt"
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
	asked []string // calls that changed something
	jobs  int
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
		if r.Method == http.MethodPost {
			f.jobs++
		}
		_, _ = fmt.Fprintf(w, `{"id": %d, "state": %q}`, f.jobs,
			map[bool]string{true: "done", false: "running"}[f.done])
	}))
	t.Cleanup(f.Close)
	return f
}

// polledAgain waits for the next poll of the job.
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

func (f *farm) finish() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.done = true
}

func (f *farm) was(request string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Contains(f.asked, request)
}

// remote returns a schedule whose task has the farm run a job.
func (f *farm) remote(group string) string {
	return fmt.Sprintf(`apiVersion: hivego/v1
kind: Schedule
name: remote
jobs:
  - key: j
    tasks:
      - key: build
        handler: http
        group: %s
        onLost: {max: 20}
        params:
          method: POST
          url: %s/jobs
          outputs: {id: body.id}
          poll: {url: "jobs/{id}", interval: 100ms, backoff: 1, done: body.state == "done", cancel: {url: "jobs/{id}"}}
`, group, f.URL)
}

// The server and its executor die, or are stopped, while a job that a task has submitted runs in another system. The
// same attempt continues to poll, and the job is neither submitted again nor canceled.
func TestPollingOutlivesTheServer(t *testing.T) {
	t.Parallel()
	harness.Each(t, func(t *testing.T, opts harness.Options) {
		f := newFarm(t)
		s := harness.NewServer(t, opts)
		s.Apply(f.remote("default"))
		id := s.Run("remote")
		f.polledAgain(t)
		s.Kill()
		s.Start()
		f.polledAgain(t)
		s.Terminate()
		s.Start()
		f.polledAgain(t)
		f.finish()
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

// An executor stays away for so long that its task is given to another one. When it comes back, it cancels the job that
// no attempt waits for any more, and no other job.
func TestJobThatWasGivenUp(t *testing.T) {
	t.Parallel()
	f := newFarm(t)
	s := harness.NewServer(t, harness.Options{NoExecutor: true, Args: []string{"--orphan-timeout", "3s"}})
	first := harness.NewExecutor(t, s, "first", "etl")
	s.Apply(f.remote("etl"))
	id := s.Run("remote")
	f.polledAgain(t)
	first.Kill()
	harness.NewExecutor(t, s, "second", "etl")
	harness.Eventually(t, "another job is submitted", func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		return f.jobs > 1
	})
	first.Start()
	harness.Eventually(t, "the first job is cancelled", func() bool { return f.was("DELETE /jobs/1") })
	f.finish()
	b := s.WaitEnd(id)
	f.mu.Lock()
	defer f.mu.Unlock()
	// On a slow machine an executor may hear nothing for three seconds though its server is there, and end a job
	// itself.
	for n := 1; n <= f.jobs; n++ {
		canceled := slices.Contains(f.asked, fmt.Sprintf("DELETE /jobs/%d", n))
		if b.State != "succeeded" || b.Task("build").Attempts < f.jobs || canceled != (n < f.jobs) {
			t.Errorf("job %d of %d, cancelled: %v; asked %q; the batch is %s: %+v", n, f.jobs, canceled, f.asked,
				b.State, b.Tasks)
		}
	}
}
