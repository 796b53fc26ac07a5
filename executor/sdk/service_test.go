package sdk_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/thrift/lib/go/thrift"
	"go.uber.org/goleak"

	"github.com/rprp/hivego/executor/sdk"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const patience = 2 * time.Minute

// handler is a handler of a function.
type handler struct {
	name string
	run  func(ctx context.Context, t *sdk.Task) error
}

func (h handler) Info() sdk.Info                             { return sdk.Info{Name: h.name} }
func (h handler) Run(ctx context.Context, t *sdk.Task) error { return h.run(ctx, t) }
func (h handler) Check(t *sdk.Task) error {
	if strings.Contains(string(t.Params), "unfit") {
		return errors.New("these params are unfit")
	}
	return nil
}

// handlers are what the tests run.
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

// nobody is a durable handler that is never called.
type nobody struct{ sdk.Durable }

func (nobody) Info() sdk.Info { return sdk.Info{Name: "nobody"} }

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

// server is a server's side of the contract.
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

func TestRunsHandlers(t *testing.T) {
	t.Parallel()
	e := start(t, sdk.Config{Slots: 10})
	s := connect(t, e, "s", 1)
	s.attach()
	good := assignment(1, "ok")
	good.ParamsJson, good.ValuesJson = new(`{"a":1}`), new(`{"n":12345678901234567}`)
	slow := assignment(4, "wait")
	slow.TimeoutMillis = new(int64(50))
	unfit, broken, outside := assignment(7, "ok"), assignment(8, "ok"), assignment(9, "ok")
	unfit.ParamsJson, broken.ParamsJson, outside.Workspace = new(`{"unfit":1}`), new(`[]`), new("../x")
	receipts := s.submit(good, assignment(2, "fail"), assignment(3, "panic"), slow, assignment(5, "wait"),
		assignment(6, "none"), unfit, broken, outside)
	for i, r := range receipts {
		want := hivego.ReceiptCode_STARTED
		if i > 4 {
			want = hivego.ReceiptCode_REFUSED
		}
		if r.GetCode() != want {
			t.Fatalf("receipt %d: %v %s", i, r.GetCode(), r.GetWords())
		}
	}
	if _, err := s.c.Kill(s.ctx(), &hivego.KillCall{Caller: s.caller, Orders: []*hivego.KillOrder{{
		AttemptId: new(int64(5)), Reason: new("a test"),
	}}}); err != nil {
		t.Fatal(err)
	}
	got := map[int64]*hivego.Outcome{}
	for end := time.Now().Add(patience); len(got) < 5 && time.Now().Before(end); {
		for _, v := range s.poll() {
			if v.GetKind() == hivego.EventKind_ENDED {
				got[v.GetAttemptId()] = v.Outcome
			}
		}
	}
	want := map[int64]string{
		1: "SUCCESS ", 2: "FAILURE no luck", 3: "FAILURE the handler panicked: oh", 4: "TIMEOUT stopped: its timeout is over",
		5: "KILLED killed: a test",
	}
	for id, w := range want {
		o := got[id]
		if o == nil || fmt.Sprint(o.GetKind(), " ", o.GetError()) != w {
			t.Errorf("attempt %d: %v %s, want %s", id, o.GetKind(), o.GetError(), w)
		}
	}
	if got[1].Outputs["answer"] != "42" || got[2].GetExitCode() != 3 {
		t.Fatalf("outcomes %+v %+v", got[1], got[2])
	}
	text, complete := s.log(1)
	if !complete || !strings.Contains(text, ` out params {"a":1}, value 12345678901234567`) ||
		int64(len(text)) != got[1].GetLogBytes() {
		t.Fatalf("log %v %q", complete, text)
	}
	if text, _ := s.log(3); !strings.Contains(text, "goroutine ") {
		t.Fatalf("no stack of the panic in %q", text)
	}
}

func TestReleaseRemovesTheFolder(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	e := start(t, sdk.Config{Data: data})
	s := connect(t, e, "s", 1)
	s.attach()
	s.submit(assignment(1, "ok"))
	s.outcome(1)
	folder := filepath.Join(data, "attempts", "1")
	if _, err := os.Stat(folder); err != nil {
		t.Fatal(err)
	}
	if _, err := s.c.Poll(s.ctx(), &hivego.PollCall{Caller: s.caller, Releases: []int64{1}, Acks: s.acks}); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(patience); ; <-time.After(time.Millisecond) {
		if _, err := os.Stat(folder); errors.Is(err, os.ErrNotExist) {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the folder is still there")
		}
	}
	r, err := s.c.ReadLog(s.ctx(), &hivego.LogCall{Caller: s.caller, AttemptId: new(int64(1))})
	if err != nil || r.GetFound() {
		t.Fatalf("%v %v", r, err)
	}
}

func TestReadLogRanges(t *testing.T) {
	t.Parallel()
	e := start(t, sdk.Config{})
	s := connect(t, e, "s", 1)
	s.attach()
	s.submit(assignment(1, "ok"))
	s.outcome(1)
	whole, _ := s.log(1)
	for _, c := range []struct{ offset, limit, from, to int }{
		{0, 10, 0, 10}, {5, 7, 5, 12}, {len(whole) - 3, 100, len(whole) - 3, len(whole)}, {
			len(whole) + 9, 10, 0,
			0,
		}, {0, 0, 0, 0},
	} {
		r, err := s.c.ReadLog(s.ctx(), &hivego.LogCall{
			Caller: s.caller, AttemptId: new(int64(1)), Offset: new(int64(c.offset)), Limit: new(int32(c.limit)),
		})
		if err != nil || string(r.Data) != whole[c.from:c.to] || r.GetSize() != int64(len(whole)) {
			t.Fatalf("%+v: %q, %v", c, r.GetData(), err)
		}
	}
	if _, err := s.c.ReadLog(s.ctx(),
		&hivego.LogCall{Caller: s.caller, AttemptId: new(int64(1)), Offset: new(int64(-1))}); err == nil {
		t.Fatal("a negative offset is fine")
	}
}

