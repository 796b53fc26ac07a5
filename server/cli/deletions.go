package cli

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rprp/hivego/server/api/client"
	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/hive"
)

func deleteCommand(c *connection) *cobra.Command {
	sure := false
	cmd := &cobra.Command{
		Use:   "delete NAME",
		Short: "Delete an archived schedule with its revisions, batches, logs and ticks",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			api, err := c.open()
			if err != nil {
				return err
			}
			name := args[0]
			if !sure {
				fmt.Fprintf(cmd.ErrOrStderr(), "This deletes %s with its whole history. Type its name to go on: ", name)
				line, _ := bufio.NewReader(cmd.InOrStdin()).ReadString('\n') // at the end of the input it is empty
				if strings.TrimSpace(line) != name {
					return hive.Errorf(hive.CodeInvalid, "the name was not typed; nothing was deleted")
				}
			}
			r, err := checked(api.DeleteScheduleWithResponse(cmd.Context(), name))
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: is being deleted, %d of %s so far; "+
				"`hivego deletions` shows how far it is\n", name, r.JSON202.Batches,
				countWord(r.JSON202.Total, "batch"))
			return nil
		},
	}
	cmd.Flags().BoolVar(&sure, "yes", false, "do not ask for the name")
	return cmd
}

func deletionsCommand(c *connection) *cobra.Command {
	limit := 50
	cmd := &cobra.Command{
		Use:   "deletions",
		Short: "List deleted schedules: when, by whom, and how far those are that go on",
		Args:  cobra.NoArgs,
	}
	cmd.Flags().IntVar(&limit, "limit", limit, "at most so many, latest first")
	query(c, cmd, func(cmd *cobra.Command, api *client.ClientWithResponses, _ []string) ([]model.Deletion, error) {
		r, err := checked(api.ListDeletionsWithResponse(cmd.Context(), &model.ListDeletionsParams{Limit: &limit}))
		if err != nil {
			return nil, err
		}
		return r.JSON200.Items, nil
	}, func(w io.Writer, items []model.Deletion) {
		t := newTable("SCHEDULE", "BEGUN", "FINISHED", "BY", "BATCHES", "RUNS", "TICKS")
		for i := range items {
			d := &items[i]
			finished := "-"
			if !d.FinishedAt.IsZero() {
				finished = shortTime(d.FinishedAt.Time)
			}
			t.add(d.Schedule, shortTime(d.BegunAt.Time), finished, d.DeletedBy,
				fmt.Sprintf("%d of %d", d.Batches, d.Total), fmt.Sprint(d.Runs), fmt.Sprint(d.Ticks))
		}
		t.print(w)
	})
	return cmd
}
