package conform_test

import (
	"context"
	"os"
	"time"

	"github.com/rprp/hivego/thrift/gen/hivego"
)

// Poll implements the contract.
func (x *planted) Poll(ctx context.Context, c *hivego.PollCall) (*hivego.PollReply, error) {
	if c.ReleaseKeys != nil && len(c.ReleaseKeys) != len(c.Releases) {
		return nil, &hivego.BadCall{Message: new("as many keys as releases")}
	}
	if c.GetWaitMillis() > slowFrom && x.has("poll-slow-once") && x.slow.CompareAndSwap(false, true) {
		time.Sleep(slowPoll) //nolint:forbidigo // this executor is slow
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	who, err := x.admit(c.GetCaller(), false)
	if err != nil {
		return nil, err
	}
	l := x.leaseOf(who)
	x.grant(l, c.OrphanTimeoutMillis)
	x.confirm(l, c.GetLastAnswer())
	x.forget(who, c)
	x.polls[who.Server]++
	turn := x.polls[who.Server]
	x.changed()
	wait := time.NewTimer(time.Duration(c.GetWaitMillis()) * time.Millisecond)
	defer wait.Stop()
	for x.waits(who, c, turn) {
		news := x.news
		x.mu.Unlock()
		over := false
		select {
		case <-news:
		case <-wait.C:
			over = true
		case <-ctx.Done():
			over = true
		case <-x.done:
			over = true
		}
		x.mu.Lock()
		if over {
			break
		}
	}
	if _, err := x.admit(c.GetCaller(), false); err != nil {
		return nil, err
	}
	x.j.Issued++
	x.save()
	l.numbers[x.j.Issued] = x.now()
	r := &hivego.PollReply{
		Answer: new(x.j.Issued), Load: x.load(), NowMillis: new(time.Now().UnixMilli()), ExecutorId: &x.j.Executor,
		BootId: &x.boot,
	}
	switch {
	case x.has("poll-clock-in-seconds"):
		r.NowMillis = new(time.Now().Unix())
	case x.has("poll-without-clock"):
		r.NowMillis = nil
	}
	r.Events = x.events(who, int(c.GetMaxEvents()))
	return r, nil
}

// waits reports whether a poll has to wait. The caller holds the lock.
func (x *planted) waits(who owner, c *hivego.PollCall, turn int) bool {
	if c.GetLastAnswer() == 0 && !x.has("poll-first-waits") || x.stopped() ||
		x.polls[who.Server] != turn && !x.has("poll-older-waits") || x.has("poll-never-waits") {
		return false
	}
	for _, a := range x.j.Attempts {
		if a.Owner.Server == who.Server && a.pending() && (a.sent == 0 || a.sent > c.GetLastAnswer()) {
			return false
		}
	}
	return true
}

func (a *plantedAttempt) pending() bool {
	return a.Seq > a.Acked && (a.Outcome != nil || a.progress != 0)
}

// forget handles acks and releases. The caller holds the lock.
func (x *planted) forget(who owner, c *hivego.PollCall) {
	for _, k := range c.Acks {
		a := x.j.Attempts[nameOf(k.GetAttemptId(), k.GetKey())]
		if a != nil && a.Outcome == nil && x.has("progress-unacked") {
			continue
		}
		if a != nil && a.Owner.Server == who.Server && k.GetSeq() > a.Acked && k.GetSeq() <= a.Seq {
			a.Acked = k.GetSeq()
			if a.Outcome == nil && a.progress == firstProgress {
				x.advance(a, 2*firstProgress)
			}
		}
	}
	names, _ := plantedNames(c.Releases, c.ReleaseKeys)
	for _, name := range names {
		a := x.j.Attempts[name]
		if a == nil || a.Outcome == nil && !x.has("release-running") ||
			a.Owner.Server != who.Server && !x.has("release-by-anyone") {
			continue
		}
		delete(x.j.Attempts, name)
		if x.has("release-lost") {
			if x.j.Lost == nil {
				x.j.Lost = map[string]*plantedAttempt{}
			}
			x.j.Lost[name] = a
		}
		if a.stop != nil {
			x.kill(name, a, hivego.OutcomeKind_KILLED, 0)
		}
		x.j.Tombs[name] = true
		_ = os.Remove(x.log(name))
	}
	if len(names)+len(c.Acks) > 0 {
		x.save()
	}
}

// events returns what has happened to the attempts of a server. The caller holds the lock.
func (x *planted) events(who owner, limit int) []*hivego.Event {
	var out []*hivego.Event
	for _, fresh := range []bool{true, false} {
		for _, a := range x.j.Attempts {
			mine := a.Owner.Server == who.Server || x.has("poll-tells-all")
			full := limit > 0 && len(out) == limit || x.has("poll-tells-nothing")
			if !mine || full || !a.pending() || (a.sent == 0) != fresh || a.sent == x.j.Issued {
				continue
			}
			if a.sent > 0 && (x.has("poll-tells-once") || x.has("progress-told-once") && a.Outcome == nil) {
				continue
			}
			if x.has("progress-keeps-seq") {
				a.progress += 0.01
			}
			e := &hivego.Event{AttemptId: &a.ID, Key: &a.Key, Seq: new(a.Seq), Kind: new(hivego.EventKind_PROGRESS)}
			if e.Progress = new(a.progress); a.Outcome != nil {
				e.Kind, e.Progress, e.Outcome = new(hivego.EventKind_ENDED), nil, a.Outcome
			}
			if fresh {
				a.sent = x.j.Issued
			}
			out = append(out, e)
			if x.has("progress-after-end") && a.Outcome != nil {
				out = append(out, &hivego.Event{
					AttemptId: &a.ID, Key: &a.Key, Seq: new(a.Seq + 1), Kind: new(hivego.EventKind_PROGRESS),
					Progress: new(0.9),
				})
			}
		}
	}
	return out
}

// Of one executor, the first poll that waits for more than slowFrom milliseconds arrives late by slowPoll.
const (
	slowFrom = 2000
	slowPoll = time.Second
)
