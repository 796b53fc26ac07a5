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
	after := func(_ *hivego.DescribeCall, r *hivego.DescribeReply) { change(r) }
	return &proxy{describe: changing(inner.Describe, keep, after)}
}

// changeRun makes a proxy that changes the outcomes of run.
func changeRun(change func(c *hivego.RunCall, o *hivego.Outcome)) *proxy {
	after := func(c *hivego.RunCall, r *hivego.RunReply) { change(c, r.GetOutcome()) }
	return &proxy{run: changing(inner.Run, keep, after)}
}

// changePoll makes a proxy that changes calls and answers of poll.
func changePoll(before func(c *hivego.PollCall), change func(r *hivego.PollReply)) *proxy {
	after := func(_ *hivego.PollCall, r *hivego.PollReply) { change(r) }
	return &proxy{poll: changing(inner.Poll, before, after)}
}

// changeReceipts makes a proxy that changes the answers of submit.
func changeReceipts(change func(r *hivego.SubmitReply)) *proxy {
	after := func(_ *hivego.SubmitCall, r *hivego.SubmitReply) { change(r) }
	return &proxy{submit: changing(inner.Submit, keep, after)}
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
	return changePoll(keep, func(r *hivego.PollReply) {
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
	x.describe = changing(inner.Describe, func(c *hivego.DescribeCall) { set(&c.Caller) }, keepAnswer)
	x.run = changing(inner.Run, func(c *hivego.RunCall) { set(&c.Caller) }, keepAnswer)
	x.submit = changing(inner.Submit, func(c *hivego.SubmitCall) { set(&c.Caller) }, keepAnswer)
	x.poll = changing(inner.Poll, func(c *hivego.PollCall) { set(&c.Caller) }, keepAnswer)
	x.attach = changing(inner.Attach, func(c *hivego.AttachCall) { set(&c.Caller) }, keepAnswer)
	x.kill = changing(inner.Kill, func(c *hivego.KillCall) { set(&c.Caller) }, keepAnswer)
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
	return changePoll(keep, func(r *hivego.PollReply) {
		mu.Lock()
		defer mu.Unlock()
		r.Events = slices.DeleteFunc(r.Events, func(e *hivego.Event) bool {
			before := reported[e.GetAttemptId()]
			reported[e.GetAttemptId()] = true
			return before
		})
	})
}
