package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rprp/hivego/server/api/client"
	"github.com/rprp/hivego/server/api/model"
)

func connectionsCommand(c *connection) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "connections",
		Aliases: []string{"connection"},
		Short:   "Work with the connections of the server: list, test, export, delete; hivego apply saves them",
	}
	cmd.AddCommand(connectionsList(c), connectionTest(c), exportDocument(c, "a connection",
		func(ctx context.Context, api *client.ClientWithResponses, name string) (string, error) {
			r, err := checked(api.GetConnectionWithResponse(ctx, name))
			if err != nil {
				return "", err
			}
			return r.JSON200.Document, nil
		}), connectionDelete(c))
	return cmd
}

func connectionsList(c *connection) *cobra.Command {
	cmd := &cobra.Command{Use: "list", Short: "List the connections", Args: cobra.NoArgs}
	query(c, cmd, func(cmd *cobra.Command, api *client.ClientWithResponses, _ []string) (
		[]model.ConnectionSummary, error,
	) {
		r, err := checked(api.ListConnectionsWithResponse(cmd.Context()))
		if err != nil {
			return nil, err
		}
		return r.JSON200.Items, nil
	}, func(w io.Writer, items []model.ConnectionSummary) {
		t := newTable("NAME", "TYPE", "GROUPS", "REVISION", "CHANGED", "BY", "TITLE")
		for i := range items {
			k := &items[i]
			t.add(k.Name, k.Type, strings.Join(k.Groups, ", "), fmt.Sprint(k.Revision), shortTime(k.UpdatedAt.Time),
				k.UpdatedBy, k.Title)
		}
		t.print(w)
	})
	return cmd
}

func connectionTest(c *connection) *cobra.Command {
	group := ""
	cmd := &cobra.Command{
		Use:   "test NAME",
		Short: "Try a connection on an executor of a group that may have it",
		Args:  cobra.ExactArgs(1),
	}
	cmd.Flags().StringVar(&group, "group", "", "group of executors; the first one with an executor if left out")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		api, err := c.open()
		if err != nil {
			return err
		}
		r, err := checked(api.TestConnectionWithResponse(cmd.Context(), args[0],
			model.NewConnectionTest{Group: given(group)}))
		if err != nil {
			return err
		}
		t, where := r.JSON200, "an executor"
		if t.Executor != "" {
			where = t.Executor
		}
		if !t.Ok {
			return fmt.Errorf("%s on %s of group %s: %s; batch %d has the log", args[0], where, t.Group, t.Detail,
				t.Batch)
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s: ok on %s of group %s in %s\n", args[0], where, t.Group,
			time.Duration(t.TookMillis)*time.Millisecond)
		return nil
	}
	return cmd
}

func connectionDelete(c *connection) *cobra.Command {
	var force bool
	cmd := &cobra.Command{Use: "delete NAME", Short: "Delete a connection", Args: cobra.ExactArgs(1)}
	cmd.Flags().BoolVar(&force, "force", false, "also if schedules use it: their tasks fail then")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		api, err := c.open()
		if err != nil {
			return err
		}
		_, err = checked(api.DeleteConnectionWithResponse(cmd.Context(), args[0],
			&model.DeleteConnectionParams{Force: &force}))
		if err == nil {
			fmt.Fprintln(cmd.OutOrStdout(), args[0]+" is deleted")
		}
		return err
	}
	return cmd
}
