package cli

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/rprp/hivego/server/api/client"
	"github.com/rprp/hivego/server/api/model"
)

// batchID reads the id of a batch from the command line.
func batchID(s string) (int64, error) {
	id, err := strconv.ParseInt(s, 10, 64)
	if err != nil || id < 1 {
		return 0, fmt.Errorf("%q: %w", s, errID)
	}
	return id, nil
}

// ofBatch makes a client, and reads the id of the batch from the arguments.
func (c *connection) ofBatch(word string) (*client.ClientWithResponses, int64, error) {
	id, err := batchID(word)
	if err != nil {
		return nil, 0, err
	}
	api, err := c.open()
	return api, id, err
}

func batchesCommand(c *connection) *cobra.Command {
	var schedule, state, kind string
	var live bool
	var backfill int64
	limit := 50
	cmd := &cobra.Command{
		Use:   "batches",
		Short: "List batches, newest first",
		Args:  cobra.NoArgs,
	}
	f := cmd.Flags()
	f.StringVar(&schedule, "schedule", "", "only of this schedule")
	f.StringVar(&state, "state", "", "only in this state: queued, running, succeeded, failed, canceled")
	f.StringVar(&kind, "kind", "", "only of this kind: scheduled, manual, backfill, dependent, adhoc")
	f.Int64Var(&backfill, "backfill", 0, "only those that this backfill made or ran again")
	f.BoolVar(&live, "live", false, "only queued and running ones")
	f.IntVar(&limit, "limit", limit, "at most so many")
	out := bindFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		api, err := c.open()
		if err != nil {
			return err
		}
		if b := model.BatchState(state); state != "" && !b.Valid() {
			return fmt.Errorf("--state %q: one of queued, running, succeeded, failed, canceled", state)
		}
		if k := model.BatchKind(kind); kind != "" && !k.Valid() {
			return fmt.Errorf("--kind %q: one of scheduled, manual, backfill, dependent, adhoc", kind)
		}
		params := model.ListBatchesParams{
			Schedule: given(schedule), Kind: given(model.BatchKind(kind)), Live: given(live), Limit: &limit,
			Backfill: given(backfill),
		}
		if state != "" {
			params.State = &[]model.BatchState{model.BatchState(state)}
		}
		r, err := checked(api.ListBatchesWithResponse(cmd.Context(), &params))
		if err != nil {
			return err
		}
		if *out == formatJSON {
			return printJSON(cmd.OutOrStdout(), r.JSON200.Items)
		}
		t := newTable("ID", "SCHEDULE", "REVISION", "KIND", "STATE", "ROUND", "STARTED", "TOOK", "BY")
		now := time.Now()
		for i := range r.JSON200.Items {
			b := &r.JSON200.Items[i]
			t.add(fmt.Sprint(b.ID), dash(b.Schedule), revisionWord(b.Revision), string(b.Kind),
				stateWord(b.State, b.Wish, b.Live),
				strconv.Itoa(b.Round), shortTime(b.RoundAt.Time), took(b.RoundAt.Time, b.FinishedAt.Time,
					now), dash(b.CreatedBy))
		}
		t.print(cmd.OutOrStdout())
		return nil
	}
	return cmd
}

// given returns an optional parameter, or nil for the zero value.
func given[V comparable](v V) *V {
	var zero V
	if v == zero {
		return nil
	}
	return &v
}

func revisionWord(n int64) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprint(n)
}

// stateWord returns the state, with a wish that is not fulfilled yet.
func stateWord(s model.BatchState, w model.Wish, live bool) string {
	switch {
	case live && w == model.WishPause:
		return string(s) + " (paused)"
	case live && w == model.WishCancel:
		return string(s) + " (canceling)"
	default:
		return string(s)
	}
}

func batchCommand(c *connection) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "batch ID",
		Short: "Show a batch with its tasks",
		Args:  cobra.ExactArgs(1),
	}
	out := bindFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		api, id, err := c.ofBatch(args[0])
		if err != nil {
			return err
		}
		r, err := checked(api.GetBatchWithResponse(cmd.Context(), id, &model.GetBatchParams{}))
		if err != nil {
			return err
		}
		if *out == formatJSON {
			return printJSON(cmd.OutOrStdout(), batchShape(r.JSON200))
		}
		open := true
		problems, err := checked(api.ListAlertsWithResponse(cmd.Context(), &model.ListAlertsParams{
			Batch: &id, Open: &open,
		}))
		if err != nil {
			return err
		}
		printBatch(cmd.OutOrStdout(), r.JSON200, problems.JSON200.Items)
		return nil
	}
	return cmd
}

