package hive

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Retry is the budget of new attempts after failures, per round, and which failures use it. Values are comparable.
type Retry struct {
	Max      int      `json:"max,omitempty"`
	Delay    Duration `json:"delay,omitempty"`
	Backoff  float64  `json:"backoff,omitempty"` // factor per further retry; 1 when 0
	MaxDelay Duration `json:"maxDelay,omitempty"`
	Jitter   float64  `json:"jitter,omitempty"` // share of a wait by which it may be shorter or longer, 0 to 1
	On       string   `json:"on,omitempty"`     // failures that are repeated, see ParseRetryOn; all when empty
	When     string   `json:"when,omitempty"`   // expr-lang, with the failure as outcome; not repeated when false
}

// Limits of retry.on.
const (
	MaxRetryOn  = 1000 // characters
	MaxExitCode = 255
)

// RetryOn says which failures are repeated: those with one of the exit codes, and those with one of the outcomes.
type RetryOn struct {
	Codes    []ExitCodes
	Outcomes []Outcome
}

// ExitCodes is a range of exit codes, with both ends.
type ExitCodes struct{ First, Last int }

// RetryOutcomes lists the outcomes that retry.on may name. Losses are not among them, because onLost decides about
// them, and no rule repeats a refusal.
func RetryOutcomes() []Outcome { return []Outcome{OutcomeFailure, OutcomeTimeout, OutcomeKilled} }

// RetryOnError is the error of a text for retry.on.
type RetryOnError struct {
	Reason FaultReason // one of the reasons that begin with retry_on
	Term   string      // that cannot be read; empty if the whole text is too long
}

// Error quotes the term.
func (e *RetryOnError) Error() string {
	switch e.Reason {
	case FaultRetryOnLong:
		return "retry.on is too long"
	case FaultRetryOnCode:
		return e.Term + " is no exit code"
	case FaultRetryOnRange:
		return "the range " + e.Term + " ends before it begins"
	case FaultRetryOnLost:
		return "onLost decides about losses"
	default:
		return e.Term + " is neither an exit code nor a reason"
	}
}

const retryOnSpace = " \t\r\n"

var exitCodes = regexp.MustCompile(`^([+-]?[0-9]+)(?:[ \t\r\n]*-[ \t\r\n]*([0-9]+))?$`)

// ParseRetryOn reads a list of exit codes, ranges of them and outcomes, with commas between them: 75, 100-110, timeout.
// An empty text names nothing, and then every failure is repeated. The error is a *RetryOnError.
func ParseRetryOn(text string) (RetryOn, error) {
	var out RetryOn
	if utf8.RuneCountInString(text) > MaxRetryOn {
		return out, &RetryOnError{Reason: FaultRetryOnLong}
	}
	if strings.Trim(text, retryOnSpace) == "" {
		return out, nil
	}
	for term := range strings.SplitSeq(text, ",") {
		if err := out.add(strings.Trim(term, retryOnSpace)); err != nil {
			return RetryOn{}, err
		}
	}
	return out, nil
}

// add reads one term.
func (r *RetryOn) add(term string) error {
	if outcome := Outcome(term); slices.Contains(RetryOutcomes(), outcome) {
		r.Outcomes = append(r.Outcomes, outcome)
		return nil
	}
	m := exitCodes.FindStringSubmatch(term)
	switch {
	case term == string(OutcomeLost):
		return &RetryOnError{Reason: FaultRetryOnLost, Term: term}
	case m == nil && term == "":
		return &RetryOnError{Reason: FaultRetryOnWord, Term: ","}
	case m == nil:
		return &RetryOnError{Reason: FaultRetryOnWord, Term: term}
	case m[2] == "":
		m[2] = m[1]
	}
	var ends [2]int
	for i, digits := range m[1:] {
		code, err := strconv.Atoi(digits)
		if err != nil || code < 0 || code > MaxExitCode || digits[0] == '+' {
			return &RetryOnError{Reason: FaultRetryOnCode, Term: digits}
		}
		ends[i] = code
	}
	if ends[0] > ends[1] {
		return &RetryOnError{Reason: FaultRetryOnRange, Term: term}
	}
	r.Codes = append(r.Codes, ExitCodes{First: ends[0], Last: ends[1]})
	return nil
}

// Has reports whether a failure is repeated. An exit code only counts for an attempt that failed by itself: a process
// that was ended at its timeout has an exit code too, which says nothing about its work.
func (r *RetryOn) Has(outcome Outcome, exitCode *int) bool {
	if len(r.Codes) == 0 && len(r.Outcomes) == 0 {
		return true
	}
	if slices.Contains(r.Outcomes, outcome) {
		return true
	}
	return outcome == OutcomeFailure && exitCode != nil && slices.ContainsFunc(r.Codes, func(c ExitCodes) bool {
		return c.First <= *exitCode && *exitCode <= c.Last
	})
}
