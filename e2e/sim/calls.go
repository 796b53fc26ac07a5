package sim

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/rprp/hivego/executor/ledger"
	"github.com/rprp/hivego/server/dispatch"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// What an executor answers, as the wire of package dispatch reads it.

// waiter is a long poll that waits.
type waiter struct {
	turn  int
	from  ledger.Caller
	last  int64
	reply func(dispatch.Answer)
}

func (h *host) answer(from caller, c dispatch.Call, reply func(dispatch.Answer)) {
	if h.blocking {
		h.describe(reply)
		return
	}
	if h.ledger.Cluster() == "" {
		st, _ := h.ledger.SetCluster(h.now(), "cluster")
		h.commit(st, nil, nil)
	}
	switch c.Kind {
	case dispatch.CallAttach:
		h.attach(from, c, reply)
	case dispatch.CallSubmit:
		h.submit(from, c, reply)
	case dispatch.CallKill:
		h.kill(from, c, reply)
	case dispatch.CallPoll:
		h.poll(from, c, reply)
	}
	h.lookAtLeases()
}

// leave answers once a step is durable.
func (h *host) leave(st ledger.Step, tasks map[ledger.Ref]task, err error, a dispatch.Answer, reply func(dispatch.Answer)) {
	if err != nil {
		h.commit(st, tasks, nil)
		h.refuse(err, reply)
		return
	}
	load := h.ledger.Load()
	a.HasLoad, a.Draining, a.Running = true, load.Draining, load.Running
	h.commit(st, tasks, func() { reply(a) })
}

// refuse answers with an exception of the contract.
func (h *host) refuse(err error, reply func(dispatch.Answer)) {
	h.w.tracef(h.name, "refuses a call: %v", err)
	if stale, ok := errors.AsType[*ledger.StaleError](err); ok {
		words := stale.Error()
		err = &hivego.StaleEpoch{Message: &words, Epoch: &stale.Epoch}
	}
	reply(dispatch.Answer{Err: err})
}

// fence: once a session that began after the store went back was answered, none from before is let in, unless its epoch
// is the higher one; and such a one starts nothing.
func (h *host) fence(from caller, err error, starts []ledger.Ref) {
	after := h.heard[from.server]
	if err == nil && from.age < after.age && (from.epoch <= after.epoch || len(starts) > 0) {
		h.w.failf("fence", "%s lets %+v in to start %v, and has answered %+v", h.name, from, starts, after)
	}
}

func (h *host) attach(from caller, c dispatch.Call, reply func(dispatch.Answer)) {
	who := from.who()
	named, forgotten := c.Attach, []dispatch.Report(nil)
	if h.w.opt.Mutation == MutateTombs {
		named = nil
		for _, id := range c.Attach {
			if h.ledger.State(ledger.Ref(id)).Known {
				named = append(named, id)
			} else {
				forgotten = append(forgotten, dispatch.Report{Attempt: id, State: dispatch.ReportForgotten})
			}
		}
	}
	r, st, err := h.ledger.Attach(h.now(), ledger.AttachCall{Caller: who, Attempts: refs(named), OrphanTimeout: c.Orphan})
	a := dispatch.Answer{Boot: h.boot0(), Reports: append(reports(r.Attempts), forgotten...), Others: reports(r.Others)}
	h.fence(from, err, nil)
	h.w.tracef(h.name, "attached by %s: %v, others %v", who.Server, a.Reports, a.Others)
	h.leave(st, nil, err, a, func(a dispatch.Answer) {
		if a.Err == nil && from.age >= h.heard[who.Server].age {
			h.heard[who.Server] = from
		}
		h.effect(func() { h.pushLease(who.LeaseName()) })
		reply(a)
	})
}

// refs are attempts as an executor knows them.
func refs(list []hive.AttemptRef) []ledger.Ref {
	out := make([]ledger.Ref, 0, len(list))
	for _, r := range list {
		out = append(out, ledger.Ref(r))
	}
	return out
}

func reports(list []ledger.Report) []dispatch.Report {
	var out []dispatch.Report
	for _, r := range list {
		rep := dispatch.Report{Attempt: hive.AttemptRef(r.Attempt)}
		switch r.State {
		case ledger.AttemptRunning:
			rep.State = dispatch.ReportRunning
		case ledger.AttemptEnded:
			rep.State = dispatch.ReportEnded
		case ledger.AttemptLost:
			rep.State, rep.Words = dispatch.ReportLost, r.Outcome.Error
		case ledger.AttemptForgotten:
			rep.State = dispatch.ReportForgotten
		}
		out = append(out, rep)
	}
	return out
}

