package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/rprp/hivego/server/api/client"
	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/hive"
)

func secretsCommand(c *connection) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "secrets",
		Aliases: []string{"secret"},
		Short:   "Work with the secrets of tasks: set, list, allow, deny, delete, rotate-key",
	}
	cmd.AddCommand(secretSet(c), secretsList(c), secretGroup(c, true), secretGroup(c, false), secretDelete(c),
		secretRotate(c))
	return cmd
}

func secretSet(c *connection) *cobra.Command {
	var stdin bool
	var groups []string
	cmd := &cobra.Command{
		Use:   "set NAME --stdin",
		Short: "Make a secret, or give it another value",
		Long: `Reads the value from standard input; one line break at its end is left out. A new secret is for
executors of the group default; --group names others. Tasks use it as ${{ secrets.NAME }}.`,
		Args: cobra.ExactArgs(1),
	}
	cmd.Flags().BoolVar(&stdin, "stdin", false, "read the value from standard input")
	cmd.Flags().StringSliceVar(&groups, "group", nil,
		"group of executors that may have it, instead of those that it has; may be repeated")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if !stdin {
			return errors.New("say --stdin, and give the value on standard input: other users see arguments")
		}
		value, err := readValue(cmd.InOrStdin())
		if err != nil {
			return err
		}
		change := model.SecretChange{Value: &value}
		if cmd.Flags().Changed("group") {
			change.Groups = &groups
		}
		api, err := c.open()
		if err != nil {
			return err
		}
		r, err := checked(api.SetSecretWithResponse(cmd.Context(), args[0], change))
		if err == nil {
			fmt.Fprintln(cmd.OutOrStdout(), r.JSON200.Name+" is set, for "+groupsOf(r.JSON200))
			if len(value) < hive.ShortestMasked {
				fmt.Fprintf(cmd.ErrOrStderr(), "The value has fewer than %d bytes, so logs do not mask it.\n",
					hive.ShortestMasked)
			}
		}
		return err
	}
	return cmd
}

// readValue reads the value of a secret.
func readValue(r io.Reader) (string, error) {
	data, err := io.ReadAll(io.LimitReader(r, hive.MaxSecret+3))
	if err != nil {
		return "", fmt.Errorf("read the value: %w", err)
	}
	value := string(data)
	if cut, ok := strings.CutSuffix(value, "\n"); ok {
		value = strings.TrimSuffix(cut, "\r")
	}
	switch {
	case value == "":
		return "", errors.New("the value is empty; give it on standard input")
	case !utf8.ValidString(value):
		return "", errors.New("the value is not UTF-8; encode it as base64")
	case len(value) > hive.MaxSecret:
		return "", fmt.Errorf("the value has more than %d bytes", hive.MaxSecret)
	}
	return value, nil
}

func groupsOf(s *model.Secret) string {
	if len(s.Groups) == 0 {
		return "no group of executors"
	}
	return strings.Join(s.Groups, ", ")
}

func secretsList(c *connection) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the secrets of tasks, without their values",
		Args:  cobra.NoArgs,
	}
	query(c, cmd, func(cmd *cobra.Command, api *client.ClientWithResponses, _ []string) ([]model.Secret, error) {
		r, err := checked(api.ListSecretsWithResponse(cmd.Context()))
		if err != nil {
			return nil, err
		}
		return r.JSON200.Items, nil
	}, func(w io.Writer, items []model.Secret) {
		t := newTable("NAME", "GROUPS", "CHANGED", "BY")
		for i := range items {
			s := &items[i]
			t.add(s.Name, groupsOf(s), shortTime(s.UpdatedAt.Time), s.UpdatedBy)
		}
		t.print(w)
	})
	return cmd
}

// secretGroup makes the command that allows a secret to groups, or denies it.
func secretGroup(c *connection, allow bool) *cobra.Command {
	cmd := &cobra.Command{
		Use: "allow NAME GROUP...", Short: "Let executors of more groups have a secret", Args: cobra.MinimumNArgs(2),
	}
	if !allow {
		cmd.Use, cmd.Short = "deny NAME GROUP...", "Take a secret from groups of executors; running tasks keep it"
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		api, err := c.open()
		if err != nil {
			return err
		}
		list, err := checked(api.ListSecretsWithResponse(cmd.Context()))
		if err != nil {
			return err
		}
		i := slices.IndexFunc(list.JSON200.Items, func(s model.Secret) bool { return s.Name == args[0] })
		if i < 0 {
			return fmt.Errorf("there is no secret %q; `hivego secrets list` shows them", args[0])
		}
		groups := slices.DeleteFunc(list.JSON200.Items[i].Groups, func(g string) bool {
			return slices.Contains(args[1:], g)
		})
		if allow {
			groups = append(groups, args[1:]...)
		}
		r, err := checked(api.SetSecretWithResponse(cmd.Context(), args[0], model.SecretChange{Groups: &groups}))
		if err == nil {
			fmt.Fprintln(cmd.OutOrStdout(), r.JSON200.Name+" is for "+groupsOf(r.JSON200))
		}
		return err
	}
	return cmd
}

func secretDelete(c *connection) *cobra.Command {
	var force bool
	cmd := &cobra.Command{Use: "delete NAME", Short: "Delete a secret", Args: cobra.ExactArgs(1)}
	cmd.Flags().BoolVar(&force, "force", false, "also if schedules use it: their tasks fail then")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		api, err := c.open()
		if err != nil {
			return err
		}
		_, err = checked(api.DeleteSecretWithResponse(cmd.Context(), args[0], &model.DeleteSecretParams{Force: &force}))
		if err == nil {
			fmt.Fprintln(cmd.OutOrStdout(), args[0]+" is deleted")
		}
		return err
	}
	return cmd
}

func secretRotate(c *connection) *cobra.Command {
	return &cobra.Command{
		Use:   "rotate-key",
		Short: "Encrypt all secrets in the database with the next key, while the servers run",
		Long: `The next key is the one beside the present key. A server with its own key file makes it by itself.
Several servers of one database need it first: see "The key of secrets" in docs/operations.md.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			api, err := c.open()
			if err != nil {
				return err
			}
			r, err := checked(api.RotateSecretKeyWithResponse(cmd.Context(), model.SecretKeyRotationRequest{}))
			if err == nil {
				fmt.Fprintln(cmd.OutOrStdout(), "The secrets have key "+r.JSON200.Key+
					" now. Keep a copy of it apart from those of the database.")
			}
			return err
		},
	}
}
