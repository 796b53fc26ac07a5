package sdk

import (
	"context"
	"time"
)

// Info describes a handler.
type Info struct {
	Name         string
	Title        string
	Description  string
	ParamsSchema string // JSON Schema of the params; a field may carry x-render: shell | sql | plain | url | json
}

// Handler is a kind of work that runs in this process. The work does not outlive the process, unless the handler is
// also a Resumer: attempts that run when the executor is killed become LOST at the next start.
//
// A Handler may also be a Checker.
type Handler interface {
	Info() Info
	// Run does the work. ctx ends when the task must stop: by a kill, its timeout, a passed lease, or the end of the
	// executor; context.Cause returns which. Returning nil is success. An error is a failure, and users see its text;
	// an *Exit also has an exit code.
	Run(ctx context.Context, t *Task) error
}

// Resumer is a Handler whose work runs in another system, such as a submitted job, while this process only waits for
// it. After a restart, Resume gets what the handler has stored with Task.Checkpoint, and goes on waiting.
type Resumer interface {
	Handler
	// Resume continues an attempt that an earlier process began, like Run. checkpoint is the last stored state. The
	// task has everything except Env. If the attempt is being killed or its time is over, Resume is still called,
	// with a ctx that has ended.
	Resume(ctx context.Context, t *Task, checkpoint []byte) error
}

// Checker is a Handler or Durable that checks a task before it is accepted.
type Checker interface {
	// Check returns an error to refuse the task permanently, with that text. It must be quick and must not change
	// anything.
	Check(t *Task) error
}

// Durable is a kind of work that outlives this process, because something else runs it, for example a supervisor. All
// methods except Info and Recover are called from one goroutine, in order, and must not block for long.
//
// A Durable may also be a Checker.
type Durable interface {
	Info() Info
	// Recover is called once, at the start of the executor and before any call is answered, with the attempts that
	// may still be running. For each it either reports how the attempt ended, or lets it continue. It returns the
	// leases of the running work. The reporter may be used from then on.
	Recover(ctx context.Context, survivors []Ref, reporter Reporter) ([]Lease, error)
	// Start starts the work. It reports an error as the end of the attempt.
	Start(t *Task)
	// Kill ends the work: SIGTERM, and SIGKILL after the grace. It may be called repeatedly.
	Kill(attempt Ref, grace time.Duration, reason string)
	// SetLease sets until when the attempts of one session may run, even if this process has ended by then.
	SetLease(l Lease)
	// Move puts an attempt under the lease with this name.
	Move(attempt Ref, lease string)
	// Drop is called when an attempt is released: the Durable may forget it.
	Drop(attempt Ref)
}

// Reporter receives the reports of a Durable. Its methods do not block.
type Reporter interface {
	// Ended reports how an attempt ended. kept means that the Durable reports it again after a crash, until Drop.
	Ended(attempt Ref, o Outcome, kept bool)
	// Progress reports the progress of an attempt, 0 to 1.
	Progress(attempt Ref, fraction float64)
}

// Stopped is the cause of a context that ends before its work does.
type Stopped struct {
	Reason string
	// GivenUp means that nobody waits for the task any more, and another attempt may be doing the same work.
	GivenUp bool
	// Held means that nobody waits for the task, and a person decides about its work.
	Held bool

	shutdown    bool // the executor stops
	leasePassed bool // the server was silent for too long
}

// Error implements error.
func (s *Stopped) Error() string { return s.Reason }

// Exit is an error with the exit code of a process.
type Exit struct {
	Code    int
	Message string
}

// Error implements error.
func (e *Exit) Error() string { return e.Message }
