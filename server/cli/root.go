// Package cli is the command line. Most commands call a server over its API; a few work on files or on the data folder.
// The standard output and the exit codes of commands are a contract with users' scripts.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rprp/hivego/server/hive"
)

// Exit codes. Scripts rely on them.
const (
	exitDone   = 0
	exitFailed = 1 // the command ran, and its result is negative: for example, the batch did not succeed
	exitError  = 2 // the command could not run; standard error explains why
)

// exit is an error without a text that sets the exit code.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit %d", int(e)) }

// ErrFailed ends a command with exit code 1 and without a message: the command ran, and its result is negative.
var ErrFailed error = exit(exitFailed)

// Config holds what the program passes to the command line.
type Config struct {
	Commands []*cobra.Command // added to the package's own commands
	Handlers []hive.Handler   // of the stock executor; validate checks the params of tasks against them
	// LogPatience is how long `logs -f` waits for the end of a log after the end of its attempt. Zero means a minute.
	// Logs are fetched every few seconds; a restarted executor takes a little longer.
	LogPatience time.Duration
	Build       Build // of this program; version prints it
}

// Root returns the command `hivego`.
func Root(cfg Config) *cobra.Command {
	root := &cobra.Command{
		Use:   "hivego",
		Short: "A batch scheduler that a team can trust its nightly warehouse to",
		Long: `HiveGo runs schedules: jobs of parallel tasks, one after another, on executors.

Commands that speak to a server read its address from HIVEGO_SERVER (or --server; ` + defaultServer + ` if neither
is given) and their token from HIVEGO_TOKEN (or from the file that --token-file or HIVEGO_TOKEN_FILE names).

They exit with 0 when all is well, with 1 when a batch that they waited for did not succeed, and with 2 when they could
not do what was asked.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.Version = cfg.Build.Version
	root.AddGroup(
		&cobra.Group{ID: groupServe, Title: "Servers and executors:"},
		&cobra.Group{ID: groupWork, Title: "Schedules and batches:"},
		&cobra.Group{ID: groupLocal, Title: "Without a server:"},
	)
	c := &connection{}
	c.bind(root)
	work := append([]*cobra.Command{
		applyCommand(c, cfg.Handlers), exportCommand(c), schedulesCommand(c), enableCommand(c, true), enableCommand(c,
			false), archiveCommand(c, true), archiveCommand(c, false),
		renameCommand(c, cfg.Handlers), deleteCommand(c), deletionsCommand(c),
		pruneCommand(c), diskCommand(c),
		runCommand(c), backfillCommand(c), backfillsCommand(c), batchesCommand(c), batchCommand(c), resumeCommand(c),
		rerunCommand(c), chainRepairsCommand(c), markCommand(c), historyCommand(c),
		logsCommand(c, cmp.Or(cfg.LogPatience, time.Minute)), ticksCommand(c), releaseCommand(c), planCommand(c),
		webhooksCommand(c), secretsCommand(c), connectionsCommand(c), forecastCommand(c), reportCommand(c),
		chainCommand(c), whyCommand(c), topCommand(c),
	}, wishCommands(c)...)
	for _, cmd := range work {
		cmd.GroupID = groupWork
		root.AddCommand(cmd)
	}
	for _, cmd := range []*cobra.Command{calendarsCommand(c), alertsCommand(c), channelsCommand(c)} {
		cmd.GroupID = groupWork
		root.AddCommand(cmd)
	}
	for _, cmd := range []*cobra.Command{executorsCommand(c), groupsCommand(c), poolsCommand(c), limitCommand(c)} {
		cmd.GroupID = groupServe
		root.AddCommand(cmd)
	}
	health := healthCommand(c)
	health.GroupID = groupServe
	root.AddCommand(health)
	for _, cmd := range []*cobra.Command{
		validateCommand(cfg.Handlers), fmtCommand(), certsCommand(), versionCommand(cfg.Build), manCommand(),
	} {
		cmd.GroupID = groupLocal
		root.AddCommand(cmd)
	}
	for _, cmd := range cfg.Commands {
		if cmd.GroupID == "" {
			cmd.GroupID = groupServe
		}
		root.AddCommand(cmd)
	}
	root.SetCompletionCommandGroupID(groupLocal)
	for _, cmd := range root.Commands() {
		if cmd.GroupID == groupLocal || slices.Contains(cfg.Commands, cmd) {
			standAlone(cmd)
		}
	}
	explain(root)
	root.SetHelpCommand(helpCommand(root))
	return root
}

// standAlone removes the flags for reaching a server from the help of a command that needs none.
func standAlone(cmd *cobra.Command) {
	page := cmd.UsageTemplate()
	before, rest, _ := strings.Cut(page, "{{if .HasAvailableInheritedFlags}}")
	_, after, _ := strings.Cut(rest, "{{end}}")
	cmd.SetUsageTemplate(before + after)
}

// addCompletion adds cobra's command for the scripts of shells, which writes to the present output of root.
func addCompletion(root *cobra.Command) {
	const name = "completion"
	root.InitDefaultCompletionCmd(name)
	for _, cmd := range root.Commands() {
		if cmd.Name() == name {
			standAlone(cmd)
			explain(cmd)
		}
	}
}

// helpCommand returns cobra's help command, with the difference that it refuses an unknown command.
func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about any command",
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err != nil {
				return err
			}
			if len(rest) > 0 {
				return unknown(cmd, rest[0])
			}
			cmd.InitDefaultHelpFlag()
			return cmd.Help()
		},
	}
}

// The groups of the help page.
const (
	groupServe = "serve"
	groupWork  = "work"
	groupLocal = "local"
)

// Main runs root with arguments and returns the exit code.
func Main(ctx context.Context, root *cobra.Command, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	stderr = messages{stderr}
	root.SetErr(stderr)
	addCompletion(root)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return exitDone
	}
	if code, ok := errors.AsType[exit](err); ok {
		return int(code)
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = errors.New("interrupted")
	}
	fmt.Fprintf(stderr, "%s: %v\n", cmd.CommandPath(), err)
	return exitError
}

// env returns an environment variable, or otherwise if it is not set.
func env(name, otherwise string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	return otherwise
}
