package sdk_test

import (
	"bytes"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rprp/hivego/executor/sdk"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// slowDeregister delays the deregistration of an executor.
type slowDeregister struct {
	began chan struct{} // closed when it wants to say it
	let   chan struct{} // closed when it may
}

func (s slowDeregister) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	if bytes.Contains(body, []byte("deregisterExecutor")) {
		close(s.began)
		<-s.let
	}
	req = req.Clone(req.Context())
	req.Body = io.NopCloser(bytes.NewReader(body))
	return http.DefaultTransport.RoundTrip(req)
}

// While the executor deregisters, the server's polls keep waiting: if one were answered, the server would poll again at
// once.
func TestPollsWaitForDeregistration(t *testing.T) {
	t.Parallel()
	r := &registry{calls: make(chan *hivego.RegisterCall, 10), gone: make(chan string, 10)}
	goodbye := slowDeregister{began: make(chan struct{}), let: make(chan struct{})}
	e := start(t, sdk.Config{ServerURL: serveRegistry(t, r), Token: "joins", Transport: goodbye})
	<-r.calls
	s := connect(t, e, "s", 1)
	s.caller.ClusterId = new("mine")
	s.attach()
	s.poll() // its answer is numbered
	s.poll() // and confirmed: from now on polls wait

	var wg sync.WaitGroup
	wg.Go(e.Stop)
	<-goodbye.began
	var output atomic.Bool
	const wait = 10 * time.Second
	wg.Go(func() {
		began := time.Now()
		_, err := s.c.Poll(s.ctx(), &hivego.PollCall{
			Caller: s.caller, WaitMillis: new(wait.Milliseconds()), LastAnswer: &s.last, Acks: s.acks,
		})
		if took := time.Since(began); took < wait && !output.Load() {
			t.Errorf("the poll was answered after %s: %v", took, err)
		}
	})
	beside := connect(t, e, "t", 1)
	beside.caller.ClusterId = new("mine")
	for range 200 { // a poll that does not wait is back long before
		if _, err := beside.c.Describe(beside.ctx(), &hivego.DescribeCall{Caller: beside.caller}); err != nil {
			t.Error(err)
			break
		}
	}
	output.Store(true)
	close(goodbye.let)
	wg.Wait()
}
