package conform_test

import (
	"context"
	"slices"
	"sync"

	"github.com/rprp/hivego/executor/conform"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// lieAboutDescribe changes what describe says.
func lieAboutDescribe(change func(r *hivego.DescribeReply)) *liar {
	return &liar{describe: func(ctx context.Context, u up, c *hivego.DescribeCall) (*hivego.DescribeReply, error) {
		r, err := u.Describe(ctx, c)
		if err == nil {
			change(r)
		}
		return r, err
	}}
}

// lieAboutRun changes what run answers.
func lieAboutRun(change func(c *hivego.RunCall, o *hivego.Outcome)) *liar {
	return &liar{run: func(ctx context.Context, u up, c *hivego.RunCall) (*hivego.RunReply, error) {
		r, err := u.Run(ctx, c)
		if err == nil {
			change(c, r.GetOutcome())
		}
		return r, err
	}}
}

// lieAboutPoll changes a poll, and what it answers.
func lieAboutPoll(before func(c *hivego.PollCall), after func(r *hivego.PollReply)) *liar {
	return &liar{poll: func(ctx context.Context, u up, c *hivego.PollCall) (*hivego.PollReply, error) {
		before(c)
		r, err := u.Poll(ctx, c)
		if err == nil {
			after(r)
		}
		return r, err
	}}
}

// lieAboutReceipts changes what submit answers.
func lieAboutReceipts(change func(r *hivego.SubmitReply)) *liar {
	return &liar{submit: func(ctx context.Context, u up, c *hivego.SubmitCall) (*hivego.SubmitReply, error) {
		r, err := u.Submit(ctx, c)
		if err == nil {
			change(r)
		}
		return r, err
	}}
}

// instead changes one receipt into another.
func instead(from, to hivego.ReceiptCode) *liar {
	return lieAboutReceipts(func(r *hivego.SubmitReply) {
		for _, x := range r.GetReceipts() {
			if x.GetCode() == from {
				x.Code = &to
			}
		}
	})
}

func nothing[T any](T) {}

// foreverAttached and foreverPolled never kill for silence.
func foreverAttached(ctx context.Context, u up, c *hivego.AttachCall) (*hivego.AttachReply, error) {
	c.OrphanTimeoutMillis = new(int64(0))
	return u.Attach(ctx, c)
}

func foreverPolled(ctx context.Context, u up, c *hivego.PollCall) (*hivego.PollReply, error) {
	c.OrphanTimeoutMillis = new(int64(0))
	return u.Poll(ctx, c)
}

// tellsAll tells every server what happened to the attempts of all.
func tellsAll() *liar {
	var mu sync.Mutex
	var reported []*hivego.Event
	return lieAboutPoll(nothing, func(r *hivego.PollReply) {
		mu.Lock()
		defer mu.Unlock()
		reported = append(reported, r.Events...)
		r.Events = slices.Clone(reported)
	})
}

// gullible changes who calls, in every call, so that the sound executor never refuses.
func gullible(change func(c *hivego.Caller, sound conform.Target)) *liar {
	l := &liar{}
	by := func(c **hivego.Caller) {
		if *c == nil {
			*c = &hivego.Caller{ClusterId: new(conform.DefaultCluster), ServerId: new("s"), Epoch: new(int64(1))}
		}
		change(*c, l.sound)
	}
	l.describe = func(ctx context.Context, u up, c *hivego.DescribeCall) (*hivego.DescribeReply, error) {
		by(&c.Caller)
		return u.Describe(ctx, c)
	}
	l.run = func(ctx context.Context, u up, c *hivego.RunCall) (*hivego.RunReply, error) {
		by(&c.Caller)
		return u.Run(ctx, c)
	}
	l.submit = func(ctx context.Context, u up, c *hivego.SubmitCall) (*hivego.SubmitReply, error) {
		by(&c.Caller)
		return u.Submit(ctx, c)
	}
	l.poll = func(ctx context.Context, u up, c *hivego.PollCall) (*hivego.PollReply, error) {
		by(&c.Caller)
		return u.Poll(ctx, c)
	}
	l.attach = func(ctx context.Context, u up, c *hivego.AttachCall) (*hivego.AttachReply, error) {
		by(&c.Caller)
		return u.Attach(ctx, c)
	}
	l.kill = func(ctx context.Context, u up, c *hivego.KillCall) (*hivego.KillReply, error) {
		by(&c.Caller)
		return u.Kill(ctx, c)
	}
	return l
}

// knowsAll says of every attempt that it runs.
func knowsAll() *liar {
	return &liar{attach: func(ctx context.Context, u up, c *hivego.AttachCall) (*hivego.AttachReply, error) {
		r, err := u.Attach(ctx, c)
		if err == nil {
			for _, a := range r.Attempts {
				a.State = new(hivego.AttemptState_RUNNING)
			}
		}
		return r, err
	}}
}

// startsEach starts a new attempt for each submit, whatever its id.
func startsEach() *liar {
	var mu sync.Mutex
	fresh := int64(1)
	return &liar{submit: func(ctx context.Context, u up, c *hivego.SubmitCall) (*hivego.SubmitReply, error) {
		mu.Lock()
		var ids []*int64
		for _, a := range c.Assignments {
			fresh++
			ids = append(ids, a.AttemptId)
			a.AttemptId = new(fresh)
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

// tellsOnce drops an event when it is sent, not when it is acknowledged.
func tellsOnce() *liar {
	var mu sync.Mutex
	reported := map[int64]bool{}
	return lieAboutPoll(nothing, func(r *hivego.PollReply) {
		mu.Lock()
		defer mu.Unlock()
		r.Events = slices.DeleteFunc(r.Events, func(e *hivego.Event) bool {
			before := reported[e.GetAttemptId()]
			reported[e.GetAttemptId()] = true
			return before
		})
	})
}
