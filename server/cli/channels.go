package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rprp/hivego/server/api/client"
	"github.com/rprp/hivego/server/api/model"
)

func channelsCommand(c *connection) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "channels",
		Aliases: []string{"channel"},
		Short:   "List the channels of alerts; secret, test, export and delete work with one",
		Args:    cobra.NoArgs,
	}
	query(c, cmd, func(cmd *cobra.Command, api *client.ClientWithResponses, _ []string) (
		[]model.ChannelSummary, error,
	) {
		r, err := checked(api.ListChannelsWithResponse(cmd.Context()))
		if err != nil {
			return nil, err
		}
		return r.JSON200.Items, nil
	}, func(w io.Writer, items []model.ChannelSummary) {
		t := newTable("NAME", "TYPE", "REVISION", "LANGUAGE", "SECRETS", "USED BY", "UPDATED", "TITLE")
		for i := range items {
			k := &items[i]
			t.add(k.Name, string(k.Type), fmt.Sprint(k.Revision), string(k.Language), dash(secretNames(k.Secrets)),
				dash(strings.Join(k.UsedBy, ",")), shortTime(k.UpdatedAt.Time), k.Title)
		}
		t.print(w)
	})
	cmd.AddCommand(channelSecretCommand(c), channelTestCommand(c), exportDocument(c, "a channel",
		func(ctx context.Context, api *client.ClientWithResponses, name string) (string, error) {
			r, err := checked(api.GetChannelWithResponse(ctx, name))
			if err != nil {
				return "", err
			}
			return r.JSON200.Document, nil
		}), forEach(c, "delete", "Delete channels that no rule names, with their secrets", " is deleted",
		func(ctx context.Context, api *client.ClientWithResponses, name string) error {
			_, err := checked(api.DeleteChannelWithResponse(ctx, name))
			return err
		}))
	return cmd
}

// secretNames lists the secrets that a channel has or needs.
func secretNames(all []model.ChannelSecret) string {
	var names []string
	for _, s := range all {
		switch {
		case s.Set:
			names = append(names, s.Name)
		case s.Required:
			names = append(names, s.Name+" (missing)")
		}
	}
	return strings.Join(names, ",")
}

func channelSecretCommand(c *connection) *cobra.Command {
	remove := false
	cmd := &cobra.Command{
		Use:   "secret NAME SECRET",
		Short: "Set a secret of a channel, such as its password or address, from standard input",
		Long: `Reads one line from standard input and stores it as a secret of the channel. It is stored encrypted, and
never shown again. The secrets by the type of the channel:

email: password     webhook: key     slack, wecom: url     dingtalk, feishu: url, and key if messages are signed
http: those that its texts name as ${{ secrets.NAME }}`,
		Args: cobra.ExactArgs(2),
	}
	cmd.Flags().BoolVar(&remove, "remove", false, "delete the secret instead")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		value := ""
		if !remove {
			text, err := readAll(cmd, "-")
			if err != nil {
				return err
			}
			if value = strings.TrimRight(string(text), "\r\n"); value == "" {
				return errors.New("standard input is empty; write the secret there, or use --remove")
			}
		}
		api, err := c.open()
		if err != nil {
			return err
		}
		_, err = checked(api.SetChannelSecretsWithResponse(cmd.Context(), args[0],
			model.NewChannelSecrets{Secrets: map[string]string{args[1]: value}}))
		if err == nil {
			words := " is set"
			if remove {
				words = " is deleted"
			}
			fmt.Fprintln(cmd.OutOrStdout(), args[0]+": "+args[1]+words)
		}
		return err
	}
	return cmd
}

func channelTestCommand(c *connection) *cobra.Command {
	return &cobra.Command{
		Use:   "test NAME",
		Short: "Send a test message to a channel at once",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			api, err := c.open()
			if err != nil {
				return err
			}
			r, err := checked(api.TestChannelWithResponse(cmd.Context(), args[0], model.NewChannelTest{}))
			if err != nil {
				return err
			}
			if !r.JSON200.Sent {
				return fmt.Errorf("%s: the message was not sent: %s", args[0], r.JSON200.Detail)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: sent; the service says: %s\n", args[0], r.JSON200.Detail)
			return nil
		},
	}
}
