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

// target is the address of a correct executor.
type target = conform.Target

// broken returns executors that break one rule each, by the names of the rules.
func broken() map[string][]*proxy {
	all := map[string][]*proxy{}
	for _, part := range []map[string][]*proxy{
		brokenDescriptions(), brokenRuns(), brokenSubmits(), brokenEnds(), brokenKeys(),
	} {
		maps.Copy(all, part)
	}
	return all
}

// brokenDescriptions returns executors that break rules of describe.
func brokenDescriptions() map[string][]*proxy {
	return map[string][]*proxy{
		"describe.identity": {
			changeDescribe(func(r *hivego.DescribeReply) { r.ExecutorId = nil }),
			changeDescribe(func(r *hivego.DescribeReply) { r.BootId = new(time.Now().String()) }),
		},
		"describe.clock": {
			changeDescribe(func(r *hivego.DescribeReply) { r.NowMillis = nil }),
			changeDescribe(func(r *hivego.DescribeReply) { r.NowMillis = new(r.GetNowMillis() / 1000) }),
		},
		"describe.load": {
			changeDescribe(func(r *hivego.DescribeReply) { r.Load.Slots = new(int32(0)) }),
			changeDescribe(func(r *hivego.DescribeReply) { r.Load.Running = new(int32(-1)) }),
		},
		"describe.handlers": {
			changeDescribe(func(r *hivego.DescribeReply) { r.Handlers = append(r.Handlers, r.Handlers[0]) }),
			changeDescribe(func(r *hivego.DescribeReply) { r.Handlers = nil }),
			changeDescribe(func(r *hivego.DescribeReply) {
				r.Handlers = append(r.Handlers, &hivego.HandlerInfo{Name: new("do_<b>")})
			}),
		},
		"describe.schema": {
			changeDescribe(func(r *hivego.DescribeReply) { r.Handlers[0].ParamsSchema = new("do: string") }),
			changeDescribe(func(r *hivego.DescribeReply) {
				r.Handlers[0].ParamsSchema = new(strings.ReplaceAll(workSchema, "plain", "html"))
			}),
		},
		"describe.limits": {
			changeDescribe(func(r *hivego.DescribeReply) { r.Name = new("the executor of Ada") }),
			changeDescribe(func(r *hivego.DescribeReply) { r.Labels = map[string]string{"tty": "\x1b[2J"} }),
			changeDescribe(func(r *hivego.DescribeReply) { r.Load.Slots = new(int32(1 << 20)) }),
			changeDescribe(func(r *hivego.DescribeReply) { r.Handlers[0].Name = new(strings.Repeat("work", 30)) }),
			changeDescribe(func(r *hivego.DescribeReply) {
				for i := range 20 {
					schema := `{"type": "object", "title": "` + strings.Repeat("x", 60<<10) + `"}`
					r.Handlers = append(r.Handlers,
						&hivego.HandlerInfo{Name: new(fmt.Sprint("h", i)), ParamsSchema: &schema})
				}
			}),
		},
	}
}

