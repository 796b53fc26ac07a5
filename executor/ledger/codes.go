package ledger

import "fmt"

// The names of outcomes and codes below equal the names in the contract, thrift/hivego.thrift. The ledger has them as
// text, because it does not import Thrift.

// OutcomeKind is how an attempt ended, in one word. Journals keep it.
type OutcomeKind string

// The kinds of outcomes.
const (
	Success OutcomeKind = "SUCCESS"
	Failure OutcomeKind = "FAILURE" // the work itself failed
	Timeout OutcomeKind = "TIMEOUT" // its own timeout ended it
	Killed  OutcomeKind = "KILLED"  // somebody asked for it
	Lost    OutcomeKind = "LOST"    // it is gone, and may run elsewhere
)

// UnmarshalText refuses words that are no kind, so that a journal of a later version is not misread. UNKNOWN is the
// zero value.
func (k *OutcomeKind) UnmarshalText(text []byte) error {
	switch kind := OutcomeKind(text); kind {
	case Success, Failure, Timeout, Killed, Lost, "":
		*k = kind
	case "UNKNOWN":
		*k = ""
	default:
		return fmt.Errorf("%q is not a kind of outcome", text)
	}
	return nil
}

// ReceiptCode answers the offer of one attempt.
type ReceiptCode string

// The codes of receipts.
const (
	ReceiptStarted   ReceiptCode = "STARTED"   // journalled, and running or about to; also for a repeated offer
	ReceiptBusy      ReceiptCode = "BUSY"      // no room now
	ReceiptDraining  ReceiptCode = "DRAINING"  // nothing new is taken
	ReceiptRefused   ReceiptCode = "REFUSED"   // it can never run here
	ReceiptStale     ReceiptCode = "STALE"     // a later session owns the attempt
	ReceiptForgotten ReceiptCode = "FORGOTTEN" // the attempt has a tombstone
)

// AttemptState is where an attempt is, as a report says it.
type AttemptState string

// The states of attempts.
const (
	AttemptForgotten AttemptState = "FORGOTTEN" // never seen, or released; it has a tombstone now
	AttemptRunning   AttemptState = "RUNNING"
	AttemptEnded     AttemptState = "ENDED"
	AttemptLost      AttemptState = "LOST"
)

// KillCode answers one order of a kill call.
type KillCode string

// The codes of kills.
const (
	KillKilling   KillCode = "KILLING"   // it is being killed
	KillEnded     KillCode = "ENDED"     // it had ended already
	KillForgotten KillCode = "FORGOTTEN" // it was unknown; it has a tombstone now
	KillStale     KillCode = "STALE"     // a later session owns the attempt
)

// EventKind says what an event tells of its attempt.
type EventKind string

// The kinds of events.
const (
	EventProgress EventKind = "PROGRESS"
	EventEnded    EventKind = "ENDED"
)
