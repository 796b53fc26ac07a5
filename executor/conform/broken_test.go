package conform_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/executor/conform"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// up is the sound executor that a liar stands before.
type up = hivego.DurableExecutor

// target is where a sound executor listens.
type target = conform.Target

// broken are executors that break one rule each.
func broken() map[string][]*liar {
	all := map[string][]*liar{}
	for _, some := range []map[string][]*liar{
		brokenDescriptions(), brokenRuns(), brokenSubmits(), brokenEnds(), brokenKeys(),
	} {
		maps.Copy(all, some)
	}
	return all
}

// brokenDescriptions are those that break a rule when they answer describe.
func brokenDescriptions() map[string][]*liar {
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
	}
}

// brokenRuns are those that break a rule when they answer run, or check the token.
func brokenRuns() map[string][]*liar {
	return map[string][]*liar{
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
	}
}

// brokenSubmits are those that break a rule when they answer attach and submit.
func brokenSubmits() map[string][]*liar {
	return map[string][]*liar{
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
	}
}

// brokenEnds are those that break a rule when they report ends.
func brokenEnds() map[string][]*liar {
	return map[string][]*liar{
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
