// Package mask replaces the values of secrets in texts, however a stream is cut into writes. It finds a value as it is,
// percent-encoded in any mixture, as base64 in any alignment and with line breaks in it, as a JSON string, and as a
// text of SQL.
package mask

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// Text stands in the place of a value.
const Text = "***"

// Shortest is the length of the shortest value that is masked, in bytes. Shorter ones would be found everywhere.
const Shortest = 6

// longest is the length of the longest pattern. A longer value is several patterns, so that the search stays quick.
const longest = 512

// pattern is one form of a value, or a part of it.
type pattern struct {
	text string
	wrap bool // line breaks may stand between its characters, as base64 has them
}

// Set finds the values of secrets. A nil Set finds none. It is safe for concurrent use.
type Set struct {
	byFirst [256][]pattern // the patterns that a byte can begin
	begins  [256]bool      // the bytes that can begin a pattern, in any encoding
}

// New makes a set of values. It returns nil if none of them is long enough.
func New(values []string) *Set {
	var all []pattern
	for _, v := range values {
		all = appendForms(all, v)
	}
	if len(all) == 0 {
		return nil
	}
	slices.SortFunc(all, func(a, b pattern) int { return strings.Compare(a.text, b.text) })
	all = slices.Compact(all)
	s := &Set{}
	for _, p := range all {
		first := p.text[0]
		s.byFirst[first] = append(s.byFirst[first], p)
		s.begins[first] = true
		if first == ' ' {
			s.begins['+'] = true
		}
	}
	s.begins['%'] = true
	return s
}

// appendForms appends the patterns of a value.
func appendForms(all []pattern, v string) []pattern {
	if len(v) < Shortest {
		return all
	}
	all = appendPlain(all, v)
	for line := range strings.SplitSeq(v, "\n") { // it may be printed line by line
		all = appendPlain(all, strings.TrimSuffix(line, "\r"))
		all = appendPlain(all, strings.TrimSpace(line)) // as a shell prints it without quotes
	}
	for _, html := range []bool{true, false} {
		all = appendPlain(all, inJSON(v, html))
	}
	all = appendPlain(all, strings.ReplaceAll(v, "'", "''")) // as databases quote it in their errors
	quoted := strconv.Quote(v)
	all = appendPlain(all, quoted[1:len(quoted)-1])
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for offset := range 3 {
			all = appendBase64(all, encoding, v, offset)
		}
	}
	return all
}

func appendPlain(all []pattern, v string) []pattern { return appendParts(all, v, false) }

// appendParts appends a text, or the parts of a long one.
func appendParts(all []pattern, v string, wrap bool) []pattern {
	if len(v) < Shortest {
		return all
	}
	parts := (len(v) + longest - 1) / longest
	for i := range parts { // of about the same length, so that none is too short
		all = append(all, pattern{v[i*len(v)/parts : (i+1)*len(v)/parts], wrap})
	}
	return all
}

// inJSON returns a text as it stands within a JSON string.
func inJSON(v string, html bool) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(html)
	if err := e.Encode(v); err != nil {
		panic(err) // texts can always be written
	}
	text := strings.TrimSuffix(b.String(), "\n")
	return text[1 : len(text)-1]
}

// appendBase64 appends the characters of base64 that depend on a value alone, if so many bytes stand before it. It also
// appends the form at the end of a text, whose last character depends on no other byte either.
func appendBase64(all []pattern, encoding *base64.Encoding, v string, offset int) []pattern {
	text := encoding.EncodeToString([]byte(strings.Repeat("\x00", offset) + v))
	first := (offset*8 + 5) / 6
	whole := (offset + len(v)) * 8 / 6
	if whole < len(text) {
		all = appendParts(all, text[first:], true)
	}
	return appendParts(all, text[first:whole], true)
}

