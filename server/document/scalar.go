package document

import (
	"fmt"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// line writes a text on one line: without quotes if it is unambiguous, in single quotes if only double quotes would
// need escapes, and otherwise in double quotes.
func line(s string) string {
	if isPlain(s) {
		return s
	}
	if strings.ContainsAny(s, `"\`) && !strings.Contains(s, "'") && !strings.ContainsFunc(s, isHidden) {
		return "'" + s + "'"
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case r <= 0xFF && isHidden(r):
			fmt.Fprintf(&b, `\x%02x`, r)
		case r <= 0xFFFF && isHidden(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		case isHidden(r):
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// isHidden reports whether r is invisible or breaks a line.
func isHidden(r rune) bool { return !unicode.IsPrint(r) }

// isPlain reports whether every version of YAML reads s without quotes as the text s.
func isPlain(s string) bool {
	if s == "" || strings.HasPrefix(s, "...") || strings.HasSuffix(s, " ") {
		return false
	}
	for i, r := range s {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '_', r == '.', r == '/':
		case i > 0 && strings.ContainsRune(" -+=%$()^~;<", r):
		default:
			return false
		}
	}
	switch strings.ToLower(s) {
	case "y", "n", "yes", "no", "on", "off": // YAML 1.1's true and false
		return false
	}
	return (&yaml.Node{Kind: yaml.ScalarNode, Value: s}).ShortTag() == tagText
}

// blockText returns s if it has several lines and can be written as a literal block, otherwise "".
func blockText(s string) string {
	if !strings.Contains(s, "\n") || s[0] == ' ' || s[0] == '\t' || s[0] == '\n' {
		return ""
	}
	for l := range strings.SplitSeq(s, "\n") {
		if strings.TrimLeft(l, " \t") == "" && l != "" {
			return ""
		}
	}
	for _, r := range s {
		if r != '\n' && r != '\t' && isHidden(r) {
			return ""
		}
	}
	return s
}
