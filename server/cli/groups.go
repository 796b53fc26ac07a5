package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/hive"
)

func groupsCommand(c *connection) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "groups",
		Short: "List groups of executors and their routes; set changes one",
		Args:  cobra.NoArgs,
	}
	out := bindFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		api, err := c.open()
		if err != nil {
			return err
		}
		r, err := checked(api.ListExecutorGroupsWithResponse(cmd.Context()))
		if err != nil {
			return err
		}
		if *out == formatJSON {
			return printJSON(cmd.OutOrStdout(), r.JSON200.Items)
		}
		t := newTable("NAME", "EXECUTORS", "ROUTE", "SET BY", "SET AT", "REASON")
		for i := range r.JSON200.Items {
			g := &r.JSON200.Items[i]
			t.add(g.Name, fmt.Sprint(g.Executors), string(g.Route), dash(g.SetBy), dash(shortTime(g.SetAt.Time)),
				dash(oneLine(g.Reason)))
		}
		t.print(cmd.OutOrStdout())
		return nil
	}
	cmd.AddCommand(groupsSet(c))
	return cmd
}

func groupsSet(c *connection) *cobra.Command {
	var body model.SetExecutorGroup
	var route string
	cmd := &cobra.Command{
		Use:   "set NAME --route ROUTE",
		Short: "Set how a group chooses the executor of a task that has no route of its own",
		Long: "Sets how a group chooses the executor of a task that has no route, neither of its own nor of its " +
			"schedule.\nThe routes are " + routeNames() + ".",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !hive.Route(route).Known() {
				return fmt.Errorf("--route %q: write one of %s", route, routeNames())
			}
			body.Route = model.Route(route)
			api, err := c.open()
			if err != nil {
				return err
			}
			r, err := checked(api.SetExecutorGroupWithResponse(cmd.Context(), args[0], body))
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s has the route %s\n", r.JSON200.Name, r.JSON200.Route)
			return nil
		},
	}
	cmd.Flags().StringVar(&route, "route", "", "the route")
	cmd.Flags().StringVar(&body.Reason, "reason", "", "why, for others")
	return cmd
}

func routeNames() string {
	names := make([]string, 0, len(hive.Routes()))
	for _, r := range hive.Routes() {
		names = append(names, string(r))
	}
	return strings.Join(names, ", ")
}

// printScheduling prints how the executor of an attempt was chosen, if it was one of several.
func printScheduling(o io.Writer, a *model.Attempt) {
	s := &a.Scheduling
	if s.Route == "" {
		return
	}
	fmt.Fprintf(o, "\nattempt %d: %s chose %s of %d executors%s\n", a.Number, routeOrigin(s), a.Executor, s.Group,
		routeKey(s))
	t := newTable("EXECUTOR", "USED", "SLOTS", "COULD NOT")
	for _, x := range s.Considered {
		t.add(x.Name, fmt.Sprint(x.Used), fmt.Sprint(x.Slots), dash(x.Wait))
	}
	t.print(o)
}

func routeOrigin(s *model.Scheduling) string {
	if s.Origin == model.SchedulingOrigin(hive.RouteByDefault) {
		return fmt.Sprintf("route %s (the default)", s.Route)
	}
	return fmt.Sprintf("route %s (of the %s)", s.Route, s.Origin)
}

func routeKey(s *model.Scheduling) string {
	if s.Key == "" {
		return ""
	}
	return fmt.Sprintf(" by the key %q", s.Key)
}
