package conform_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/rprp/hivego/thrift/gen/hivego"
)

// nameOf names an attempt by its id and key.
func nameOf(id int64, key string) string {
	return strings.TrimSuffix(fmt.Sprintf("%d-%s", id, key), "-")
}

func ownerOf(c *hivego.Caller) owner {
	return owner{Server: c.GetServerId(), Epoch: c.GetEpoch(), Session: c.GetSession()}
}

// check refuses callers that are not the server. The caller holds the lock.
func (x *planted) check(c *hivego.Caller) error {
	if c == nil || c.GetToken() != x.token {
		return &hivego.AccessDenied{Message: new("wrong token")}
	}
	if x.j.Cluster == "" {
		x.j.Cluster = c.GetClusterId()
		x.save()
	}
	if x.j.Cluster != c.GetClusterId() {
		return &hivego.AccessDenied{Message: new("another cluster")}
	}
	return nil
}

// admit checks a caller and its epoch. The caller holds the lock.
func (x *planted) admit(c *hivego.Caller, submits bool) (owner, error) {
	o := ownerOf(c)
	if err := x.check(c); err != nil {
		return o, err
	}
	x.killExpired()
	s := x.j.Servers[o.Server]
	if s == nil {
		s = &plantedServer{}
		x.j.Servers[o.Server] = s
	}
	if s.Epoch > o.Epoch || s.Epoch == o.Epoch && s.Session != o.Session {
		return o, &hivego.StaleEpoch{Message: new("replaced"), Epoch: new(s.Epoch)}
	}
	if s.Epoch < o.Epoch && !(submits && x.has("submit-keeps-no-epoch")) {
		s.Epoch, s.Session = o.Epoch, o.Session
		x.save()
	}
	return o, nil
}

// load is the load of the executor. The caller holds the lock.
func (x *planted) load() *hivego.Load {
	n := x.running
	if x.has("load-always-0") {
		n = 0
	}
	if x.has("load-without-slots") {
		return &hivego.Load{}
	}
	return &hivego.Load{Slots: new(int32(x.slots)), Running: new(int32(n)), Draining: new(x.draining)}
}

// Describe implements the contract.
func (x *planted) Describe(_ context.Context, c *hivego.DescribeCall) (*hivego.DescribeReply, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.check(c.GetCaller()); err != nil {
		return nil, err
	}
	now := time.Now().UnixMilli()
	if x.has("clock-in-seconds") {
		now /= 1000
	}
	return &hivego.DescribeReply{
		ExecutorId: &x.j.Executor, BootId: &x.boot, Name: new("planted"), Load: x.load(), NowMillis: &now,
		Durable: new(true), Contract: new(int32(hivego.CONTRACT)),
		Handlers: []*hivego.HandlerInfo{{Name: new("work"), ParamsSchema: new(workSchema)}},
	}, nil
}

