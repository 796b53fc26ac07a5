package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

// explain makes a command and all commands below it answer wrong arguments and flags with their usage.
func explain(cmd *cobra.Command) {
	switch check := cmd.Args; {
	case cmd.HasSubCommands():
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknown(cmd, args[0])
			}
			return nil
		}
		if !cmd.Runnable() { // otherwise cobra shows the help for any argument, without an error
			cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
	case check != nil:
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if check(cmd, args) != nil {
				missing := check(cmd, append(slices.Clone(args), "more")) == nil
				return fmt.Errorf("%s; say `%s`", argumentWords(len(args), missing), cmd.UseLine())
			}
			if slices.Contains(args, "") {
				return fmt.Errorf("an argument is empty; say `%s`", cmd.UseLine())
			}
			return nil
		}
	}
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		// the flags may belong to the command that does not exist
		if words := cmd.Flags().Args(); cmd.HasSubCommands() && len(words) > 0 {
			return unknown(cmd, words[0])
		}
		if e, ok := errors.AsType[*strconv.NumError](err); ok && e.Func == "ParseInt" {
			words := "it is not a whole number"
			if errors.Is(e.Err, strconv.ErrRange) {
				words = "it is too large a number, or too small a one"
			}
			err = errors.New(strings.Replace(err.Error(), e.Error(), words, 1))
		}
		return fmt.Errorf("%w; `%s --help` lists the flags", err, cmd.CommandPath())
	})
	for _, sub := range cmd.Commands() {
		explain(sub)
	}
}

// unknown returns the error for a command that does not exist, with similar names.
func unknown(cmd *cobra.Command, name string) error {
	cmd.SuggestionsMinimumDistance = 1 + len(name)/5 // how many letters may differ: one in a short word
	remedy := fmt.Sprintf("`%s --help` lists the commands", cmd.CommandPath())
	if near := cmd.SuggestionsFor(name); len(near) > 0 {
		remedy = fmt.Sprintf("did you mean %s?", strings.Join(near, " or "))
	}
	return fmt.Errorf("unknown command %q; %s", name, remedy)
}

// argumentWords describes what is wrong with n arguments.
func argumentWords(n int, missing bool) string {
	switch {
	case n == 0 || missing:
		return "an argument is missing"
	case n == 1:
		return "1 argument does not fit"
	default:
		return fmt.Sprintf("%d arguments do not fit", n)
	}
}