// brokenRuns returns executors that break rules of run or of the token.
func brokenRuns() map[string][]*proxy {
	return map[string][]*proxy{
		"token.refused": {changeCaller(func(c *hivego.Caller, correct conform.Target) { c.Token = &correct.Token })},
		"run.success": {
			changeRun(func(_ *hivego.RunCall, o *hivego.Outcome) { o.Kind = nil }),
			changeRun(func(_ *hivego.RunCall, o *hivego.Outcome) {
				o.FinishedAtMillis = new(o.GetFinishedAtMillis() / 1000)
			}),
		},
		"run.failure": {
			changeRun(func(_ *hivego.RunCall, o *hivego.Outcome) { o.Error = nil }),
			changeRun(func(_ *hivego.RunCall, o *hivego.Outcome) { o.Kind = new(hivego.OutcomeKind_SUCCESS) }),
		},
		"run.handler": {{run: func(ctx context.Context, u inner, c *hivego.RunCall) (*hivego.RunReply, error) {
			if c.GetAssignment().GetHandler() != "work" {
				return nil, errors.New("KeyError")
			}
			return u.Run(ctx, c)
		}}},
		"run.params": {changeRun(func(c *hivego.RunCall, o *hivego.Outcome) {
			if !strings.Contains(c.Assignment.GetParamsJson(), "do") {
				o.Kind = new(hivego.OutcomeKind_SUCCESS)
			}
		})},
		"run.reason": {
			changeRun(func(_ *hivego.RunCall, o *hivego.Outcome) { o.Reason = new(strings.Repeat("x", 64)) }),
			changeRun(func(_ *hivego.RunCall, o *hivego.Outcome) { o.Error, o.Reason = nil, new("lost") }),
			changeRun(func(_ *hivego.RunCall, o *hivego.Outcome) {
				o.Reason, o.Params = nil, map[string]string{"name": "value"}
			}),
			changeRun(func(_ *hivego.RunCall, o *hivego.Outcome) {
				o.Error, o.Reason, o.Params = new("x"), new("x"), map[string]string{"x": strings.Repeat("x", 4096)}
			}),
		},
		"run.sparse": {changeRun(func(c *hivego.RunCall, o *hivego.Outcome) {
			if !c.Assignment.IsSetWorkspace() {
				o.Kind = new(hivego.OutcomeKind_FAILURE)
			}
		})},
		"run.empty": {{run: func(ctx context.Context, u inner, c *hivego.RunCall) (*hivego.RunReply, error) {
			return u.Run(ctx, &hivego.RunCall{Caller: c.Caller, Assignment: &hivego.Assignment{
				AttemptId: new(int64(1)), Handler: new("work"), ParamsJson: new(`{"do": "good"}`),
			}})
		}}},
		"token.every": {{readLog: func(ctx context.Context, u inner, c *hivego.LogCall) (*hivego.LogReply, error) {
			c.Caller.Token = new(strings.TrimSuffix(c.Caller.GetToken(), "x"))
			return u.ReadLog(ctx, c)
		}}},
	}
}

// brokenSubmits returns executors that break rules of attach and submit.
func brokenSubmits() map[string][]*proxy {
	return map[string][]*proxy{
		"attach.lease":   {setReceipt(hivego.ReceiptCode_BUSY, hivego.ReceiptCode_STARTED)},
		"attach.unknown": {setReceipt(hivego.ReceiptCode_FORGOTTEN, hivego.ReceiptCode_STARTED), reportAllRunning()},
		"attach.reports": {{
			attach: func(ctx context.Context, u inner, c *hivego.AttachCall) (*hivego.AttachReply, error) {
				r, err := u.Attach(ctx, c)
				if err == nil {
					r.Attempts = nil
				}
				return r, err
			},
		}},
		"attach.others": {{
			attach: func(ctx context.Context, u inner, c *hivego.AttachCall) (*hivego.AttachReply, error) {
				r, err := u.Attach(ctx, c)
				if err == nil {
					r.Others = nil
				}
				return r, err
			},
		}},
		"submit.once":    {startEverySubmit()},
		"submit.ended":   {setReceipt(hivego.ReceiptCode_STARTED, hivego.ReceiptCode_FORGOTTEN)},
		"submit.refused": {setReceipt(hivego.ReceiptCode_REFUSED, hivego.ReceiptCode_STARTED)},
		"submit.busy":    {setReceipt(hivego.ReceiptCode_FORGOTTEN, hivego.ReceiptCode_STARTED)},
		"submit.many": {
			changeReceipts(func(r *hivego.SubmitReply) { r.Receipts = r.Receipts[:len(r.Receipts)/2] }),
			{submit: func(ctx context.Context, u inner, c *hivego.SubmitCall) (*hivego.SubmitReply, error) {
				c.Assignments = c.Assignments[:min(len(c.Assignments), 500)]
				return u.Submit(ctx, c)
			}},
		},
		"epoch.call": {changeCaller(func(c *hivego.Caller, _ target) { c.Epoch, c.Session = new(int64(7)), nil })},
		"epoch.attempt": {setReceipt(hivego.ReceiptCode_STALE, hivego.ReceiptCode_STARTED), {
			kill: func(ctx context.Context, u inner, c *hivego.KillCall) (*hivego.KillReply, error) {
				r, err := u.Kill(ctx, c)
				if err == nil {
					for _, s := range r.Statuses {
						s.Code = new(hivego.KillCode_KILLING)
					}
				}
				return r, err
			},
		}},
		"cluster.other": {changeCaller(func(c *hivego.Caller, _ target) { c.ClusterId = new(conform.DefaultCluster) })},
	}
}

