package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/hive"
)

func whyCommand(c *connection) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "why BATCH TASK | why SCHEDULE MOMENT",
		Short: "Say why a task, or a moment of a schedule, is not running: what it waits for, and since when",
		Args:  cobra.ExactArgs(2),
	}
	out := bindFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if _, err := strconv.ParseInt(args[0], 10, 64); err != nil {
			api, err := c.open()
			if err != nil {
				return err
			}
			return whyTick(cmd, api, args[0], args[1], *out)
		}
		api, id, err := c.ofBatch(args[0])
		if err != nil {
			return err
		}
		r, err := checked(api.GetWhyWithResponse(cmd.Context(), id, args[1]))
		if err != nil {
			return err
		}
		list, err := checked(api.ListAttemptsWithResponse(cmd.Context(), id, &model.ListAttemptsParams{Task: &args[1]}))
		if err != nil {
			return err
		}
		var last *model.Attempt
		if n := len(list.JSON200.Items); n > 0 {
			last = &list.JSON200.Items[n-1]
		}
		if *out == formatJSON {
			return printJSON(cmd.OutOrStdout(), whyShape{Why: r.JSON200, Attempt: last})
		}
		printWhy(cmd, r.JSON200)
		if last != nil {
			printScheduling(cmd.OutOrStdout(), last)
			printSentParams(cmd.OutOrStdout(), last)
		}
		return nil
	}
	return cmd
}

// whyShape is the JSON of `why`: the answer, and the latest attempt of the task with the choice of its executor.
type whyShape struct {
	*model.Why
	Attempt *model.Attempt `json:"attempt,omitempty"`
}

// printSentParams prints what the params of an attempt were rendered to, if they hold expressions.
func printSentParams(o io.Writer, a *model.Attempt) {
	if len(a.Params) == 0 {
		return
	}
	fmt.Fprintf(o, "\nattempt %d: params as sent\n", a.Number)
	for _, name := range slices.Sorted(maps.Keys(a.Params)) {
		if name == hive.OmittedParams {
			fmt.Fprintf(o, "  (%v large params are left out)\n", a.Params[name])
			continue
		}
		text, isText := a.Params[name].(string)
		if !isText {
			raw, err := json.Marshal(a.Params[name])
			if err != nil {
				continue
			}
			text = string(raw)
		}
		fmt.Fprintf(o, "  %s: %s\n", oneLine(name), oneLine(text))
	}
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
