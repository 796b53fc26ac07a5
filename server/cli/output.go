package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"
)

// format is the value of -o.
type format string

const (
	formatTable format = "table"
	formatJSON  format = "json"
)

// String, Set and Type implement the interface of a flag's value.
func (f *format) String() string { return string(*f) }

// Set parses the flag.
func (f *format) Set(s string) error {
	if s != string(formatTable) && s != string(formatJSON) {
		return fmt.Errorf("it is table or json, not %q", s)
	}
	*f = format(s)
	return nil
}

// Type returns the flag's values for the help.
func (f *format) Type() string { return "table|json" }

// bindFormat adds -o.
func bindFormat(cmd *cobra.Command) *format {
	f := formatTable
	cmd.Flags().VarP(&f, "output", "o", "how to print")
	// it can only fail for a flag that does not exist
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(
		[]cobra.Completion{string(formatTable), string(formatJSON)}, cobra.ShellCompDirectiveNoFileComp))
	return &f
}

// printJSON prints v as indented JSON.
func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// table collects rows and prints them in aligned columns, two spaces apart.
type table struct {
	rows [][]string
}

func newTable(head ...string) *table { return &table{rows: [][]string{head}} }

func (t *table) add(cells ...string) {
	for i, c := range cells {
		cells[i] = oneLine(c)
	}
	t.rows = append(t.rows, cells)
}

func (t *table) print(w io.Writer) {
	widths := make([]int, len(t.rows[0]))
	for _, row := range t.rows {
		for i, c := range row {
			widths[i] = max(widths[i], width(c))
		}
	}
	for _, row := range t.rows {
		var b strings.Builder
		for i, c := range row {
			b.WriteString(c)
			if i < len(row)-1 {
				b.WriteString(strings.Repeat(" ", widths[i]-width(c)+2))
			}
		}
		fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
	}
}

// oneLine makes text from elsewhere safe for a table and the terminal.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || r == '\r' {
			return ' '
		}
		return harmless(r)
	}, strings.TrimSpace(s))
}

// harmless replaces characters that control a terminal or disguise text: control characters, unusual line ends, and
// invisible characters, for example those which change the direction of writing. The joiner and the non-joiner stay,
// because some scripts need them.
func harmless(r rune) rune {
	const joiner, nonJoiner = '\u200D', '\u200C'
	if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) && r != joiner && r != nonJoiner {
		return unicode.ReplacementChar
	}
	return r
}

// messages is standard error. It shows texts from the server, from files and from tasks, so it makes them safe for the
// terminal. Logs go to standard output unchanged, for programs that read them.
type messages struct{ to io.Writer }

// Write writes a whole message.
func (m messages) Write(p []byte) (int, error) {
	text := strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		return harmless(r)
	}, string(p))
	if _, err := io.WriteString(m.to, text); err != nil {
		return 0, err
	}
	return len(p), nil
}

// width returns the number of columns of a text. Wide characters of East Asia take two.
func width(s string) int {
	n := 0
	for _, r := range s {
		switch {
		case unicode.In(r, unicode.Mn, unicode.Cf):
		case unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana),
			r >= 0xFF01 && r <= 0xFF60, r >= 0x3000 && r <= 0x303F:
			n += 2
		default:
			n++
		}
	}
	return n
}

// shortTime formats a time for tables: UTC, to the second.
func shortTime(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format("2006-01-02 15:04:05Z")
}

// took returns how long something ran, or has been running.
func took(from, to, now time.Time) string {
	switch {
	case from.IsZero():
		return "-"
	case to.IsZero():
		return now.Sub(from).Round(time.Second).String() + " so far"
	default:
		d := to.Sub(from)
		if d < time.Minute {
			return d.Round(time.Millisecond).String()
		}
		return d.Round(time.Second).String()
	}
}

// dash replaces an empty value in a table.
func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
