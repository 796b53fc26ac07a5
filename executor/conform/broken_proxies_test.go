package conform_test

import (
	"context"
	"slices"
	"sync"

	"github.com/rprp/hivego/executor/conform"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// changeDescribe makes a proxy that changes the answers of describe.
func changeDescribe(change func(r *hivego.DescribeReply)) *proxy {
	return &proxy{describe: func(ctx context.Context, u inner, c *hivego.DescribeCall) (*hivego.DescribeReply, error) {
		r, err := u.Describe(ctx, c)
		if err == nil {
			change(r)
		}
		return r, err
	}}
}

// changeRun makes a proxy that changes the outcomes of run.
func changeRun(change func(c *hivego.RunCall, o *hivego.Outcome)) *proxy {
	return &proxy{run: func(ctx context.Context, u inner, c *hivego.RunCall) (*hivego.RunReply, error) {
		r, err := u.Run(ctx, c)
		if err == nil {
			change(c, r.GetOutcome())
		}
		return r, err
	}}
}

// changePoll makes a proxy that changes calls and answers of poll.
func changePoll(before func(c *hivego.PollCall), after func(r *hivego.PollReply)) *proxy {
	return &proxy{poll: func(ctx context.Context, u inner, c *hivego.PollCall) (*hivego.PollReply, error) {
		before(c)
		r, err := u.Poll(ctx, c)
		if err == nil {
			after(r)
		}
		return r, err
	}}
}

// changeReceipts makes a proxy that changes the answers of submit.
func changeReceipts(change func(r *hivego.SubmitReply)) *proxy {
	return &proxy{submit: func(ctx context.Context, u inner, c *hivego.SubmitCall) (*hivego.SubmitReply, error) {
		r, err := u.Submit(ctx, c)
		if err == nil {
			change(r)
		}
		return r, err
	}}
}

// setReceipt makes a proxy that replaces one code of receipts by another.
func setReceipt(from, to hivego.ReceiptCode) *proxy {
	return changeReceipts(func(r *hivego.SubmitReply) {
		for _, x := range r.GetReceipts() {
			if x.GetCode() == from {
				x.Code = &to
			}
		}
	})
}

func noChange[T any](T) {}

// attachForever and pollForever remove the orphan timeout, so that the executor never kills work of a silent server.
func attachForever(ctx context.Context, u inner, c *hivego.AttachCall) (*hivego.AttachReply, error) {
	c.OrphanTimeoutMillis = new(int64(0))
	return u.Attach(ctx, c)
}

func pollForever(ctx context.Context, u inner, c *hivego.PollCall) (*hivego.PollReply, error) {
	c.OrphanTimeoutMillis = new(int64(0))
	return u.Poll(ctx, c)
}

// reportToAll makes a proxy that reports the events of all servers to each server.
func reportToAll() *proxy {
	var mu sync.Mutex
	var reported []*hivego.Event
	return changePoll(noChange, func(r *hivego.PollReply) {
		mu.Lock()
		defer mu.Unlock()
		reported = append(reported, r.Events...)
		r.Events = slices.Clone(reported)
	})
}

// changeCaller makes a proxy that changes the caller of every call, so that the correct executor does not refuse it.
func changeCaller(change func(c *hivego.Caller, correct conform.Target)) *proxy {
	x := &proxy{}
	set := func(c **hivego.Caller) {
		if *c == nil {
			*c = &hivego.Caller{ClusterId: new(conform.DefaultCluster), ServerId: new("s"), Epoch: new(int64(1))}
		}
		change(*c, x.correct)
	}
	x.describe = func(ctx context.Context, u inner, c *hivego.DescribeCall) (*hivego.DescribeReply, error) {
		set(&c.Caller)
		return u.Describe(ctx, c)
	}
	x.run = func(ctx context.Context, u inner, c *hivego.RunCall) (*hivego.RunReply, error) {
		set(&c.Caller)
		return u.Run(ctx, c)
	}
	x.submit = func(ctx context.Context, u inner, c *hivego.SubmitCall) (*hivego.SubmitReply, error) {
		set(&c.Caller)
		return u.Submit(ctx, c)
	}
	x.poll = func(ctx context.Context, u inner, c *hivego.PollCall) (*hivego.PollReply, error) {
		set(&c.Caller)
		return u.Poll(ctx, c)
	}
	x.attach = func(ctx context.Context, u inner, c *hivego.AttachCall) (*hivego.AttachReply, error) {
		set(&c.Caller)
		return u.Attach(ctx, c)
	}
	x.kill = func(ctx context.Context, u inner, c *hivego.KillCall) (*hivego.KillReply, error) {
		set(&c.Caller)
		return u.Kill(ctx, c)
	}
	return x
}

// reportAllRunning makes a proxy that reports every attempt as running.
func reportAllRunning() *proxy {
	return &proxy{attach: func(ctx context.Context, u inner, c *hivego.AttachCall) (*hivego.AttachReply, error) {
		r, err := u.Attach(ctx, c)
		if err == nil {
			for _, a := range r.Attempts {
				a.State = new(hivego.AttemptState_RUNNING)
			}
		}
		return r, err
	}}
}

// startEverySubmit makes a proxy that starts a new attempt for each submit, also of the same id.
func startEverySubmit() *proxy {
	var mu sync.Mutex
	lastID := int64(1)
	return &proxy{submit: func(ctx context.Context, u inner, c *hivego.SubmitCall) (*hivego.SubmitReply, error) {
		mu.Lock()
		var ids []*int64
		for _, a := range c.Assignments {
			lastID++
			ids = append(ids, a.AttemptId)
			a.AttemptId = new(lastID)
		}
		mu.Unlock()
		r, err := u.Submit(ctx, c)
		if err == nil {
			for i, x := range r.Receipts {
				x.AttemptId, x.Code = ids[i], new(hivego.ReceiptCode_STARTED)
			}
		}
		return r, err
	}}
}

// reportOnce makes a proxy that drops an event when it is sent, not when it is acknowledged.
func reportOnce() *proxy {
	var mu sync.Mutex
	reported := map[int64]bool{}
	return changePoll(noChange, func(r *hivego.PollReply) {
		mu.Lock()
		defer mu.Unlock()
		r.Events = slices.DeleteFunc(r.Events, func(e *hivego.Event) bool {
			before := reported[e.GetAttemptId()]
			reported[e.GetAttemptId()] = true
			return before
		})
	})
}
