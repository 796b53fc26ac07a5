package sdk

import (
	"context"
	"time"
)

// Info describes a handler to servers and people.
type Info struct {
	Name         string
	Title        string
	Description  string
	ParamsSchema string // JSON Schema of the params; a field may carry x-render: shell | sql | plain | url | json
}

// Handler is a kind of work that runs inside this process. The work does not outlive the process, unless the handler is
// a Resumer too: what runs when the executor is killed ends LOST at the next start.
//
// A Handler may also be a Checker.
type Handler interface {
	Info() Info
	// Run does the work. ctx ends when the task is to stop: by a kill, its timeout, a passed lease, or the end of the
	// executor; context.Cause tells which. nil is success. An error is a failure, and its text is what people read; an
	// *Exit carries an exit code too.
	Run(ctx context.Context, t *Task) error
}

// Resumer is a Handler whose work is done by another system, while this process only waits for it: a job that was
// submitted elsewhere. What it has stored with Task.Checkpoint is known again after a restart, and it goes on.
type Resumer interface {
	Handler
	// Resume does what Run does, for an attempt that an earlier process began. checkpoint is what the attempt stored
	// last. The task has everything but Env. If the attempt is being killed or its time is over, Resume is called all
	// the same, with a ctx that has ended.
	Resume(ctx context.Context, t *Task, checkpoint []byte) error
}

// Checker is a Handler or Durable that checks a task before it is accepted.
type Checker interface {
	// Check returns an error to refuse the task for good, with that text. It must be quick and must not change
	// anything.
	Check(t *Task) error
}

// Durable is a kind of work that outlives this process, because something else runs it: a supervisor, for instance.
// All methods but Info and Recover are called from one goroutine, in order, and must not block for long.
//
// A Durable may also be a Checker.
type Durable interface {
	Info() Info
	// Recover is called once, at the start of the executor and before any call is answered, with the attempts that may
	// still be running. For each it either reports how the attempt ended, or lets it go on. It returns the leases that
	// the running work is bound to. The reporter may be used from then on.
	Recover(ctx context.Context, survivors []Ref, reporter Reporter) ([]Lease, error)
	// Start hands the work over. Whatever goes wrong is reported as the end of the attempt.
	Start(t *Task)
	// Kill asks the work to end: SIGTERM, and SIGKILL after the grace. It may be repeated.
	Kill(attempt Ref, grace time.Duration, reason string)
	// SetLease says until when the attempts of one session may run, even if this process is gone by then.
	SetLease(l Lease)
	// Move says that the lease of that name counts for an attempt from now on.
	Move(attempt Ref, lease string)
	// Drop says that an attempt is released: nothing about it need be remembered.
	Drop(attempt Ref)
}

// Reporter takes what a Durable has to report. Its methods do not block.
type Reporter interface {
	// Ended reports how an attempt ended. kept says that the Durable reports it again after any crash, until Drop.
	Ended(attempt Ref, o Outcome, kept bool)
	// Progress reports how far an attempt is, 0 to 1.
	Progress(attempt Ref, fraction float64)
}

// Stopped is the cause of a context that ends before its work does.
type Stopped struct {
	Reason string
	// GivenUp: nobody waits for the task any more, and its work may be going on in another attempt by now.
	GivenUp bool
	// Held: nobody waits for it, and a person is to decide what becomes of its work.
	Held bool

	shutdown bool // the executor stops
}

// Error is the reason.
func (s *Stopped) Error() string { return s.Reason }

// Exit is an error that carries the exit code of a process.
type Exit struct {
	Code    int
	Message string
}

// Error is the message.
func (e *Exit) Error() string { return e.Message }
