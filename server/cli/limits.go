package cli

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/hive"
)

func poolsCommand(c *connection) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "pools",
		Aliases: []string{"pool"},
		Short:   "List pools and their slots; set and delete change them",
		Long: "Lists pools, with their slots. A task with `pool: {name: dw, slots: 2}` holds two slots of the pool\n" +
			"dw while it runs. Pools count over all schedules. Tasks of a pool that does not exist wait.",
		Args: cobra.NoArgs,
	}
	out := bindFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return listLimits(c, cmd, *out, true)
	}
	var reason string
	set := &cobra.Command{
		Use:   "set NAME SLOTS",
		Short: "Make a pool, or give it another number of slots; with 0, none of its tasks starts",
		Args:  cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return setLimit(c, cmd, hive.LimitKey{Kind: hive.LimitPool, Name: args[0]}, args[1], reason)
		},
	}
	set.Flags().StringVar(&reason, "reason", "", "why, for others")
	cmd.AddCommand(set, &cobra.Command{
		Use:   "delete NAME",
		Short: "Delete a pool; its tasks wait",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return deleteLimit(c, cmd, hive.LimitKey{Kind: hive.LimitPool, Name: args[0]})
		},
	})
	return cmd
}

func limitCommand(c *connection) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "limit",
		Aliases: []string{"limits"},
		Short:   "List limits on how many tasks run at the same time; server, group, tag and schedule change them",
		Long: "Lists limits on how many tasks run at the same time. With a limit of 0, nothing starts, and what\n" +
			"runs goes on; off removes a limit.",
		Args: cobra.NoArgs,
	}
	out := bindFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return listLimits(c, cmd, *out, false)
	}
	for _, kind := range hive.LimitKinds() {
		if kind != hive.LimitPool {
			cmd.AddCommand(limitOfKind(c, kind))
		}
	}
	return cmd
}

func limitOfKind(c *connection, kind hive.LimitKind) *cobra.Command {
	var reason string
	what := map[hive.LimitKind]string{
		hive.LimitServer: "all tasks", hive.LimitGroup: "the tasks on executors of a group",
		hive.LimitTag: "the tasks of schedules with a tag", hive.LimitSchedule: "the tasks of a schedule",
	}[kind]
	cmd := &cobra.Command{
		Use: string(kind) + " NAME MOST|off", Short: "Limit how many of " + what + " run at the same time",
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			key := hive.LimitKey{Kind: kind}
			if kind != hive.LimitServer {
				key.Name = args[0]
			}
			if most := args[len(args)-1]; most != "off" {
				return setLimit(c, cmd, key, most, reason)
			}
			return deleteLimit(c, cmd, key)
		},
	}
	if kind == hive.LimitServer {
		cmd.Use, cmd.Args = "server MOST|off", cobra.ExactArgs(1)
	}
	cmd.Flags().StringVar(&reason, "reason", "", "why, for others")
	return cmd
}

// listLimits prints the pools, or all other limits.
func listLimits(c *connection, cmd *cobra.Command, format format, pools bool) error {
	api, err := c.open()
	if err != nil {
		return err
	}
	r, err := checked(api.ListLimitsWithResponse(cmd.Context()))
	if err != nil {
		return err
	}
	list := slices.DeleteFunc(r.JSON200.Items, func(l model.RunLimit) bool {
		return (l.Kind == model.LimitKind(hive.LimitPool)) != pools
	})
	if format == formatJSON {
		return printJSON(cmd.OutOrStdout(), list)
	}
	head := []string{"LIMIT", "RUNNING", "MOST", "SET BY", "SET AT", "REASON"}
	if pools {
		head = []string{"POOL", "USED", "SLOTS", "SET BY", "SET AT", "REASON"}
	}
	t := newTable(head...)
	for i := range list {
		l := &list[i]
		name := l.Name
		if !pools {
			name = limitName(l)
		}
		t.add(name, strconv.Itoa(l.Used), strconv.Itoa(l.Most), dash(l.SetBy), dash(shortTime(l.SetAt.Time)),
			dash(oneLine(l.Reason)))
	}
	t.print(cmd.OutOrStdout())
	return nil
}

func limitName(l *model.RunLimit) string {
	return hive.LimitKey{Kind: hive.LimitKind(l.Kind), Name: l.Name}.String()
}

func setLimit(c *connection, cmd *cobra.Command, key hive.LimitKey, most, reason string) error {
	n, err := strconv.Atoi(most)
	if err != nil || n < 0 || n > hive.MostLimit {
		return fmt.Errorf("%q: write a number from 0 to %d%s", most, hive.MostLimit, orOff(key))
	}
	api, err := c.open()
	if err != nil {
		return err
	}
	r, err := checked(api.SetLimitWithResponse(cmd.Context(), model.SetLimit{
		Kind: model.LimitKind(key.Kind), Name: key.Name, Most: n, Reason: reason,
	}))
	if err != nil {
		return err
	}
	name, allowed, used := limitName(r.JSON200), r.JSON200.Most, r.JSON200.Used
	if key.Kind == hive.LimitPool {
		fmt.Fprintf(cmd.OutOrStdout(), "%s: %s; %d taken now\n", name, countWord(allowed, "slot"), used)
		return nil
	}
	verb := "run"
	if used == 1 {
		verb = "runs"
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s: at most %d at the same time; %d %s now\n", name, allowed, used, verb)
	return nil
}

func orOff(key hive.LimitKey) string {
	if key.Kind == hive.LimitPool {
		return ""
	}
	return ", or off"
}

// deleteLimit removes a limit. One that is off already stays so without an error; a pool must exist.
func deleteLimit(c *connection, cmd *cobra.Command, key hive.LimitKey) error {
	api, err := c.open()
	if err != nil {
		return err
	}
	kind := model.LimitKind(key.Kind)
	params := &model.DeleteLimitParams{Kind: &kind}
	if key.Name != "" {
		params.Name = &key.Name
	}
	_, err = checked(api.DeleteLimitWithResponse(cmd.Context(), params))
	hadNone := key.Kind != hive.LimitPool && hive.CodeOf(err) == hive.CodeNotFound
	if hadNone {
		err = nil
	}
	switch {
	case err != nil:
		return err
	case key.Kind == hive.LimitPool:
		fmt.Fprintf(cmd.OutOrStdout(), "%s is deleted\n", key)
	case hadNone:
		fmt.Fprintf(cmd.OutOrStdout(), "%s had no limit\n", key)
	default:
		fmt.Fprintf(cmd.OutOrStdout(), "%s has no limit now\n", key)
	}
	return nil
}
