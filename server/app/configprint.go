package app

import (
	"cmp"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/rprp/hivego/server/config"
	"github.com/rprp/hivego/server/doctor"
)

func configCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Show the settings of a server or an executor, and where each comes from",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	show := printCommand("print", "serve", func(cmd *cobra.Command) explained {
		flags := new(cobra.Command).Flags() // apart from -o, which is no setting
		cfg := config.BindServe(flags)
		cmd.Flags().AddFlagSet(flags)
		return explained{
			explain: func() ([]config.Setting, error) { return config.Explain(flags) },
			check:   func() error { return cfg.Resolve(flags) },
		}
	})
	show.AddCommand(printCommand("executor", "executor", func(cmd *cobra.Command) explained {
		flags := new(cobra.Command).Flags()
		cfg := config.BindExecutor(flags)
		cmd.Flags().AddFlagSet(flags)
		return explained{
			explain: func() ([]config.Setting, error) { return config.Explain(flags) },
			check:   func() error { return cfg.Resolve(flags) },
		}
	}))
	cmd.AddCommand(show)
	return cmd
}

// explained are the settings of a long-running command.
type explained struct {
	explain func() ([]config.Setting, error)
	check   func() error
}

// printCommand returns the command that prints the settings of another one.
func printCommand(use, of string, bind func(cmd *cobra.Command) explained) *cobra.Command {
	cmd := &cobra.Command{
		Use:   use,
		Short: "Print the settings of `hivego " + of + "`, with secrets masked",
		Long: "Prints each setting as `hivego " + of + "` would use it if it were started here and now with the\n" +
			"same flags, and where the value comes from: a flag, a variable, a line of the file, or the default.\n" +
			"Secrets are masked. Settings that would be refused are printed too, and then the reason.",
		Args: cobra.NoArgs,
	}
	from := bind(cmd)
	output := cmd.Flags().StringP("output", "o", "table", "how to print: table or json")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if *output != "table" && *output != "json" {
			return fmt.Errorf("-o is table or json, not %q", *output)
		}
		all, err := from.explain()
		if err != nil {
			return err
		}
		if *output == "json" {
			if err := printJSON(cmd.OutOrStdout(), all); err != nil {
				return err
			}
			return from.check()
		}
		w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "SETTING\tVALUE\tORIGIN")
		for _, s := range all {
			fmt.Fprintf(w, "%s\t%s\t%s\n", s.Name, cmp.Or(doctor.Harmless(s.Value), "-"), s.Origin)
		}
		if err := w.Flush(); err != nil {
			return err
		}
		return from.check()
	}
	return cmd
}
