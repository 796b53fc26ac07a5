package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/rprp/hivego/server/api/client"
	"github.com/rprp/hivego/server/api/model"
)

func webhooksCommand(c *connection) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "webhooks",
		Aliases: []string{"webhook"},
		Short:   "Work with the webhooks of schedules: list, secret",
	}
	cmd.AddCommand(webhooksList(c), webhookSecretCommand(c))
	return cmd
}

func webhooksList(c *connection) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list NAME",
		Short: "List the webhooks of a schedule",
		Args:  cobra.ExactArgs(1),
	}
	query(c, cmd, func(cmd *cobra.Command, api *client.ClientWithResponses, args []string) (
		[]model.Webhook, error,
	) {
		r, err := checked(api.ListWebhooksWithResponse(cmd.Context(), args[0]))
		if err != nil {
			return nil, err
		}
		return r.JSON200.Items, nil
	}, func(w io.Writer, items []model.Webhook) {
		t := newTable("WEBHOOK", "PATH", "SECRET SINCE", "BY", "LAST CALL", "PENDING")
		for i := range items {
			w := &items[i]
			since, by := "-", "-"
			if len(w.Secrets) > 0 {
				since, by = shortTime(w.Secrets[0].CreatedAt.Time), w.Secrets[0].CreatedBy
			}
			t.add(w.Name, w.Path, since, by, lastCall(w), fmt.Sprint(w.Pending))
		}
		t.print(w)
	})
	return cmd
}

func lastCall(w *model.Webhook) string {
	if w.LastAt.IsZero() {
		return "-"
	}
	return shortTime(w.LastAt.Time)
}

func webhookSecretCommand(c *connection) *cobra.Command {
	var overlap int
	cmd := &cobra.Command{
		Use:   "secret NAME WEBHOOK",
		Short: "Give a webhook a new secret, which is printed once",
		Args:  cobra.ExactArgs(2),
	}
	cmd.Flags().IntVar(&overlap, "overlap-hours", 0, "how long the old secrets still hold, at most 720")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		api, err := c.open()
		if err != nil {
			return err
		}
		r, err := checked(api.CreateWebhookSecretWithResponse(cmd.Context(), args[0], args[1],
			model.WebhookSecretRequest{OverlapHours: &overlap}))
		if err == nil {
			fmt.Fprintln(cmd.OutOrStdout(), r.JSON201.Secret)
		}
		return err
	}
	return cmd
}
