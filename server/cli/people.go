package cli

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/rprp/hivego/server/hive"
)

func userList(open OpenLocal) *cobra.Command {
	var p Place
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List users",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.with(cmd, open, func(l *Local) error {
				users, err := l.Users.Users(cmd.Context())
				if err != nil {
					return err
				}
				t := newTable("NAME", "ADMIN", "CREATED")
				for i := range users {
					t.add(users[i].Name, yesNo(users[i].Admin), shortTime(users[i].CreatedAt))
				}
				t.print(cmd.OutOrStdout())
				return nil
			})
		},
	}
	p.bind(cmd)
	return cmd
}

func userPassword(open OpenLocal) *cobra.Command {
	var p Place
	var stdin bool
	cmd := &cobra.Command{
		Use:   "password NAME --password-stdin",
		Short: "Give a user a new password; who is logged in as them is logged out",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			password, err := readPassword(stdin, cmd.InOrStdin())
			if err != nil {
				return err
			}
			return p.with(cmd, open, func(l *Local) error {
				return l.Users.SetPassword(cmd.Context(), args[0],
					password)
			})
		},
	}
	bindPassword(cmd, &stdin)
	p.bind(cmd)
	return cmd
}

func userRemove(open OpenLocal) *cobra.Command {
	var p Place
	cmd := &cobra.Command{
		Use:   "remove NAME",
		Short: "Remove a user with their tokens; what they made stays",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.with(cmd, open, func(l *Local) error { return l.Users.RemoveUser(cmd.Context(), args[0]) })
		},
	}
	p.bind(cmd)
	return cmd
}

func tokenList(open OpenLocal) *cobra.Command {
	var p Place
	var user string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the tokens of a user, or those of executors; the texts of tokens are kept nowhere",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.with(cmd, open, func(l *Local) error {
				tokens, err := l.Tokens.Tokens(cmd.Context(), user)
				if err != nil {
					return err
				}
				printTokens(cmd, tokens)
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&user, "user", "", "name of the user; without it, the tokens of executors")
	p.bind(cmd)
	return cmd
}

func printTokens(cmd *cobra.Command, tokens []hive.Token) {
	t := newTable("ID", "NAME", "GROUP", "CREATED", "EXPIRES", "USED")
	for i := range tokens {
		k := &tokens[i]
		t.add(strconv.FormatInt(k.ID, 10), dash(k.Name), dash(k.Group), shortTime(k.CreatedAt), shortTime(k.ExpiresAt),
			shortTime(k.UsedAt))
	}
	t.print(cmd.OutOrStdout())
}

func tokenRevoke(open OpenLocal) *cobra.Command {
	var p Place
	cmd := &cobra.Command{
		Use:   "revoke ID",
		Short: "Make a token useless, at once",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := strconv.ParseInt(args[0], 10, 64)
			if err != nil || id < 1 {
				return fmt.Errorf("%q is no id of a token; `hivego token list` shows them", args[0])
			}
			return p.with(cmd, open, func(l *Local) error { return l.Tokens.RevokeToken(cmd.Context(), id) })
		},
	}
	p.bind(cmd)
	return cmd
}

func yesNo(v bool) string {
	if v {
		return "yes"
	}
	return "no"
}
