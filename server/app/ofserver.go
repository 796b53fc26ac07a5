package app

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/rprp/hivego/docs/examples"
	"github.com/rprp/hivego/executor/sdk"
	"github.com/rprp/hivego/executor/stock"
	"github.com/rprp/hivego/server/config"
)

// childCommand is the name of the command that separate starts.
const childCommand = "executor-of-server"

// thisProgram is the path of the running program, which works even if the user may not enter the program's folder.
const thisProgram = "/proc/self/exe"

// orders are sent to the other user's executor as the first line of its input. Everybody can see a command line, and
// tasks can see an environment.
type orders struct {
	Data     string `json:"data"`
	Server   string `json:"server"` // address to register at
	Token    string `json:"token"`
	Name     string `json:"name"`
	Slots    int    `json:"slots"`
	Version  string `json:"version"`
	LogLevel string `json:"logLevel"`
	Examples bool   `json:"examples"` // it adds the examples' data
}

// The messages between the two processes, one line each.
const (
	saysReady = "ready" // followed by its id
	asksCount = "count" // asks for the number of tasks that would go on
)

func ofServerCommand() *cobra.Command {
	return &cobra.Command{
		Use:    childCommand,
		Short:  "Run the tasks of a server as another user; `hivego serve --executor-user` starts it by itself",
		Args:   cobra.NoArgs,
		Hidden: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return executorOfServer(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
}

// startAfter starts an executor after the previous one has ended, which may belong to a server that was just killed.
func startAfter(ctx context.Context, cfg stock.Config) (*stock.Executor, error) {
	for began := time.Now(); ; {
		x, err := stock.New(cfg)
		if err == nil {
			err = x.Start(context.WithoutCancel(ctx))
		}
		if err == nil {
			return x, nil
		}
		if !errors.Is(err, sdk.ErrInUse) || time.Since(began) > childReady/2 {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(lockAgain):
		}
	}
}

const lockAgain = 200 * time.Millisecond

// executorOfServer runs an executor until its input ends. So it never outlives its server, however the server ends.
func executorOfServer(ctx context.Context, in io.Reader, out, stderr io.Writer) error {
	lines := bufio.NewScanner(in)
	var o orders
	if !lines.Scan() || json.Unmarshal(lines.Bytes(), &o) != nil {
		return errors.New("this command is for `hivego serve --executor-user` alone")
	}
	if err := os.Chmod(o.Data, 0o700); err != nil { //nolint:gosec // a folder
		return fmt.Errorf("the user must be able to pass through the folders above the executor's data folder, and "+
			"own that; "+
			"mend their rights, or name another one with --executor-data: %w", err)
	}
	if o.Examples {
		if err := examples.Install(filepath.Join(o.Data, "workspace")); err != nil {
			return fmt.Errorf("bring in the examples' data: %w", err)
		}
	}
	x, err := startAfter(ctx, stock.Config{
		Data: o.Data, Listen: "127.0.0.1:0", Name: o.Name, Slots: o.Slots, Version: o.Version, ServerURL: o.Server,
		Token: o.Token, Log: newLog(config.Log{Level: o.LogLevel, Format: "json"}, stderr),
		SuperviseCommand: []string{thisProgram, "supervise"},
	})
	if err != nil {
		return err
	}
	defer x.Stop()
	if _, err := fmt.Fprintln(out, saysReady, x.ID()); err != nil {
		return err
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		for lines.Scan() {
			if lines.Text() == asksCount {
				_, _ = fmt.Fprintln(out, x.Surviving())
			}
		}
	}()
	select {
	case <-over:
	case <-ctx.Done():
	}
	return nil
}
