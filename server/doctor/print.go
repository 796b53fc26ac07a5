package doctor

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"
)

// report is the answer as JSON.
type report struct {
	Status Level     `json:"status"`
	Checks []Finding `json:"checks"`
}

// PrintJSON writes findings for programs.
func PrintJSON(w io.Writer, findings []Finding) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(report{Status: Worst(findings), Checks: findings})
}

// PrintText writes findings for people, each with its remedy below it.
func PrintText(w io.Writer, findings []Finding) {
	for _, f := range findings {
		level := strings.ToUpper(string(f.Level))
		fmt.Fprintf(w, "%-8s %-14s %s\n", level, f.Check, Harmless(f.Words))
		if f.Remedy != "" {
			fmt.Fprintf(w, "%-8s %-14s → %s\n", "", "", Harmless(f.Remedy))
		}
	}
}

// Harmless makes a text from elsewhere one line that does not steer the terminal.
func Harmless(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case !unicode.IsPrint(r):
			return unicode.ReplacementChar
		default:
			return r
		}
	}, s)
}
