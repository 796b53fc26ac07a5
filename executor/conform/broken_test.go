package conform_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rprp/hivego/executor/conform"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// up is the sound executor that a liar stands before.
type up = hivego.DurableExecutor

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

// target is where a sound executor listens.
type target = conform.Target

// broken are executors that break one rule each.
func broken() map[string][]*liar {
	all := brokenKeys()
	maps.Copy(all, brokenRest())
	return all
}

func brokenRest() map[string][]*liar {
	return map[string][]*liar{
		"describe.identity": {
			lieAboutDescribe(func(r *hivego.DescribeReply) { r.ExecutorId = nil }),
			lieAboutDescribe(func(r *hivego.DescribeReply) { r.BootId = new(time.Now().String()) }),
		},
		"describe.clock": {
			lieAboutDescribe(func(r *hivego.DescribeReply) { r.NowMillis = nil }),
			lieAboutDescribe(func(r *hivego.DescribeReply) { r.NowMillis = new(r.GetNowMillis() / 1000) }),
		},
		"describe.load": {lieAboutDescribe(func(r *hivego.DescribeReply) { r.Load = nil })},
		"describe.handlers": {
			lieAboutDescribe(func(r *hivego.DescribeReply) { r.Handlers = append(r.Handlers, r.Handlers[0]) }),
			lieAboutDescribe(func(r *hivego.DescribeReply) { r.Handlers = nil }),
			lieAboutDescribe(func(r *hivego.DescribeReply) {
				r.Handlers = append(r.Handlers, &hivego.HandlerInfo{Name: new("do_<b>")})
			}),
		},
		"describe.schema": {
			lieAboutDescribe(func(r *hivego.DescribeReply) { r.Handlers[0].ParamsSchema = new("do: string") }),
			lieAboutDescribe(func(r *hivego.DescribeReply) {
				r.Handlers[0].ParamsSchema = new(strings.ReplaceAll(workSchema, "plain", "html"))
			}),
		},
		"describe.limits": {
			lieAboutDescribe(func(r *hivego.DescribeReply) { r.Name = new("the executor of Ada") }),
			lieAboutDescribe(func(r *hivego.DescribeReply) { r.Labels = map[string]string{"tty": "\x1b[2J"} }),
			lieAboutDescribe(func(r *hivego.DescribeReply) { r.Load.Slots = new(int32(1 << 20)) }),
			lieAboutDescribe(func(r *hivego.DescribeReply) { r.Handlers[0].Name = new(strings.Repeat("work", 30)) }),
			lieAboutDescribe(func(r *hivego.DescribeReply) {
				for i := range 20 {
					schema := `{"type": "object", "title": "` + strings.Repeat("x", 60<<10) + `"}`
					r.Handlers = append(r.Handlers,
						&hivego.HandlerInfo{Name: new(fmt.Sprint("h", i)), ParamsSchema: &schema})
				}
			}),
		},
		"token.refused": {gullible(func(c *hivego.Caller, sound conform.Target) { c.Token = &sound.Token })},
		"run.success": {
			lieAboutRun(func(_ *hivego.RunCall, o *hivego.Outcome) { o.Kind = nil }),
			lieAboutRun(func(_ *hivego.RunCall,
				o *hivego.Outcome,
			) {
				o.FinishedAtMillis = new(o.GetFinishedAtMillis() / 1000)
			}),
		},
		"run.failure": {
			lieAboutRun(func(_ *hivego.RunCall, o *hivego.Outcome) { o.Error = nil }),
			lieAboutRun(func(_ *hivego.RunCall, o *hivego.Outcome) { o.Kind = new(hivego.OutcomeKind_SUCCESS) }),
		},
		"run.handler": {{run: func(ctx context.Context, u up, c *hivego.RunCall) (*hivego.RunReply, error) {
			if c.GetAssignment().GetHandler() != "work" {
				return nil, errors.New("KeyError")
			}
			return u.Run(ctx, c)
		}}},
		"run.params": {lieAboutRun(func(c *hivego.RunCall, o *hivego.Outcome) {
			if !strings.Contains(c.Assignment.GetParamsJson(), "do") {
				o.Kind = new(hivego.OutcomeKind_SUCCESS)
			}
		})},
		"run.sparse": {lieAboutRun(func(c *hivego.RunCall, o *hivego.Outcome) {
			if !c.Assignment.IsSetWorkspace() {
				o.Kind = new(hivego.OutcomeKind_FAILURE)
			}
		})},
		"run.empty": {{run: func(ctx context.Context, u up, c *hivego.RunCall) (*hivego.RunReply, error) {
			return u.Run(ctx, &hivego.RunCall{Caller: c.Caller, Assignment: &hivego.Assignment{
				AttemptId: new(int64(1)), Handler: new("work"), ParamsJson: new(`{"do": "good"}`),
			}})
		}}},
		"token.every": {{readLog: func(ctx context.Context, u up, c *hivego.LogCall) (*hivego.LogReply, error) {
			c.Caller.Token = new(strings.TrimSuffix(c.Caller.GetToken(), "x"))
			return u.ReadLog(ctx, c)
		}}},
		"attach.lease":   {instead(hivego.ReceiptCode_BUSY, hivego.ReceiptCode_STARTED)},
		"attach.unknown": {instead(hivego.ReceiptCode_FORGOTTEN, hivego.ReceiptCode_STARTED), knowsAll()},
		"attach.reports": {{attach: func(ctx context.Context, u up, c *hivego.AttachCall) (*hivego.AttachReply, error) {
			r, err := u.Attach(ctx, c)
			if err == nil {
				r.Attempts = nil
			}
			return r, err
		}}},
		"attach.others": {{attach: func(ctx context.Context, u up, c *hivego.AttachCall) (*hivego.AttachReply, error) {
			r, err := u.Attach(ctx, c)
			if err == nil {
				r.Others = nil
			}
			return r, err
		}}},
		"submit.once":    {startsEach()},
		"submit.ended":   {instead(hivego.ReceiptCode_STARTED, hivego.ReceiptCode_FORGOTTEN)},
		"submit.refused": {instead(hivego.ReceiptCode_REFUSED, hivego.ReceiptCode_STARTED)},
		"submit.busy":    {instead(hivego.ReceiptCode_FORGOTTEN, hivego.ReceiptCode_STARTED)},
		"submit.many": {
			lieAboutReceipts(func(r *hivego.SubmitReply) { r.Receipts = r.Receipts[:len(r.Receipts)/2] }),
			{submit: func(ctx context.Context, u up, c *hivego.SubmitCall) (*hivego.SubmitReply, error) {
				c.Assignments = c.Assignments[:min(len(c.Assignments), 500)]
				return u.Submit(ctx, c)
			}},
		},
		"epoch.call": {gullible(func(c *hivego.Caller, _ conform.Target) { c.Epoch, c.Session = new(int64(7)), nil })},
		"epoch.attempt": {instead(hivego.ReceiptCode_STALE, hivego.ReceiptCode_STARTED), {
			kill: func(ctx context.Context, u up, c *hivego.KillCall) (*hivego.KillReply, error) {
				r, err := u.Kill(ctx, c)
				if err == nil {
					for _, s := range r.Statuses {
						s.Code = new(hivego.KillCode_KILLING)
					}
				}
				return r, err
			},
		}},
		"cluster.other": {gullible(func(c *hivego.Caller,
			_ conform.Target,
		) {
			c.ClusterId = new(conform.DefaultCluster)
		})},
		"poll.answers": {
			lieAboutPoll(nothing, func(r *hivego.PollReply) { r.Answer = new(int64(1)) }),
			lieAboutPoll(nothing, func(r *hivego.PollReply) { r.BootId = new("b") }),
		},
		"poll.own":   {tellsAll()},
		"poll.waits": {lieAboutPoll(func(c *hivego.PollCall) { c.WaitMillis = nil }, nothing)},
		"poll.repeats": {
			lieAboutPoll(func(c *hivego.PollCall) { c.Acks = nil }, nothing),
			tellsOnce(),
		},
		"poll.limit": {lieAboutPoll(func(c *hivego.PollCall) { c.MaxEvents = nil }, nothing)},
		"release.forgets": {
			lieAboutPoll(func(c *hivego.PollCall) { c.Releases = nil }, nothing),
			lieAboutPoll(func(c *hivego.PollCall) {
				for _, a := range c.Acks {
					c.Releases = append(c.Releases, a.GetAttemptId())
				}
			}, nothing),
		},
		"kill.ends": {
			lieAboutPoll(nothing, func(r *hivego.PollReply) {
				for _, e := range r.Events {
					e.Outcome.Kind = new(hivego.OutcomeKind_FAILURE)
				}
			}),
			{kill: func(_ context.Context, _ up, c *hivego.KillCall) (*hivego.KillReply, error) {
				r := &hivego.KillReply{}
				for _, o := range c.Orders {
					r.Statuses = append(r.Statuses,
						&hivego.KillStatus{AttemptId: o.AttemptId, Code: new(hivego.KillCode_KILLING)})
				}
				return r, nil
			}},
		},
		"kill.unknown": {instead(hivego.ReceiptCode_FORGOTTEN, hivego.ReceiptCode_STARTED)},
		"log.ranges": {
			{readLog: func(ctx context.Context, u up, c *hivego.LogCall) (*hivego.LogReply, error) {
				if c.GetOffset() > 0 {
					c.Offset = nil
				}
				return u.ReadLog(ctx, c)
			}},
			{readLog: func(ctx context.Context, u up, c *hivego.LogCall) (*hivego.LogReply, error) {
				r, err := u.ReadLog(ctx, c)
				if err == nil {
					r.Complete = nil
				}
				return r, err
			}},
		},
		"timeout.kept": {{submit: func(ctx context.Context, u up, c *hivego.SubmitCall) (*hivego.SubmitReply, error) {
			for _, a := range c.Assignments {
				a.TimeoutMillis = nil
			}
			return u.Submit(ctx, c)
		}}},
		"lease.delayed": {{
			attach: foreverAttached, poll: foreverPolled,
			submit: func(ctx context.Context, u up, c *hivego.SubmitCall) (*hivego.SubmitReply, error) {
				c.LastAnswer = nil
				return u.Submit(ctx, c)
			},
		}},
		"lease.passed": {{attach: foreverAttached, poll: foreverPolled}},
	}
}

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
	var told []*hivego.Event
	return lieAboutPoll(nothing, func(r *hivego.PollReply) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, r.Events...)
		r.Events = slices.Clone(told)
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
	told := map[int64]bool{}
	return lieAboutPoll(nothing, func(r *hivego.PollReply) {
		mu.Lock()
		defer mu.Unlock()
		r.Events = slices.DeleteFunc(r.Events, func(e *hivego.Event) bool {
			before := told[e.GetAttemptId()]
			told[e.GetAttemptId()] = true
			return before
		})
	})
}

