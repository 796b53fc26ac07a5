package app

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/rprp/hivego/executor/conform"
	"github.com/rprp/hivego/server/cli"
	"github.com/rprp/hivego/server/hive"
)

func conformanceCommand() *cobra.Command {
	var t target
	var o conform.Options
	var patience, output string
	cmd := &cobra.Command{
		Use:   "conformance",
		Short: "Check an executor against the contract, rule by rule",
		Long: `Calls an executor that you wrote, and says of each rule of the contract whether it holds, and if
not, why and what to do.

It really runs tasks, hundreds of them on a durable executor: use one of your own, with a data
folder of its own, and not one that is in service. Name a handler that may be called, and params
that it succeeds with; rules about failures, kills, timeouts and leases need params that fail, and
params that go on for a minute. For the handler shell all three are known.

With --start the check starts the executor itself, in a process group of its own, and also checks
what it does when it is killed (SIGKILL), frozen (SIGSTOP) and stopped (SIGTERM). Its data folder must
outlive that, it must listen at --address, and stay in its process group. A wrapper around it (npm,
mvn, a script) may end before it or after it.

Each rule is printed as it ends. What follows from a broken rule is not checked, and says so.
Interrupting it prints what was found.

It exits with 0 when no rule is broken, with 1 when one is, and with 2 when nothing could be
checked.`,
		Args: cobra.NoArgs,
	}
	t.bind(cmd)
	f := cmd.Flags()
	f.StringVar(&o.Work.Handler, "handler", "", "handler that may be called (default: shell, if there is one)")
	f.StringVar(&o.Work.Good, "params-json", "", "params with which it soon succeeds, as a JSON object (default {})")
	f.StringVar(&o.Work.Bad, "fail-params-json", "", "params with which it soon fails")
	f.StringVar(&o.Work.Long, "long-params-json", "",
		"params with which it goes on for a minute, unless it is killed, and writes a line every second")
	f.StringVar(&o.Work.Stubborn, "stubborn-params-json", "",
		"params with which it ignores the request to end, and must be forced")
	f.StringToStringVar(&o.Work.Outputs, "expect-output", nil, "name=value, an output of the params that succeed")
	f.StringArrayVar(&o.Work.Lines, "expect-line", nil,
		"end of a line that the params that succeed write to the log; may be repeated")
	f.StringSliceVar(&o.Only, "rule", nil, "check this rule only; may be repeated")
	f.StringVar(&o.Start, "start", "",
		"shell command that starts the executor at --address: the check kills, freezes, restarts and stops it")
	f.StringVar(&patience, "patience", "1m", "how long one rule may take")
	f.StringVarP(&output, "output", "o", "table", "how to print: table, json or junit")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		var err error
		if o.Target, err = t.open(); err != nil {
			return err
		}
		d, err := hive.ParseDuration(patience)
		if err != nil || d.Std() < time.Second {
			return fmt.Errorf("--patience %q: give a second or more", patience)
		}
		o.Patience = d.Std()
		return conformance(cmd, &t, o, output)
	}
	return cmd
}

// conformance checks an executor, and prints what it finds: in a table as it comes, else at the end.
func conformance(cmd *cobra.Command, t *target, o conform.Options, output string) error {
	out := cmd.OutOrStdout()
	write := func(r *conform.Report) error { return printJSON(out, r) }
	switch output {
	case "table":
		o.Found = func(r *conform.Report, f conform.Finding) { printFinding(out, r, f) }
		write = func(r *conform.Report) error {
			printCounts(out, r)
			return nil
		}
	case "json":
	case "junit":
		write = func(r *conform.Report) error { return printJUnit(out, r) }
	default:
		return fmt.Errorf("--output: it is table, json or junit, not %q", output)
	}
	r, err := conform.Check(cmd.Context(), o)
	if r == nil {
		return t.explain(cmd.Context(), err)
	}
	if werr := write(r); werr != nil {
		return werr
	}
	if err != nil { // it was interrupted
		return t.explain(cmd.Context(), err)
	}
	if r.Count(conform.Fail) > 0 {
		return cli.ErrFailed
	}
	return nil
}
