package sdk

import (
	"context"
	"strings"
	"time"

	"github.com/rprp/hivego/executor/internal/message"
	"github.com/rprp/hivego/executor/ledger"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// runServer begins the server of callers that run attempts while they wait. No id of a server has a space.
const runServer = "run "

// Run runs one attempt while the caller waits. The attempt goes through the ledger like a submitted one, under its own
// caller. Its lease is the connection: the attempt is killed when the connection breaks. A stop of the executor breaks
// it too. After a crash of the executor, the next start kills the attempt.
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
	who.Server, who.Epoch = runServer+who.Server, max(who.Epoch, 1)
	t, err := e.task(now, who.LeaseName(), a)
	if err == nil {
		err = e.check(t)
	}
	if err != nil {
		return failedReply(t.maskedText(message.Of(err))), nil
	}
	// Its process may survive a restart, and must then be found to be killed.
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
		c.giveUp(ctx, t)
		return nil, err
	}
	return c.finish(ctx, t, ended)
}

// failedReply makes the reply to a run that was not started.
func failedReply(why message.Text) *hivego.RunReply {
	o := ledger.Outcome{Kind: ledger.Failure}
	o.SetError(cleanText(why))
	return &hivego.RunReply{Outcome: outcomeOut(&o)}
}

// finish waits for the end of a run and releases the attempt.
func (c *calls) finish(ctx context.Context, t *Task, ended <-chan struct{}) (*hivego.RunReply, error) {
	e := c.e
	select {
	case <-ended:
	case <-ctx.Done():
		c.giveUp(ctx, t)
		return nil, ctx.Err()
	case <-e.quit:
		c.giveUp(ctx, t)
		return nil, errStopping
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	o := e.ledger.State(t.ref()).Outcome
	e.abandon(t.ref(), t.Grace)
	return &hivego.RunReply{Outcome: outcomeOut(o)}, nil
}

// giveUp abandons an attempt whose caller has gone. It waits until the kill is on its way, because a stop of the
// executor waits for calls, and then performs only the actions that are due.
func (c *calls) giveUp(ctx context.Context, t *Task) {
	c.e.mu.Lock()
	done := c.e.abandon(t.ref(), t.Grace)
	c.e.mu.Unlock()
	_ = c.durably(context.WithoutCancel(ctx), done)
}

// abandon releases an attempt of Run that has ended. It kills one that runs; ended then releases it. The returned
// channel is that of commit. The caller holds the lock.
func (e *Executor) abandon(attempt ledger.Ref, grace time.Duration) <-chan struct{} {
	delete(e.ends, attempt)
	order := ledger.KillOrder{Grace: grace, Reason: "the caller has gone"}
	return e.commit(e.ledger.Abandon(clock(), attempt, order), nil)
}

// restartGrace is the kill grace of a run whose assignment is not known any more.
const restartGrace = 5 * time.Second

// abandonRuns abandons the attempts of Run that an earlier process left: their connections broke with it.
func (e *Executor) abandonRuns() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, r := range e.ledger.Known() {
		if e.isRun(r) {
			e.abandon(r, restartGrace)
		}
	}
}

// isRun reports whether an attempt was started by Run. The caller holds the lock.
func (e *Executor) isRun(attempt ledger.Ref) bool {
	return strings.HasPrefix(e.ledger.State(attempt).Server, runServer)
}