// batchJSON is the output of `hivego batch ID -o json`, which scripts rely on. All keys are always present; null means
// "not yet" or "none".
type batchJSON struct {
	ID         int64      `json:"id"`
	Schedule   string     `json:"schedule"`
	Revision   int64      `json:"revision"`
	Kind       string     `json:"kind"`
	State      string     `json:"state"`
	Round      int        `json:"round"`
	StartedAt  *string    `json:"startedAt"`
	FinishedAt *string    `json:"finishedAt"`
	Tasks      []taskJSON `json:"tasks"`
}

type taskJSON struct {
	Key        string  `json:"key"`
	Job        string  `json:"job"`
	State      string  `json:"state"`
	Reason     string  `json:"reason"`
	Attempts   int     `json:"attempts"`
	Executor   string  `json:"executor"`
	StartedAt  *string `json:"startedAt"`
	FinishedAt *string `json:"finishedAt"`
	ExitCode   *int    `json:"exitCode"`
	Error      string  `json:"error"`
}

func batchShape(b *model.Batch) batchJSON {
	out := batchJSON{
		ID: b.ID, Schedule: b.Schedule, Revision: b.Revision, Kind: string(b.Kind), State: string(b.State),
		Round:     b.Round,
		StartedAt: orNull(b.StartedAt), FinishedAt: orNull(b.FinishedAt), Tasks: make([]taskJSON, 0, len(b.Tasks)),
	}
	for i := range b.Tasks {
		t := &b.Tasks[i]
		out.Tasks = append(out.Tasks, taskJSON{
			Key: t.Key, Job: t.Job, State: string(t.State), Reason: t.Reason, Attempts: t.Attempts,
			Executor:  t.Executor,
			StartedAt: orNull(t.StartedAt), FinishedAt: orNull(t.FinishedAt), ExitCode: t.ExitCode, Error: t.Error,
		})
	}
	return out
}

// orNull returns a time of the API as text, or nil if there is none.
func orNull(t fmt.Stringer) *string {
	if s := t.String(); s != "" {
		return &s
	}
	return nil
}

// printBatch prints a batch, and who has taken its open problems.
func printBatch(w io.Writer, b *model.Batch, problems []model.Alert) {
	name := b.Schedule
	if name == "" {
		name = "adhoc"
	} else {
		name = fmt.Sprintf("%s, revision %d", name, b.Revision)
	}
	fmt.Fprintf(w, "batch %d of %s: %s\n", b.ID, name, stateWord(b.State, b.Wish, b.Live))
	fmt.Fprintf(w, "%s by %s for %s; round %d, started %s, took %s\n", b.Kind, dash(b.CreatedBy),
		shortTime(b.Moment.Time),
		b.Round, shortTime(b.RoundAt.Time), took(b.RoundAt.Time, b.FinishedAt.Time, time.Now()))
	if b.Backfill != 0 {
		fmt.Fprintf(w, "made by backfill %d\n", b.Backfill)
	}
	if b.Stuck != "" {
		fmt.Fprintf(w, "stuck: %s\n", oneLine(b.Stuck))
	}
	if b.ClosedNote != "" {
		fmt.Fprintf(w, "closed: %s\n", oneLine(b.ClosedNote))
	}
	for i := range problems {
		if t := &problems[i].Taker; t.Name != "" {
			fmt.Fprintf(w, "%s is on it since %s", t.Name, shortTime(t.At.Time))
			if t.Note != "" {
				fmt.Fprintf(w, ": %s", oneLine(t.Note))
			}
			fmt.Fprintln(w)
			break
		}
	}
	fmt.Fprintln(w)
	t := newTable("TASK", "JOB", "STATE", "REASON", "ATTEMPTS", "EXECUTOR", "STARTED", "TOOK", "EXIT", "ERROR")
	now := time.Now()
	for i := range b.Tasks {
		r := &b.Tasks[i]
		code, finished := "-", r.FinishedAt.Time
		if r.ExitCode != nil {
			code = strconv.Itoa(*r.ExitCode)
		}
		if finished.IsZero() && r.State != model.RunStateRunning && r.State != model.RunStateUnknown {
			finished = r.StartedAt.Time
		}
		words := r.Error
		if words == "" && r.Cause != "" {
			words = "because of " + r.Cause
		}
		t.add(r.Key, dash(r.Job), string(r.State), dash(reasonWord(r)), strconv.Itoa(r.Attempts), dash(r.Executor),
			shortTime(r.StartedAt.Time), took(r.StartedAt.Time, finished, now), code, words)
	}
	t.print(w)
}

// reasonWord returns the reason of a run's state, or why a ready run waits.
func reasonWord(r *model.TaskRun) string {
	if r.Reason == "" {
		return r.Hold
	}
	return r.Reason
}
