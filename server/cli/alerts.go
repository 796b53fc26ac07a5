package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rprp/hivego/server/api/client"
	"github.com/rprp/hivego/server/api/model"
)

func alertsCommand(c *connection) *cobra.Command {
	limit, open, taken, schedule, batch := 50, false, false, "", int64(0)
	var span timeFlags
	cmd := &cobra.Command{
		Use:     "alerts",
		Aliases: []string{"alert"},
		Short:   "List what rules have reported; take and release problems, send messages again, work with rules",
		Args:    cobra.NoArgs,
	}
	cmd.Flags().IntVar(&limit, "limit", limit, "at most so many, latest first")
	cmd.Flags().BoolVar(&open, "open", false, "only problems that last")
	cmd.Flags().BoolVar(&taken, "taken", false, "only problems that somebody is on")
	cmd.Flags().StringVar(&schedule, "schedule", "", "only about this schedule")
	cmd.Flags().Int64Var(&batch, "batch", 0, "only about this batch")
	span.bind(cmd, "only reported")
	out := bindFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		since, until, err := span.read(time.Now())
		if err != nil {
			return err
		}
		api, err := c.open()
		if err != nil {
			return err
		}
		r, err := checked(api.ListAlertsWithResponse(cmd.Context(), &model.ListAlertsParams{
			Limit: &limit, Open: &open, Taken: given(taken), Schedule: given(schedule), Batch: given(batch),
			Since: since, Until: until,
		}))
		if err != nil {
			return err
		}
		if *out == formatJSON {
			return printJSON(cmd.OutOrStdout(), r.JSON200.Items)
		}
		t := newTable("ALERT", "AT", "EVENT", "ABOUT", "OPEN", "TAKEN BY", "DELIVERY", "RULE", "CHANNEL", "STATE",
			"TRIES", "ERROR")
		for i := range r.JSON200.Items {
			addAlert(t, &r.JSON200.Items[i])
		}
		t.print(cmd.OutOrStdout())
		return nil
	}
	cmd.AddCommand(takeAlertsCommand(c), releaseAlertsCommand(c), forEach(c, "resend", "Send deliveries again",
		" is sent again", func(ctx context.Context, api *client.ClientWithResponses, name string) error {
			id, err := numbered("a delivery", name)
			if err != nil {
				return err
			}
			_, err = checked(api.SendAgainWithResponse(ctx, id, model.NewDeliveryState{
				State: model.NewDeliveryStateStatePending,
			}))
			return err
		}), alertRulesCommand(c), alertTriesCommand(c), exportDocument(c, "a rule",
		func(ctx context.Context, api *client.ClientWithResponses, name string) (string, error) {
			r, err := checked(api.GetAlertRuleWithResponse(ctx, name))
			if err != nil {
				return "", err
			}
			return r.JSON200.Document, nil
		}), forEach(c, "delete", "Delete rules", " is deleted",
		func(ctx context.Context, api *client.ClientWithResponses, name string) error {
			_, err := checked(api.DeleteAlertRuleWithResponse(ctx, name))
			return err
		}))
	return cmd
}

// addAlert adds a line for each delivery of an event, and one if it has none.
func addAlert(t *table, a *model.Alert) {
	kind, open := string(a.Kind), "no"
	if a.Of != "" {
		kind += " (" + string(a.Of) + ")"
	}
	if a.Open {
		open = "yes"
	}
	head := []string{fmt.Sprint(a.ID), shortTime(a.At.Time), kind, aboutAlert(a), open, dash(a.Taker.Name)}
	if len(a.Deliveries) == 0 {
		t.add(append(head, "-", "-", "-", "-", "-", "-")...)
	}
	for i := range a.Deliveries {
		d := &a.Deliveries[i]
		state := string(d.State)
		if d.Escalation {
			state += " (escalation)"
		}
		t.add(append(slices.Clone(head), fmt.Sprint(d.ID), d.Rule, d.Channel, state, fmt.Sprint(d.Tries),
			dash(d.Error))...)
	}
}

// numbered reads the number of an alert, a batch or a delivery.
func numbered(what, text string) (int64, error) {
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id < 1 {
		return 0, fmt.Errorf("%q is not the number of %s; `hivego alerts` lists them", text, what)
	}
	return id, nil
}

func takeAlertsCommand(c *connection) *cobra.Command {
	note, batch := "", false
	cmd := forEach(c, "take", "Say that you are on problems, which stops their escalation", ": you are on it",
		func(ctx context.Context, api *client.ClientWithResponses, name string) error {
			id, err := numbered(takenThing(batch), name)
			if err != nil {
				return err
			}
			if batch {
				_, err = checked(api.TakeBatchWithResponse(ctx, id, model.Taking{Note: note}))
				return err
			}
			_, err = checked(api.TakeAlertWithResponse(ctx, id, model.Taking{Note: note}))
			return err
		})
	cmd.Flags().StringVar(&note, "note", "", "what you do about it")
	bindBatch(cmd, &batch)
	return cmd
}

