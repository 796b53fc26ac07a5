package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rprp/hivego/server/api/client"
)

// healthTime is how long the server may take to answer.
const healthTime = 5 * time.Second

func healthCommand(c *connection) *cobra.Command {
	var alive bool
	cmd := &cobra.Command{
		Use:   "health",
		Short: "Check that a server is ready, without a token",
		Long: `Prints "ready" and exits with 0 if the server answers and can do its work. Otherwise it exits with 1
and prints the reason. It needs no token, no shell and no other program, so health checks of
containers can use it.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			word, err := c.health(cmd.Context(), alive)
			if errors.Is(err, errUnhealthy) {
				fmt.Fprintln(cmd.ErrOrStderr(), err)
				return ErrFailed
			}
			if err == nil {
				fmt.Fprintln(cmd.OutOrStdout(), word)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&alive, "alive", false, "only check that the process answers (/healthz instead of /readyz)")
	return cmd
}

// errUnhealthy reports a server that does not answer, or cannot work.
var errUnhealthy = errors.New("not ready")

// health asks the server for its health. Errors of the settings are not errUnhealthy.
func (c *connection) health(ctx context.Context, alive bool) (string, error) {
	address, err := c.address()
	if err != nil {
		return "", err
	}
	transport, err := c.transport()
	if err != nil {
		return "", err
	}
	api, err := client.NewClientWithResponses(address,
		client.WithHTTPClient(&http.Client{Transport: transport, Timeout: healthTime}))
	if err != nil {
		return "", err
	}
	if alive {
		r, err := api.GetHealthWithResponse(ctx)
		switch {
		case err != nil:
			return "", fmt.Errorf("%w: %w", errUnhealthy, unreachable(err))
		case r.JSON200 == nil:
			return "", fmt.Errorf("%w: %s answers %s", errUnhealthy, address, r.Status())
		}
		return "alive", nil
	}
	r, err := api.GetReadinessWithResponse(ctx)
	switch {
	case err != nil:
		return "", fmt.Errorf("%w: %w", errUnhealthy, unreachable(err))
	case r.JSON503 != nil:
		var failing []string
		for _, check := range r.JSON503.Checks {
			if !check.Ok {
				failing = append(failing, strings.TrimSpace(check.Name+" "+check.Detail))
			}
		}
		return "", fmt.Errorf("%w: %s", errUnhealthy, strings.Join(failing, ", "))
	case r.JSON200 == nil:
		return "", fmt.Errorf("%w: %s answers %s", errUnhealthy, address, r.Status())
	}
	return "ready", nil
}
