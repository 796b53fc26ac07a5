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

// liar stands before a sound executor and breaks one rule: each func changes a call, or its answer, on the way. What it
// does not have passes as it is.
type liar struct {
	describe func(ctx context.Context, up hivego.DurableExecutor, c *hivego.DescribeCall) (*hivego.DescribeReply, error)
	run      func(ctx context.Context, up hivego.DurableExecutor, c *hivego.RunCall) (*hivego.RunReply, error)
	submit   func(ctx context.Context, up hivego.DurableExecutor, c *hivego.SubmitCall) (*hivego.SubmitReply, error)
	poll     func(ctx context.Context, up hivego.DurableExecutor, c *hivego.PollCall) (*hivego.PollReply, error)
	attach   func(ctx context.Context, up hivego.DurableExecutor, c *hivego.AttachCall) (*hivego.AttachReply, error)
	kill     func(ctx context.Context, up hivego.DurableExecutor, c *hivego.KillCall) (*hivego.KillReply, error)
	readLog  func(ctx context.Context, up hivego.DurableExecutor, c *hivego.LogCall) (*hivego.LogReply, error)

	sound conform.Target
}

// up opens a connection to the sound executor: one for each call, since calls come on several connections at once.
func (l *liar) up(ctx context.Context) (hivego.DurableExecutor, func(), error) {
	cfg := &thrift.TConfiguration{SocketTimeout: time.Second}
	c, err := new(net.Dialer).DialContext(ctx, "tcp", l.sound.Address)
	if err != nil {
		return nil, nil, err
	}
	framed := thrift.NewTFramedTransportConf(thrift.NewTSocketFromConnConf(c, cfg), cfg)
	p := thrift.NewTBinaryProtocolConf(framed, cfg)
	return hivego.NewDurableExecutorClient(thrift.NewTStandardClient(p, p)), func() { _ = framed.Close() }, nil
}

// pass makes a call of the liar out of one of the sound executor.
func pass[C, R any](
	ctx context.Context, l *liar, call C, change func(context.Context, hivego.DurableExecutor, C) (R, error),
	straight func(hivego.DurableExecutor) func(context.Context, C) (R, error),
) (R, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	up, done, err := l.up(ctx)
	if err != nil {
		var none R
		return none, err
	}
	defer done()
	if change != nil {
		return change(ctx, up, call)
	}
	return straight(up)(ctx, call)
}

func (l *liar) Describe(ctx context.Context, c *hivego.DescribeCall) (*hivego.DescribeReply, error) {
	return pass(ctx, l, c, l.describe,
		func(up hivego.DurableExecutor) func(context.Context, *hivego.DescribeCall) (*hivego.DescribeReply, error) {
			return up.Describe
		})
}

func (l *liar) Run(ctx context.Context, c *hivego.RunCall) (*hivego.RunReply, error) {
	return pass(ctx, l, c, l.run,
		func(up hivego.DurableExecutor) func(context.Context, *hivego.RunCall) (*hivego.RunReply, error) {
			return up.Run
		})
}

func (l *liar) Submit(ctx context.Context, c *hivego.SubmitCall) (*hivego.SubmitReply, error) {
	return pass(ctx, l, c, l.submit,
		func(up hivego.DurableExecutor) func(context.Context, *hivego.SubmitCall) (*hivego.SubmitReply, error) {
			return up.Submit
		})
}

func (l *liar) Poll(ctx context.Context, c *hivego.PollCall) (*hivego.PollReply, error) {
	return pass(ctx, l, c, l.poll,
		func(up hivego.DurableExecutor) func(context.Context, *hivego.PollCall) (*hivego.PollReply, error) {
			return up.Poll
		})
}

func (l *liar) Attach(ctx context.Context, c *hivego.AttachCall) (*hivego.AttachReply, error) {
	return pass(ctx, l, c, l.attach,
		func(up hivego.DurableExecutor) func(context.Context, *hivego.AttachCall) (*hivego.AttachReply, error) {
			return up.Attach
		})
}

func (l *liar) Kill(ctx context.Context, c *hivego.KillCall) (*hivego.KillReply, error) {
	return pass(ctx, l, c, l.kill,
		func(up hivego.DurableExecutor) func(context.Context, *hivego.KillCall) (*hivego.KillReply, error) {
			return up.Kill
		})
}

func (l *liar) ReadLog(ctx context.Context, c *hivego.LogCall) (*hivego.LogReply, error) {
	return pass(ctx, l, c, l.readLog,
		func(up hivego.DurableExecutor) func(context.Context, *hivego.LogCall) (*hivego.LogReply, error) {
			return up.ReadLog
		})
}

// wire is how connections are treated before anything is parsed.
type wire struct {
	oneAtATime bool                    // answers one connection after another
	endless    bool                    // waits for as many bytes as a frame's length says
	refuses    func(frame []byte) bool // ends the connection for such a frame
}

// front starts a liar, and answers where it is.
func front(t *testing.T, l *liar, w wire) conform.Target {
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
	processor := hivego.NewDurableExecutorProcessor(l)
	wg.Go(func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			context.AfterFunc(ctx, func() { _ = c.Close() })
			if w.oneAtATime {
				w.answer(ctx, c, processor)
				continue
			}
			wg.Go(func() { w.answer(ctx, c, processor) })
		}
	})
	return conform.Target{Address: listener.Addr().String(), Token: l.sound.Token}
}
