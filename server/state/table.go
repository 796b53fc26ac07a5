package state

import (
	"slices"

	"github.com/rprp/hivego/server/hive"
)

// RunEvent is a cause of a change of a run's state. The table of Next has the state to which each event leads.
type RunEvent string

// The events of a run. Their meanings, for people, are in Meaning.
const (
	RunMet         RunEvent = "met"
	RunUnmet       RunEvent = "unmet"
	RunSkip        RunEvent = "skip"
	RunIgnore      RunEvent = "ignore"
	RunFault       RunEvent = "fault"
	RunSplit       RunEvent = "split"
	RunOffer       RunEvent = "offer"
	RunReturned    RunEvent = "returned"
	RunReceipt     RunEvent = "receipt"
	RunSilent      RunEvent = "silent"
	RunBack        RunEvent = "back"
	RunBackOffered RunEvent = "back_offered"
	RunSuccess     RunEvent = "success"
	RunRetry       RunEvent = "retry"
	RunFail        RunEvent = "fail"
	RunHold        RunEvent = "hold"
	RunCancel      RunEvent = "cancel"
	RunReset       RunEvent = "reset"
	RunMarkSuccess RunEvent = "mark_success"
	RunMarkSkip    RunEvent = "mark_skip"
	RunRemove      RunEvent = "remove"
)

// RunEvents lists the events in the order of a run's life.
func RunEvents() []RunEvent {
	return []RunEvent{
		RunMet, RunUnmet, RunSkip, RunIgnore, RunFault, RunSplit, RunOffer, RunReturned, RunReceipt, RunSilent,
		RunBack, RunBackOffered, RunSuccess, RunRetry, RunFail, RunHold, RunCancel, RunReset, RunMarkSuccess,
		RunMarkSkip, RunRemove,
	}
}

// Next returns the state to which ev leads from the state from, and whether ev may happen there at all. It is the table
// of all transitions of a task run: every change of a run's state goes through it.
func Next(from hive.RunState, ev RunEvent) (hive.RunState, bool) {
	to, sources := row(ev)
	if !slices.Contains(sources, from) {
		return from, false
	}
	return to, true
}

// row returns one line of the table: the states in which an event may happen, and the state to which it leads.
func row(ev RunEvent) (hive.RunState, []hive.RunState) {
	const (
		waiting, ready, running, unknown = hive.RunWaiting, hive.RunReady, hive.RunRunning, hive.RunUnknown
		succeeded, failed, canceled      = hive.RunSucceeded, hive.RunFailed, hive.RunCanceled
		skipped, ignored                 = hive.RunSkipped, hive.RunIgnored
	)
	switch ev {
	case RunMet:
		return ready, from(waiting)
	case RunUnmet:
		return waiting, from(ready)
	case RunSkip:
		return skipped, from(waiting, ready, skipped)
	case RunIgnore:
		return ignored, from(waiting)
	case RunFault:
		return failed, from(waiting)
	case RunSplit, RunOffer:
		return ready, from(ready)
	case RunReturned:
		return waiting, from(ready, unknown)
	case RunReceipt:
		return running, from(ready, unknown)
	case RunSilent:
		return unknown, from(ready, running)
	case RunBack:
		return running, from(unknown)
	case RunBackOffered:
		return ready, from(unknown)
	case RunSuccess:
		return succeeded, from(ready, running, unknown)
	case RunRetry:
		return ready, from(ready, running, unknown)
	case RunFail:
		return failed, from(ready, running, unknown)
	case RunHold:
		return unknown, from(ready, running, unknown)
	case RunCancel:
		return canceled, from(waiting, ready, running, unknown)
	case RunReset:
		return waiting, from(ready, running, unknown, succeeded, failed, canceled, skipped, ignored)
	case RunMarkSuccess:
		return succeeded, from(waiting, ready, unknown, failed, canceled, skipped, ignored)
	case RunMarkSkip:
		return ignored, from(waiting, ready, unknown, succeeded, failed, canceled, skipped)
	case RunRemove:
		return ignored, from(waiting, ready, unknown, failed, canceled, skipped)
	default:
		return "", nil
	}
}

func from(states ...hive.RunState) []hive.RunState { return states }

// Meaning explains an event in one sentence, for the documentation.
func (ev RunEvent) Meaning() string {
	switch ev {
	case RunMet:
		return "its rule is met, the barrier of a strict flow is open, and its condition holds"
	case RunUnmet:
		return "a task that it needs was reset before its offer"
	case RunSkip:
		return "its rule can no longer be met; the reason names the cause (a plan may decide a skip again)"
	case RunIgnore:
		return "its needs are met, but it or its job is disabled, or its condition is false"
	case RunFault:
		return "its condition cannot be evaluated"
	case RunSplit:
		return "its shards are fixed; from now on its state follows from theirs"
	case RunOffer:
		return "an attempt was made and is offered to one executor"
	case RunReturned:
		return "its executor did not start the attempt: it was busy or draining, or the offer never arrived; the run " +
			"becomes ready again at once, and no retry is used up"
	case RunReceipt:
		return "the executor gave a receipt"
	case RunSilent:
		return "the executor of its attempt does not answer"
	case RunBack:
		return "the executor answers again"
	case RunBackOffered:
		return "the executor answers again, and has not given a receipt yet"
	case RunSuccess:
		return "its attempt ended well, even during a kill"
	case RunRetry:
		return "its attempt failed or was lost, and this round allows another one"
	case RunFail:
		return "exit, timeout, refusal or loss, and no retry is left; or the timeout of its job or batch"
	case RunHold:
		return "its attempt is lost, and no other one may start before a person decides (onLost: hold)"
	case RunCancel:
		return "a person, an overlap or a timeout ended it before it began, or its kill has finished"
	case RunReset:
		return "a repair plan runs it again (if it runs: once its attempt has ended)"
	case RunMarkSuccess:
		return "a person marked it as succeeded; it must not be running"
	case RunMarkSkip:
		return "a person marked it as ignored; it must not be running"
	case RunRemove:
		return "the revision with which its batch continues has no such task"
	default:
		return ""
	}
}
