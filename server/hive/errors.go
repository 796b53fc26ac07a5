package hive

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Code is a stable error code. The API maps it to an HTTP status, people read Error's words.
type Code string

// The codes.
const (
	CodeInvalid      Code = "invalid" // the input is wrong; Faults say where
	CodeNotFound     Code = "not_found"
	CodeConflict     Code = "conflict" // what the request was based on has moved
	CodeUnauthorized Code = "unauthorized"
	CodeForbidden    Code = "forbidden"
	CodeTooLarge     Code = "too_large"
	CodeTooMany      Code = "too_many_requests" // wait for as long as the error says
	CodeUnavailable  Code = "unavailable"       // try again later
	CodeInternal     Code = "internal"          // details only in the log
)

// Error is a failure that a person can act on: what is wrong, and what to do.
type Error struct {
	Code  Code
	Words string // one sentence: what is wrong and the remedy
	// ErrorReason says the same for programs, with Params; empty where Code says all.
	Reason ErrorReason
	Params map[string]string
	Faults []Fault
	Wait   time.Duration // when to try again, for CodeTooMany and CodeUnavailable; 0 if that is not known
	Err    error         // the cause, for the log only
}

// Error is the words, with the faults a line each.
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

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.Err }

// Errorf makes an Error of a code; a %w in format becomes its cause.
func Errorf(code Code, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Code: code, Words: err.Error(), Err: errors.Unwrap(err)}
}

// CodeOf is the code of err: its Error's, or CodeInternal.
func CodeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return CodeInternal
}

// Fault is one thing wrong in a document, with its place and its remedy.
type Fault struct {
	Code    string `json:"code"`           // stable: duplicate_key, unknown_need, bad_cron, …
	Path    string `json:"path"`           // where, as in jobs[1].tasks[0].needs[2]
	Line    int    `json:"line,omitempty"` // 1-based, when the document came as text
	Column  int    `json:"column,omitempty"`
	Message string `json:"message"` // what is wrong
	Remedy  string `json:"remedy,omitempty"`
	Warning bool   `json:"warning,omitempty"` // does not refuse the document
	// Reason says the same as Message and Remedy for programs, with Params; empty where only the words do.
	Reason string            `json:"reason,omitempty"`
	Params map[string]string `json:"params,omitempty"`
}

// String is "line 12, column 5: jobs[1].tasks[0].needs[2]: message; remedy".
func (f Fault) String() string {
	var b strings.Builder
	if f.Line > 0 {
		fmt.Fprintf(&b, "line %d, column %d: ", f.Line, f.Column)
	}
	if f.Path != "" {
		b.WriteString(f.Path)
		b.WriteString(": ")
	}
	b.WriteString(f.Message)
	if f.Remedy != "" {
		b.WriteString("; ")
		b.WriteString(f.Remedy)
	}
	return b.String()
}

// Refused says whether any of faults is more than a warning.
func Refused(faults []Fault) bool {
	for _, f := range faults {
		if !f.Warning {
			return true
		}
	}
	return false
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
