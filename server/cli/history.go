package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rprp/hivego/server/api/model"
)

func historyCommand(c *connection) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "history ID",
		Short: "List what people did to a batch, newest first, and why",
		Args:  cobra.ExactArgs(1),
	}
	out := bindFormat(cmd)
	limit := cmd.Flags().Int("limit", 50, "at most so many actions, 1 to 500")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		api, id, err := c.ofBatch(args[0])
		if err != nil {
			return err
		}
		r, err := checked(api.ListCommandsWithResponse(cmd.Context(), id, &model.ListCommandsParams{Limit: limit}))
		if err != nil {
			return err
		}
		if *out == formatJSON {
			return printJSON(cmd.OutOrStdout(), r.JSON200)
		}
		printHistory(cmd.OutOrStdout(), r.JSON200.Items)
		return nil
	}
	return cmd
}

func printHistory(w io.Writer, items []model.BatchCommand) {
	if len(items) == 0 {
		fmt.Fprintln(w, "nobody has done anything to this batch")
		return
	}
	t := newTable("AT", "BY", "ACTION", "TASKS", "ROUND", "CHANGED", "NOTE")
	for i := range items {
		c := &items[i]
		round := ""
		if c.Round != 0 {
			round = fmt.Sprint(c.Round)
		}
		t.add(shortTime(c.CreatedAt.Time), c.CreatedBy, commandWord(c), dash(namedTasks(c)), dash(round),
			dash(changesWord(c.Changes)), dash(oneLine(c.Note)))
	}
	t.print(w)
}

// commandWord names the action of a command, and says so if it was not applied.
func commandWord(c *model.BatchCommand) string {
	word := strings.ReplaceAll(string(c.Action), "_", " ")
	switch {
	case c.Replaced:
		word = "replace"
	case c.Wish == model.WishRun:
		word = "continue"
	case c.Wish != "":
		word = string(c.Wish)
	}
	if c.State != model.BatchCommandStateApplied {
		word += " (" + string(c.State) + ")"
	}
	return word
}

func namedTasks(c *model.BatchCommand) string {
	word := strings.Join(c.Tasks, " ")
	if more := c.Asked - len(c.Tasks); more > 0 {
		word += fmt.Sprintf(" and %d more", more)
	}
	return word
}

func changesWord(changes []model.StateChange) string {
	words := make([]string, len(changes))
	for i, c := range changes {
		from := string(c.From)
		if from == "" {
			from = "new"
		}
		words[i] = fmt.Sprintf("%d %s to %s", c.Count, from, c.To)
	}
	return strings.Join(words, ", ")
}
