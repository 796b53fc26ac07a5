// Package wiretest has an executor for tests of those who call executors.
package wiretest

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/apache/thrift/lib/go/thrift"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

var _ hivego.DurableExecutor = (*Executor)(nil)

// ErrUnexpected is the error of a call that the test does not expect.
var ErrUnexpected = errors.New("the test does not expect this call")

// Executor answers by Thrift on a real listener. Its fields determine the answers; set them before the calls that use
// them.
type Executor struct {
	ID        string
	OnAttach  func(c *hivego.AttachCall) (*hivego.AttachReply, error)
	OnPoll    func(ctx context.Context, c *hivego.PollCall) (*hivego.PollReply, error)
	OnSubmit  func(c *hivego.SubmitCall) (*hivego.SubmitReply, error)
	OnKill    func(c *hivego.KillCall) (*hivego.KillReply, error)
	OnRun     func(c *hivego.RunCall) (*hivego.RunReply, error)
	OnReadLog func(c *hivego.LogCall) (*hivego.LogReply, error) // instead of the logs by Write
	TLS       *tls.Config                                       // to be called over TLS
	Describes *hivego.DescribeReply                             // instead of its id and its time

	listener net.Listener
	serving  sync.WaitGroup

	mu     sync.Mutex
	conns  map[net.Conn]bool
	dialed int
	logs   map[int64]*log
}

type log struct {
	data     []byte
	complete bool
}

// New starts an executor. It stops with the test.
func New(t *testing.T, id string) *Executor {
	t.Helper()
	x := &Executor{ID: id, conns: map[net.Conn]bool{}, logs: map[int64]*log{}}
	x.Listen(t, "127.0.0.1:0")
	t.Cleanup(x.Close)
	return x
}

// Listen listens at an address, after Close or StopListening.
func (x *Executor) Listen(t *testing.T, address string) {
	t.Helper()
	ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", address)
	require.NoError(t, err)
	if x.TLS != nil {
		ln = tls.NewListener(ln, x.TLS)
	}
	x.listener = ln
	x.serving.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			x.mu.Lock()
			x.conns[c] = true
			x.dialed++
			x.mu.Unlock()
			x.serving.Go(func() { x.serve(c) })
		}
	})
}

// Address returns the address of the listener.
func (x *Executor) Address() string { return x.listener.Addr().String() }

// StopListening closes the listener, and leaves the connections open.
func (x *Executor) StopListening(t *testing.T) {
	t.Helper()
	require.NoError(t, x.listener.Close())
}

// Close closes the listener and every connection.
func (x *Executor) Close() {
	_ = x.listener.Close()
	x.HangUp()
	x.serving.Wait()
}

// HangUp closes every connection, as a process that dies does.
func (x *Executor) HangUp() {
	x.mu.Lock()
	defer x.mu.Unlock()
	for c := range x.conns {
		_ = c.Close()
	}
}

func (x *Executor) serve(c net.Conn) {
	defer c.Close()
	cfg := &thrift.TConfiguration{}
	p := thrift.NewTBinaryProtocolConf(thrift.NewTFramedTransportConf(thrift.NewTSocketFromConnConf(c, cfg), cfg), cfg)
	for {
		if ok, _ := hivego.NewDurableExecutorProcessor(x).Process(context.Background(), p, p); !ok {
			return
		}
	}
}

// Row returns its row in the database, as a durable executor.
func (x *Executor) Row() hive.Executor {
	return hive.Executor{
		ID: x.ID, Name: x.ID, Address: x.Address(), Secret: x.secret(), Slots: 10, Durable: true,
		Handlers: []hive.Handler{{Name: "shell"}},
	}
}

// RunOnlyRow returns its row in the database, as an executor that only offers run.
func (x *Executor) RunOnlyRow() hive.Executor {
	e := x.Row()
	e.Durable = false
	return e
}

func (x *Executor) secret() string { return "secret of " + x.ID }

// Write sets the log of an attempt.
func (x *Executor) Write(attempt int64, data string, complete bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.logs[attempt] = &log{data: []byte(data), complete: complete}
}

// Dialed returns the number of connections so far.
func (x *Executor) Dialed() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.dialed
}

func (x *Executor) allowed(c *hivego.Caller) error {
	if c.GetToken() != x.secret() {
		return &hivego.AccessDenied{}
	}
	return nil
}

// Describe answers with Describes, or with its id and a clock that is an hour slow.
func (x *Executor) Describe(_ context.Context, c *hivego.DescribeCall) (*hivego.DescribeReply, error) {
	if err := x.allowed(c.Caller); err != nil {
		return nil, err
	}
	if x.Describes != nil {
		return x.Describes, nil
	}
	now := time.Now().Add(-time.Hour).UnixMilli()
	return &hivego.DescribeReply{ExecutorId: &x.ID, NowMillis: &now}, nil
}

// Run answers by OnRun.
func (x *Executor) Run(_ context.Context, c *hivego.RunCall) (*hivego.RunReply, error) {
	if err := x.allowed(c.Caller); err != nil {
		return nil, err
	}
	if x.OnRun == nil {
		return nil, ErrUnexpected
	}
	return x.OnRun(c)
}

// Attach answers by OnAttach.
func (x *Executor) Attach(_ context.Context, c *hivego.AttachCall) (*hivego.AttachReply, error) {
	if x.OnAttach == nil {
		return nil, ErrUnexpected
	}
	return x.OnAttach(c)
}

// Poll answers by OnPoll.
func (x *Executor) Poll(ctx context.Context, c *hivego.PollCall) (*hivego.PollReply, error) {
	if x.OnPoll == nil {
		return nil, ErrUnexpected
	}
	return x.OnPoll(ctx, c)
}

// Submit answers by OnSubmit.
func (x *Executor) Submit(_ context.Context, c *hivego.SubmitCall) (*hivego.SubmitReply, error) {
	if x.OnSubmit == nil {
		return nil, ErrUnexpected
	}
	return x.OnSubmit(c)
}

// Kill answers by OnKill.
func (x *Executor) Kill(_ context.Context, c *hivego.KillCall) (*hivego.KillReply, error) {
	if x.OnKill == nil {
		return nil, ErrUnexpected
	}
	return x.OnKill(c)
}

// ReadLog answers by OnReadLog, or from the logs by Write.
func (x *Executor) ReadLog(_ context.Context, c *hivego.LogCall) (*hivego.LogReply, error) {
	if err := x.allowed(c.Caller); err != nil {
		return nil, err
	}
	if x.OnReadLog != nil {
		return x.OnReadLog(c)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	l := x.logs[c.GetAttemptId()]
	if l == nil {
		return &hivego.LogReply{Found: new(false)}, nil
	}
	from := min(int(c.GetOffset()), len(l.data))
	to := min(from+int(c.GetLimit()), len(l.data))
	return &hivego.LogReply{
		Data: l.data[from:to], Size: new(int64(len(l.data))), Complete: &l.complete, Found: new(true),
	}, nil
}
