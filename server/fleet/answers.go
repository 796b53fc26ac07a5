package fleet

import (
	"time"

	"github.com/rprp/hivego/server/hive"
)

// Answer is the result of a call: *AttachAnswer, *AttachFailure, *SubmitAnswer, *KillAnswer, *PollAnswer,
// *DescribeAnswer or *Unanswered for a call of a session; *RunAnswer or *RunFailure for a run call.
type Answer interface{ answer() }

// Failure is why a call has no answer.
type Failure struct {
	Words   string        // for the log, and for the notes of attempts
	Trouble hive.Sentence // for people who look at executors; nothing in it is a text of the other side
	BadCall bool          // the executor could not read the call
	Timeout bool          // no answer came in time
	Stale   bool          // the executor refuses this session, because it knows the later one with LaterEpoch
	// LaterEpoch is the epoch that the executor reports. It may be false.
	LaterEpoch int64
}

// Unanswered reports that a call brought nothing back except, perhaps, an exception.
type Unanswered struct {
	Call    SessionCall
	Failure Failure
}

// Load reports how busy an executor is.
type Load struct {
	Running     int // slots taken, by all servers
	Draining    bool
	DrainReason hive.Sentence // why it accepts nothing new; may be empty
}

// AttachAnswer reports the states of the attempts of an AttachCall.
type AttachAnswer struct {
	Call        *AttachCall
	Description Description
	BootID      string
	Load        *Load // nil if the executor does not report it
	Reports     []Report
	Others      []OtherAttempt
}

// AttachFailure reports that an executor described itself and then could not be attached.
type AttachFailure struct {
	Call        *AttachCall
	Description Description
	Failure     Failure
}

// Report is an executor's report of an attempt that an attach named.
type Report struct {
	Attempt hive.AttemptRef
	State   AttemptState
	Words   hive.Sentence // why it was lost
}

// AttemptState is the state of an attempt at its executor.
type AttemptState string

// The states of an attempt at its executor.
const (
	AttemptRunning   AttemptState = "running"
	AttemptEnded     AttemptState = "ended" // a poll brings the outcome
	AttemptLost      AttemptState = "lost"
	AttemptForgotten AttemptState = "forgotten" // never seen or released; it has a tombstone now
	AttemptStale     AttemptState = "stale"     // another server has taken it over; only in the answer to a kill
)

// OtherAttempt is an attempt that an executor has for this server and that the attach did not name.
type OtherAttempt struct {
	Attempt        hive.AttemptRef
	Running        bool
	BatchID        int64 // this and the next are for people; they may be missing
	Schedule, Task string
}

// SubmitAnswer holds the receipts of a SubmitCall.
type SubmitAnswer struct {
	Call     *SubmitCall
	Load     *Load // nil if the executor does not report it
	Receipts []Receipt
}

// Receipt is an executor's answer to one assignment.
type Receipt struct {
	Attempt hive.AttemptRef
	Code    ReceiptCode
	Words   hive.Sentence
}

// ReceiptCode tells whether the executor has accepted an assignment.
type ReceiptCode string

// The receipts of the contract.
const (
	ReceiptStarted   ReceiptCode = "started"
	ReceiptBusy      ReceiptCode = "busy"
	ReceiptDraining  ReceiptCode = "draining"
	ReceiptRefused   ReceiptCode = "refused"
	ReceiptStale     ReceiptCode = "stale"
	ReceiptForgotten ReceiptCode = "forgotten"
)

// KillAnswer reports the states of the attempts of a KillCall. State is never AttemptLost.
type KillAnswer struct {
	Call    *KillCall
	Reports []Report
}

// PollAnswer holds the events of a poll.
type PollAnswer struct {
	Call   *PollCall
	BootID string
	Load   *Load               // nil if the executor does not report it
	Number int64               // of the answer
	Events []hive.AttemptEvent // their times are on the executor's clock
}

// DescribeAnswer holds the description of an executor that only offers run.
type DescribeAnswer struct {
	Call        *DescribeCall
	Description Description
}

// RunAnswer is the end of the work of a RunCall. Its times are on the executor's clock.
type RunAnswer struct {
	Call *RunCall
	End  hive.AttemptEvent
}

// RunFailure reports that a RunCall ended without an outcome of its work.
type RunFailure struct {
	Call  *RunCall
	Kind  RunFailureKind
	Words hive.Sentence // empty with RunTimedOut and RunBroken
}

// RunFailureKind tells how a run call ended without an outcome.
type RunFailureKind string

