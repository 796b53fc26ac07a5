package cli

import (
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rprp/hivego/server/api/client"
	"github.com/rprp/hivego/server/api/model"
)

func runCommand(c *connection) *cobra.Command {
	var task, at string
	var params []string
	var waits bool
	cmd := &cobra.Command{
		Use:   "run NAME",
		Short: "Run a schedule, or one task of it, now",
		Long: `Makes a batch of the schedule's newest revision and prints its id alone. With --wait it then waits
for the batch's end, and exits with 0 if it succeeded and 1 if it did not. With --task only that
task runs, without its needs.`,
		Args: cobra.ExactArgs(1),
	}
	f := cmd.Flags()
	f.StringVar(&task, "task", "", "run only the task with this key")
	f.StringArrayVar(&params, "param", nil, "k=v: value of a declared param; may be given several times")
	f.StringVar(&at, "at", "", "logical time of the batch (RFC 3339); now if left out")
	f.BoolVar(&waits, "wait", false, "wait for the end")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		req := model.RunRequest{Task: task}
		var err error
		if req.Params, err = pairs(params); err != nil {
			return err
		}
		if at != "" {
			if err := req.At.UnmarshalText([]byte(at)); err != nil {
				return fmt.Errorf("--at: %w", err)
			}
		}
		api, err := c.open()
		if err != nil {
			return err
		}
		once := &model.RunScheduleParams{IdempotencyKey: given(rand.Text())}
		r, err := checked(api.RunScheduleWithResponse(cmd.Context(), args[0], once, req))
		if err != nil {
			return err
		}
		fmt.Fprintln(cmd.OutOrStdout(), r.JSON201.ID)
		if !waits {
			return nil
		}
		return follow(cmd, api, r.JSON201.ID)
	}
	return cmd
}

// pairs parses k=v. Values stay texts; the server converts them to the declared types.
func pairs(list []string) (map[string]any, error) {
	if len(list) == 0 {
		return nil, nil
	}
	out := make(map[string]any, len(list))
	for _, p := range list {
		k, v, ok := strings.Cut(p, "=")
		if !ok || k == "" {
			return nil, fmt.Errorf("--param %q: write it as name=value", p)
		}
		if _, twice := out[k]; twice {
			return nil, fmt.Errorf("--param %s is given twice", k)
		}
		out[k] = v
	}
	return out, nil
}

// How often the state of a batch is read, and how long the server may be away.
const (
	firstAsk = 50 * time.Millisecond
	lastAsk  = time.Second
	maxAway  = 5 * time.Minute
)

// follow waits for the end of a batch. It returns nil if the batch succeeded, and exit code 1 otherwise. It waits for a
// server that is away for a while, because the batch goes on meanwhile.
func follow(cmd *cobra.Command, api *client.ClientWithResponses, id int64) error {
	without := false
	var away time.Time
	for pause := firstAsk; ; pause = min(pause*3/2, lastAsk) {
		r, err := checked(api.GetBatchWithResponse(cmd.Context(), id, &model.GetBatchParams{Tasks: &without}))
		switch {
		case err == nil && !r.JSON200.Live:
			return verdict(cmd, r.JSON200)
		case err == nil:
			away = time.Time{}
		case cmd.Context().Err() != nil:
			return fmt.Errorf("interrupted; batch %d goes on: `hivego batch %d`", id, id)
		case !isTransient(err):
			return err
		case away.IsZero():
			away = time.Now()
			fmt.Fprintf(cmd.ErrOrStderr(), "%v; still waiting for batch %d\n", err, id)
		case time.Since(away) > maxAway:
			return fmt.Errorf("batch %d may have ended or not: %w", id, err)
		}
		if err := wait(cmd.Context(), pause); err != nil {
			return fmt.Errorf("interrupted; batch %d goes on: `hivego batch %d`", id, id)
		}
	}
}

func verdict(cmd *cobra.Command, b *model.Batch) error {
	if b.State == model.BatchStateSucceeded {
		return nil
	}
	words := fmt.Sprintf("batch %d %s", b.ID, b.State)
	if b.State == model.BatchStateCanceled {
		words = fmt.Sprintf("batch %d was canceled", b.ID)
	}
	fmt.Fprintf(cmd.ErrOrStderr(),
		"%s; `hivego batch %d` shows its tasks, `hivego resume %d` goes on where it stopped\n",
		words, b.ID, b.ID)
	return exit(exitFailed)
}

var errID = errors.New("a batch is named by its number")
