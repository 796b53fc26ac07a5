package fleet

import (
	"slices"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Call is a call to be made: *AttachCall, *SubmitCall, *KillCall, *PollCall, *DescribeCall or *RunCall. The caller
// passes exactly one Answer to each call to Answered.
type Call interface {
	// Recipient returns the executor to call.
	Recipient() *hive.Executor
	// Kind names the call in logs.
	Kind() string
	call()
}

// SessionCall is a call of one session: any but *RunCall. Its answer is ignored once another session has begun.
type SessionCall interface {
	Call
	session() int
	process() int // the value of executorState.processes when the call was decided
}

// Target is the executor of a call, with its row at the time when the call was decided.
type Target struct {
	Executor hive.Executor

	generation int // of the session
	processes  int // of the executor
}

// Recipient returns the executor to call.
func (t *Target) Recipient() *hive.Executor { return &t.Executor }

func (*Target) call() {}

func (t *Target) process() int { return t.processes }

// The names of calls.
const (
	kindAttach   = "attach"
	kindSubmit   = "submit"
	kindKill     = "kill"
	kindPoll     = "poll"
	kindDescribe = "describe"
	kindRun      = "run"
)

// AttachCall asks an executor for the states of attempts, and makes this session their owner. Attach, submit and kill
// calls share one connection; only one of them is under way at a time.
type AttachCall struct {
	Target
	Attempts      []hive.AttemptRef
	OrphanTimeout time.Duration // for the executor to keep; 0 is forever

	round int // of attaching
}

// SubmitCall sends assignments to an executor.
type SubmitCall struct {
	Target
	Assignments []hive.Assignment
	LastAnswer  int64 // number of the last answer to a poll
	LogLimit    int64 // bytes after which the executor cuts a log; 0 leaves it to the executor
}

// KillCall asks for the end of attempts.
type KillCall struct {
	Target
	Orders []hive.KillOrder
}

// PollCall waits for events. It has a connection of its own.
type PollCall struct {
	Target
	Wait          time.Duration
	Acks          map[hive.AttemptRef]int64 // seq by attempt
	Releases      []hive.AttemptRef
	LastAnswer    int64         // number of the last answer to a poll
	OrphanTimeout time.Duration // for the executor to keep; 0 is forever

	acks, releases int // entries of the queues that the call carries
}

// DescribeCall asks an executor that only offers run for its description, on a connection of its own.
type DescribeCall struct{ Target }

// RunCall makes an executor that only offers run do the work of one attempt. It lasts as long as the work.
type RunCall struct {
	Target
	Assignment hive.Assignment
}

// Kind names the call in logs.
func (*AttachCall) Kind() string { return kindAttach }

// Kind names the call in logs.
func (*SubmitCall) Kind() string { return kindSubmit }

// Kind names the call in logs.
func (*KillCall) Kind() string { return kindKill }

// Kind names the call in logs.
func (*PollCall) Kind() string { return kindPoll }

// Kind names the call in logs.
func (*DescribeCall) Kind() string { return kindDescribe }

// Kind names the call in logs.
func (*RunCall) Kind() string { return kindRun }

func (c *AttachCall) session() int   { return c.generation }
func (c *SubmitCall) session() int   { return c.generation }
func (c *KillCall) session() int     { return c.generation }
func (c *PollCall) session() int     { return c.generation }
func (c *DescribeCall) session() int { return c.generation }

// Calls returns the calls that should start now. Each counts as under way until it is Answered.
func (f *Fleet) Calls(now time.Time) []Call {
	var calls []Call
	for _, x := range f.order {
		if now.Before(x.retryAt) {
			continue
		}
		x.retryAt = time.Time{}
		if !x.exec.Durable {
			calls = append(calls, f.runOnlyCalls(now, x)...)
			continue
		}
		if !x.controlUsed {
			if c := f.nextControl(now, x); c != nil {
				x.controlUsed = true
				calls = append(calls, c)
			}
		}
		if x.attached && !x.polling && !now.Before(x.pollAt) {
			x.polling, x.pollAt = true, time.Time{}
			calls = append(calls, f.poll(x))
		}
	}
	return calls
}

func (f *Fleet) target(x *executorState) Target {
	return Target{Executor: x.exec, generation: f.generation, processes: x.processes}
}

// nextControl returns the next call on the control connection, nil if there is none.
func (f *Fleet) nextControl(now time.Time, x *executorState) Call {
	if !x.askAt.IsZero() && !now.Before(x.askAt) {
		x.detach()
	}
	if !x.attached {
		return f.attach(x)
	}
	if !now.Before(x.killAt) {
		x.killAt = time.Time{}
		if c := f.kills(x); c != nil {
			return c
		}
	}
	if now.Before(x.submitAt) {
		return nil
	}
	x.submitAt = time.Time{}
	if x.lastAnswer == 0 {
		// The executor needs the number of an answer to detect a submit that was delayed too long. It answers the first
		// poll at once.
		return nil
	}
	return f.submit(x)
}

// attach names every attempt that was sent, has not ended, and was not named in this round. Attempts above the limit of
// one call go with the next.
func (f *Fleet) attach(x *executorState) *AttachCall {
	c := &AttachCall{Target: f.target(x), OrphanTimeout: f.set.wireOrphanTimeout(), round: x.attachRound}
	for _, ref := range x.refs() {
		if x.needsAttach(x.attempts[ref]) && !exceeds(len(c.Attempts)+1, f.set.Limits.Attached) {
			c.Attempts = append(c.Attempts, ref)
		}
	}
	return c
}

// needsAttach reports whether an attach must still name the attempt in this round.
func (x *executorState) needsAttach(a *attemptState) bool {
	return a.sent() && a.askedRound != x.attachRound && !a.viaRunCall
}

// kills returns nil if there is nothing to kill.
func (f *Fleet) kills(x *executorState) Call {
	if len(x.killing) == 0 {
		return nil
	}
	c := &KillCall{Target: f.target(x)}
	for _, ref := range sortedRefs(x.killing) {
		a := x.attempts[ref]
		if a.phase != reserved && a.phase != ended && !exceeds(len(c.Orders)+1, f.set.Limits.KillOrders) {
			c.Orders = append(c.Orders, *a.kill)
		}
	}
	if len(c.Orders) == 0 {
		return nil
	}
	return c
}

// submit returns nil if there is nothing to submit.
func (f *Fleet) submit(x *executorState) Call {
	c := &SubmitCall{Target: f.target(x), LastAnswer: x.lastAnswer, LogLimit: f.set.LogLimit}
	size, taken := 0, 0
	for _, ref := range x.queue {
		a := x.attempts[ref]
		if a == nil || (a.phase != offered && a.phase != submitted) {
			taken++
			continue
		}
		n := approximateSize(&a.assignment)
		if len(c.Assignments) > 0 && (x.submitOne || exceeds(len(c.Assignments)+1, f.set.Limits.Assignments) ||
			exceeds(size+n, f.set.Limits.SubmitBytes)) {
			break
		}
		size += n
		taken++
		a.phase = submitted
		c.Assignments = append(c.Assignments, a.assignment)
	}
	x.queue = x.queue[taken:]
	if len(c.Assignments) == 0 {
		return nil
	}
	return c
}

// approximateSize returns roughly how many bytes an assignment takes in a frame. Secrets count as large as they may be:
// their values are not known here.
func approximateSize(a *hive.Assignment) int {
	n := 512 + len(a.Params) + len(a.Values) + (len(a.Secrets)+len(a.Connections))*hive.MaxSecretText
	for k, v := range a.Env {
		n += len(k) + len(v) + 8
	}
	return n
}

func (f *Fleet) poll(x *executorState) *PollCall {
	wait := f.set.PollWait
	if x.lastAnswer == 0 {
		wait = 0 // submits need the number of an answer: executors that do not know the rule must answer at once too
	}
	c := &PollCall{
		Target: f.target(x), Wait: wait, LastAnswer: x.lastAnswer, OrphanTimeout: f.set.wireOrphanTimeout(),
		Acks: make(map[hive.AttemptRef]int64, len(x.acks)), Releases: slices.Clip(x.releases),
		acks: len(x.acks), releases: len(x.releases),
	}
	for _, a := range x.acks {
		c.Acks[a.attempt] = max(c.Acks[a.attempt], a.seq)
	}
	return c
}
