package hive

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Sentence is a text for people about an executor, an attempt or a stuck batch. Reason is nil for a text from outside
// HiveGo.
type Sentence struct {
	Text   string
	Reason *TextReason
}

// TextReason is the machine-readable form of a text for people. The pages use it to show the text in another language.
// It never changes once it is made.
type TextReason struct {
	Code   SentenceReason    `json:"reason"`
	Params map[string]string `json:"params,omitempty"`
}

// Equal reports whether two reasons are equal; nil equals only nil.
func (r *TextReason) Equal(o *TextReason) bool {
	return r == o || r != nil && o != nil && r.Code == o.Code && maps.Equal(r.Params, o.Params)
}

// Names of the params with which a sentence quotes another one.
const (
	paramWords   = "words"   // the quoted text
	paramBecause = "because" // the reason of the quoted text; its params stand beside the others
)

// NewSentence makes a sentence. Params are pairs of a name and a value. text is English; ‹name› in it stands for the
// value of a param, so that the text and the params cannot disagree.
func NewSentence(code SentenceReason, text string, params ...any) Sentence {
	text, values := fill(text, params)
	return Sentence{Text: text, Reason: &TextReason{Code: code, Params: values}}
}

// Quote makes a sentence that quotes another one. ‹words› in text stands for the quoted text.
func Quote(code SentenceReason, text string, quoted Sentence, params ...any) Sentence {
	s := NewSentence(code, text, append(params, paramWords, quoted.Text)...)
	if q := quoted.Reason; q != nil && q.joins(s.Reason.Params) {
		maps.Copy(s.Reason.Params, q.Params)
		s.Reason.Params[paramBecause] = string(q.Code)
	}
	return s
}

// joins reports whether the params of a quoted text can stand beside the params of the sentence around it.
func (r *TextReason) joins(around map[string]string) bool {
	for name := range r.Params {
		if _, taken := around[name]; taken {
			return false
		}
	}
	return true
}

// Plain returns a sentence for a text from outside HiveGo.
func Plain(text string) Sentence { return Sentence{Text: text} }

// Clean limits the text and each param to limit bytes of valid UTF-8 without NUL.
func (s Sentence) Clean(limit int) Sentence {
	s.Text = Clean(s.Text, limit)
	if s.Reason == nil {
		return s
	}
	for _, value := range s.Reason.Params {
		if Clean(value, limit) == value {
			continue
		}
		clean := make(map[string]string, len(s.Reason.Params))
		for name, value := range s.Reason.Params {
			clean[name] = Clean(value, limit)
		}
		s.Reason = &TextReason{Code: s.Reason.Code, Params: clean}
		break
	}
	return s
}

// fill replaces each ‹name› in text by the value of that param. Params are pairs of a name and a value. values maps
// names to values; it is nil without params.
func fill(text string, params []any) (filled string, values map[string]string) {
	if len(params) == 0 {
		return text, nil
	}
	values = make(map[string]string, len(params)/2)
	pairs := make([]string, 0, len(params))
	for i := 0; i+1 < len(params); i += 2 {
		name, value := fmt.Sprint(params[i]), fmt.Sprint(params[i+1])
		values[name] = value
		pairs = append(pairs, "‹"+name+"›", value)
	}
	return strings.NewReplacer(pairs...).Replace(text), values
}

// AttemptReasons holds the reasons of the texts of an attempt. It never changes once it is made, and is nil if no text
// has a reason.
type AttemptReasons struct {
	Error *TextReason `json:"error,omitempty"`
	// Notes has an entry for each note, which is nil for a note without a reason. It is empty if no note has one.
	Notes []*TextReason `json:"notes,omitempty"`
}

// OfError returns the reason of the error; nil if it has none.
func (r *AttemptReasons) OfError() *TextReason {
	if r == nil {
		return nil
	}
	return r.Error
}

// OfNote returns the reason of the note at an index; nil if it has none.
func (r *AttemptReasons) OfNote(i int) *TextReason {
	if r == nil || i >= len(r.Notes) {
		return nil
	}
	return r.Notes[i]
}

// NoRetry reports whether the executor of an attempt asked not to retry it. A note of the attempt says so.
func (a *Attempt) NoRetry() bool {
	if a.Reasons == nil {
		return false
	}
	return slices.ContainsFunc(a.Reasons.Notes, func(r *TextReason) bool {
		return r != nil && r.Code == SentenceNoRetry
	})
}

// NotRetried returns the note of a failed attempt that says why it was not repeated although attempts were left. It is
// empty if there is none.
func (a *Attempt) NotRetried() string {
	for i, note := range a.Notes {
		if r := a.Reasons.OfNote(i); r != nil && r.Code.notRetried() {
			return note
		}
	}
	return ""
}
