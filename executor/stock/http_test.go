package stock_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rprp/hivego/executor/stock"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// livy is a system that runs jobs, like Livy and Kylin.
type livy struct {
	*httptest.Server

	mu     sync.Mutex
	asked  []string
	polls  int
	done   bool
	broken bool          // it has no answer to questions
	cancel chan struct{} // not nil: a cancel is told here, and waits
}

func newLivy(t testing.TB) *livy {
	t.Helper()
	l := &livy{}
	l.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l.mu.Lock()
		defer l.mu.Unlock()
		switch r.Method {
		case http.MethodPost:
			l.asked = append(l.asked, "POST "+r.URL.Path)
			_, _ = io.WriteString(w, `{"id": 12345678901234567}`)
		case http.MethodDelete:
			l.asked = append(l.asked, "DELETE "+r.URL.Path)
			if c := l.cancel; c != nil {
				l.mu.Unlock()
				c <- struct{}{}
				c <- struct{}{}
				l.mu.Lock()
			}
		default:
			l.polls++
			if l.broken {
				w.WriteHeader(http.StatusNotFound)
			}
			_, _ = fmt.Fprintf(w, `{"state": %q, "rows": 42}`,
				map[bool]string{true: "success", false: "running"}[l.done])
		}
	}))
	t.Cleanup(l.Close)
	return l
}

// polled returns how often the state of a job was requested.
func (l *livy) polled() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.polls
}

func (l *livy) finish() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.done = true
}

func (l *livy) want(t testing.TB, want ...string) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.Equal(l.asked, want) {
		t.Errorf("asked %q, want %q", l.asked, want)
	}
}

// job submits a task that starts a job in the system.
func (s *server) job(id int64, l *livy, key string) {
	s.t.Helper()
	headers := "{}"
	if key != "" {
		headers = fmt.Sprintf(`{"Idempotency-Key": %q}`, key)
	}
	params := fmt.Sprintf(`{"method": "POST", "url": %q, "headers": %s, "outputs": {"id": "body.id"},
		"poll": {"url": "batches/{id}", "interval": "100ms",
		"backoff": 1, "done": "body.state == \"success\"", "outputs": {"rows": "body.rows"},
		"cancel": {"url": "batches/{id}"}}}`, l.URL+"/batches", headers)
	s.submit(&hivego.Assignment{
		AttemptId: &id, Handler: new("http"), ParamsJson: &params, Workspace: new("w"),
		Task: new("t"), Schedule: new("nightly"),
		KillGraceMillis: new(int64(500)),
	})
}

// After a restart the executor resumes work that it has submitted to another system, however it ended: the work is
// submitted once, and not canceled.
func TestPollingGoesOn(t *testing.T) {
	t.Parallel()
	l := newLivy(t)
	data := t.TempDir()
	first := ownProcess(t, data)
	s := connect(t, first, 1)
	s.attach()
	s.job(1, l, "")
	eventually(t, "it is asked about", func() bool { return l.polled() > 0 })
	kill(t, first)

	before := l.polled()
	e, second := inProcess(t, data)
	s = connect(t, e, 2)
	if r := s.attach(1)[0]; r.GetState() != hivego.AttemptState_RUNNING {
		t.Fatalf("after a crash: %v", r)
	}
	eventually(t, "it is asked about again", func() bool { return l.polled() > before })
	second.Stop()

	before = l.polled()
	e, _ = inProcess(t, data)
	s = connect(t, e, 3)
	if r := s.attach(1)[0]; r.GetState() != hivego.AttemptState_RUNNING {
		t.Fatalf("after a stop: %v", r)
	}
	eventually(t, "it is asked about again", func() bool { return l.polled() > before })
	l.finish()
	if o := s.outcome(1); o.GetKind() != hivego.OutcomeKind_SUCCESS || o.Outputs["id"] != "12345678901234567" ||
		o.Outputs["rows"] != "42" {
		t.Fatalf("%v %s %v", o.GetKind(), o.GetError(), o.Outputs)
	}
	l.want(t, "POST /batches")
	if text := s.log(1); strings.Count(text, "the work was submitted before") != 2 ||
		!strings.Contains(text, "sys succeeded after") {
		t.Errorf("log: %s", text)
	}
}

// A resumed task is killed. Its work is canceled, unless another attempt may wait for it, or a person decides.
func TestPollingThatIsKilled(t *testing.T) {
	t.Parallel()
	post, del := "POST /batches", "DELETE /batches/12345678901234567"
	for name, c := range map[string]struct {
		reason, key string
		want        []string
	}{
		"by a person":                  {"canceled", "k", []string{post, del}},
		"given up":                     {"lost", "", []string{post, del}},
		"given up, and submitted once": {"lost", "k", []string{post}},
		"held":                         {"held", "", []string{post}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLivy(t)
			data := t.TempDir()
			e, first := inProcess(t, data)
			s := connect(t, e, 1)
			s.attach()
			s.job(1, l, c.key)
			eventually(t, "it is asked about", func() bool { return l.polled() > 0 })
			first.Stop()
			e, _ = inProcess(t, data)
			s = connect(t, e, 2)
			r, err := s.c.Attach(t.Context(), &hivego.AttachCall{Caller: s.caller})
			if err != nil || len(r.Others) != 1 || r.Others[0].GetAttemptId() != 1 {
				t.Fatalf("%v %v", r, err)
			}
			order := &hivego.KillOrder{AttemptId: new(int64(1)), Reason: &c.reason}
			if _, err := s.c.Kill(t.Context(),
				&hivego.KillCall{Caller: s.caller, Orders: []*hivego.KillOrder{order}}); err != nil {
				t.Fatal(err)
			}
			if o := s.outcome(1); o.GetKind() != hivego.OutcomeKind_KILLED {
				t.Fatalf("%v %s", o.GetKind(), o.GetError())
			}
			l.want(t, c.want...)
		})
	}
}

// The executor stops while a failed task cancels its work. The next executor does not resume that task.
func TestStopWhileCancelling(t *testing.T) {
	t.Parallel()
	l := newLivy(t)
	l.broken, l.cancel = true, make(chan struct{})
	data := t.TempDir()
	e, first := inProcess(t, data, func(c *stock.Config) { c.StopTimeout = time.Millisecond })
	s := connect(t, e, 1)
	s.attach()
	s.job(1, l, "")
	<-l.cancel
	first.Stop()
	<-l.cancel
	before := l.polled()
	e, _ = inProcess(t, data)
	if r := connect(t, e, 2).attach(1)[0]; r.GetState() != hivego.AttemptState_LOST || l.polled() != before {
		t.Errorf("report %v, asked %d times", r, l.polled()-before)
	}
}
