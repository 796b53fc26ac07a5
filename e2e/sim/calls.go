package sim

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/rprp/hivego/executor/ledger"
	"github.com/rprp/hivego/server/fleet"
	"github.com/rprp/hivego/server/hive"
)

// This file has the answers of an executor, as server/dispatch/wire reads them.

// waiter is an open long poll.
type waiter struct {
	turn  int
	from  ledger.Caller
	last  int64
	call  *fleet.PollCall
	reply func(fleet.Answer)
}

func (h *host) answer(from caller, c fleet.SessionCall, reply func(fleet.Answer)) {
	if c, ok := c.(*fleet.DescribeCall); ok {
		reply(&fleet.DescribeAnswer{Call: c, Description: h.describe()})
		return
	}
	if h.ledger.Cluster() == "" {
		st, _ := h.ledger.SetCluster(h.now(), "cluster")
		h.commit(st, nil, nil)
	}
	switch c := c.(type) {
	case *fleet.AttachCall:
		h.attach(from, c, reply)
	case *fleet.SubmitCall:
		h.submit(from, c, reply)
	case *fleet.KillCall:
		h.kill(from, c, reply)
	case *fleet.PollCall:
		h.poll(from, c, reply)
	}
	h.lookAtLeases()
}

// unanswered means that a call gets no answer.
func unanswered(c fleet.SessionCall, err error) fleet.Answer {
	f := fleet.Failure{Words: err.Error(), Trouble: hive.Plain(err.Error())}
	if stale, ok := errors.AsType[*ledger.StaleError](err); ok {
		f.Stale, f.LaterEpoch = true, stale.Epoch
	}
	return &fleet.Unanswered{Call: c, Failure: f}
}

// load returns the executor's use of its slots.
func (h *host) load() *fleet.Load {
	l := h.ledger.Load()
	return &fleet.Load{Running: l.Running, Draining: l.Draining}
}

// refuse answers with an exception of the contract.
func (h *host) refuse(c fleet.SessionCall, err error, reply func(fleet.Answer)) {
	h.w.tracef(h.name, "refuses a call: %v", err)
	reply(unanswered(c, err))
}

// fence checks the session of a call. Once the executor has answered a session that began after the store went back, it
// must refuse sessions from before, unless their epoch is higher. Even those must not start anything.
func (h *host) fence(from caller, err error, starts []ledger.Ref) {
	after := h.heard[from.server]
	if err == nil && from.age < after.age && (from.epoch <= after.epoch || len(starts) > 0) {
		h.w.failf("fence", "%s lets %+v in to start %v, and has answered %+v", h.name, from, starts, after)
	}
}

func (h *host) attach(from caller, c *fleet.AttachCall, reply func(fleet.Answer)) {
	who := from.who()
	named, forgotten := c.Attempts, []fleet.Report(nil)
	if h.w.opt.Mutation == MutateTombs {
		named = nil
		for _, id := range c.Attempts {
			if h.ledger.State(ledger.Ref(id)).Known {
				named = append(named, id)
			} else {
				forgotten = append(forgotten, fleet.Report{Attempt: id, State: fleet.AttemptForgotten})
			}
		}
	}
	r, st, err := h.ledger.Attach(h.now(), ledger.AttachCall{
		Caller: who, Attempts: refs(named), OrphanTimeout: c.OrphanTimeout,
	})
	a := &fleet.AttachAnswer{
		Call: c, Description: h.describe(), BootID: h.boot0(), Reports: append(reports(r.Attempts), forgotten...),
		Others: others(r.Others),
	}
	h.fence(from, err, nil)
	h.w.tracef(h.name, "attached by %s: %v, others %v", who.Server, a.Reports, a.Others)
	if err != nil {
		h.commit(st, nil, nil)
		h.effect(func() { h.pushLease(who.LeaseName()) })
		h.refuse(c, err, reply)
		return
	}
	a.Load = h.load()
	h.commit(st, nil, func() {
		if from.age >= h.heard[who.Server].age {
			h.heard[who.Server] = from
		}
		h.effect(func() { h.pushLease(who.LeaseName()) })
		reply(a)
	})
}

