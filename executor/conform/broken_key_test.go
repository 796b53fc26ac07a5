package conform_test

import (
	"context"
	"sync"

	"github.com/rprp/hivego/thrift/gen/hivego"
)

// keys is the memory of an executor that tells attempts apart by their ids only: the first key of each id.
type keys struct {
	mu    sync.Mutex
	first map[int64]string
}

// of is the key of an attempt, whatever its caller says.
func (k *keys) of(id int64) *string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return new(k.first[id])
}

func (k *keys) note(a *hivego.Assignment) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, known := k.first[a.GetAttemptId()]; !known {
		k.first[a.GetAttemptId()] = a.GetKey()
	}
}

// forgetful is an executor that looks at the key of a submit, and not where change makes it look away.
func forgetful(change func(l *liar, k *keys)) *liar {
	k := &keys{first: map[int64]string{}}
	l := &liar{submit: func(ctx context.Context, u up, c *hivego.SubmitCall) (*hivego.SubmitReply, error) {
		for _, a := range c.Assignments {
			k.note(a)
		}
		return u.Submit(ctx, c)
	}}
	change(l, k)
	return l
}

// brokenKeys are executors that break one rule each about the identity of attempts and callers.
func brokenKeys() map[string][]*liar {
	return map[string][]*liar{
		"describe.contract": {
			lieAboutDescribe(func(r *hivego.DescribeReply) { r.Contract = nil }),
			lieAboutDescribe(func(r *hivego.DescribeReply) { r.Contract = new(int32(1)) }),
		},
		"epoch.session": {
			gullible(func(c *hivego.Caller, _ target) { c.Session = new("one for all") }),
			gullible(func(c *hivego.Caller, _ target) {
				if !c.IsSetSession() {
					c.Epoch, c.Session = new(c.GetEpoch()+1), new("left out")
				}
			}),
		},
		"key.submit":  {forgetful(startsOncePerID), refusesKeys()},
		"key.answers": answersWithoutKeys(),
		"key.attach": {forgetful(func(l *liar, k *keys) {
			l.attach = func(ctx context.Context, u up, c *hivego.AttachCall) (*hivego.AttachReply, error) {
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
		"key.kill": {forgetful(func(l *liar, k *keys) {
			l.kill = func(ctx context.Context, u up, c *hivego.KillCall) (*hivego.KillReply, error) {
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
		}), forgetful(func(l *liar, k *keys) { // it says that it knows nothing, and kills
			l.kill = func(ctx context.Context, u up, c *hivego.KillCall) (*hivego.KillReply, error) {
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
		"key.log": {forgetful(func(l *liar, k *keys) {
			l.readLog = func(ctx context.Context, u up, c *hivego.LogCall) (*hivego.LogReply, error) {
				c.Key = k.of(c.GetAttemptId())
				return u.ReadLog(ctx, c)
			}
		})},
		"key.release": {forgetful(func(l *liar, k *keys) {
			l.poll = func(ctx context.Context, u up, c *hivego.PollCall) (*hivego.PollReply, error) {
				for _, a := range c.Acks {
					a.Key = k.of(a.GetAttemptId())
				}
				return u.Poll(ctx, c)
			}
		}), forgetful(func(l *liar, k *keys) {
			l.poll = func(ctx context.Context, u up, c *hivego.PollCall) (*hivego.PollReply, error) {
				c.ReleaseKeys = nil
				for _, id := range c.Releases {
					c.ReleaseKeys = append(c.ReleaseKeys, *k.of(id))
				}
				return u.Poll(ctx, c)
			}
		})},
		"key.lists": {
			{attach: func(ctx context.Context, u up, c *hivego.AttachCall) (*hivego.AttachReply, error) {
				c.Keys = c.Keys[:min(len(c.Keys), len(c.AttemptIds))]
				return u.Attach(ctx, c)
			}},
			{poll: func(ctx context.Context, u up, c *hivego.PollCall) (*hivego.PollReply, error) {
				c.ReleaseKeys = c.ReleaseKeys[:min(len(c.ReleaseKeys), len(c.Releases))]
				return u.Poll(ctx, c)
			}},
		},
	}
}

// startsOncePerID takes an id with another key for a copy of the first call.
func startsOncePerID(l *liar, k *keys) {
	l.submit = func(ctx context.Context, u up, c *hivego.SubmitCall) (*hivego.SubmitReply, error) {
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

// refusesKeys answers FORGOTTEN to an id that it has seen, whatever its key.
func refusesKeys() *liar {
	k := &keys{first: map[int64]string{}}
	return &liar{submit: func(ctx context.Context, u up, c *hivego.SubmitCall) (*hivego.SubmitReply, error) {
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

// answersWithoutKeys leave the key out in one place each.
func answersWithoutKeys() []*liar {
	return []*liar{
		lieAboutReceipts(func(r *hivego.SubmitReply) {
			for _, x := range r.Receipts {
				x.Key = nil
			}
		}),
		lieAboutPoll(nothing, func(r *hivego.PollReply) {
			for _, x := range r.Events {
				x.Key = nil
			}
		}),
		{kill: func(ctx context.Context, u up, c *hivego.KillCall) (*hivego.KillReply, error) {
			r, err := u.Kill(ctx, c)
			if err == nil {
				for _, x := range r.Statuses {
					x.Key = nil
				}
			}
			return r, err
		}},
		lieAboutReports(func(r *hivego.AttachReply) []*hivego.AttemptReport { return r.Attempts }),
		lieAboutReports(func(r *hivego.AttachReply) []*hivego.AttemptReport { return r.Others }),
	}
}

// lieAboutReports leaves the keys of some reports out.
func lieAboutReports(of func(r *hivego.AttachReply) []*hivego.AttemptReport) *liar {
	return &liar{attach: func(ctx context.Context, u up, c *hivego.AttachCall) (*hivego.AttachReply, error) {
		r, err := u.Attach(ctx, c)
		if err == nil {
			for _, x := range of(r) {
				x.Key = nil
			}
		}
		return r, err
	}}
}
