package stock_test

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/apache/thrift/lib/go/thrift"

	"github.com/rprp/hivego/executor/stock"
	"github.com/rprp/hivego/executor/supervise/supervisetest"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

const (
	patience  = 2 * time.Minute
	childMark = "hivego-test-executor"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == childMark {
		child(os.Args[2])
	}
	supervisetest.Main(m)
}

// child is an executor in its own process, so that tests can kill it. It prints its address and secret.
func child(data string) {
	e, err := stock.New(config(data))
	if err == nil {
		err = e.Start(context.Background())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	_, _ = fmt.Fprintln(os.Stdout, e.Addr(), e.Secret())
	select {}
}

func config(data string) stock.Config {
	return stock.Config{
		Data: data, Name: "stock", Slots: 20, SuperviseCommand: supervisetest.Command(),
		Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})),
	}
}

// executor is an executor in this process or in its own process.
type executor struct {
	addr, secret string
	process      *os.Process
}

func inProcess(t testing.TB, data string, change ...func(c *stock.Config)) (executor, *stock.Executor) {
	t.Helper()
	cfg := config(data)
	for _, f := range change {
		f(&cfg)
	}
	e, err := stock.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Stop)
	return executor{addr: e.Addr(), secret: e.Secret()}, e
}

func ownProcess(t testing.TB, data string) executor {
	t.Helper()
	cmd := exec.Command(os.Args[0], childMark, data)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	addr, secret, _ := strings.Cut(strings.TrimSpace(line), " ")
	return executor{addr: addr, secret: secret, process: cmd.Process}
}

// server acts as a server for the executor.
type server struct {
	t      testing.TB
	c      *hivego.DurableExecutorClient
	caller *hivego.Caller
	orphan time.Duration
	last   int64
	acks   []*hivego.Ack
	ended  map[int64]*hivego.Outcome
}

func connect(t testing.TB, e executor, epoch int64) *server {
	t.Helper()
	conf := &thrift.TConfiguration{ConnectTimeout: patience, SocketTimeout: patience}
	transport := thrift.NewTFramedTransportConf(thrift.NewTSocketConf(e.addr, conf), conf)
	if err := transport.Open(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = transport.Close() })
	p := thrift.NewTBinaryProtocolConf(transport, conf)
	return &server{
		t: t, c: hivego.NewDurableExecutorClient(thrift.NewTStandardClient(p, p)), orphan: 10 * time.Minute,
		caller: &hivego.Caller{Token: &e.secret, ClusterId: new("c"), ServerId: new("s"), Epoch: &epoch},
		ended:  map[int64]*hivego.Outcome{},
	}
}

func (s *server) attach(ids ...int64) []*hivego.AttemptReport {
	s.t.Helper()
	r, err := s.c.Attach(s.t.Context(), &hivego.AttachCall{
		Caller: s.caller, AttemptIds: ids, OrphanTimeoutMillis: new(s.orphan.Milliseconds()),
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return r.Attempts
}

// shell submits a script and returns its attempt id.
func (s *server) shell(id int64, script string, change ...func(a *hivego.Assignment)) {
	s.t.Helper()
	params := fmt.Sprintf(`{"command": %s}`, strconv.QuoteToASCII(script))
	a := &hivego.Assignment{
		AttemptId: &id, Handler: new("shell"), ParamsJson: &params, Workspace: new("w"), Task: new("t"), Job: new("j"),
		Schedule: new("nightly"), BatchId: new(int64(3)), KillGraceMillis: new(int64(500)),
	}
	for _, f := range change {
		f(a)
	}
	s.submit(a)
}

func (s *server) submit(a *hivego.Assignment) {
	s.t.Helper()
	r, err := s.c.Submit(s.t.Context(), &hivego.SubmitCall{
		Caller: s.caller, Assignments: []*hivego.Assignment{a}, LastAnswer: &s.last,
	})
	if err != nil {
		s.t.Fatal(err)
	}
	if r.Receipts[0].GetCode() != hivego.ReceiptCode_STARTED {
		s.t.Fatalf("receipt %v: %s", r.Receipts[0].GetCode(), r.Receipts[0].GetWords())
	}
}

func (s *server) poll() {
	s.t.Helper()
	r, err := s.c.Poll(s.t.Context(), &hivego.PollCall{
		Caller: s.caller, WaitMillis: new(int64(500)), LastAnswer: &s.last, Acks: s.acks,
		OrphanTimeoutMillis: new(s.orphan.Milliseconds()),
	})
	if err != nil {
		s.t.Fatal(err)
	}
	s.last, s.acks = r.GetAnswer(), nil
	for _, e := range r.Events {
		s.acks = append(s.acks, &hivego.Ack{AttemptId: e.AttemptId, Seq: e.Seq})
		if e.GetKind() == hivego.EventKind_ENDED {
			s.ended[e.GetAttemptId()] = e.Outcome
		}
	}
}

func (s *server) outcome(id int64) *hivego.Outcome {
	s.t.Helper()
	for end := time.Now().Add(patience); s.ended[id] == nil; s.poll() {
		if time.Now().After(end) {
			s.t.Fatalf("attempt %d did not end", id)
		}
	}
	return s.ended[id]
}

func (s *server) log(id int64) string {
	s.t.Helper()
	r, err := s.c.ReadLog(s.t.Context(), &hivego.LogCall{Caller: s.caller, AttemptId: &id, Limit: new(int32(1 << 20))})
	if err != nil {
		s.t.Fatal(err)
	}
	return string(r.Data)
}

func eventually(t testing.TB, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !f(); <-time.After(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

func kill(t testing.TB, e executor) {
	t.Helper()
	if err := e.process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_, _ = e.process.Wait()
}
