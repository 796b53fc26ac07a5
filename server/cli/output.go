package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/rprp/hivego/server/api/client"
	"github.com/rprp/hivego/server/api/model"
)

// format is the value of -o.
type format string

const (
	formatTable format = "table"
	formatJSON  format = "json"
	formatCSV   format = "csv"
)

// fileFormat is the value of -o of a command that can also print CSV.
type fileFormat struct{ format }

// Set parses the flag.
func (f *fileFormat) Set(s string) error {
	if s == string(formatCSV) {
		f.format = formatCSV
		return nil
	}
	if f.format.Set(s) != nil {
		return fmt.Errorf("it is table, json or csv, not %q", s)
	}
	return nil
}

// Type returns the flag's values for the help.
func (f *fileFormat) Type() string { return "table|json|csv" }

// bindCSVFormat adds -o with CSV.
func bindCSVFormat(cmd *cobra.Command) *format {
	f := &fileFormat{formatTable}
	cmd.Flags().VarP(f, "output", "o", "how to print")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(
		[]cobra.Completion{string(formatTable), string(formatJSON), string(formatCSV)},
		cobra.ShellCompDirectiveNoFileComp))
	return &f.format
}

// bindFileFormat adds -o with CSV, and --bom.
func bindFileFormat(cmd *cobra.Command) (out *format, mark *bool) {
	return bindCSVFormat(cmd), cmd.Flags().Bool("bom", false, "begin CSV with a byte order mark, for Excel")
}

// printFile copies a file of the server to the output.
func printFile(w io.Writer, request func() (*http.Response, error)) error {
	resp, err := request()
	if err != nil {
		return unreachable(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		var p model.Problem
		if err := json.NewDecoder(resp.Body).Decode(&p); err != nil {
			return refused(resp.StatusCode, nil)
		}
		return refused(resp.StatusCode, &p)
	}
	if _, err := io.Copy(w, resp.Body); err != nil {
		return unreachable(fmt.Errorf("%w: %w", errUnreachable, err))
	}
	return nil
}

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

// query makes cmd fetch something from the server and print it: as JSON with -o json, otherwise with show.
func query[T any](c *connection, cmd *cobra.Command,
	fetch func(cmd *cobra.Command, api *client.ClientWithResponses, args []string) (T, error),
	show func(w io.Writer, answer T),
) {
	out := bindFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		api, err := c.open()
		if err != nil {
			return err
		}
		answer, err := fetch(cmd, api, args)
		if err != nil {
			return err
		}
		if *out == formatJSON {
			return printJSON(cmd.OutOrStdout(), answer)
		}
		show(cmd.OutOrStdout(), answer)
		return nil
	}
}
