package sdk

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/rprp/hivego/executor/internal/message"
	"github.com/rprp/hivego/executor/internal/tasklog"
	"github.com/rprp/hivego/executor/ledger"
)

// job is an attempt that runs in this process.
type job struct{ cancel context.CancelCauseFunc }

// errTimeout is the cause of a task's context when its timeout is over.
var errTimeout = &Stopped{Reason: "its timeout is over"}

// shutdown returns the cause of a task's context when the executor stops.
func shutdown() *Stopped { return &Stopped{Reason: "the executor was stopped", shutdown: true} }

// begin starts an accepted attempt. It runs on the goroutine of effects.
func (e *Executor) begin(attempt ledger.Ref) {
	e.mu.Lock()
	t := e.tasks[attempt]
	e.mu.Unlock()
	if t == nil {
		return
	}
	if h := e.durables[t.Handler]; h != nil {
		if err := t.MakeFolder(); err != nil {
			e.ended(attempt, Failed(err), false)
			return
		}
		e.pushLease(t.Lease, true)
		h.Start(t)
		return
	}
	e.launch(t, nil, "begins", func(ctx context.Context) error { return e.handlers[t.Handler].Run(ctx, t) })
}

// launch runs an attempt in this process. With an order to kill it, its context has ended from the start. how is a verb
// for the first line of the log.
func (e *Executor) launch(t *Task, order *ledger.KillOrder, how string, run func(context.Context) error) {
	id := t.ref()
	t.progress = func(f float64) { e.progress(id, f) }
	t.storeCheckpoint = func(state []byte) error { return e.storeCheckpoint(t, state) }
	t.firstLine = func() string {
		return fmt.Sprintf("%s %s on executor %s, attempt %d (id %s)", t.Handler, how, e.cfg.Name, t.Number, id)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	if order != nil {
		cancel(stoppedBy(order.For(id)))
	}
	e.mu.Lock()
	e.jobs[id] = &job{cancel: cancel}
	halted := e.halted
	if !halted {
		e.local.Add(1) // under the lock: after a halt, stop waits for the group, and nothing may join it
	}
	e.mu.Unlock()
	if halted {
		cancel(shutdown())
		if !t.hasCheckpoint() {
			e.ended(id, outcomeOf(ctx, ctx.Err()), true)
		}
		return
	}
	go func() {
		defer e.local.Done()
		defer cancel(nil)
		e.runLocal(ctx, t, run)
	}()
}

// killOne kills an attempt. It runs on the goroutine of effects, after the attempt was started.
func (e *Executor) killOne(k ledger.Kill) {
	e.mu.Lock()
	j := e.jobs[k.Attempt]
	e.mu.Unlock()
	if j != nil {
		j.cancel(stoppedBy(k))
		return
	}
	e.eachDurable(func(h Durable) { h.Kill(Ref(k.Attempt), k.Grace, k.Reason) })
}

// Reasons with which a server kills an attempt that it no longer waits for; see docs/executors.md.
const (
	reasonLost = "lost"
	reasonHeld = "held"
)

// stoppedBy makes the cause of a task's context for a kill.
func stoppedBy(k ledger.Kill) *Stopped {
	return &Stopped{
		Reason: "killed: " + k.Reason, GivenUp: k.Lease || k.Reason == reasonLost,
		Held: k.Reason == reasonHeld, leasePassed: k.Lease,
	}
}

// runLocal runs a handler in this process to its end.
func (e *Executor) runLocal(ctx context.Context, t *Task, run func(context.Context) error) {
	if t.Deadline > 0 {
		var done context.CancelFunc
		ctx, done = context.WithTimeoutCause(ctx, max(t.Deadline-BootTime(), 0), errTimeout)
		defer done()
	}
	began := time.Now()
	if t.hasCheckpoint() {
		began = t.received // by an earlier process
	}
	err := runRecovered(ctx, t, run)
	if err != nil && t.WillResume(ctx) {
		t.closeForResume()
		return
	}
	o := outcomeOf(ctx, err)
	o.Outputs = t.Outputs()
	if o.Kind != Success || t.hasLog() {
		o.LogBytes = t.closeLog(&o, time.Since(began))
	}
	// The end is reported before it is on disk. If the machine crashes in between, the attempt is LOST at the next
	// boot, as if the machine had crashed a moment earlier; a server that has committed the end by then does not
	// change it. The end of an attempt with a checkpoint is on disk before it is reported, so that the attempt cannot
	// be resumed after a server has received its end.
	e.ended(t.ref(), o, !t.hasCheckpoint())
}

// closeLog closes the log and returns its size in bytes. Callers skip it for work that succeeded without a log: making,
// copying and removing a file would be most of the cost of a small task.
func (t *Task) closeLog(o *Outcome, took time.Duration) int64 {
	w := t.writer()
	if w == nil {
		return 0
	}
	if o.Error != "" {
		w.Line(tasklog.Err, o.Error)
	}
	_ = w.Close(fmt.Sprintf("%s after %s", inWords(o.Kind), took.Round(time.Millisecond)))
	o.AddError(w.Missing())
	return w.Size()
}

// runRecovered runs a handler. It turns a panic into an error, and writes the stack into the log.
func runRecovered(ctx context.Context, t *Task, run func(context.Context) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			if w := t.writer(); w != nil {
				w.Line(tasklog.Err, string(debug.Stack()))
			}
			err = fmt.Errorf("the handler panicked: %v", p)
		}
	}()
	return run(ctx)
}

// outcomeOf makes the outcome from the error of a handler. A success counts even if a kill came meanwhile.
func outcomeOf(ctx context.Context, err error) Outcome {
	o := Outcome{Kind: Success}
	if exit, ok := errors.AsType[*Exit](err); ok {
		o.ExitCode = &exit.Code
	}
	if err == nil {
		return o
	}
	o.SetError(Failure, err)
	var stopped *Stopped
	if ctx.Err() == nil || !errors.As(context.Cause(ctx), &stopped) {
		return o
	}
	switch {
	case stopped == errTimeout:
		o.SetError(Timeout, message.Errorf(message.TimedOutStopped, "stopped: its timeout is over"))
	case stopped.shutdown:
		o.SetError(Lost, message.Errorf(message.LostStopped, "the executor was stopped"))
	case stopped.leasePassed:
		o.SetError(Killed, ledger.KilledSilent().Err())
	default:
		o.SetError(Killed, message.Plain(stopped.Reason).Err())
	}
	return o
}

// inWords makes the last line of an attempt's log.
func inWords(kind OutcomeKind) string {
	switch kind {
	case Success:
		return "succeeded"
	case Failure:
		return "failed"
	case Timeout:
		return "timed out"
	case Killed:
		return "killed"
	default:
		return "lost"
	}
}
