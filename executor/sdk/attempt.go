package sdk

import (
	"errors"
	"path/filepath"
	"time"

	"github.com/rprp/hivego/executor/internal/message"
	"github.com/rprp/hivego/executor/ledger"
)

// Ref identifies an attempt. The id comes from a counter of the server's database, which repeats ids when the database
// goes back to an earlier state; the key is random and never repeats. The same id with another key is another attempt.
type Ref struct {
	ID  int64
	Key string // letters, digits, _ and -, at most 64; empty if the server gave none
}

// String is ID-KEY, or ID alone without a key. It is the name of the attempt's folder, so no two attempts share it.
func (r Ref) String() string { return ledger.Ref(r).String() }

// AttemptFolder returns the folder of an attempt within the data folder of an executor.
func AttemptFolder(data string, attempt Ref) string {
	return filepath.Join(data, "attempts", attempt.String())
}

// OutcomeKind is how an attempt ended, as the contract names it.
type OutcomeKind string

// The kinds of outcomes.
const (
	Success = OutcomeKind(ledger.Success)
	Failure = OutcomeKind(ledger.Failure) // the work itself failed
	Timeout = OutcomeKind(ledger.Timeout) // its own timeout ended it
	Killed  = OutcomeKind(ledger.Killed)  // somebody asked for it
	Lost    = OutcomeKind(ledger.Lost)    // it is gone, and may run elsewhere
)

// Outcome is how an attempt ended. Times are milliseconds since 1970, UTC, on the executor's wall clock; the executor
// fills in a time that is 0.
type Outcome struct {
	Kind       OutcomeKind
	ExitCode   *int              // where there was a process
	Error      string            // a sentence for a person; empty with Success
	Reason     string            // of Error, if it is a text of HiveGo's own: servers show it in other languages
	Params     map[string]string // the values in Error, by name; only with a Reason
	Outputs    map[string]string
	StartedAt  int64
	FinishedAt int64
	LogBytes   int64 // size of the whole log
	NoRetry    bool  // asks the server not to retry the task; see NoRetry
}

// recorded converts the outcome for the ledger.
func (o *Outcome) recorded() ledger.Outcome {
	return ledger.Outcome{
		Kind: ledger.OutcomeKind(o.Kind), ExitCode: o.ExitCode, Error: o.Error, Reason: o.Reason,
		Params: o.Params, Outputs: o.Outputs,
		StartedAt: o.StartedAt, FinishedAt: o.FinishedAt, LogBytes: o.LogBytes, NoRetry: o.NoRetry,
	}
}

// SetError sets the kind and the error. The reason and params are set if err is a text of HiveGo's own, else cleared.
func (o *Outcome) SetError(kind OutcomeKind, err error) {
	t := message.Of(err)
	o.Kind, o.Error, o.Reason, o.Params = kind, t.Words, string(t.Reason), t.Params
	_, o.NoRetry = errors.AsType[*noRetryError](err)
}

// noRetryError marks an error of work that would fail again.
type noRetryError struct{ error }

func (e *noRetryError) Unwrap() error { return e.error }

// NoRetry marks an error that a handler returns: the server does not retry the task, although its definition may allow
// more retries. The text of the error stays the same. Use it for work that would fail again, such as bad data.
func NoRetry(err error) error {
	if err == nil {
		return nil
	}
	return &noRetryError{err}
}

// Failed returns the outcome of work that failed with an error.
func Failed(err error) Outcome { return ended(Failure, err) }

// ended returns an outcome with an error and nothing else.
func ended(kind OutcomeKind, err error) Outcome {
	var o Outcome
	o.SetError(kind, err)
	return o
}

// AddError adds words to the error, which has no reason then. Empty words change nothing.
func (o *Outcome) AddError(words string) {
	if words == "" {
		return
	}
	if o.Error != "" {
		words = o.Error + "; " + words
	}
	o.Error, o.Reason, o.Params = words, "", nil
}

// Lease limits how long the attempts of one server session may run.
type Lease struct {
	Name     string        // names the session; Task.Lease has the same text
	Deadline time.Duration // on the clock of BootTime
	Forever  bool          // there is no deadline
}
