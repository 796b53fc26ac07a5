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

// Failure is an event that did not fit its batch. It is a defect of the program, never a user's mistake.
type Failure struct {
	Batch int64
	Err   error
	// Reload is set if the machine of the batch can no longer be trusted. The owner has dropped the batch with all
	// changes that are not durable; the shell loads it again.
	Reload bool
}

// TakeDecisions returns the decisions since the last call, in order. It returns none unless Config.TraceDecisions is
// set.
func (o *Owner) TakeDecisions() []Decision {
	decided := o.decided
	o.decided = nil
	return decided
}

// TakeFailures returns the events that did not fit since the last call. It drops the batches whose machines can no
// longer be trusted, so the shell calls it before each commit.
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

// traceMoves keeps the transitions of a step for TakeDecisions. They include the event of the transition table, which
// no stored row has.
func (o *Owner) traceMoves(l *liveBatch, moves []state.Move) {
	if !o.trace {
		return
	}
	for _, m := range moves {
		o.decided = append(o.decided, Decision{Batch: l.id, Task: l.machine.Run(m.Run).Task, Move: m})
	}
}

// noteFailure records the error of an event that should have fitted its batch. If the machine reports an internal
// error, the batch must be loaded again.
func (o *Owner) noteFailure(l *liveBatch, err error) {
	e, ok := errors.AsType[*hive.Error](err)
	o.failed = append(o.failed, Failure{Batch: l.id, Err: err, Reload: ok && e.Code == hive.CodeInternal})
}