func (h *host) submit(from caller, c dispatch.Call, reply func(dispatch.Answer)) {
	who := from.who()
	in := ledger.SubmitCall{Caller: who, LastAnswer: c.LastAnswer}
	tasks := map[ledger.Ref]task{}
	for i := range c.Submit {
		as := &c.Submit[i]
		t := task{
			attempt: ledger.Ref(as.Ref()), run: as.RunID, batch: as.BatchID, handler: as.Handler, session: who.LeaseName(),
			timeout: as.Timeout, grace: as.KillGrace,
		}
		if err := json.Unmarshal(as.Params, &t.plan); err != nil {
			h.w.failf("assignment", "attempt %d: %v", as.Attempt, err)
		}
		o := ledger.Offer{Attempt: ledger.Ref(as.Ref()), Handler: as.Handler, Survives: as.Handler != handlerLocal}
		if t.plan.Never > 0 {
			o.Refusal = "it will never run here"
		}
		in.Offers = append(in.Offers, o)
		tasks[t.attempt] = t
	}
	receipts, st, err := h.ledger.Submit(h.now(), in)
	h.fence(from, err, st.Starts)
	for _, r := range st.Starts {
		h.accepted[r] = h.w.now
	}
	var a dispatch.Answer
	for _, r := range receipts {
		h.w.tracef(h.name, "receipt for attempt %s of %s: %s", r.Attempt, who.Server, r.Code)
		line := dispatch.ReceiptLine{Attempt: hive.AttemptRef(r.Attempt), Receipt: receiptOf(r.Code), Words: r.Words}
		a.Receipts = append(a.Receipts, line)
	}
	h.leave(st, tasks, err, a, func(a dispatch.Answer) {
		h.effect(func() { h.pushLease(who.LeaseName()) })
		reply(a)
	})
}

func receiptOf(c ledger.ReceiptCode) dispatch.Receipt {
	return map[ledger.ReceiptCode]dispatch.Receipt{
		ledger.ReceiptStarted: dispatch.ReceiptStarted, ledger.ReceiptBusy: dispatch.ReceiptBusy,
		ledger.ReceiptDraining: dispatch.ReceiptDraining, ledger.ReceiptRefused: dispatch.ReceiptRefused,
		ledger.ReceiptStale: dispatch.ReceiptStale, ledger.ReceiptForgotten: dispatch.ReceiptForgotten,
	}[c]
}

func (h *host) kill(from caller, c dispatch.Call, reply func(dispatch.Answer)) {
	var orders []ledger.KillRequest
	for _, k := range c.Kill {
		orders = append(orders, ledger.KillRequest{Attempt: ledger.Ref(k.Ref()), Grace: k.Grace, Reason: string(k.Reason)})
	}
	list, st, err := h.ledger.Kill(h.now(), from.who(), orders)
	h.fence(from, err, nil)
	var a dispatch.Answer
	for _, k := range list {
		rep := dispatch.Report{Attempt: hive.AttemptRef(k.Attempt), State: dispatch.ReportRunning}
		switch k.Code {
		case ledger.KillForgotten:
			rep.State = dispatch.ReportForgotten
		case ledger.KillStale:
			rep.State = dispatch.ReportStale
		case ledger.KillEnded:
			rep.State = dispatch.ReportEnded
		}
		a.Reports = append(a.Reports, rep)
	}
	h.leave(st, nil, err, a, func(a dispatch.Answer) {
		a.HasLoad = false
		reply(a)
	})
}

func (h *host) poll(from caller, c dispatch.Call, reply func(dispatch.Answer)) {
	who := from.who()
	in := ledger.PollCall{Caller: who, Releases: refs(c.Releases), LastAnswer: c.LastAnswer, OrphanTimeout: c.Orphan}
	for _, r := range slices.SortedFunc(maps.Keys(c.Acks), hive.AttemptRef.Compare) {
		in.Acks = append(in.Acks, ledger.Ack{Attempt: ledger.Ref(r), Seq: c.Acks[r]})
	}
	st, err := h.ledger.Poll(h.now(), in)
	h.fence(from, err, nil)
	h.commit(st, nil, nil)
	h.polls[who.Server]++
	h.wake(who.Server)
	if err != nil {
		h.refuse(err, reply)
		return
	}
	h.effect(func() { h.pushLease(who.LeaseName()) })
	x := &waiter{turn: h.polls[who.Server], from: who, last: c.LastAnswer, reply: reply}
	h.waiters = append(h.waiters, x)
	wait := min(c.Wait, 10*time.Second)
	if c.Orphan > 0 {
		wait = min(wait, c.Orphan/4)
	}
	h.after(wait, func() {
		if slices.Contains(h.waiters, x) {
			h.tell(x)
		}
	})
	h.wake(who.Server)
}

// wake lets the long polls of a server look again.
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
	a := dispatch.Answer{Boot: h.boot0(), Number: r.Number}
	for i := range r.Events {
		a.Events = append(a.Events, eventOf(&r.Events[i]))
	}
	h.leave(st, nil, err, a, x.reply)
}

func eventOf(ev *ledger.Event) hive.AttemptEvent {
	e := hive.AttemptEvent{Attempt: ev.Attempt.ID, Key: ev.Attempt.Key, Seq: ev.Seq, At: instant(ev.At)}
	switch ev.Kind {
	case ledger.EventProgress:
		e.Kind, e.Progress = hive.EventProgress, ev.Progress
	default:
		e.Kind = hive.EventEnded
		o := ev.Outcome
		e.Words, e.Outputs, e.ExitCode = o.Error, o.Outputs, o.ExitCode
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