// A second start of the same folder: handlers that do not survive are lost, the rest of the memory stays.
func TestRestart(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	e := start(t, sdk.Config{Data: data, StopTimeout: patience})
	s := connect(t, e, "s", 1)
	s.attach(77)
	s.submit(assignment(1, "ok"), assignment(2, "wait"))
	s.outcome(1)
	id, secret, boot := e.ID(), e.Secret(), s.attach(1, 2).GetBootId()
	if _, err := sdk.New(sdk.Config{Data: data}, handlers()...); err != nil {
		t.Fatal(err)
	}
	other, _ := sdk.New(sdk.Config{Data: data}, handlers()...)
	if err := other.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "another executor is using it") {
		t.Fatalf("two executors in one folder: %v", err)
	}
	e.Stop()
	e.Stop()
	e = start(t, sdk.Config{Data: data})
	if e.ID() != id || e.Secret() != secret {
		t.Fatal("another identity after a restart")
	}
	s = connect(t, e, "s", 2)
	r := s.attach(1, 2)
	if r.GetBootId() == boot {
		t.Fatal("the same boot id after a restart")
	}
	if r.Attempts[0].GetState() != hivego.AttemptState_ENDED || r.Attempts[1].GetState() != hivego.AttemptState_LOST {
		t.Fatalf("reports %v", r.Attempts)
	}
	if got := s.submit(assignment(77, "ok"))[0].GetCode(); got != hivego.ReceiptCode_FORGOTTEN {
		t.Fatalf("receipt %v", got)
	}
	info, err := os.Stat(filepath.Join(data, "secret"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("secret: %v %v", info.Mode(), err)
	}
}

func TestRun(t *testing.T) {
	t.Parallel()
	e := start(t, sdk.Config{Slots: 1})
	s := connect(t, e, "s", 1)
	run := func(s *server, id int64, handler string) (*hivego.Outcome, error) {
		r, err := s.c.Run(s.ctx(), &hivego.RunCall{Caller: s.caller, Assignment: assignment(id, handler)})
		if err != nil {
			return nil, err
		}
		return r.Outcome, nil
	}
	if o, err := run(s, 1, "ok"); err != nil || o.GetKind() != hivego.OutcomeKind_SUCCESS ||
		o.Outputs["answer"] != "42" {
		t.Fatalf("%v %v", o, err)
	}
	if o, err := run(s, 2, "none"); err != nil || o.GetKind() != hivego.OutcomeKind_FAILURE {
		t.Fatalf("%v %v", o, err)
	}
	// The connection breaks: the attempt is killed, and its slot is free again.
	ctx, cancel := context.WithCancel(t.Context())
	gone := connect(t, e, "s", 1)
	var wg sync.WaitGroup
	wg.Go(func() {
		_, _ = gone.c.Run(ctx, &hivego.RunCall{Caller: gone.caller, Assignment: assignment(3, "wait")})
	})
	await(t, "it runs", func() bool { return e.Running() == 1 })
	gone.close()
	await(t, "it is killed", func() bool { return e.Running() == 0 })
	cancel()
	wg.Wait()
}

func await(t testing.TB, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !f(); <-time.After(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

func TestConfig(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name string
		cfg  sdk.Config
		want string
	}{
		{"no data", sdk.Config{}, "no data folder"},
		{"open to all", sdk.Config{Data: "x", Listen: ":9999"}, "refusing to listen on :9999"},
		{"no token", sdk.Config{Data: "x", Listen: "0.0.0.0:9999"}, "--token-file"},
		{"no TLS", sdk.Config{Data: "x", Listen: "10.0.0.1:9999", Token: "t"}, "hivego certs"},
		{"no port", sdk.Config{Data: "x", Listen: "localhost"}, "listen address"},
		{"slots", sdk.Config{Data: "x", Slots: -1}, "slots"},
		{"server", sdk.Config{Data: "x", ServerURL: "host:3000"}, "want http://"},
		{"server in clear text", sdk.Config{Data: "x", ServerURL: "http://example.org"}, "https"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := sdk.New(c.cfg, handlers()...)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("%v, want %q", err, c.want)
			}
		})
	}
	if _, err := sdk.New(sdk.Config{Data: "x"}); err == nil {
		t.Fatal("an executor without handlers")
	}
	mixed := sdk.Config{Data: "x", Durables: []sdk.Durable{nobody{}}}
	if _, err := sdk.New(mixed, handler{name: "nobody"}); err == nil {
		t.Fatal("a durable handler and another one of one name")
	}
	if _, err := sdk.New(sdk.Config{Data: "x"}, handler{name: "a"}, handler{name: "a"}); err == nil {
		t.Fatal("two handlers of one name")
	}
}

func TestServe(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cfg := sdk.Config{Data: t.TempDir(), Log: slog.New(slog.DiscardHandler)}
	done := make(chan error, 1)
	go func() { done <- sdk.Serve(ctx, cfg, handlers()...) }()
	await(t, "it has an identity", func() bool {
		_, err := os.Stat(filepath.Join(cfg.Data, "secret"))
		return err == nil
	})
	cancel()
	if err := <-done; err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	blocked, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer blocked.Close()
	cfg.Listen = blocked.Addr().String()
	if err := sdk.Serve(t.Context(), cfg, handlers()...); err == nil {
		t.Fatal("listens where another does")
	}
}
