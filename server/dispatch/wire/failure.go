package wire

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/rprp/hivego/server/fleet"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// failureOf converts the error of a call for the fleet.
func failureOf(err error) fleet.Failure {
	trouble, _ := troubleOf(err)
	f := fleet.Failure{
		Words: err.Error(), Trouble: trouble, BadCall: isBadCall(err),
		Timeout: errors.Is(err, context.DeadlineExceeded) || isTimeout(err),
	}
	if stale, ok := errors.AsType[*hivego.StaleEpoch](err); ok {
		f.Stale, f.LaterEpoch = true, stale.GetEpoch()
	}
	return f
}

// callFailedError is an error of a call. It has a text of its own, because exceptions of the contract print as
// pointers.
type callFailedError struct {
	call, words string
	err         error
}

func (e *callFailedError) Error() string { return e.call + ": " + e.words }

func (e *callFailedError) Unwrap() error { return e.err }

// callError names the call that failed, with the executor's own text if it sent an exception.
func callError(call string, err error) error {
	words := err.Error()
	if stale, ok := errors.AsType[*hivego.StaleEpoch](err); ok {
		words = fmt.Sprintf("refused for session %d: %s", stale.GetEpoch(), cmp.Or(stale.GetMessage(), "no words"))
	} else if denied, ok := errors.AsType[*hivego.AccessDenied](err); ok {
		words = "refused: " + cmp.Or(denied.GetMessage(), "no words")
	} else if bad, ok := errors.AsType[*hivego.BadCall](err); ok {
		words = "it cannot read the call: " + cmp.Or(bad.GetMessage(), "no words")
	}
	return &callFailedError{call: call, words: hive.Clean(words, maxErrorInLog), err: err}
}

// maxErrorInLog bounds the text of an executor in a log, in bytes.
const maxErrorInLog = 512

func isStale(err error) bool {
	_, ok := errors.AsType[*hivego.StaleEpoch](err)
	return ok
}

// IsAnswer reports whether err is an executor's answer, and not the failure of a call that did not reach it.
func IsAnswer(err error) bool { return isDeclared(err) || isApplication(err) }

// isDeclared reports whether err is an answer of the contract, after which the connection can be used again.
func isDeclared(err error) bool {
	if _, ok := errors.AsType[*hivego.AccessDenied](err); ok {
		return true
	}
	return isStale(err) || isBadCall(err)
}

func isBadCall(err error) bool {
	_, ok := errors.AsType[*hivego.BadCall](err)
	return ok
}
