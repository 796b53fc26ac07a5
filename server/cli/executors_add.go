package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rprp/hivego/server/api/client"
	"github.com/rprp/hivego/server/api/model"
)

func executorsAdd(c *connection) *cobra.Command {
	var (
		body      model.AddExecutorRequest
		tokenFile string
		labels    []string
	)
	cmd := &cobra.Command{
		Use:   "add HOST:PORT",
		Short: "Add an executor that does not register itself",
		Long: `Add an executor by its address: the server connects and asks what it offers. Nothing is kept if that
fails. Adding the same address again refreshes what is known of it.

Beyond the server's own machine an executor has to speak TLS and to ask for a token. The token is
read from a file, or from standard input for -; it is shown nowhere afterwards.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			api, err := c.open()
			if err != nil {
				return err
			}
			body.Address = args[0]
			if body.Labels, err = labelMap(labels); err != nil {
				return err
			}
			if body.Token, err = readToken(tokenFile, cmd.InOrStdin()); err != nil {
				return err
			}
			// Other commands read the API's token from a flag with this name. This token goes to another machine.
			if own, err := c.token(); err == nil && own == body.Token {
				return errors.New("--token-file: it holds your own token of the API, which no executor may get; " +
					"name the file that holds the executor's, and give yours in HIVEGO_TOKEN or HIVEGO_TOKEN_FILE")
			}
			r, err := checked(api.AddExecutorWithResponse(cmd.Context(), body))
			if err != nil {
				return err
			}
			e := r.JSON201
			fmt.Fprintf(cmd.OutOrStdout(), "%s is in group %s and offers %s\n", e.Name, e.Group,
				handlerNames(e.Handlers))
			if !e.Durable {
				fmt.Fprintln(cmd.OutOrStdout(),
					"It only offers run: what it runs while this server is restarted is held for a person.")
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&body.Group, "group", "", "group that it is to belong to; else the one it names, else default")
	f.StringVar(&body.Name, "name", "", "what to call it; else the name that it gives itself, else its address")
	f.BoolVar(&body.TLS, "tls", false, "speak TLS")
	f.StringVar(&tokenFile, "token-file", "",
		"file with the token by which the executor knows the server, - for standard input")
	f.IntVar(&body.Slots, "slots", 0, "how many attempts at once; else what it says, else 1")
	f.StringArrayVar(&labels, "label", nil, "KEY=VALUE beside its own labels; may be given again")
	return cmd
}

// labelMap reads KEY=VALUE pairs.
func labelMap(pairs []string) (map[string]string, error) {
	if len(pairs) == 0 {
		return nil, nil //nolint:nilnil // none
	}
	m := make(map[string]string, len(pairs))
	for _, p := range pairs {
		k, v, ok := strings.Cut(p, "=")
		if !ok || k == "" {
			return nil, fmt.Errorf("--label %q: write KEY=VALUE", p)
		}
		m[k] = v
	}
	return m, nil
}

// maxTokenFile is more bytes than any token has.
const maxTokenFile = 4 << 10

// readToken reads the one line of a token file, or nothing without a file.
func readToken(file string, stdin io.Reader) (string, error) {
	if file == "" {
		return "", nil
	}
	in := stdin
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return "", fmt.Errorf("read the token: %w", err)
		}
		defer f.Close()
		in = f
	}
	raw, err := io.ReadAll(io.LimitReader(in, maxTokenFile))
	if err != nil {
		return "", fmt.Errorf("read the token: %w", err)
	}
	token := strings.TrimSpace(string(raw))
	if token == "" {
		return "", errors.New("--token-file: there is no token in it")
	}
	return token, nil
}

func executorsDrain(c *connection, drain bool) *cobra.Command {
	use, short, done := "undrain", "Give a drained executor work again", "is not drained"
	if drain {
		use, done = "drain", "is drained until its next start"
		short = "Give an executor nothing new until it is started anew; what it runs goes on"
	}
	return forEach(c, use, short, " "+done,
		func(ctx context.Context, api *client.ClientWithResponses, name string) error {
			_, err := checked(api.SetDrainWithResponse(ctx, name, model.Drain{Drained: drain}))
			return err
		})
}
