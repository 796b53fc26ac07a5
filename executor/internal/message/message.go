// Package message has the texts by which an executor says why something did not work. HiveGo's own texts carry a reason
// and params, which the server's pages show in other languages.
package message

import (
	"errors"
	"fmt"
	"maps"
	"strings"
)

// Text is a text for people. Reason is empty for a text that is not HiveGo's own.
type Text struct {
	Words  string
	Reason Reason
	Params map[string]string // the values in the text, by name
}

// New makes a text. Params are pairs of a name and a value. words is English; ‹name› in it stands for the value of a
// param, so that the text and the params cannot disagree.
func New(reason Reason, words string, params ...any) Text {
	t := Text{Words: words, Reason: reason}
	if len(params) == 0 {
		return t
	}
	t.Params = make(map[string]string, len(params)/2)
	pairs := make([]string, 0, len(params))
	for i := 0; i+1 < len(params); i += 2 {
		name, value := fmt.Sprint(params[i]), fmt.Sprint(params[i+1])
		t.Params[name] = value
		pairs = append(pairs, "‹"+name+"›", value)
	}
	t.Words = strings.NewReplacer(pairs...).Replace(words)
	return t
}

// Quote makes a text that quotes another one: ‹words› in words stands for it. If the quoted text has a reason, that is
// the param because, and its params stand beside the others.
func Quote(reason Reason, words string, quoted Text, params ...any) Text {
	t := New(reason, words, append(params, "words", quoted.Words)...)
	if quoted.Reason == "" {
		return t
	}
	for name := range quoted.Params {
		if _, taken := t.Params[name]; taken {
			return t
		}
	}
	maps.Copy(t.Params, quoted.Params)
	t.Params["because"] = string(quoted.Reason)
	return t
}

// Plain returns a text that is not HiveGo's own.
func Plain(words string) Text { return Text{Words: words} }

// Err returns the text as an error.
func (t Text) Err() error { return &Error{t} }

// Error is a text as an error.
type Error struct{ Text Text }

// Error returns the text.
func (e *Error) Error() string { return e.Text.Words }

// Errorf is New as an error.
func Errorf(reason Reason, words string, params ...any) error {
	return &Error{New(reason, words, params...)}
}

// Wrap is Quote as an error, of the text of err.
func Wrap(reason Reason, words string, err error, params ...any) error {
	return &Error{Quote(reason, words, Of(err), params...)}
}

// Of returns the text of an error. It has a reason if that says all of the text: an error that adds words of its own to
// a text with a reason has none.
func Of(err error) Text {
	words := err.Error()
	if e, ok := errors.AsType[*Error](err); ok && e.Text.Words == words {
		return e.Text
	}
	return Plain(words)
}
