package sdk

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/rprp/hivego/executor/internal/tasklog"
	"github.com/rprp/hivego/executor/ledger"
)

// job is an attempt that runs in this process.
type job struct{ cancel context.CancelCauseFunc }

// errTimeout is the cause with which a task's own timeout ends its context.
var errTimeout = &Stopped{Words: "its timeout is over"}

// begin starts an accepted attempt. It runs on the goroutine of effects.
func (e *Executor) begin(attempt Ref) {
	e.mu.Lock()
	t := e.tasks[attempt]
	e.mu.Unlock()
	if t == nil {
		return
	}
	if h := e.durables[t.Handler]; h != nil {
		if err := t.MakeFolder(); err != nil {
			e.Ended(attempt, Outcome{Kind: Failure, Error: err.Error()}, false)
			return
		}
		e.pushLease(t.Session, true)
		h.Start(t)
		return
	}
	e.launch(t, nil, "begins", func(ctx context.Context) error { return e.handlers[t.Handler].Run(ctx, t) })
}

// launch runs an attempt in this process; with an order, its context has ended from the start.
func (e *Executor) launch(t *Task, order *ledger.KillOrder, how string, run func(context.Context) error) {
	id := t.Attempt
	t.progress = func(f float64) { e.Progress(id, f) }
	t.keep = func(state []byte) error { return e.keep(t, state) }
	t.opening = func() string {
		return fmt.Sprintf("%s %s on executor %s, attempt %d (id %s)", t.Handler, how, e.cfg.Name, t.Number, id)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	if order != nil {
		cancel(stopOf(order.For(id)))
	}
	e.mu.Lock()
	e.jobs[id] = &job{cancel: cancel}
	halted := e.halted
	if !halted {
		e.local.Add(1) // under the lock: after a halt, stop waits for the group, and nothing may join it
	}
	e.mu.Unlock()
	if halted {
		cancel(&Stopped{Words: stopWords})
		if !t.keeps() {
			e.Ended(id, conclude(ctx, ctx.Err()), true)
		}
		return
	}
	go func() {
		defer e.local.Done()
		defer cancel(nil)
		e.runLocal(ctx, t, run)
	}()
}

// killOne asks an attempt to end. It runs on the goroutine of effects, so its start has been done.
func (e *Executor) killOne(k Kill) {
	e.mu.Lock()
	j := e.jobs[k.Attempt]
	e.mu.Unlock()
	if j != nil {
		j.cancel(stopOf(k))
		return
	}
	e.eachDurable(func(h Durable) { h.Kill(k) })
}

// Reasons with which a server kills what it does not wait for any more; see docs/executors.md.
const (
	reasonLost = "lost"
	reasonHeld = "held"
)

func stopOf(k Kill) *Stopped {
	return &Stopped{
		Words: "killed: " + k.Reason, GivenUp: k.Lease || k.Reason == reasonLost,
		Held: k.Reason == reasonHeld,
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
	if t.keeps() {
		began = t.received // by a former life
	}
	err := safely(ctx, t, run)
	if err != nil && t.GoesOn(ctx) {
		t.pause()
		return
	}
	o := conclude(ctx, err)
	o.Outputs = t.Outputs()
	if o.Kind != Success || t.hasLog() {
		o.LogBytes = t.closeLog(&o, time.Since(began))
	}
	// The end is told before it is on disk. Should the machine fail in between, the attempt is LOST at the next boot,
	// as it would be had the machine failed a moment earlier; a server that has committed the end by then keeps to it.
	// What would be taken up again is told once its end is on disk, or it could be taken up after a server has heard of
	// that.
	e.Ended(t.Attempt, o, !t.keeps())
}

// closeLog ends the log and answers its size in bytes. Work that went well and had nothing to say has none: to make,
// copy and remove a file would be most of what a small task costs.
func (t *Task) closeLog(o *Outcome, took time.Duration) int64 {
	w := t.writer()
	if w == nil {
		return 0
	}
	if o.Error != "" {
		w.Line(tasklog.Err, o.Error)
	}
	_ = w.Close(fmt.Sprintf("%s after %s", words(o.Kind), took.Round(time.Millisecond)))
	if missing := w.Missing(); missing != "" {
		o.Error = strings.TrimPrefix(o.Error+"; "+missing, "; ")
	}
	return w.Size()
}

// safely runs a handler; a panic is an error that has its stack in the log.
func safely(ctx context.Context, t *Task, run func(context.Context) error) (err error) {
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

// conclude turns what a handler answered into an outcome. A success counts, also if a kill came meanwhile.
func conclude(ctx context.Context, err error) Outcome {
	o := Outcome{Kind: Success}
	if exit, ok := errors.AsType[*Exit](err); ok {
		o.ExitCode = &exit.Code
	}
	if err == nil {
		return o
	}
	o.Kind, o.Error = Failure, err.Error()
	var stopped *Stopped
	if ctx.Err() == nil || !errors.As(context.Cause(ctx), &stopped) {
		return o
	}
	switch {
	case stopped == errTimeout:
		o.Kind, o.Error = Timeout, "stopped: "+stopped.Words
	case stopped.Words == stopWords:
		o.Kind, o.Error = Lost, stopped.Words
	default:
		o.Kind, o.Error = Killed, stopped.Words
	}
	return o
}

const stopWords = "the executor was stopped"

// words says how something ended, for the last line of its log.
func words(kind OutcomeKind) string {
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
