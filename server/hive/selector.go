package hive

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Selector is a condition on the labels of an executor. All terms must hold.
type Selector []SelectorTerm

// SelectorTerm is one term of a selector: a label, and the values that it may have, or may not have. Without values the
// label must be there, or must be absent. A label that is absent has none of the values.
type SelectorTerm struct {
	Label  string
	Not    bool
	Values []string
}

// MaxSelector is the greatest length of a selector in characters.
const MaxSelector = 1000

// SelectorError is the error of a selector.
type SelectorError struct {
	Term string // that cannot be read; empty if the whole selector is too long
}

// Error quotes the term.
func (e *SelectorError) Error() string {
	if e.Term == "" {
		return "the selector is too long"
	}
	return e.Term + " is not a condition on labels"
}

// ParseSelector reads a selector in the syntax of Kubernetes: terms like gpu=a100, zone!=b, disk in (ssd, nvme),
// disk notin (hdd), gpu and !gpu, with commas between them. An empty text has no terms. The error is a *SelectorError.
func ParseSelector(text string) (Selector, error) {
	if utf8.RuneCountInString(text) > MaxSelector {
		return nil, &SelectorError{}
	}
	if strings.Trim(text, selectorSpace) == "" {
		return nil, nil
	}
	var out Selector
	for _, part := range splitSelector(text) {
		part = strings.Trim(part, selectorSpace)
		term, ok := parseTerm(part)
		if !ok {
			if part == "" {
				part = ","
			}
			return nil, &SelectorError{Term: part}
		}
		out = append(out, term)
	}
	return out, nil
}

const selectorSpace = " \t\r\n"

// splitSelector splits a selector at the commas that are not between parentheses.
func splitSelector(text string) []string {
	var out []string
	start, depth := 0, 0
	for i := range len(text) {
		switch c := text[i]; {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth <= 0:
			out = append(out, text[start:i])
			start = i + 1
		}
	}
	return append(out, text[start:])
}

// parseTerm reads one term. ok is false if it is none.
func parseTerm(text string) (term SelectorTerm, ok bool) {
	if rest, not := strings.CutPrefix(text, "!"); not {
		label := strings.Trim(rest, selectorSpace)
		return SelectorTerm{Label: label, Not: true}, isLabel(label)
	}
	end := strings.IndexAny(text, selectorSpace+"=!(")
	if end < 0 {
		return SelectorTerm{Label: text}, isLabel(text)
	}
	term.Label = text[:end]
	rest := strings.Trim(text[end:], selectorSpace)
	if value, equal := cutOperator(rest, &term); equal {
		term.Values = []string{value}
		return term, isLabel(term.Label) && isLabelValue(value)
	}
	list, ok := strings.CutPrefix(rest, "notin")
	if term.Not = ok; !ok {
		list, ok = strings.CutPrefix(rest, "in")
	}
	list = strings.Trim(list, selectorSpace)
	if !ok || len(list) < 2 || list[0] != '(' || list[len(list)-1] != ')' {
		return term, false
	}
	for value := range strings.SplitSeq(list[1:len(list)-1], ",") {
		value = strings.Trim(value, selectorSpace)
		term.Values = append(term.Values, value)
		ok = ok && isLabelValue(value)
	}
	return term, ok && isLabel(term.Label)
}

// cutOperator removes the operator of a comparison with one value.
func cutOperator(text string, term *SelectorTerm) (value string, ok bool) {
	for _, operator := range []string{"!=", "==", "="} {
		if value, ok = strings.CutPrefix(text, operator); ok {
			term.Not = operator == "!="
			return strings.Trim(value, selectorSpace), true
		}
	}
	return "", false
}

// isLabel reports whether a label may have this name.
func isLabel(s string) bool {
	if s == "" || len(s) > 253 {
		return false
	}
	for i := range len(s) {
		c := s[i]
		alnum := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if !alnum && (i == 0 || c != '_' && c != '.' && c != '-') {
			return false
		}
	}
	return true
}

// isLabelValue reports whether a selector can name this value.
func isLabelValue(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r == 0x7f || strings.ContainsRune(`,()=!<>"'`, r)
	})
}

// Matches reports whether labels fulfill all terms.
func (s Selector) Matches(labels map[string]string) bool {
	for i := range s {
		if !s[i].matches(labels) {
			return false
		}
	}
	return true
}

func (t *SelectorTerm) matches(labels map[string]string) bool {
	value, ok := labels[t.Label]
	if len(t.Values) > 0 {
		ok = ok && slices.Contains(t.Values, value)
	}
	return ok != t.Not
}
