package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
)

// parsed is the content of a file: one schedule, or several YAML documents.
type parsed struct {
	file      string
	text      []byte
	documents []*document.Document
	faults    []hive.Fault
}

// unknownHandler is the code of a warning that only the server can give, because it knows what executors offer.
const unknownHandler = "unknown_handler"

func parseFile(cmd *cobra.Command, file string) (*parsed, error) {
	text, err := readAll(cmd, file)
	if err != nil {
		return nil, err
	}
	p := &parsed{file: file, text: text}
	p.check(nil)
	return p, nil
}

// check parses the documents and finds their faults. It checks the params of tasks with one of the given handlers.
func (p *parsed) check(handlers []hive.Handler) {
	p.documents, p.faults = document.ParseAll(p.text, document.Options{Handlers: handlers})
	p.faults = slices.DeleteFunc(p.faults, func(f hive.Fault) bool { return f.Code == unknownHandler })
}

// printNew prints faults from the server that were not printed yet. If the file has several documents, it names the
// document instead of the lines, which count from the start of the document.
func (p *parsed) printNew(w io.Writer, d *document.Document, faults []hive.Fault) {
	more := &parsed{file: p.file}
	if len(p.documents) > 1 {
		more.file = fmt.Sprintf("%s (%s)", p.file, d.Name())
	}
	for _, f := range faults {
		if slices.ContainsFunc(p.faults, func(o hive.Fault) bool { return o.Code == f.Code && o.Path == f.Path }) {
			continue
		}
		if len(p.documents) > 1 {
			f.Line, f.Column = 0, 0
		}
		more.faults = append(more.faults, f)
	}
	more.print(w)
}

// print prints all faults in a form that editors can jump to.
func (p *parsed) print(w io.Writer) {
	for _, f := range p.faults {
		kind := "error"
		if f.Warning {
			kind = "warning"
		}
		place := p.file
		if f.Line > 0 {
			place = fmt.Sprintf("%s:%d:%d", p.file, f.Line, f.Column)
		}
		f.Line, f.Column = 0, 0
		fmt.Fprintf(w, "%s: %s: %s\n", place, kind, f)
	}
}

// verdictJSON is the output of `hivego validate -o json`.
type verdictJSON struct {
	File   string       `json:"file"`
	Valid  bool         `json:"valid"`
	Names  []string     `json:"names"`
	Faults []hive.Fault `json:"faults"`
}

func validateCommand(handlers []hive.Handler) *cobra.Command {
	var flag []string
	cmd := &cobra.Command{
		Use:   "validate -f FILE...",
		Short: "Check schedules without a server: every fault at once, with its place and remedy",
		Long: `Checks each file and names every fault at once, with line, column and remedy. Params of the handlers
shell and sql are checked too; of other handlers only the server knows what they take.`,
	}
	cmd.Flags().StringArrayVarP(&flag, "file", "f", nil, "file to check; - is standard input")
	out := bindFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		names, err := files(flag, args)
		if err != nil {
			return err
		}
		all := make([]*parsed, 0, len(names))
		refused := 0
		for _, name := range names {
			p, err := parseFile(cmd, name)
			if err != nil {
				return err
			}
			p.check(handlers)
			if all = append(all, p); hive.Refused(p.faults) {
				refused++
			}
		}
		if err := printVerdicts(cmd, all, *out); err != nil {
			return err
		}
		if refused > 0 {
			return fmt.Errorf("%s refused", count(refused, "file"))
		}
		return nil
	}
	return cmd
}

func printVerdicts(cmd *cobra.Command, all []*parsed, out format) error {
	verdicts := make([]verdictJSON, 0, len(all))
	for _, p := range all {
		v := verdictJSON{
			File: p.file, Valid: !hive.Refused(p.faults), Names: []string{},
			Faults: append([]hive.Fault{}, p.faults...),
		}
		for _, d := range p.documents {
			v.Names = append(v.Names, d.Name())
		}
		verdicts = append(verdicts, v)
	}
	if out == formatJSON {
		return printJSON(cmd.OutOrStdout(), verdicts)
	}
	for i, p := range all {
		p.print(cmd.ErrOrStderr())
		if verdicts[i].Valid {
			fmt.Fprintf(cmd.OutOrStdout(), "%s: valid\n", p.file)
		}
	}
	return nil
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what + " is"
	}
	return fmt.Sprintf("%d %ss are", n, what)
}

func fmtCommand() *cobra.Command {
	var flag []string
	var f formatter
	cmd := &cobra.Command{
		Use:   "fmt -f FILE...",
		Short: "Write schedules in their canonical form",
		Long: `Prints each file in its one canonical form, comments included. With -w it is written back instead;
with --check nothing is written, and the exit code is 1 if a file is not in that form.
--remove-redundant also drops needs that change nothing because a longer path stands for them.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			names, err := files(flag, args)
			if err != nil {
				return err
			}
			return f.run(cmd, names)
		},
	}
	cmd.Flags().StringArrayVarP(&flag, "file", "f", nil, "file to format; - is standard input")
	cmd.Flags().BoolVarP(&f.write, "write", "w", false, "write the files back")
	cmd.Flags().BoolVar(&f.check, "check", false, "write nothing; exit 1 if a file would change")
	cmd.Flags().BoolVar(&f.slim, "remove-redundant", false, "drop redundant needs")
	cmd.MarkFlagsMutuallyExclusive("write", "check")
	return cmd
}

type formatter struct{ write, check, slim bool }

func (f *formatter) run(cmd *cobra.Command, names []string) error {
	differs := false
	for _, name := range names {
		text, err := readAll(cmd, name)
		if err != nil {
			return err
		}
		formatted, err := f.format(text)
		if e, ok := errors.AsType[*hive.Error](err); ok {
			(&parsed{file: name, faults: e.Faults}).print(cmd.ErrOrStderr())
			return fmt.Errorf("%s cannot be formatted before its faults are gone", name)
		}
		if err != nil {
			return err
		}
		same := bytes.Equal(text, formatted)
		differs = differs || !same
		if err := f.put(cmd, name, formatted, same); err != nil {
			return err
		}
	}
	if f.check && differs {
		return exit(exitFailed)
	}
	return nil
}

func (f *formatter) put(cmd *cobra.Command, name string, text []byte, same bool) error {
	switch {
	case f.check && !same:
		fmt.Fprintf(cmd.OutOrStdout(), "%s\n", name)
	case f.check || f.write && same && name != "-":
	case f.write && name != "-":
		return rewrite(name, text)
	default:
		_, err := cmd.OutOrStdout().Write(text)
		return err
	}
	return nil
}

// rewrite replaces a file in one step, so that a crash cannot leave half a file.
func rewrite(name string, text []byte) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	tmp := name + ".hivego-fmt"
	if err := os.WriteFile(tmp, text, info.Mode().Perm()); err != nil {
		return err
	}
	if err := os.Rename(tmp, name); err != nil {
		_ = os.Remove(tmp)
		return err
	}
	return nil
}

func (f *formatter) format(text []byte) ([]byte, error) {
	if !f.slim {
		return document.Format(text)
	}
	docs, faults := document.ParseAll(text, document.Options{Stored: true, Limit: document.MaxSize})
	if hive.Refused(faults) {
		return nil, &hive.Error{Code: hive.CodeInvalid, Words: "the file has faults", Faults: faults}
	}
	var out []byte
	for i, d := range docs {
		less, _, err := document.RemoveRedundant(d)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out = append(out, "---\n"...)
		}
		out = append(out, less.Canonical...)
	}
	return out, nil
}