// Each wrong executor is caught by the rule that it breaks; told apart from a check that always fails by
// TestSoundExecutor.
func TestBrokenExecutors(t *testing.T) {
	t.Parallel()
	for name, liars := range broken() {
		for _, l := range liars {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				l.sound = sound(t)
				caught(t, front(t, l, wire{}), name)
			})
		}
	}
	for name, w := range map[string]wire{
		"wire.connections": {oneAtATime: true},
		"wire.huge":        {endless: true},
		"wire.unknown": {refuses: func(frame []byte) bool {
			return bytes.Contains(frame,
				[]byte("newer than you"))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			caught(t, front(t, &liar{sound: sound(t)}, w), name)
		})
	}
}

// caught checks one rule, which is to fail with words and a remedy.
func caught(t *testing.T, target conform.Target, rule string) {
	t.Helper()
	f := check(t, conform.Options{Target: target, Work: work(), Only: []string{rule}, Patience: short}).Findings[0]
	if f.Result != conform.Fail || f.Why == "" || f.Remedy == "" {
		t.Fatalf("%+v", f)
	}
	t.Log(f.Why)
}

// No rule is without an executor that breaks it.
func TestEveryRuleIsBroken(t *testing.T) {
	t.Parallel()
	wrong := broken()
	for _, name := range conform.Names() {
		if strings.HasPrefix(name, "wire.") {
			continue // in the other table
		}
		if len(wrong[name]) == 0 {
			t.Errorf("nobody breaks %s", name)
		}
	}
}
