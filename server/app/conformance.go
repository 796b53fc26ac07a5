package app

import (
	"fmt"
	"io"
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

It exits with 0 when no rule is broken, with 1 when one is, and with 2 when nothing could be
checked.`,
		Args: cobra.NoArgs,
	}
	t.bind(cmd)
	f := cmd.Flags()
	f.StringVar(&o.Work.Handler, "handler", "", "handler that may be called (default: shell, if there is one)")
	f.StringVar(&o.Work.Good, "params-json", "", "params with which it soon succeeds, as a JSON object (default {})")
	f.StringVar(&o.Work.Bad, "fail-params-json", "", "params with which it soon fails")
	f.StringVar(&o.Work.Long, "long-params-json", "", "params with which it goes on for a minute, unless it is killed")
	f.StringVar(&o.Work.Stubborn, "stubborn-params-json", "",
		"params with which it ignores the request to end, and must be forced")
	f.StringToStringVar(&o.Work.Outputs, "expect-output", nil, "name=value, an output of the params that succeed")
	f.StringArrayVar(&o.Work.Lines, "expect-line", nil,
		"end of a line that the params that succeed write to the log; may be repeated")
	f.StringSliceVar(&o.Only, "rule", nil, "check this rule only; may be repeated")
	f.StringVar(&patience, "patience", "1m", "how long one rule may take")
	f.StringVarP(&output, "output", "o", "table", "how to print: table or json")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		var err error
		if o.Target, err = t.open(); err != nil {
			return err
		}
		d, err := hive.ParseDuration(patience)
		if err != nil || d.Std() < time.Second {
			return fmt.Errorf("--patience %q: give a second or more", patience)
		}
		if output != "table" && output != "json" {
			return fmt.Errorf("--output: it is table or json, not %q", output)
		}
		o.Patience = d.Std()
		r, err := conform.Check(cmd.Context(), o)
		if err != nil {
			return t.explain(cmd.Context(), err)
		}
		if output == "json" {
			err = printJSON(cmd.OutOrStdout(), r)
		} else {
			printReport(cmd.OutOrStdout(), r)
		}
		if err == nil && r.Count(conform.Fail) > 0 {
			err = cli.ErrFailed
		}
		return err
	}
	return cmd
}

// printReport prints a line for each rule, with its faults and remedies below.
func printReport(w io.Writer, r *conform.Report) {
	kind := "run-only"
	if r.Durable {
		kind = "durable"
	}
	fmt.Fprintf(w, "%s (%s), %s, by its handler %s\n\n", r.Name, r.Executor, kind, r.Handler)
	marks := map[conform.Result]string{conform.Pass: "pass", conform.Fail: "FAIL", conform.Unchecked: "  - "}
	unchecked := map[string]int{}
	for _, f := range r.Findings {
		if f.Result == conform.Unchecked && !r.Durable && f.Why == conform.NotDurable {
			unchecked[f.Why]++
			continue
		}
		fmt.Fprintf(w, "%s  %-18s %s\n", marks[f.Result], f.Rule, f.Requirement)
		switch f.Result {
		case conform.Fail:
			fmt.Fprintf(w, "%24s why:    %s\n%24s remedy: %s\n", "", f.Why, "", f.Remedy)
		case conform.Unchecked:
			fmt.Fprintf(w, "%24s not checked: %s\n", "", f.Why)
		}
	}
	if n := unchecked[conform.NotDurable]; n > 0 {
		fmt.Fprintf(w, "  -  %d rules for durable executors are not checked: %s\n", n, conform.NotDurable)
	}
	fmt.Fprintf(w, "\n%d hold, %d broken, %d not checked\n", r.Count(conform.Pass), r.Count(conform.Fail),
		r.Count(conform.Unchecked))
}
