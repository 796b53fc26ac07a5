package hive

import (
	"strings"
	"unicode"
)

// Cell makes a text safe for a spreadsheet, and for a terminal: a text that a spreadsheet would read as a formula gets
// an apostrophe, and control characters become spaces.
func Cell(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' {
			return ' '
		}
		return r
	}, text)
	if t := strings.TrimLeft(text, " \n"); t != "" && strings.ContainsRune("=+-@", rune(t[0])) {
		return "'" + text
	}
	return text
}
