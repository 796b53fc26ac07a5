package dispatch

import (
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// CallKind is what a call asks of an executor.
type CallKind string

// The kinds of calls. Attach, submit and kill share the control connection, one at a time; poll has its own.
const (
	CallAttach CallKind = "attach"
	CallSubmit CallKind = "submit"
	CallKill   CallKind = "kill"
	CallPoll   CallKind = "poll"
)

// The calls of executors that only offer run, each on a connection of its own.
const (
	CallDescribe CallKind = "describe"
	CallRun      CallKind = "run"   // of one assignment, for as long as it takes
	CallBreak    CallKind = "break" // no call: the run call of an attempt is to be broken off. It is not Answered
)

// Call is one call to be made. Whoever makes it hands its answer to Answered, exactly once.
type Call struct {
	Kind     CallKind
	Executor hive.Executor
	Submit   []hive.Assignment
	Attach   []hive.AttemptRef
	Kill     []hive.KillOrder

	Wait       time.Duration // poll
	Acks       map[hive.AttemptRef]int64
	Releases   []hive.AttemptRef
	LastAnswer int64         // poll, submit
	LogLimit   int64         // submit: bytes at which a log is cut; 0 says nothing
	Orphan     time.Duration // poll, attach: orphan timeout that the executor is to keep; 0 is none

	sentAcks, sentFrees int
	era, asking         int
}

// Calls answers the calls that should start now. Each counts as under way until it is Answered.
func (f *Fleet) Calls(now time.Time) []Call {
	var calls []Call
	for _, p := range f.order {
		calls = append(calls, f.breaks(p)...)
		if now.Before(p.retryAt) {
			continue
		}
		p.retryAt = time.Time{}
		if !p.exec.Durable {
			calls = append(calls, f.blockingCalls(now, p)...)
			continue
		}
		if !p.control {
			if c, ok := p.nextControl(now, f.set); ok {
				p.control, c.era = true, f.era
				calls = append(calls, c)
			}
		}
		if p.attached && !p.polling && !now.Before(p.pollAt) {
			p.polling, p.pollAt = true, time.Time{}
			c := p.poll(f.set)
			c.era = f.era
			calls = append(calls, c)
		}
	}
	return calls
}

func (p *peer) nextControl(now time.Time, set Settings) (Call, bool) {
	if !p.attached {
		c := p.attach()
		c.Orphan = set.orphan()
		return c, true
	}
	if c, ok := p.kills(); ok {
		return c, true
	}
	if now.Before(p.pauseUntil) {
		return Call{}, false
	}
	p.pauseUntil = time.Time{}
	if p.answer == 0 {
		// Without the number of an answer, nothing would tell the executor how old a submit is that was long on its
		// way. The first poll is answered at once.
		return Call{}, false
	}
	c, ok := p.submit()
	c.LogLimit = set.LogLimit
	return c, ok
}

// attach names every attempt that has left the server, is not known to have ended, and was not asked for in this
// round; what is beyond the limit of one call goes with the next.
func (p *peer) attach() Call {
	c := Call{Kind: CallAttach, Executor: p.exec, asking: p.asking}
	for _, ref := range p.refs() {
		if h := p.held[ref]; len(c.Attach) < maxAttach && p.unasked(h) {
			c.Attach = append(c.Attach, ref)
		}
	}
	return c
}

func (p *peer) unasked(h *held) bool {
	return (h.phase == submitted || h.phase == adopted || h.phase == running) && h.asked != p.asking && !h.blocking
}

func (p *peer) kills() (Call, bool) {
	if len(p.doomed) == 0 {
		return Call{}, false
	}
	c := Call{Kind: CallKill, Executor: p.exec}
	for _, ref := range sortedRefs(p.doomed) {
		h := p.held[ref]
		if h.phase != reserved && h.phase != ended && len(c.Kill) < maxSubmit {
			c.Kill = append(c.Kill, *h.kill)
		}
	}
	return c, len(c.Kill) > 0
}

func (p *peer) submit() (Call, bool) {
	c := Call{Kind: CallSubmit, Executor: p.exec}
	size, took := 0, 0
	for _, ref := range p.queue {
		h := p.held[ref]
		if h == nil || (h.phase != offered && h.phase != submitted) {
			took++
			continue
		}
		n := weight(&h.assignment)
		if len(c.Submit) > 0 && (len(c.Submit) == maxSubmit || size+n > maxSubmitBytes || p.single) {
			break
		}
		size += n
		took++
		h.phase = submitted
		c.Submit = append(c.Submit, h.assignment)
	}
	p.queue = p.queue[took:]
	c.LastAnswer = p.answer
	return c, len(c.Submit) > 0
}

// weight is about how many bytes an assignment takes in a frame.
func weight(a *hive.Assignment) int {
	n := 512 + len(a.Params) + len(a.Values)
	for k, v := range a.Env {
		n += len(k) + len(v) + 8
	}
	return n
}

func (p *peer) poll(s Settings) Call {
	c := Call{
		Kind: CallPoll, Executor: p.exec, Wait: s.PollWait, LastAnswer: p.answer,
		Acks: make(map[hive.AttemptRef]int64, len(p.acks)), Releases: slices.Clip(p.frees),
		sentAcks: len(p.acks), sentFrees: len(p.frees),
	}
	for _, a := range p.acks {
		c.Acks[a.attempt] = max(c.Acks[a.attempt], a.seq)
	}
	c.Orphan = s.orphan()
	return c
}
