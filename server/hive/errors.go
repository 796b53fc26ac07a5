package hive

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Code is a stable error code. The API maps it to an HTTP status.
type Code string

// The codes.
const (
	CodeInvalid      Code = "invalid" // the input is wrong; Faults has the places
	CodeNotFound     Code = "not_found"
	CodeConflict     Code = "conflict" // what the request was based on has moved
	CodeUnauthorized Code = "unauthorized"
	CodeForbidden    Code = "forbidden"
	CodeTooLarge     Code = "too_large"
	CodeTooMany      Code = "too_many_requests" // wait for the duration in the error
	CodeUnavailable  Code = "unavailable"       // try again later
	CodeInternal     Code = "internal"          // details only in the log
)

// Error is a failure that a person can act on: what is wrong, and what to do.
type Error struct {
	Code  Code
	Words string // one sentence: what is wrong and the remedy
	// Reason and Params are the same for programs. Reason is empty if Code is enough.
	Reason ErrorReason
	Params map[string]string
	Faults []Fault
	Wait   time.Duration // when to try again, for CodeTooMany and CodeUnavailable; 0 if that is not known
	Err    error         // the cause, for the log only
}

// Error returns the sentence, and each fault on a line of its own.
func (e *Error) Error() string {
	if len(e.Faults) == 0 {
		return e.Words
	}
	var b strings.Builder
	b.WriteString(e.Words)
	for _, f := range e.Faults {
		b.WriteString("\n  ")
		b.WriteString(f.String())
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Errorf makes an Error of a code; a %w in format becomes its cause.
func Errorf(code Code, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: code, Words: err.Error(), Err: errors.Unwrap(err)}
}

// CodeOf returns the code of the Error in err, or CodeInternal if there is none.
func CodeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return CodeInternal
}

// Clean makes text from outside safe to store: valid UTF-8, no NUL, at most limit bytes (cut at a rune).
func Clean(s string, limit int) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
	if len(s) <= limit {
		return s
	}
	const ellipsis = "…"
	cut := max(limit-len(ellipsis), 0)
	for cut > 0 && s[cut]&0xC0 == 0x80 {
		cut--
	}
	return s[:cut] + ellipsis
}
