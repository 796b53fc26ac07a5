package conform_test

import (
	"context"
	"sync"

	"github.com/rprp/hivego/thrift/gen/hivego"
)

// keys is the state of an executor that distinguishes attempts only by their ids. It has the first key of each id.
type keys struct {
	mu    sync.Mutex
	first map[int64]string
}

// of returns the first key of an id.
func (k *keys) of(id int64) *string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return new(k.first[id])
}

// note records the key of a new id.
func (k *keys) note(a *hivego.Assignment) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, found := k.first[a.GetAttemptId()]; !found {
		k.first[a.GetAttemptId()] = a.GetKey()
	}
}

// ignoreKeys makes a proxy that records the keys of submits. change makes it ignore keys in some call.
func ignoreKeys(change func(x *proxy, k *keys)) *proxy {
	k := &keys{first: map[int64]string{}}
	x := &proxy{submit: func(ctx context.Context, u inner, c *hivego.SubmitCall) (*hivego.SubmitReply, error) {
		for _, a := range c.Assignments {
			k.note(a)
		}
		return u.Submit(ctx, c)
	}}
	change(x, k)
	return x
}

// brokenKeys returns executors that break rules about the identity of attempts and callers.
func brokenKeys() map[string][]*proxy {
	return map[string][]*proxy{
		"describe.contract": {
			changeDescribe(func(r *hivego.DescribeReply) { r.Contract = nil }),
			changeDescribe(func(r *hivego.DescribeReply) { r.Contract = new(int32(1)) }),
		},
		"epoch.session": {
			changeCaller(func(c *hivego.Caller, _ target) { c.Session = new("one for all") }),
			changeCaller(func(c *hivego.Caller, _ target) {
				if !c.IsSetSession() {
					c.Epoch, c.Session = new(c.GetEpoch()+1), new("left out")
				}
			}),
		},
		"key.submit":  {ignoreKeys(startOncePerID), refuseOtherKeys()},
		"key.answers": answerWithoutKeys(),
		"key.attach": {ignoreKeys(func(x *proxy, k *keys) {
			x.attach = func(ctx context.Context, u inner, c *hivego.AttachCall) (*hivego.AttachReply, error) {
				text := c.Keys
				c.Keys = nil
				for _, id := range c.AttemptIds {
					c.Keys = append(c.Keys, *k.of(id))
				}
				r, err := u.Attach(ctx, c)
				if err == nil {
					for i := range text {
						r.Attempts[i].Key = &text[i]
					}
				}
				return r, err
			}
		})},
		"key.kill": {ignoreKeys(func(x *proxy, k *keys) {
			x.kill = func(ctx context.Context, u inner, c *hivego.KillCall) (*hivego.KillReply, error) {
				var text []*string
				for _, o := range c.Orders {
					text = append(text, o.Key)
					o.Key = k.of(o.GetAttemptId())
				}
				r, err := u.Kill(ctx, c)
				if err == nil {
					for i, s := range r.Statuses {
						s.Key = text[i]
					}
				}
				return r, err
			}
		}), ignoreKeys(func(x *proxy, k *keys) { // it answers FORGOTTEN, but kills
			x.kill = func(ctx context.Context, u inner, c *hivego.KillCall) (*hivego.KillReply, error) {
				r, err := u.Kill(ctx, c)
				for _, o := range c.Orders {
					o.Key = k.of(o.GetAttemptId())
				}
				if _, err := u.Kill(ctx, c); err != nil {
					return nil, err
				}
				return r, err
			}
		})},
		"key.log": {ignoreKeys(func(x *proxy, k *keys) {
			x.readLog = func(ctx context.Context, u inner, c *hivego.LogCall) (*hivego.LogReply, error) {
				c.Key = k.of(c.GetAttemptId())
				return u.ReadLog(ctx, c)
			}
		})},
		"key.release": {ignoreKeys(func(x *proxy, k *keys) {
			x.poll = func(ctx context.Context, u inner, c *hivego.PollCall) (*hivego.PollReply, error) {
				for _, a := range c.Acks {
					a.Key = k.of(a.GetAttemptId())
				}
				return u.Poll(ctx, c)
			}
		}), ignoreKeys(func(x *proxy, k *keys) {
			x.poll = func(ctx context.Context, u inner, c *hivego.PollCall) (*hivego.PollReply, error) {
				c.ReleaseKeys = nil
				for _, id := range c.Releases {
					c.ReleaseKeys = append(c.ReleaseKeys, *k.of(id))
				}
				return u.Poll(ctx, c)
			}
		})},
		"key.lists": {
			{attach: func(ctx context.Context, u inner, c *hivego.AttachCall) (*hivego.AttachReply, error) {
				c.Keys = c.Keys[:min(len(c.Keys), len(c.AttemptIds))]
				return u.Attach(ctx, c)
			}},
			{poll: func(ctx context.Context, u inner, c *hivego.PollCall) (*hivego.PollReply, error) {
				c.ReleaseKeys = c.ReleaseKeys[:min(len(c.ReleaseKeys), len(c.Releases))]
				return u.Poll(ctx, c)
			}},
		},
	}
}

