package dispatch

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/apache/thrift/lib/go/thrift"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

var _ hivego.DurableExecutor = (*script)(nil)

var errUnscripted = errors.New("nobody wrote this part")

// script is an executor that answers by Thrift on a real listener, as the test says.
type script struct {
	id string
	ln net.Listener

	mu      sync.Mutex
	conns   map[net.Conn]bool
	dialed  int
	logs    map[int64]*scriptLog
	reads   int
	readLog func(c *hivego.LogCall) (*hivego.LogReply, error) // instead of logs
	attach  func(c *hivego.AttachCall) (*hivego.AttachReply, error)
	poll    func(ctx context.Context, c *hivego.PollCall) (*hivego.PollReply, error)
	submit  func(c *hivego.SubmitCall) (*hivego.SubmitReply, error)
	kill    func(c *hivego.KillCall) (*hivego.KillReply, error)
	run     func(c *hivego.RunCall) (*hivego.RunReply, error)
	secure  *tls.Config           // to be called over TLS
	says    *hivego.DescribeReply // instead of its id and its time
	done    sync.WaitGroup
}

type scriptLog struct {
	data     []byte
	complete bool
}

// newScript starts an executor. It stops with the test.
func newScript(t *testing.T, id string) *script {
	t.Helper()
	s := &script{id: id, conns: map[net.Conn]bool{}, logs: map[int64]*scriptLog{}}
	s.listen(t, "127.0.0.1:0")
	t.Cleanup(s.close)
	return s
}

func (s *script) listen(t *testing.T, address string) {
	t.Helper()
	ln, err := net.Listen("tcp", address)
	require.NoError(t, err)
	if s.secure != nil {
		ln = tls.NewListener(ln, s.secure)
	}
	s.ln = ln
	s.done.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			s.mu.Lock()
			s.conns[c] = true
			s.dialed++
			s.mu.Unlock()
			s.done.Go(func() { s.serve(c) })
		}
	})
}

// close ends the listener and every connection.
func (s *script) close() {
	_ = s.ln.Close()
	s.mu.Lock()
	for c := range s.conns {
		_ = c.Close()
	}
	s.mu.Unlock()
	s.done.Wait()
}

func (s *script) serve(c net.Conn) {
	defer c.Close()
	cfg := &thrift.TConfiguration{}
	p := thrift.NewTBinaryProtocolConf(thrift.NewTFramedTransportConf(thrift.NewTSocketFromConnConf(c, cfg), cfg), cfg)
	for {
		if ok, _ := hivego.NewDurableExecutorProcessor(s).Process(context.Background(), p, p); !ok {
			return
		}
	}
}

func (s *script) row() hive.Executor {
	return hive.Executor{
		ID: s.id, Name: s.id, Address: s.ln.Addr().String(), Secret: "secret of " + s.id, Slots: 10, Durable: true,
		Handlers: []hive.Handler{{Name: "shell"}},
	}
}

// write sets the log of an attempt.
func (s *script) write(attempt int64, data string, complete bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.logs[attempt] = &scriptLog{data: []byte(data), complete: complete}
}

func (s *script) counts() (dialed, reads int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dialed, s.reads
}

func (s *script) allowed(c *hivego.Caller) error {
	if c.GetToken() != "secret of "+s.id {
		return &hivego.AccessDenied{}
	}
	return nil
}

func (s *script) Describe(_ context.Context, c *hivego.DescribeCall) (*hivego.DescribeReply, error) {
	if err := s.allowed(c.Caller); err != nil {
		return nil, err
	}
	if s.says != nil {
		return s.says, nil
	}
	now := time.Now().Add(-time.Hour).UnixMilli() // its clock is slow
	return &hivego.DescribeReply{ExecutorId: &s.id, NowMillis: &now}, nil
}

func (s *script) Run(_ context.Context, c *hivego.RunCall) (*hivego.RunReply, error) {
	if err := s.allowed(c.Caller); err != nil {
		return nil, err
	}
	if s.run == nil {
		return nil, errUnscripted
	}
	return s.run(c)
}

func (s *script) Attach(_ context.Context, c *hivego.AttachCall) (*hivego.AttachReply, error) {
	if s.attach == nil {
		return nil, errUnscripted
	}
	return s.attach(c)
}

func (s *script) Poll(ctx context.Context, c *hivego.PollCall) (*hivego.PollReply, error) {
	if s.poll == nil {
		return nil, errUnscripted
	}
	return s.poll(ctx, c)
}

func (s *script) Submit(_ context.Context, c *hivego.SubmitCall) (*hivego.SubmitReply, error) {
	if s.submit == nil {
		return nil, errUnscripted
	}
	return s.submit(c)
}

func (s *script) Kill(_ context.Context, c *hivego.KillCall) (*hivego.KillReply, error) {
	if s.kill == nil {
		return nil, errUnscripted
	}
	return s.kill(c)
}

func (s *script) ReadLog(_ context.Context, c *hivego.LogCall) (*hivego.LogReply, error) {
	if err := s.allowed(c.Caller); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads++
	if s.readLog != nil {
		return s.readLog(c)
	}
	l := s.logs[c.GetAttemptId()]
	if l == nil {
		return &hivego.LogReply{Found: new(false)}, nil
	}
	from := min(int(c.GetOffset()), len(l.data))
	to := min(from+int(c.GetLimit()), len(l.data))
	return &hivego.LogReply{
		Data: l.data[from:to], Size: new(int64(len(l.data))), Complete: &l.complete, Found: new(true),
	}, nil
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func callerOf(e *hive.Executor) caller {
	return caller{token: e.Secret, cluster: "c", server: "s", epoch: 1}
}
