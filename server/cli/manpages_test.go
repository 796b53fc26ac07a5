package cli_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/cli"
)

// Every command that the help lists has a page, with its flags.
func TestManPages(t *testing.T) {
	t.Parallel()
	root := cli.Root(cli.Config{Commands: cli.LocalCommands(nil), Build: cli.Build{Version: "v1.2.3"}})
	dir := filepath.Join(t.TempDir(), "man", "man1")
	var out bytes.Buffer
	require.Zero(t, cli.Main(t.Context(), root, []string{"man", dir}, strings.NewReader(""), &out, &out), out.String())

	request := regexp.MustCompile(`^\.(TH|SH|PP|TP|nf|fi)( |$)`)
	pages := 0
	var check func(cmd *cobra.Command)
	check = func(cmd *cobra.Command) {
		if cmd.Hidden || cmd.Name() == "help" {
			return
		}
		name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
		raw, err := os.ReadFile(filepath.Join(dir, name+".1"))
		require.NoError(t, err)
		page := string(raw)
		pages++
		require.Contains(t, page, `"hivego v1.2.3"`, name)
		for line := range strings.Lines(page) {
			if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
				require.Regexp(t, request, strings.TrimSpace(line), name)
			}
		}
		for _, flag := range []string{"output", "data", "follow", "server"} {
			if f := cmd.LocalFlags().Lookup(flag); f != nil && !f.Hidden {
				require.Contains(t, page, `\fB\-\-`+flag+`\fR`, name)
			}
		}
		for _, sub := range cmd.Commands() {
			check(sub)
		}
	}
	check(root)
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, files, pages)
	require.Greater(t, pages, 30)
}

// The completion scripts call the program, which answers with commands and with the values of flags.
func TestCompletion(t *testing.T) {
	t.Parallel()
	complete := func(args ...string) string {
		var out bytes.Buffer
		root := cli.Root(cli.Config{Commands: cli.LocalCommands(nil)})
		require.Zero(t, cli.Main(t.Context(), root, args, strings.NewReader(""), &out, &bytes.Buffer{}), out.String())
		return out.String()
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		require.Contains(t, complete("completion", shell), "__complete", shell)
	}
	require.Contains(t, complete("__complete", "sch"), "schedules\t")
	require.Contains(t, complete("__complete", "batches", "-o", ""), "table\njson\n")
	require.Contains(t, complete("__complete", "token", ""), "create\t")
}