// refs converts attempts to the executor's references.
func refs(list []hive.AttemptRef) []ledger.Ref {
	out := make([]ledger.Ref, 0, len(list))
	for _, r := range list {
		out = append(out, ledger.Ref(r))
	}
	return out
}

func others(list []ledger.Report) []fleet.OtherAttempt {
	var out []fleet.OtherAttempt
	for _, r := range list {
		running := r.State == ledger.AttemptRunning
		out = append(out, fleet.OtherAttempt{Attempt: hive.AttemptRef(r.Attempt), Running: running})
	}
	return out
}

func reports(list []ledger.Report) []fleet.Report {
	var out []fleet.Report
	for _, r := range list {
		rep := fleet.Report{Attempt: hive.AttemptRef(r.Attempt)}
		switch r.State {
		case ledger.AttemptRunning:
			rep.State = fleet.AttemptRunning
		case ledger.AttemptEnded:
			rep.State = fleet.AttemptEnded
		case ledger.AttemptLost:
			rep.State, rep.Words = fleet.AttemptLost, hive.Plain(r.Outcome.Error)
		case ledger.AttemptForgotten:
			rep.State = fleet.AttemptForgotten
		}
		out = append(out, rep)
	}
	return out
}

func (h *host) submit(from caller, c *fleet.SubmitCall, reply func(fleet.Answer)) {
	who := from.who()
	in := ledger.SubmitCall{Caller: who, LastAnswer: c.LastAnswer}
	tasks := map[ledger.Ref]task{}
	for i := range c.Assignments {
		as := &c.Assignments[i]
		t := task{
			attempt: ledger.Ref(as.Ref()), run: as.RunID, batch: as.BatchID, handler: as.Handler,
			session: who.LeaseName(), timeout: as.Timeout, grace: as.KillGrace,
		}
		if err := json.Unmarshal(as.Params, &t.plan); err != nil {
			h.w.failf("assignment", "attempt %d: %v", as.Attempt, err)
		}
		o := ledger.Offer{Attempt: ledger.Ref(as.Ref()), Handler: as.Handler, Survives: as.Handler != handlerLocal}
		if t.plan.Never > 0 {
			o.Refusal.Words = "it will never run here"
		}
		in.Offers = append(in.Offers, o)
		tasks[t.attempt] = t
	}
	receipts, st, err := h.ledger.Submit(h.now(), in)
	h.fence(from, err, st.Starts)
	for _, r := range st.Starts {
		h.accepted[r] = h.w.now
	}
	a := &fleet.SubmitAnswer{Call: c}
	for _, r := range receipts {
		h.w.tracef(h.name, "receipt for attempt %s of %s: %s", r.Attempt, who.Server, r.Code)
		why := hive.Plain(r.Why.Words)
		line := fleet.Receipt{Attempt: hive.AttemptRef(r.Attempt), Code: receiptOf(r.Code), Words: why}
		a.Receipts = append(a.Receipts, line)
	}
	if err != nil {
		h.commit(st, tasks, nil)
		h.effect(func() { h.pushLease(who.LeaseName()) })
		h.refuse(c, err, reply)
		return
	}
	a.Load = h.load()
	h.commit(st, tasks, func() {
		h.effect(func() { h.pushLease(who.LeaseName()) })
		reply(a)
	})
}

func receiptOf(c ledger.ReceiptCode) fleet.ReceiptCode {
	return map[ledger.ReceiptCode]fleet.ReceiptCode{
		ledger.ReceiptStarted: fleet.ReceiptStarted, ledger.ReceiptBusy: fleet.ReceiptBusy,
		ledger.ReceiptDraining: fleet.ReceiptDraining, ledger.ReceiptRefused: fleet.ReceiptRefused,
		ledger.ReceiptStale: fleet.ReceiptStale, ledger.ReceiptForgotten: fleet.ReceiptForgotten,
	}[c]
}

