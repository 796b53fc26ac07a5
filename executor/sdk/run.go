package sdk

import (
	"context"

	"github.com/rprp/hivego/executor/internal/message"
	"github.com/rprp/hivego/executor/ledger"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// Run runs one attempt while the caller waits. The attempt goes through the ledger like a submitted one, under its own
// caller. Its lease is the connection: when the connection breaks, the attempt is killed.
func (c *calls) Run(ctx context.Context, call *hivego.RunCall) (*hivego.RunReply, error) {
	if err := c.authorize(ctx, call.GetCaller()); err != nil {
		return nil, err
	}
	a := call.GetAssignment()
	if a == nil {
		return nil, fault(&ledger.BadCallError{Message: "no assignment"})
	}
	e := c.e
	now := clock()
	who := callerIn(call.Caller)
	who.Server, who.Epoch = "run "+who.Server, max(who.Epoch, 1)
	t, err := e.task(now, who.LeaseName(), a)
	if err == nil {
		err = e.check(t)
	}
	if err != nil {
		return failedReply(message.Of(err)), nil
	}
	offer := ledger.Offer{
		Attempt: t.ref(), Handler: t.Handler, About: t.about(), Survives: e.durables[t.Handler] != nil,
	}
	ended := make(chan struct{})
	full := e.noRoom()
	e.mu.Lock()
	e.setFull(full)
	if e.ledger.State(t.ref()).Known {
		e.mu.Unlock()
		return nil, fault(&ledger.BadCallError{Message: "this attempt is known already; run is never repeated"})
	}
	e.ledger.AdoptLease(ledger.Lease{Name: who.LeaseName(), Forever: true})
	receipts, st, err := e.ledger.Submit(now, ledger.SubmitCall{Caller: who, Offers: []ledger.Offer{offer}})
	done := e.commit(st, map[ledger.Ref]*Task{t.ref(): t})
	if err == nil && receipts[0].Code == ledger.ReceiptStarted {
		e.ends[t.ref()] = ended
	}
	e.mu.Unlock()
	if err != nil {
		return nil, fault(err)
	}
	if receipts[0].Code != ledger.ReceiptStarted {
		return failedReply(message.Quote(message.NotStarted, "not started: ‹words›", receipts[0].Why)), nil
	}
	if err := c.durably(ctx, done); err != nil {
		c.abandon(who, t)
		return nil, err
	}
	return c.finish(ctx, who, t, ended)
}

// failedReply makes the reply to a run that was not started.
func failedReply(why message.Text) *hivego.RunReply {
	o := ledger.Outcome{Kind: ledger.Failure}
	o.SetError(cleanText(why))
	return &hivego.RunReply{Outcome: outcomeOut(&o)}
}

// finish waits for the end of a run and releases the attempt.
func (c *calls) finish(
	ctx context.Context, who ledger.Caller, t *Task, ended <-chan struct{},
) (*hivego.RunReply, error) {
	e := c.e
	select {
	case <-ended:
	case <-ctx.Done():
		c.abandon(who, t)
		return nil, ctx.Err()
	case <-e.quit:
		return nil, errStopping
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	o := e.ledger.State(t.ref()).Outcome
	st, err := e.ledger.Poll(clock(), ledger.PollCall{Caller: who, Releases: []ledger.Ref{t.ref()}})
	e.commit(st, nil)
	if err != nil {
		return nil, fault(err)
	}
	return &hivego.RunReply{Outcome: outcomeOut(o)}, nil
}

// abandon kills an attempt that nobody waits for any more, and releases it once it has ended.
func (c *calls) abandon(who ledger.Caller, t *Task) {
	e := c.e
	e.mu.Lock()
	ended := e.ends[t.ref()]
	order := ledger.KillRequest{Attempt: t.ref(), Grace: t.Grace, Reason: "the caller has gone"}
	_, st, _ := e.ledger.Kill(clock(), who, []ledger.KillRequest{order})
	e.commit(st, nil)
	e.mu.Unlock()
	e.loops.Go(func() {
		if ended != nil {
			select {
			case <-ended:
			case <-e.quit:
				return
			}
		}
		e.mu.Lock()
		defer e.mu.Unlock()
		st, _ := e.ledger.Poll(clock(), ledger.PollCall{Caller: who, Releases: []ledger.Ref{t.ref()}})
		e.commit(st, nil)
	})
}
