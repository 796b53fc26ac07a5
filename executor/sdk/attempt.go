package sdk

import "github.com/rprp/hivego/executor/ledger"

// Ref identifies an attempt.
type Ref = ledger.Ref

// OutcomeKind is how an attempt ended, in one word.
type OutcomeKind = ledger.OutcomeKind

// The kinds of outcomes.
const (
	Success = ledger.Success
	Failure = ledger.Failure
	Timeout = ledger.Timeout
	Killed  = ledger.Killed
	Lost    = ledger.Lost
)

// Outcome is how an attempt ended.
type Outcome = ledger.Outcome

// Survivor is an attempt that may still be running after a restart of the executor.
type Survivor = ledger.Survivor

// Kill asks for the end of one attempt.
type Kill = ledger.Kill

// Move says that another lease counts for an attempt from now on.
type Move = ledger.Move

// Lease is until when the attempts of one session may run.
type Lease = ledger.Lease