// brokenEnds returns executors that break rules of poll, kill, logs and leases.
func brokenEnds() map[string][]*proxy {
	return map[string][]*proxy{
		"poll.answers": {
			changePoll(keep, func(r *hivego.PollReply) { r.Answer = new(int64(1)) }),
			changePoll(keep, func(r *hivego.PollReply) { r.BootId = new("b") }),
		},
		"poll.own":   {reportToAll()},
		"poll.waits": {changePoll(func(c *hivego.PollCall) { c.WaitMillis = nil }, keep)},
		"poll.repeats": {
			changePoll(func(c *hivego.PollCall) { c.Acks = nil }, keep),
			reportOnce(),
		},
		"poll.limit": {changePoll(func(c *hivego.PollCall) { c.MaxEvents = nil }, keep)},
		"release.forgets": {
			changePoll(func(c *hivego.PollCall) { c.Releases = nil }, keep),
			changePoll(func(c *hivego.PollCall) {
				for _, a := range c.Acks {
					c.Releases = append(c.Releases, a.GetAttemptId())
				}
			}, keep),
		},
		"kill.ends": {
			changePoll(keep, func(r *hivego.PollReply) {
				for _, e := range r.Events {
					if e.Outcome != nil {
						e.Outcome.Kind = new(hivego.OutcomeKind_FAILURE)
					}
				}
			}),
			{kill: func(_ context.Context, _ inner, c *hivego.KillCall) (*hivego.KillReply, error) {
				r := &hivego.KillReply{}
				for _, o := range c.Orders {
					r.Statuses = append(r.Statuses,
						&hivego.KillStatus{AttemptId: o.AttemptId, Code: new(hivego.KillCode_KILLING)})
				}
				return r, nil
			}},
		},
		"kill.unknown": {setReceipt(hivego.ReceiptCode_FORGOTTEN, hivego.ReceiptCode_STARTED)},
		"log.ranges": {
			{readLog: func(ctx context.Context, u inner, c *hivego.LogCall) (*hivego.LogReply, error) {
				if c.GetOffset() > 0 {
					c.Offset = nil
				}
				return u.ReadLog(ctx, c)
			}},
			{readLog: func(ctx context.Context, u inner, c *hivego.LogCall) (*hivego.LogReply, error) {
				r, err := u.ReadLog(ctx, c)
				if err == nil {
					r.Complete = nil
				}
				return r, err
			}},
		},
		"timeout.kept": {{
			submit: func(ctx context.Context, u inner, c *hivego.SubmitCall) (*hivego.SubmitReply, error) {
				for _, a := range c.Assignments {
					a.TimeoutMillis = nil
				}
				return u.Submit(ctx, c)
			},
		}},
		"lease.delayed": {{
			attach: attachForever, poll: pollForever,
			submit: func(ctx context.Context, u inner, c *hivego.SubmitCall) (*hivego.SubmitReply, error) {
				c.LastAnswer = nil
				return u.Submit(ctx, c)
			},
		}},
		"lease.passed": {{attach: attachForever, poll: pollForever}},
	}
}

// Each broken executor fails the rule that it breaks. TestCorrectExecutor makes sure that a rule does not always fail.
func TestBrokenExecutors(t *testing.T) {
	t.Parallel()
	for name, proxies := range broken() {
		for _, x := range proxies {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				x.correct = correct(t)
				requireFailure(t, startProxy(t, x, wireFault{}), name)
			})
		}
	}
	for name, w := range map[string]wireFault{
		"wire.connections": {sequential: true},
		"wire.huge":        {readsAll: true},
		"wire.unknown": {refuses: func(frame []byte) bool {
			return bytes.Contains(frame, []byte("newer than you"))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requireFailure(t, startProxy(t, &proxy{correct: correct(t)}, w), name)
		})
	}
}

// requireFailure checks one rule, which must fail with a reason and a remedy.
func requireFailure(t *testing.T, target conform.Target, rule string) {
	t.Helper()
	f := check(t, conform.Options{Target: target, Work: work(), Only: []string{rule}, Patience: short}).Findings[0]
	if f.Result != conform.Fail || f.Why == "" || f.Remedy == "" {
		t.Fatalf("%+v", f)
	}
	t.Log(f.Why)
}

// For each rule there is an executor that breaks it.
func TestEveryRuleIsBroken(t *testing.T) {
	t.Parallel()
	all, found := broken(), map[string]bool{}
	for _, faults := range []map[fault]string{plantedFaults(), restartFaults()} {
		for _, rule := range faults {
			found[rule] = true
		}
	}
	found["life.whole"] = true // by TestSenseless
	for _, name := range conform.Names() {
		if strings.HasPrefix(name, "wire.") {
			continue // in the other table
		}
		if len(all[name]) == 0 && !found[name] {
			t.Errorf("no executor breaks %s", name)
		}
	}
}
