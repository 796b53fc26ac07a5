package sdk

import (
	"context"
	"time"

	"github.com/rprp/hivego/executor/ledger"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// Poll waits until there is something to report, and reports it.
func (c *calls) Poll(ctx context.Context, call *hivego.PollCall) (*hivego.PollReply, error) {
	if err := c.authorize(ctx, call.GetCaller()); err != nil {
		return nil, err
	}
	e := c.e
	releases, err := refsIn(call.Releases, call.ReleaseKeys, "releases", "releaseKeys")
	if err != nil {
		return nil, fault(err)
	}
	in := ledger.PollCall{
		Caller: callerIn(call.Caller), Releases: releases, LastAnswer: call.GetLastAnswer(),
		OrphanTimeout: -1,
	}
	if call.OrphanTimeoutMillis != nil {
		in.OrphanTimeout = millis(call.GetOrphanTimeoutMillis())
	}
	for _, a := range call.Acks {
		in.Acks = append(in.Acks, ledger.Ack{Attempt: refOf(a), Seq: a.GetSeq()})
	}
	e.mu.Lock()
	st, err := e.ledger.Poll(clock(), in)
	e.commit(st, nil)
	if err != nil { // a session that was replaced, say, must not cut the polls of its successor short
		e.mu.Unlock()
		return nil, fault(err)
	}
	e.polls[in.Caller.Server]++
	turn := e.polls[in.Caller.Server]
	e.wakePolls([]string{in.Caller.Server}) // an older poll of this server need not wait any longer
	e.mu.Unlock()
	e.leaseChanged(in.Caller.LeaseName())
	c.await(ctx, in, turn, min(millis(call.GetWaitMillis()), maxWait))
	return c.answer(ctx, in, int(call.GetMaxEvents()))
}

// await waits until there is something to report, but not longer than wait, and not so long that the lease would pass.
func (c *calls) await(ctx context.Context, in ledger.PollCall, turn int, wait time.Duration) {
	if in.OrphanTimeout > 0 {
		wait = min(wait, in.OrphanTimeout/4)
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	e := c.e
	for {
		e.mu.Lock()
		now := e.ledger.Urgent(in.Caller, in.LastAnswer) || e.polls[in.Caller.Server] != turn
		wakeup := e.wakeup(in.Caller.Server)
		e.mu.Unlock()
		if now {
			return
		}
		select {
		case <-wakeup:
		case <-timer.C:
			return
		case <-ctx.Done():
			return
		case <-e.closing: // not quit: a server that does not know of the stop yet would poll again at once
			return
		}
	}
}

// answer makes the reply of a poll, with limit events at most.
func (c *calls) answer(ctx context.Context, in ledger.PollCall, limit int) (*hivego.PollReply, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	e := c.e
	now := clock()
	var a ledger.Answer
	load, err := c.step(ctx, nil, func() (st ledger.Step, err error) {
		a, st, err = e.ledger.Answer(now, in.Caller, in.LastAnswer, limit)
		return st, err
	})
	if err != nil {
		return nil, err
	}
	return &hivego.PollReply{
		Events: eventsOut(a.Events), Load: loadOut(load), Answer: &a.Number, NowMillis: new(now.Millis()),
		ExecutorId: &e.id.executorID, BootId: &e.id.bootID,
	}, nil
}
