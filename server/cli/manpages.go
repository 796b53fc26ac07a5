package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func manCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write the man pages of all commands into a folder",
		Long: `Writes hivego.1, and a page such as hivego-run.1 for each command, into a folder. With
/usr/local/share/man/man1 as the folder, ` + "`man hivego`" + ` and ` + "`man hivego run`" + ` find them.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil { //nolint:gosec // pages are for everybody
				return fmt.Errorf("make the folder: %w", err)
			}
			return writeManPages(cmd.Root(), args[0])
		},
	}
}

// writeManPages writes the page of a command, and those of the commands below it.
func writeManPages(cmd *cobra.Command, dir string) error {
	if cmd.Hidden || cmd.Name() == "help" {
		return nil
	}
	file := filepath.Join(dir, manName(cmd)+".1")
	if err := os.WriteFile(file, []byte(manPage(cmd)), 0o644); err != nil { //nolint:gosec // for everybody
		return fmt.Errorf("write a man page: %w", err)
	}
	var errs []error
	for _, sub := range cmd.Commands() {
		errs = append(errs, writeManPages(sub, dir))
	}
	return errors.Join(errs...)
}

// manName returns the name of a command's page, such as hivego-token-create.
func manName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// manPage returns the page of a command in roff, for man(1). It contains no date, so that the same program always
// writes the same page.
func manPage(cmd *cobra.Command) string {
	var b strings.Builder
	name := manName(cmd)
	fmt.Fprintf(&b, ".TH %s 1 \"\" %s \"HiveGo\"\n", roffWord(strings.ToUpper(name)),
		roffWord(strings.TrimSpace("hivego "+cmd.Root().Version)))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(name), roff(cmd.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n\\fB%s\\fR%s\n", roff(cmd.CommandPath()),
		roff(strings.TrimPrefix(cmd.UseLine(), cmd.CommandPath())))
	b.WriteString(".SH DESCRIPTION\n")
	roffText(&b, cmp.Or(cmd.Long, cmd.Short+"."))
	if cmd.Example != "" {
		fmt.Fprintf(&b, ".SH EXAMPLES\n.nf\n%s\n.fi\n", roffLines(cmd.Example))
	}
	cmd.InitDefaultHelpFlag()
	roffFlags(&b, "OPTIONS", cmd.NonInheritedFlags())
	if cmd.HasAvailableInheritedFlags() && strings.Contains(cmd.UsageTemplate(), "HasAvailableInheritedFlags") {
		roffFlags(&b, "OPTIONS TO REACH A SERVER", cmd.InheritedFlags())
	}
	b.WriteString(".SH SEE ALSO\n")
	b.WriteString(strings.Join(related(cmd), ",\n"))
	b.WriteString("\n")
	return b.String()
}

// related lists the pages of the command above and of those below.
func related(cmd *cobra.Command) []string {
	var pages []string
	if cmd.HasParent() {
		pages = append(pages, `\fB`+roff(manName(cmd.Parent()))+`\fR(1)`)
	}
	for _, sub := range cmd.Commands() {
		if !sub.Hidden && sub.Name() != "help" {
			pages = append(pages, `\fB`+roff(manName(sub))+`\fR(1)`)
		}
	}
	return pages
}

// roffFlags writes a section of flags, if there are any.
func roffFlags(b *strings.Builder, title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	fmt.Fprintf(b, ".SH %s\n", title)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		names := `\fB` + roff("--"+f.Name) + `\fR`
		if f.Shorthand != "" {
			names = `\fB` + roff("-"+f.Shorthand) + `\fR, ` + names
		}
		if value != "" {
			names += ` \fI` + roff(value) + `\fR`
		}
		fmt.Fprintf(b, ".TP\n%s\n%s", names, roff(usage))
		if zero := f.DefValue; zero != "" && zero != "false" && zero != "0" && zero != "[]" {
			fmt.Fprintf(b, " (default %s)", roff(zero))
		}
		b.WriteString("\n")
	})
}

// roffText writes paragraphs. Lines that begin with a space are examples and stay as they are.
func roffText(b *strings.Builder, text string) {
	for i, paragraph := range strings.Split(strings.Trim(text, "\n"), "\n\n") {
		switch {
		case strings.HasPrefix(paragraph, " ") || strings.HasPrefix(paragraph, "\t"):
			fmt.Fprintf(b, ".PP\n.nf\n%s\n.fi\n", roffLines(paragraph))
		default:
			if i > 0 {
				b.WriteString(".PP\n")
			}
			b.WriteString(roffLines(paragraph) + "\n")
		}
	}
}

// roffLines escapes each line. A line must not begin with a dot or a quote, which are requests.
func roffLines(text string) string {
	lines := strings.Split(strings.Trim(text, "\n"), "\n")
	for i, line := range lines {
		lines[i] = roff(strings.ReplaceAll(line, "\t", "    "))
	}
	return strings.Join(lines, "\n")
}

// roffWord escapes an argument of a request.
func roffWord(text string) string { return `"` + strings.ReplaceAll(roff(text), `"`, `\(dq`) + `"` }

// roff escapes one line of text.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, `-`, `\-`, "`", `\(ga`, `^`, `\(ha`, `~`, `\(ti`, "…", "...",
		"—", `\(em`, "–", `\(en`, "’", `\(cq`, "“", `\(lq`, "”", `\(rq`).Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}
