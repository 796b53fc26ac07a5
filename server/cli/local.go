package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rprp/hivego/server/hive"
)

// Local is the opened database of a server. Its parts change the database directly, with or without a running server.
type Local struct {
	Users  LocalUsers
	Tokens LocalTokens
	Key    LocalKey
	io.Closer
}

// LocalUsers manages users.
type LocalUsers interface {
	AddUser(ctx context.Context, name, password string, admin bool) error
	Users(ctx context.Context) ([]hive.User, error)
	// SetPassword gives a user a new password and ends all their sessions.
	SetPassword(ctx context.Context, name, password string) error
	// RemoveUser removes a user with their sessions and tokens.
	RemoveUser(ctx context.Context, name string) error
}

// LocalTokens manages tokens.
type LocalTokens interface {
	// Tokens lists the tokens of a user, or the tokens of executors if the name is empty.
	Tokens(ctx context.Context, user string) ([]hive.Token, error)
	RevokeToken(ctx context.Context, id int64) error
	// CreateToken makes a token of a user or of a group, and returns its text.
	CreateToken(ctx context.Context, user, group, name string, expires time.Time) (string, error)
}

// LocalKey changes the key of the secrets in the database.
type LocalKey interface {
	// ChangeKey encrypts the secrets with a new key. With lost, it gives the secrets up.
	ChangeKey(ctx context.Context, from KeyPlace, lost bool) error
}

// Place tells where the database of a server is: in its data folder, or at a URL.
type Place struct {
	Data, DatabaseURL, DatabaseSchema string
	// Create makes the database if there is none, for commands that prepare a new server. All other commands refuse
	// that, because a mistyped folder would look like a server without users.
	Create bool
	// Alone refuses a database that a server uses.
	Alone bool
}

// OpenLocal opens the database of a server.
type OpenLocal func(ctx context.Context, p Place) (*Local, error)

// LocalCommands returns the commands that work on the data folder: user, token and secret-key.
func LocalCommands(open OpenLocal) []*cobra.Command {
	user := &cobra.Command{
		Use: "user", Short: "Add, list and remove users, on the server's machine",
		GroupID: groupLocal,
	}
	user.AddCommand(userAdd(open), userList(open), userPassword(open), userRemove(open))
	token := &cobra.Command{
		Use: "token", Short: "Make, list and revoke tokens, on the server's machine",
		GroupID: groupLocal,
	}
	token.AddCommand(tokenCreate(open), tokenList(open), tokenRevoke(open))
	key := &cobra.Command{
		Use: "secret-key", Short: "Change the key of the database's secrets, on the server's machine",
		GroupID: groupLocal,
	}
	key.AddCommand(keyNew(open))
	return []*cobra.Command{user, token, key}
}

func (p *Place) bind(cmd *cobra.Command) {
	cmd.Flags().StringVar(&p.Data, "data", env("HIVEGO_DATA", "data"), "data folder of the server (HIVEGO_DATA)")
	cmd.Flags().StringVar(&p.DatabaseURL, "database-url", "",
		"URL of the database, if it is not in the data folder (HIVEGO_DATABASE_URL)")
	cmd.Flags().StringVar(&p.DatabaseSchema, "database-schema", "",
		"schema of the tables in a PostgreSQL (HIVEGO_DATABASE_SCHEMA)")
}

// resolve reads what no flag says from the environment.
func (p *Place) resolve() {
	p.DatabaseURL = cmp.Or(p.DatabaseURL, env("HIVEGO_DATABASE_URL", ""))
	p.DatabaseSchema = cmp.Or(p.DatabaseSchema, env("HIVEGO_DATABASE_SCHEMA", ""))
}

func (p *Place) with(cmd *cobra.Command, open OpenLocal, f func(*Local) error) (err error) {
	p.resolve()
	l, err := open(cmd.Context(), *p)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	return f(l)
}

func userAdd(open OpenLocal) *cobra.Command {
	p := Place{Create: true}
	var admin, stdin bool
	cmd := &cobra.Command{
		Use:   "add NAME --password-stdin",
		Short: "Add a user",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			password, err := readPassword(stdin, cmd.InOrStdin())
			if err != nil {
				return err
			}
			return p.with(cmd, open, func(l *Local) error {
				return l.Users.AddUser(cmd.Context(), args[0], password,
					admin)
			})
		},
	}
	cmd.Flags().BoolVar(&admin, "admin", false, "may do everything")
	bindPassword(cmd, &stdin)
	p.bind(cmd)
	return cmd
}

func bindPassword(cmd *cobra.Command, stdin *bool) {
	cmd.Flags().BoolVar(stdin, "password-stdin", false, "read the password from standard input")
}

// maxPassword is the greatest length of a password in bytes.
const maxPassword = 4096

func readPassword(asked bool, r io.Reader) (string, error) {
	if !asked {
		return "", errors.New("say --password-stdin, and give the password on standard input")
	}
	line, err := bufio.NewReader(io.LimitReader(r, maxPassword)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read the password: %w", err)
	}
	if line = strings.TrimRight(line, "\r\n"); line == "" {
		return "", errors.New("there was no password on standard input")
	}
	return line, nil
}

func tokenCreate(open OpenLocal) *cobra.Command {
	var p Place
	var user, group, name, expires string
	cmd := &cobra.Command{
		Use:   "create --user NAME | --group NAME",
		Short: "Make a token and print it alone; it is not shown again",
		Long: `With --user the token acts as that user on the API. With --group it lets executors join that group
and does nothing else.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if (user == "") == (group == "") {
				return errors.New("say either --user NAME or --group NAME")
			}
			var until time.Time
			if expires != "" {
				d, err := hive.ParseDuration(expires)
				if err != nil {
					return fmt.Errorf("--expires-in: %w", err)
				}
				if d == 0 {
					return errors.New("--expires-in: a token that ends at once is of no use")
				}
				until = time.Now().Add(d.Std()).UTC().Truncate(time.Millisecond)
			}
			p.Create = user == "" // a user exists already, and a group of executors needs none
			return p.with(cmd, open, func(l *Local) error {
				text, err := l.Tokens.CreateToken(cmd.Context(), user, group, name, until)
				if err == nil {
					fmt.Fprintln(cmd.OutOrStdout(), text)
				}
				return err
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&user, "user", "", "name of the user that it acts for")
	f.StringVar(&group, "group", "", "group of executors that it lets join")
	f.StringVar(&name, "name", "", "what it is for")
	f.StringVar(&expires, "expires-in", "", "how long it works, such as 30d; without end if left out")
	p.bind(cmd)
	return cmd
}