func releaseAlertsCommand(c *connection) *cobra.Command {
	batch := false
	cmd := forEach(c, "release", "Say that nobody is on problems any more", ": nobody is on it",
		func(ctx context.Context, api *client.ClientWithResponses, name string) error {
			id, err := numbered(takenThing(batch), name)
			if err != nil {
				return err
			}
			if batch {
				_, err = checked(api.ReleaseBatchWithResponse(ctx, id))
				return err
			}
			_, err = checked(api.ReleaseAlertWithResponse(ctx, id))
			return err
		})
	bindBatch(cmd, &batch)
	return cmd
}

// bindBatch adds the flag by which numbers are those of batches.
func bindBatch(cmd *cobra.Command, batch *bool) {
	cmd.Use = strings.ReplaceAll(cmd.Use, "NAME", "NUMBER")
	cmd.Flags().BoolVar(batch, "batch", false, "the numbers are those of batches, and all of their problems are meant")
}

func takenThing(batch bool) string {
	if batch {
		return "a batch"
	}
	return "an alert"
}

// aboutAlert names what an event is about.
func aboutAlert(a *model.Alert) string {
	switch {
	case a.BatchGone:
		return strings.TrimSpace(fmt.Sprintf("%s batch %d, removed by retention", a.Schedule, a.Batch))
	case a.Batch != 0:
		return strings.TrimSpace(fmt.Sprintf("%s batch %d", a.Schedule, a.Batch))
	case a.Schedule != "":
		return a.Schedule
	case a.Executor != "":
		return "executor " + a.Executor
	case a.Channel != "":
		return "channel " + a.Channel
	default:
		return "server"
	}
}

func alertRulesCommand(c *connection) *cobra.Command {
	cmd := &cobra.Command{Use: "rules", Short: "List the rules", Args: cobra.NoArgs}
	query(c, cmd, func(cmd *cobra.Command, api *client.ClientWithResponses, _ []string) (
		[]model.AlertRuleSummary, error,
	) {
		r, err := checked(api.ListAlertRulesWithResponse(cmd.Context()))
		if err != nil {
			return nil, err
		}
		return r.JSON200.Items, nil
	}, func(w io.Writer, items []model.AlertRuleSummary) {
		t := newTable("NAME", "REVISION", "EVENTS", "SCHEDULES", "TAGS", "CHANNELS", "UPDATED", "TITLE")
		for i := range items {
			a := &items[i]
			on := make([]string, len(a.On))
			for j, kind := range a.On {
				on[j] = string(kind)
			}
			t.add(a.Name, fmt.Sprint(a.Revision), strings.Join(on, ","), dash(strings.Join(a.Schedules, ",")),
				dash(strings.Join(a.Tags, ",")), strings.Join(a.Channels, ","), shortTime(a.UpdatedAt.Time), a.Title)
		}
		t.print(w)
	})
	return cmd
}

func alertTriesCommand(c *connection) *cobra.Command {
	cmd := &cobra.Command{
		Use: "tries DELIVERY", Short: "List the tries to send a delivery", Args: cobra.ExactArgs(1),
	}
	out := bindFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		id, err := numbered("a delivery", args[0])
		if err != nil {
			return err
		}
		api, err := c.open()
		if err != nil {
			return err
		}
		r, err := checked(api.ListDeliveryTriesWithResponse(cmd.Context(), id))
		if err != nil {
			return err
		}
		if *out == formatJSON {
			return printJSON(cmd.OutOrStdout(), r.JSON200.Items)
		}
		t := newTable("AT", "TOOK", "TAKEN", "MESSAGE", "ANSWER")
		for i := range r.JSON200.Items {
			try := &r.JSON200.Items[i]
			taken := "no"
			if try.Done {
				taken = "yes"
			}
			t.add(shortTime(try.At.Time), fmt.Sprintf("%dms", try.Took), taken, try.Message, try.Detail)
		}
		t.print(cmd.OutOrStdout())
		return nil
	}
	return cmd
}

// exportDocument makes a command that prints the newest revision of a document.
func exportDocument(c *connection, what string,
	read func(ctx context.Context, api *client.ClientWithResponses, name string) (string, error),
) *cobra.Command {
	return &cobra.Command{
		Use:   "export NAME",
		Short: "Print " + what + " as YAML",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			api, err := c.open()
			if err != nil {
				return err
			}
			text, err := read(cmd.Context(), api, args[0])
			if err == nil {
				_, err = fmt.Fprint(cmd.OutOrStdout(), text)
			}
			return err
		},
	}
}