func (h *host) kill(from caller, c *fleet.KillCall, reply func(fleet.Answer)) {
	var orders []ledger.KillRequest
	for _, k := range c.Orders {
		orders = append(orders, ledger.KillRequest{
			Attempt: ledger.Ref(k.Ref()), Grace: k.Grace, Reason: string(k.Reason),
		})
	}
	list, st, err := h.ledger.Kill(h.now(), from.who(), orders)
	h.fence(from, err, nil)
	a := &fleet.KillAnswer{Call: c}
	for _, k := range list {
		rep := fleet.Report{Attempt: hive.AttemptRef(k.Attempt), State: fleet.AttemptRunning}
		switch k.Code {
		case ledger.KillForgotten:
			rep.State = fleet.AttemptForgotten
		case ledger.KillStale:
			rep.State = fleet.AttemptStale
		case ledger.KillEnded:
			rep.State = fleet.AttemptEnded
		}
		a.Reports = append(a.Reports, rep)
	}
	if err != nil {
		h.commit(st, nil, nil)
		h.refuse(c, err, reply)
		return
	}
	h.commit(st, nil, func() { reply(a) })
}

func (h *host) poll(from caller, c *fleet.PollCall, reply func(fleet.Answer)) {
	who := from.who()
	in := ledger.PollCall{
		Caller: who, Releases: refs(c.Releases), LastAnswer: c.LastAnswer, OrphanTimeout: c.OrphanTimeout,
	}
	for _, r := range slices.SortedFunc(maps.Keys(c.Acks), hive.AttemptRef.Compare) {
		in.Acks = append(in.Acks, ledger.Ack{Attempt: ledger.Ref(r), Seq: c.Acks[r]})
	}
	st, err := h.ledger.Poll(h.now(), in)
	h.fence(from, err, nil)
	h.commit(st, nil, nil)
	h.polls[who.Server]++
	h.wake(who.Server)
	if err != nil {
		h.refuse(c, err, reply)
		return
	}
	h.effect(func() { h.pushLease(who.LeaseName()) })
	x := &waiter{turn: h.polls[who.Server], from: who, last: c.LastAnswer, call: c, reply: reply}
	h.waiters = append(h.waiters, x)
	wait := min(c.Wait, 10*time.Second)
	if c.OrphanTimeout > 0 {
		wait = min(wait, c.OrphanTimeout/4)
	}
	h.after(wait, func() {
		if slices.Contains(h.waiters, x) {
			h.tell(x)
		}
	})
	h.wake(who.Server)
}

// wake lets the long polls of a server check for news.
func (h *host) wake(server string) {
	for _, x := range slices.Clone(h.waiters) {
		if x.from.Server == server && (h.polls[server] != x.turn || h.ledger.Urgent(x.from, x.last)) {
			h.tell(x)
		}
	}
}

// tell answers a poll.
func (h *host) tell(x *waiter) {
	h.waiters = slices.DeleteFunc(h.waiters, func(y *waiter) bool { return y == x })
	r, st, err := h.ledger.Answer(h.now(), x.from, x.last, 0)
	a := &fleet.PollAnswer{Call: x.call, BootID: h.boot0(), Number: r.Number}
	for i := range r.Events {
		a.Events = append(a.Events, eventOf(&r.Events[i]))
	}
	if err != nil {
		h.commit(st, nil, nil)
		h.refuse(x.call, err, x.reply)
		return
	}
	a.Load = h.load()
	h.commit(st, nil, func() { x.reply(a) })
}

func eventOf(ev *ledger.Event) hive.AttemptEvent {
	e := hive.AttemptEvent{Attempt: ev.Attempt.ID, Key: ev.Attempt.Key, Seq: ev.Seq, At: instant(ev.At)}
	switch ev.Kind {
	case ledger.EventProgress:
		e.Kind, e.Progress = hive.EventProgress, ev.Progress
	default:
		e.Kind = hive.EventEnded
		o := ev.Outcome
		e.Words, e.Outputs, e.ExitCode = hive.Plain(o.Error), o.Outputs, o.ExitCode
		e.StartedAt, e.FinishedAt = instant(o.StartedAt), instant(o.FinishedAt)
		switch o.Kind {
		case ledger.Success:
			e.Outcome = hive.OutcomeSuccess
		case ledger.Timeout:
			e.Outcome = hive.OutcomeTimeout
		case ledger.Killed:
			e.Outcome = hive.OutcomeKilled
		case ledger.Lost:
			e.Kind = hive.EventLost
		default:
			e.Outcome = hive.OutcomeFailure
		}
	}
	return e
}

func instant(ms int64) time.Time {
	if ms <= 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
