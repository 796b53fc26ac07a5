package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rprp/hivego/server/api/client"
	"github.com/rprp/hivego/server/api/model"
)

func executorsCommand(c *connection) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "executors",
		Short: "List executors; add, delete, drain, undrain, offline and online change them",
		Args:  cobra.NoArgs,
	}
	out := bindFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		api, err := c.open()
		if err != nil {
			return err
		}
		r, err := checked(api.ListExecutorsWithResponse(cmd.Context()))
		if err != nil {
			return err
		}
		if *out == formatJSON {
			return printJSON(cmd.OutOrStdout(), r.JSON200.Items)
		}
		t := newTable("NAME", "GROUP", "STATE", "RUNNING", "SLOTS", "HANDLERS", "LABELS", "ADDRESS", "SEEN")
		for i := range r.JSON200.Items {
			e := &r.JSON200.Items[i]
			t.add(e.Name, e.Group, executorState(e), fmt.Sprint(e.Running), fmt.Sprint(e.Slots),
				handlerNames(e.Handlers),
				dash(labels(e.Labels)), e.Address, shortTime(e.SeenAt.Time))
		}
		t.print(cmd.OutOrStdout())
		printNotices(cmd, api)
		return nil
	}
	cmd.AddCommand(executorsAdd(c), executorsDelete(c), executorsDrain(c, true), executorsDrain(c, false),
		executorsOffline(c, true), executorsOffline(c, false))
	return cmd
}

func executorState(e *model.Executor) string {
	state := string(e.State)
	if e.Offline {
		state += " (offline)"
	}
	if e.Trouble != "" {
		state += ": " + e.Trouble
	}
	return state
}

func handlerNames(list []model.Handler) string {
	names := make([]string, len(list))
	for i := range list {
		names[i] = list[i].Name
	}
	slices.Sort(names)
	return dash(strings.Join(names, ","))
}

func labels(m map[string]string) string {
	out := make([]string, 0, len(m))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out = append(out, k+"="+m[k])
	}
	return strings.Join(out, ",")
}

func executorsOffline(c *connection, offline bool) *cobra.Command {
	use, short := "online", "Let an executor get work again"
	if offline {
		use, short = "offline", "Give an executor nothing new; what it runs goes on"
	}
	return forEach(c, use, short, " is "+use,
		func(ctx context.Context, api *client.ClientWithResponses, name string) error {
			_, err := checked(api.SetOfflineWithResponse(ctx, name, model.Offline{Offline: offline}))
			return err
		})
}

func executorsDelete(c *connection) *cobra.Command {
	short := "Forget executors that will not come back, or that were added by their address"
	cmd := forEach(c, "delete", short, " is forgotten",
		func(ctx context.Context, api *client.ClientWithResponses, name string) error {
			_, err := checked(api.DeleteExecutorWithResponse(ctx, name))
			return err
		})
	cmd.Aliases = []string{"remove"}
	return cmd
}

// forEach makes a command that does one thing for each name and confirms it. It stops at the first error.
func forEach(
	c *connection, use, short, done string, do func(ctx context.Context, api *client.ClientWithResponses,
		name string) error,
) *cobra.Command {
	return &cobra.Command{
		Use:   use + " NAME...",
		Short: short,
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			api, err := c.open()
			if err != nil {
				return err
			}
			for _, name := range args {
				if err := do(cmd.Context(), api, name); err != nil {
					return err
				}
				fmt.Fprintln(cmd.OutOrStdout(), name+done)
			}
			return nil
		},
	}
}
