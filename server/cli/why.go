package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/rprp/hivego/server/api/model"
)

func whyCommand(c *connection) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "why BATCH TASK",
		Short: "Say why a task is not running: what it waits for, and since when",
		Args:  cobra.ExactArgs(2),
	}
	out := bindFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		api, id, err := c.ofBatch(args[0])
		if err != nil {
			return err
		}
		r, err := checked(api.GetWhyWithResponse(cmd.Context(), id, args[1]))
		if err != nil {
			return err
		}
		if *out == formatJSON {
			return printJSON(cmd.OutOrStdout(), r.JSON200)
		}
		printWhy(cmd, r.JSON200)
		return nil
	}
	return cmd
}

func printWhy(cmd *cobra.Command, w *model.Why) {
	o := cmd.OutOrStdout()
	fmt.Fprintf(o, "%s (%s): %s\n", w.Task, w.State, oneLine(w.Words))
	if !w.Since.IsZero() {
		fmt.Fprintf(o, "since %s\n", shortTime(w.Since.Time))
	}
	if !w.Until.IsZero() {
		fmt.Fprintf(o, "until %s\n", shortTime(w.Until.Time))
	}
	if len(w.Holders) == 0 {
		return
	}
	fmt.Fprintln(o)
	t := newTable("EXECUTOR", "BATCH", "SCHEDULE", "TASK", "SINCE")
	for _, h := range w.Holders {
		t.add(h.Executor, fmt.Sprint(h.Batch), dash(h.Schedule), h.Task, shortTime(h.Since.Time))
	}
	t.print(o)
}
