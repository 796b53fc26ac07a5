package cli

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"
)

// explain makes a command and all below it answer wrong arguments and flags with how it is said.
func explain(cmd *cobra.Command) {
	if check := cmd.Args; check != nil && cmd.HasParent() && !cmd.HasSubCommands() {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if check(cmd, args) != nil {
				return fmt.Errorf("%s; say `%s`", argumentWords(len(args)), cmd.UseLine())
			}
			if slices.Contains(args, "") {
				return fmt.Errorf("an argument is empty; say `%s`", cmd.UseLine())
			}
			return nil
		}
	}
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fmt.Errorf("%w; `%s --help` lists the flags", err, cmd.CommandPath())
	})
	for _, sub := range cmd.Commands() {
		explain(sub)
	}
}

// argumentWords counts arguments in words.
func argumentWords(n int) string {
	switch n {
	case 0:
		return "an argument is missing"
	case 1:
		return "1 argument does not fit"
	default:
		return fmt.Sprintf("%d arguments do not fit", n)
	}
}