// startOncePerID makes a proxy treat an id with another key as a repetition of the first submit.
func startOncePerID(x *proxy, k *keys) {
	x.submit = func(ctx context.Context, u inner, c *hivego.SubmitCall) (*hivego.SubmitReply, error) {
		var text []*string
		for _, a := range c.Assignments {
			k.note(a)
			text = append(text, a.Key)
			a.Key = k.of(a.GetAttemptId())
		}
		r, err := u.Submit(ctx, c)
		if err == nil {
			for i, x := range r.Receipts {
				x.Key = text[i]
			}
		}
		return r, err
	}
}

// refuseOtherKeys makes a proxy that answers FORGOTTEN to a known id with another key.
func refuseOtherKeys() *proxy {
	k := &keys{first: map[int64]string{}}
	return &proxy{submit: func(ctx context.Context, u inner, c *hivego.SubmitCall) (*hivego.SubmitReply, error) {
		r, err := u.Submit(ctx, c)
		if err != nil {
			return nil, err
		}
		for i, a := range c.Assignments {
			k.note(a)
			if *k.of(a.GetAttemptId()) != a.GetKey() {
				r.Receipts[i].Code = new(hivego.ReceiptCode_FORGOTTEN)
			}
		}
		return r, nil
	}}
}

// answerWithoutKeys returns proxies that leave out the keys in one kind of answer each.
func answerWithoutKeys() []*proxy {
	return []*proxy{
		changeReceipts(func(r *hivego.SubmitReply) {
			for _, x := range r.Receipts {
				x.Key = nil
			}
		}),
		changePoll(keep, func(r *hivego.PollReply) {
			for _, x := range r.Events {
				x.Key = nil
			}
		}),
		{kill: func(ctx context.Context, u inner, c *hivego.KillCall) (*hivego.KillReply, error) {
			r, err := u.Kill(ctx, c)
			if err == nil {
				for _, x := range r.Statuses {
					x.Key = nil
				}
			}
			return r, err
		}},
		dropReportKeys(func(r *hivego.AttachReply) []*hivego.AttemptReport { return r.Attempts }),
		dropReportKeys(func(r *hivego.AttachReply) []*hivego.AttemptReport { return r.Others }),
	}
}

// dropReportKeys makes a proxy that leaves out the keys of some reports.
func dropReportKeys(reports func(r *hivego.AttachReply) []*hivego.AttemptReport) *proxy {
	return &proxy{attach: func(ctx context.Context, u inner, c *hivego.AttachCall) (*hivego.AttachReply, error) {
		r, err := u.Attach(ctx, c)
		if err == nil {
			for _, x := range reports(r) {
				x.Key = nil
			}
		}
		return r, err
	}}
}