// match returns the length of the longest pattern at the beginning of text; 0 if there is none. more says that a
// pattern could begin there which is longer than the text.
func (s *Set) match(text []byte) (n int, more bool) {
	c := text[0]
	if !s.begins[c] {
		return 0, false
	}
	try := func(list []pattern) {
		for i := range list {
			found, open := list[i].match(text, 0, 0)
			n, more = max(n, found), more || open
		}
	}
	try(s.byFirst[c])
	switch c {
	case '+':
		try(s.byFirst[' '])
	case '%':
		if len(text) < 3 {
			more = more || len(text) == 1 || isHex(text[1])
		} else if b, ok := percent(text); ok && b != '%' {
			try(s.byFirst[b])
		}
	}
	return n, more
}

// match compares a pattern from its byte k on with a text from its byte i on. It returns how many bytes of the text
// belong to the pattern; more says that the text ends before the pattern.
func (p *pattern) match(text []byte, i, k int) (n int, more bool) {
	for k < len(p.text) {
		if i == len(text) {
			return 0, true
		}
		c, want := text[i], p.text[k]
		switch {
		case c == '%':
			return p.matchPercent(text, i, k)
		case c == want, c == '+' && want == ' ':
			i, k = i+1, k+1
		case p.wrap && k > 0 && (c == '\n' || c == '\r'):
			i++
		default:
			return 0, false
		}
	}
	return i, false
}

// matchPercent is match where the text has a percent sign. It may stand for itself, or begin a code.
func (p *pattern) matchPercent(text []byte, i, k int) (n int, more bool) {
	if p.text[k] == '%' {
		if found, open := p.match(text, i+1, k+1); found > 0 || open {
			return found, open
		}
	}
	if len(text)-i < 3 {
		return 0, len(text)-i == 1 || isHex(text[i+1])
	}
	if b, ok := percent(text[i:]); !ok || b != p.text[k] {
		return 0, false
	}
	return p.match(text, i+3, k+1)
}

// percent decodes the percent-encoded byte at the beginning of a text.
func percent(text []byte) (byte, bool) {
	if !isHex(text[1]) || !isHex(text[2]) {
		return 0, false
	}
	return nibble(text[1])<<4 | nibble(text[2]), true
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

func nibble(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c&^0x20 - 'A' + 10
}

// String returns a text with all values masked.
func (s *Set) String(text string) string {
	if s == nil || text == "" {
		return text
	}
	m := Stream{set: s}
	begin := string(m.Write([]byte(text)))
	return begin + string(m.Flush())
}

// Map returns texts with all values masked, also in the names.
func (s *Set) Map(texts map[string]string) map[string]string {
	if s == nil || texts == nil {
		return texts
	}
	out := make(map[string]string, len(texts))
	for name, text := range texts {
		out[s.String(name)] = s.String(text)
	}
	return out
}

// Stream masks a text that comes in pieces.
type Stream struct {
	set     *Set
	held    []byte // it could begin a pattern
	covered int    // how many bytes at the beginning of held belong to a pattern that was found
	masking bool   // the last byte before held was masked
	out     []byte
}

// Stream begins a text.
func (s *Set) Stream() *Stream { return &Stream{set: s} }

// Write takes the next piece, and returns what of the text is final. The result is valid until the next call.
func (m *Stream) Write(piece []byte) []byte {
	m.held = append(m.held, piece...)
	return m.advance(false)
}

// Flush ends the text, and returns the rest of it. Another text may follow.
func (m *Stream) Flush() []byte {
	out := m.advance(true)
	m.covered, m.masking = 0, false
	return out
}

// advance masks what is held, up to the first byte that a later piece could change. Values may overlap: all bytes that
// belong to one of them are masked.
func (m *Stream) advance(last bool) []byte {
	m.out = m.out[:0]
	i := 0
	for ; i < len(m.held); i++ {
		n, more := m.set.match(m.held[i:])
		m.covered = max(m.covered, i+n)
		if more && !last {
			break
		}
		switch {
		case i >= m.covered:
			m.out, m.masking = append(m.out, m.held[i]), false
		case !m.masking:
			m.out, m.masking = append(m.out, Text...), true
		}
	}
	m.covered = max(m.covered-i, 0)
	m.held = append(m.held[:0], m.held[i:]...)
	return m.out
}
