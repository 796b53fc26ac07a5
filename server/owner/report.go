package owner

import (
	"errors"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/state"
)

// Decision is one transition of a run that the owner has decided. It is not durable yet.
type Decision struct {
	Batch int64
	Task  string
	Move  state.Move
}

// Failure is an event that did not fit its batch. That is a defect of the program, never a user's doing.
type Failure struct {
	Batch int64
	Err   error
	// Reload says that the machine of the batch is not to be trusted any more. The owner has dropped the batch, with
	// all that is not durable; the shell loads it again.
	Reload bool
}

// TakeDecisions answers what was decided since the last call, in order; nothing unless Config.TraceDecisions is set.
func (o *Owner) TakeDecisions() []Decision {
	decided := o.decided
	o.decided = nil
	return decided
}

// TakeFailures answers the events that did not fit since the last call. It drops the batches with machines that are not
// to be trusted, so the shell calls it before each commit.
func (o *Owner) TakeFailures() []Failure {
	failed := o.failed
	o.failed = nil
	for _, f := range failed {
		if f.Reload {
			o.evict(f.Batch, nil)
		}
	}
	return failed
}

// traceMoves keeps the transitions of a step for the shell, with the event of the transition table: no stored row has
// it.
func (o *Owner) traceMoves(l *liveBatch, moves []state.Move) {
	if !o.trace {
		return
	}
	for _, m := range moves {
		o.decided = append(o.decided, Decision{Batch: l.id, Task: l.machine.Run(m.Run).Task, Move: m})
	}
}

// noteFailure keeps the error of an event that should have fitted its batch. The machine is not to be trusted any more
// if it reports an internal error.
func (o *Owner) noteFailure(l *liveBatch, err error) {
	e, ok := errors.AsType[*hive.Error](err)
	o.failed = append(o.failed, Failure{Batch: l.id, Err: err, Reload: ok && e.Code == hive.CodeInternal})
}
