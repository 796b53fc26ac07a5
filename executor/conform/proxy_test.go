package conform_test

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/apache/thrift/lib/go/thrift"

	"github.com/rprp/hivego/executor/conform"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// proxy forwards calls to a correct executor, and breaks one rule: each function changes a call or its answer. A call
// without a function is forwarded unchanged.
type proxy struct {
	describe func(ctx context.Context, u inner, c *hivego.DescribeCall) (*hivego.DescribeReply, error)
	run      func(ctx context.Context, u inner, c *hivego.RunCall) (*hivego.RunReply, error)
	submit   func(ctx context.Context, u inner, c *hivego.SubmitCall) (*hivego.SubmitReply, error)
	poll     func(ctx context.Context, u inner, c *hivego.PollCall) (*hivego.PollReply, error)
	attach   func(ctx context.Context, u inner, c *hivego.AttachCall) (*hivego.AttachReply, error)
	kill     func(ctx context.Context, u inner, c *hivego.KillCall) (*hivego.KillReply, error)
	readLog  func(ctx context.Context, u inner, c *hivego.LogCall) (*hivego.LogReply, error)

	correct conform.Target
}

// inner is the correct executor behind a proxy.
type inner = hivego.DurableExecutor

// connect opens a connection to the correct executor. Each call has its own, since a connection serves one call at a
// time.
func (x *proxy) connect(ctx context.Context) (inner, func(), error) {
	cfg := &thrift.TConfiguration{SocketTimeout: time.Second}
	c, err := new(net.Dialer).DialContext(ctx, "tcp", x.correct.Address)
	if err != nil {
		return nil, nil, err
	}
	framed := thrift.NewTFramedTransportConf(thrift.NewTSocketFromConnConf(c, cfg), cfg)
	p := thrift.NewTBinaryProtocolConf(framed, cfg)
	return hivego.NewDurableExecutorClient(thrift.NewTStandardClient(p, p)), func() { _ = framed.Close() }, nil
}

// forward forwards a call to the correct executor, changed by change if that is not nil.
func forward[C, R any](
	ctx context.Context, x *proxy, call C, change func(context.Context, inner, C) (R, error),
	method func(inner, context.Context, C) (R, error),
) (R, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	u, done, err := x.connect(ctx)
	if err != nil {
		var none R
		return none, err
	}
	defer done()
	if change != nil {
		return change(ctx, u, call)
	}
	return method(u, ctx, call)
}

// changing returns a function of a proxy that changes a call before it is made, and its answer.
func changing[C, R any](
	method func(inner, context.Context, C) (R, error), before func(C), after func(C, R),
) func(context.Context, inner, C) (R, error) {
	return func(ctx context.Context, u inner, c C) (R, error) {
		before(c)
		r, err := method(u, ctx, c)
		if err == nil {
			after(c, r)
		}
		return r, err
	}
}

// keep changes nothing.
func keep[T any](T) {}

// keepAnswer changes nothing.
func keepAnswer[C, R any](C, R) {}

func (x *proxy) Describe(ctx context.Context, c *hivego.DescribeCall) (*hivego.DescribeReply, error) {
	return forward(ctx, x, c, x.describe, inner.Describe)
}

func (x *proxy) Run(ctx context.Context, c *hivego.RunCall) (*hivego.RunReply, error) {
	return forward(ctx, x, c, x.run, inner.Run)
}

func (x *proxy) Submit(ctx context.Context, c *hivego.SubmitCall) (*hivego.SubmitReply, error) {
	return forward(ctx, x, c, x.submit, inner.Submit)
}

func (x *proxy) Poll(ctx context.Context, c *hivego.PollCall) (*hivego.PollReply, error) {
	return forward(ctx, x, c, x.poll, inner.Poll)
}

func (x *proxy) Attach(ctx context.Context, c *hivego.AttachCall) (*hivego.AttachReply, error) {
	return forward(ctx, x, c, x.attach, inner.Attach)
}

func (x *proxy) Kill(ctx context.Context, c *hivego.KillCall) (*hivego.KillReply, error) {
	return forward(ctx, x, c, x.kill, inner.Kill)
}

func (x *proxy) ReadLog(ctx context.Context, c *hivego.LogCall) (*hivego.LogReply, error) {
	return forward(ctx, x, c, x.readLog, inner.ReadLog)
}

// wireFault is a fault in how a proxy treats connections and frames.
type wireFault struct {
	sequential bool                    // it answers one connection after another
	readsAll   bool                    // it reads a frame that is too large to its end
	refuses    func(frame []byte) bool // it closes the connection for these frames
}

// startProxy starts a proxy and returns its address.
func startProxy(t *testing.T, x *proxy, w wireFault) conform.Target {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	t.Cleanup(func() {
		cancel()
		_ = listener.Close()
		wg.Wait()
	})
	processor := hivego.NewDurableExecutorProcessor(x)
	wg.Go(func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			context.AfterFunc(ctx, func() { _ = c.Close() })
			if w.sequential {
				w.serve(ctx, c, processor)
				continue
			}
			wg.Go(func() { w.serve(ctx, c, processor) })
		}
	})
	return conform.Target{Address: listener.Addr().String(), Token: x.correct.Token}
}