// The ends of a run call that has no outcome.
const (
	RunUnsent   RunFailureKind = "unsent"   // nothing has left the server
	RunDenied   RunFailureKind = "denied"   // the executor does not accept calls of this server
	RunRefused  RunFailureKind = "refused"  // the executor could not read the call, and began nothing
	RunFailed   RunFailureKind = "failed"   // the work ended in an error outside the contract
	RunTimedOut RunFailureKind = "timedOut" // it took longer than the task may, and the server aborted it
	RunBroken   RunFailureKind = "broken"   // the connection broke: the outcome is unknown
)

func (*Unanswered) answer()     {}
func (*AttachAnswer) answer()   {}
func (*AttachFailure) answer()  {}
func (*SubmitAnswer) answer()   {}
func (*KillAnswer) answer()     {}
func (*PollAnswer) answer()     {}
func (*DescribeAnswer) answer() {}
func (*RunAnswer) answer()      {}
func (*RunFailure) answer()     {}

// Answered handles the answer to a call.
func (f *Fleet) Answered(now time.Time, answer Answer) {
	switch a := answer.(type) {
	case *RunAnswer:
		f.runReturned(now, a.Call, a)
	case *RunFailure:
		f.runReturned(now, a.Call, a)
	case *DescribeAnswer:
		if x := f.returned(a.Call); x != nil {
			f.updateFrom(now, x, &a.Description)
			f.described(now, x, &a.Description)
		}
	case *AttachAnswer:
		if x := f.returned(a.Call); x != nil {
			f.updateFrom(now, x, &a.Description)
			f.handleAnswer(now, x, a.Load, func() { f.attached(now, x, a) })
		}
	case *AttachFailure:
		if x := f.returned(a.Call); x != nil {
			f.updateFrom(now, x, &a.Description)
			f.unanswered(now, x, a.Call, &a.Failure)
		}
	case *SubmitAnswer:
		if x := f.returned(a.Call); x != nil {
			f.handleAnswer(now, x, a.Load, func() { f.receipts(now, x, a) })
		}
	case *KillAnswer:
		if x := f.returned(a.Call); x != nil {
			f.handleAnswer(now, x, nil, func() { f.killsAnswered(now, x, a) })
		}
	case *PollAnswer:
		if x := f.returned(a.Call); x != nil {
			f.handleAnswer(now, x, a.Load, func() { f.polled(now, x, a) })
		}
	case *Unanswered:
		if x := f.returned(a.Call); x != nil {
			f.unanswered(now, x, a.Call, &a.Failure)
		}
	}
}

// returned ends a call of a session. It returns nil if the call belongs to another session, or if the executor was
// removed.
func (f *Fleet) returned(c SessionCall) *executorState {
	x := f.executors[c.Recipient().ID]
	if x == nil || c.session() != f.generation {
		return nil
	}
	if _, poll := c.(*PollCall); poll {
		x.polling = false
	} else {
		x.controlUsed = false
	}
	return x
}

// handleAnswer notes that a durable executor is in contact, and calls handle for the rest of the answer. It ignores
// answers of an executor that now only offers run.
func (f *Fleet) handleAnswer(now time.Time, x *executorState, l *Load, handle func()) {
	if !x.exec.Durable {
		return
	}
	x.answered(now)
	if l != nil {
		x.draining, x.drainReason = l.Draining, l.DrainReason
	}
	handle()
	x.countOtherSlots(l)
}

// unanswered handles a call without an answer. Nobody knows what the call did, so everything that it carried is sent
// again under the same ids.
func (f *Fleet) unanswered(now time.Time, x *executorState, c SessionCall, why *Failure) {
	_, describes := c.(*DescribeCall)
	switch {
	case describes && !x.exec.Durable:
		f.notDescribed(now, x, why)
		return
	case describes || !x.exec.Durable:
		return // it has become another kind of executor meanwhile
	}
	if submit, ok := c.(*SubmitCall); ok {
		if why.BadCall && len(submit.Assignments) == 1 {
			if a := x.attempts[submit.Assignments[0].Ref()]; a != nil && a.phase == submitted {
				f.end(x, a, hive.AttemptEvent{Kind: hive.EventRefused, Words: hive.Plain(why.Words)})
			}
			return
		}
		f.requeue(x, submit.Assignments, hive.Quote(hive.SentenceNoReceipt, "no receipt from ‹executor›: ‹words›",
			hive.Plain(why.Words), "executor", x.exec.Name))
		if why.BadCall { // one of them is the cause: find it
			x.submitOne = true
			return
		}
	}
	switch {
	case why.Stale:
		f.noteLater(x, why.LaterEpoch)
	case c.process() != x.processes:
		return // it tells nothing about the new process, which gets the next call without a delay
	case x.failures == 0 && !x.hasStopped():
		f.note(NotAnswering{Executor: x.exec.Name, Call: c.Kind(), Error: why.Words})
	}
	x.callFailed(now, why.Trouble)
}
