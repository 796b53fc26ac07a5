package hive

import (
	"errors"
	"fmt"
	"strings"
)

// Fault is one error in a document, with its place and its remedy.
type Fault struct {
	Code    string `json:"code"`           // stable: duplicate_key, unknown_need, bad_cron, …
	Path    string `json:"path"`           // where, as in jobs[1].tasks[0].needs[2]
	Line    int    `json:"line,omitempty"` // 1-based, when the document came as text
	Column  int    `json:"column,omitempty"`
	Message string `json:"message"` // what is wrong
	Remedy  string `json:"remedy,omitempty"`
	Warning bool   `json:"warning,omitempty"` // does not refuse the document
	// Reason and Params have the content of Message and Remedy for programs.
	Reason FaultReason       `json:"reason,omitempty"`
	Params map[string]string `json:"params,omitempty"`
}

// NewFault makes a fault without a place. Params are pairs of a name and a value. message and remedy are English texts
// in which ‹name› stands for the value of a param, so that texts and params cannot disagree.
func NewFault(code string, reason FaultReason, message, remedy string, params ...any) Fault {
	f := Fault{Code: code, Reason: reason}
	f.Message, f.Params = fill(message, params)
	f.Remedy, _ = fill(remedy, params)
	return f
}

// At returns f with a path.
func (f Fault) At(path string) Fault {
	f.Path = path
	return f
}

// Sentence returns the message with the remedy.
func (f Fault) Sentence() string {
	if f.Remedy == "" {
		return f.Message
	}
	return f.Message + "; " + f.Remedy
}

// FaultError is a fault as an error. The fault has no place.
type FaultError struct{ Fault Fault }

// Error returns the fault's sentence.
func (e *FaultError) Error() string { return e.Fault.Sentence() }

// Invalid makes an Error of CodeInvalid from a fault without a place. FaultOf finds the fault in it.
func Invalid(f Fault) *Error {
	return &Error{Code: CodeInvalid, Words: f.Sentence(), Err: &FaultError{f}}
}

// FaultOf returns the fault in err, with a code. If err has none, the fault only has the message of err.
func FaultOf(err error, code string) Fault {
	e, ok := errors.AsType[*FaultError](err)
	if !ok {
		message, remedy, _ := strings.Cut(err.Error(), "; ")
		return Fault{Code: code, Message: message, Remedy: remedy}
	}
	f := e.Fault
	f.Code = code
	return f
}

// Escaped returns at most limit characters of s, escaped like a Go string but without the quotes.
func Escaped(s string, limit int) string {
	quoted := fmt.Sprintf("%.*q", limit, s)
	return quoted[1 : len(quoted)-1]
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
	b.WriteString(f.Sentence())
	return b.String()
}

// Refused reports whether any of faults is more than a warning.
func Refused(faults []Fault) bool {
	for _, f := range faults {
		if !f.Warning {
			return true
		}
	}
	return false
}