// Run implements the contract.
func (x *planted) Run(_ context.Context, c *hivego.RunCall) (*hivego.RunReply, error) {
	if x.has("run-crashes") && c.GetAssignment().GetHandler() != "work" {
		os.Exit(3)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.check(c.GetCaller()); err != nil {
		return nil, err
	}
	if c.GetAssignment() == nil {
		return nil, &hivego.BadCall{Message: new("no assignment")}
	}
	now := time.Now().UnixMilli()
	o := &hivego.Outcome{Kind: new(hivego.OutcomeKind_FAILURE), StartedAtMillis: &now, FinishedAtMillis: &now}
	switch a := c.GetAssignment(); {
	case a.GetHandler() != "work" && x.has("run-bad-call"):
		return nil, &hivego.BadCall{Message: new("no such handler")}
	case a.GetHandler() != "work":
		o.Error = new("no such handler")
	case !strings.Contains(a.GetParamsJson(), "good"):
		o.Error = new("failed as requested")
	default:
		o.Kind, o.Outputs = new(hivego.OutcomeKind_SUCCESS), map[string]string{"answer": "42", "big": bigOutput}
	}
	return &hivego.RunReply{Outcome: o}, nil
}

// Submit implements the contract.
func (x *planted) Submit(_ context.Context, c *hivego.SubmitCall) (*hivego.SubmitReply, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(c.GetAssignments()) > hivego.MAX_ASSIGNMENTS {
		return nil, &hivego.BadCall{Message: new("too many assignments")}
	}
	who, err := x.admit(c.GetCaller(), true)
	if err != nil {
		return nil, err
	}
	l := x.leaseOf(who)
	leased := l.live(x.now())
	if n := c.GetLastAnswer(); n != 0 {
		leased = x.confirm(l, n)
	}
	r := &hivego.SubmitReply{}
	for _, a := range c.GetAssignments() {
		code := x.accept(who, a, leased)
		r.Receipts = append(r.Receipts, &hivego.Receipt{
			AttemptId: a.AttemptId, Key: a.Key, Code: &code, Words: new("as the contract says"),
		})
	}
	x.save()
	r.Load = x.load()
	return r, nil
}

// accept decides about one assignment. The caller holds the lock, and saves.
func (x *planted) accept(who owner, as *hivego.Assignment, leased bool) hivego.ReceiptCode {
	name := nameOf(as.GetAttemptId(), as.GetKey())
	if a := x.j.Attempts[name]; a != nil {
		if a.Owner.outranks(who) {
			return hivego.ReceiptCode_STALE
		}
		if x.has("submit-runs-twice") && a.Outcome == nil {
			x.start(name, a, as.GetParamsJson())
		}
		if x.has("submit-runs-again") && a.Outcome != nil {
			a.Outcome, a.Started = nil, 0
			x.start(name, a, as.GetParamsJson())
		}
		x.takeOver(a, who)
		return hivego.ReceiptCode_STARTED
	}
	if x.j.Tombs[name] && !x.has("tombs-run") {
		return hivego.ReceiptCode_FORGOTTEN
	}
	if as.GetHandler() != "work" {
		return hivego.ReceiptCode_REFUSED
	}
	full := x.running >= x.slots && !x.has("slots-overrun")
	if x.draining && !x.has("drain-accepts") || full || !leased {
		if !x.has("busy-without-tomb") {
			x.j.Tombs[name] = true
		}
		if x.draining {
			return hivego.ReceiptCode_DRAINING
		}
		return hivego.ReceiptCode_BUSY
	}
	receipt := hivego.ReceiptCode_STARTED
	if x.j.Tombs[name] {
		receipt = hivego.ReceiptCode_FORGOTTEN
	}
	a := &plantedAttempt{ID: as.GetAttemptId(), Key: as.GetKey(), Owner: who}
	x.j.Attempts[name] = a
	x.start(name, a, as.GetParamsJson())
	if t := as.GetTimeoutMillis(); t > 0 && !x.has("timeout-ignored") {
		time.AfterFunc(time.Duration(t)*time.Millisecond, func() {
			x.mu.Lock()
			defer x.mu.Unlock()
			if a.Outcome == nil && !x.stopped() {
				x.kill(name, a, hivego.OutcomeKind_TIMEOUT, 0)
			}
		})
	}
	return receipt
}

// Attach implements the contract.
func (x *planted) Attach(_ context.Context, c *hivego.AttachCall) (*hivego.AttachReply, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if c.Keys != nil && len(c.Keys) != len(c.AttemptIds) {
		return nil, &hivego.BadCall{Message: new("as many keys as ids")}
	}
	if err := x.check(c.GetCaller()); err != nil {
		return nil, err
	}
	names, keys := plantedNames(c.AttemptIds, c.Keys)
	for _, name := range names {
		if a := x.j.Attempts[name]; a != nil && a.Owner.outranks(ownerOf(c.Caller)) && !x.has("attach-steals") {
			return nil, &hivego.StaleEpoch{Message: new("it has a later owner"), Epoch: new(a.Owner.Epoch)}
		}
	}
	who, err := x.admit(c.GetCaller(), false)
	if err != nil {
		return nil, err
	}
	x.grant(x.leaseOf(who), c.OrphanTimeoutMillis)
	r := &hivego.AttachReply{ExecutorId: &x.j.Executor, BootId: &x.boot}
	if x.has("attach-without-boot") {
		r.BootId = nil
	}
	named := map[string]bool{}
	for i, name := range names {
		named[name] = true
		a := x.j.Attempts[name]
		if a == nil {
			if !x.has("attach-without-tomb") {
				x.j.Tombs[name] = true
			}
			r.Attempts = append(r.Attempts, &hivego.AttemptReport{
				AttemptId: &c.AttemptIds[i], Key: &keys[i], State: new(hivego.AttemptState_FORGOTTEN),
			})
			continue
		}
		x.takeOver(a, who)
		r.Attempts = append(r.Attempts, a.report())
	}
	for name, a := range x.j.Attempts {
		if !named[name] && a.Owner.Server == who.Server && !(x.has("others-without-ended") && a.Outcome != nil) {
			r.Others = append(r.Others, a.report())
		}
	}
	x.save()
	x.changed()
	r.Load = x.load()
	return r, nil
}

func plantedNames(ids []int64, keys []string) (names, all []string) {
	all = make([]string, len(ids))
	copy(all, keys)
	for i, id := range ids {
		names = append(names, nameOf(id, all[i]))
	}
	return names, all
}

func (a *plantedAttempt) report() *hivego.AttemptReport {
	r := &hivego.AttemptReport{
		AttemptId: &a.ID, Key: &a.Key, State: new(hivego.AttemptState_RUNNING), StartedAtMillis: new(a.Started),
	}
	if a.Outcome != nil {
		r.State, r.Outcome = new(hivego.AttemptState_ENDED), a.Outcome
		if a.Outcome.GetKind() == hivego.OutcomeKind_LOST {
			r.State = new(hivego.AttemptState_LOST)
		}
	}
	return r
}

// Kill implements the contract.
func (x *planted) Kill(_ context.Context, c *hivego.KillCall) (*hivego.KillReply, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	who, err := x.admit(c.GetCaller(), false)
	if err != nil {
		return nil, err
	}
	r := &hivego.KillReply{}
	for _, o := range c.GetOrders() {
		name := nameOf(o.GetAttemptId(), o.GetKey())
		code := hivego.KillCode_KILLING
		switch a := x.j.Attempts[name]; {
		case a == nil:
			code, x.j.Tombs[name] = hivego.KillCode_FORGOTTEN, true
		case a.Owner.outranks(who) && !x.has("kill-by-anyone"):
			code = hivego.KillCode_STALE
		case a.Outcome != nil:
			if code = hivego.KillCode_ENDED; x.has("kill-rewrites-end") {
				a.Outcome.Kind = new(hivego.OutcomeKind_KILLED)
			}
		default:
			x.kill(name, a, hivego.OutcomeKind_KILLED, time.Duration(o.GetGraceMillis())*time.Millisecond)
		}
		r.Statuses = append(r.Statuses, &hivego.KillStatus{AttemptId: o.AttemptId, Key: o.Key, Code: &code})
	}
	x.save()
	return r, nil
}

// ReadLog implements the contract.
func (x *planted) ReadLog(_ context.Context, c *hivego.LogCall) (*hivego.LogReply, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.check(c.GetCaller()); err != nil {
		return nil, err
	}
	if c.GetOffset() < 0 {
		return nil, &hivego.BadCall{Message: new("a negative offset")}
	}
	name := nameOf(c.GetAttemptId(), c.GetKey())
	a := x.j.Attempts[name]
	if a == nil {
		return &hivego.LogReply{Found: new(false)}, nil
	}
	r := &hivego.LogReply{Found: new(true), Complete: new(a.Outcome != nil || x.has("log-always-complete"))}
	f, err := os.Open(x.log(name))
	if err != nil {
		r.Size = new(int64(0))
		return r, nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	offset := c.GetOffset()
	if x.has("log-wrong-offsets") && offset > 0 {
		offset--
	}
	r.Size = new(info.Size())
	r.Data, err = io.ReadAll(io.NewSectionReader(f, offset, int64(c.GetLimit())))
	return r, err
}
