package sdk_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/apache/thrift/lib/go/thrift"
	"go.uber.org/goleak"

	"github.com/rprp/hivego/executor/sdk"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const patience = 2 * time.Minute

// handler makes a handler from a function.
type handler struct {
	name string
	run  func(ctx context.Context, t *sdk.Task) error
}

func (h handler) Info() sdk.Info { return sdk.Info{Name: h.name} }

func (h handler) Run(ctx context.Context, t *sdk.Task) error { return h.run(ctx, t) }

func (h handler) Check(t *sdk.Task) error {
	if strings.Contains(string(t.Params), "unfit") {
		return errors.New("these params are unfit")
	}
	return nil
}

// handlers returns the handlers of the tests.
func handlers() []sdk.Handler {
	return []sdk.Handler{
		handler{"ok", func(_ context.Context, t *sdk.Task) error {
			t.Printf("params %s, value %v", t.Params, t.Values["n"])
			t.Progress(0.5)
			return t.Output("answer", "42")
		}},
		handler{"fail", func(context.Context, *sdk.Task) error { return &sdk.Exit{Code: 3, Message: "no luck"} }},
		handler{"panic", func(context.Context, *sdk.Task) error { panic("oh") }},
		handler{"wait", func(ctx context.Context, _ *sdk.Task) error {
			<-ctx.Done()
			return context.Cause(ctx)
		}},
	}
}

func start(t testing.TB, cfg sdk.Config, more ...sdk.Handler) *sdk.Executor {
	t.Helper()
	if cfg.Data == "" {
		cfg.Data = t.TempDir()
	}
	cfg.Name = "test"
	e, err := sdk.New(cfg, append(handlers(), more...)...)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Stop)
	return e
}

// server acts as a server for the executor.
type server struct {
	t      testing.TB
	c      *hivego.DurableExecutorClient
	caller *hivego.Caller
	last   int64
	acks   []*hivego.Ack
	close  func()
}

func connect(t testing.TB, e *sdk.Executor, id string, epoch int64) *server {
	t.Helper()
	conf := &thrift.TConfiguration{ConnectTimeout: patience, SocketTimeout: patience}
	socket := thrift.NewTSocketConf(e.Addr(), conf)
	transport := thrift.NewTFramedTransportConf(socket, conf)
	if err := transport.Open(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = transport.Close() })
	raw := socket.Conn()
	p := thrift.NewTBinaryProtocolConf(transport, conf)
	return &server{
		t: t, c: hivego.NewDurableExecutorClient(thrift.NewTStandardClient(p, p)),
		caller: &hivego.Caller{Token: new(e.Secret()), ClusterId: new("c"), ServerId: &id, Epoch: &epoch},
		close:  func() { _ = raw.Close() },
	}
}

func (s *server) ctx() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	s.t.Cleanup(cancel)
	return ctx
}

func (s *server) attach(ids ...int64) *hivego.AttachReply {
	s.t.Helper()
	r, err := s.c.Attach(s.ctx(), &hivego.AttachCall{Caller: s.caller, AttemptIds: ids})
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

func assignment(id int64, handler string) *hivego.Assignment {
	return &hivego.Assignment{AttemptId: &id, Handler: &handler, Task: new("t"), Workspace: new("w")}
}

func (s *server) submit(list ...*hivego.Assignment) []*hivego.Receipt {
	s.t.Helper()
	r, err := s.c.Submit(s.ctx(), &hivego.SubmitCall{Caller: s.caller, Assignments: list, LastAnswer: &s.last})
	if err != nil {
		s.t.Fatal(err)
	}
	return r.Receipts
}

func (s *server) poll() []*hivego.Event {
	s.t.Helper()
	r, err := s.c.Poll(s.ctx(), &hivego.PollCall{
		Caller: s.caller, WaitMillis: new(int64(1000)), LastAnswer: &s.last, Acks: s.acks,
	})
	if err != nil {
		s.t.Fatal(err)
	}
	s.last, s.acks = r.GetAnswer(), nil
	for _, e := range r.Events {
		s.acks = append(s.acks, &hivego.Ack{AttemptId: e.AttemptId, Key: e.Key, Seq: e.Seq})
	}
	return r.Events
}

// outcome polls until an attempt has ended.
func (s *server) outcome(id int64) *hivego.Outcome {
	s.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); {
		for _, e := range s.poll() {
			if e.GetAttemptId() == id && e.GetKind() == hivego.EventKind_ENDED {
				return e.Outcome
			}
		}
	}
	s.t.Fatalf("attempt %d did not end", id)
	return nil
}

func (s *server) log(id int64) (string, bool) {
	s.t.Helper()
	r, err := s.c.ReadLog(s.ctx(), &hivego.LogCall{Caller: s.caller, AttemptId: &id, Limit: new(int32(1 << 20))})
	if err != nil {
		s.t.Fatal(err)
	}
	return string(r.Data), r.GetComplete()
}

func await(t testing.TB, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !f(); <-time.After(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}
