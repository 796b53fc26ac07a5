package cli

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/rprp/hivego/server/api/client"
	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/hive"
)

func batchCommand(c *connection) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "batch ID",
		Short: "Show a batch with its jobs and tasks",
		Args:  cobra.ExactArgs(1),
	}
	out, mark := bindFileFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		api, id, err := c.ofBatch(args[0])
		if err != nil {
			return err
		}
		if *out == formatCSV {
			return printFile(cmd.OutOrStdout(), func() (*http.Response, error) {
				return api.ClientInterface.ExportTasks(cmd.Context(), id, &model.ExportTasksParams{Bom: given(*mark)})
			})
		}
		r, err := checked(api.GetBatchWithResponse(cmd.Context(), id, &model.GetBatchParams{}))
		if err != nil {
			return err
		}
		if *out == formatJSON {
			return printJSON(cmd.OutOrStdout(), batchShape(r.JSON200))
		}
		problems, err := openProblems(cmd.Context(), api, id)
		if err != nil {
			return err
		}
		printBatch(cmd.OutOrStdout(), r.JSON200, problems)
		return printHooks(cmd.Context(), cmd.OutOrStdout(), api, id)
	}
	return cmd
}

// openProblems lists the problems of a batch that last. A server that is older than alerts has none.
func openProblems(ctx context.Context, api *client.ClientWithResponses, batch int64) ([]model.Alert, error) {
	open := true
	r, err := checked(api.ListAlertsWithResponse(ctx, &model.ListAlertsParams{Batch: &batch, Open: &open}))
	if hive.CodeOf(err) == hive.CodeNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return r.JSON200.Items, nil
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
	Jobs       []jobJSON  `json:"jobs"`
	Tasks      []taskJSON `json:"tasks"`
}

// jobJSON is what the tasks of a job amount to.
type jobJSON struct {
	Key        string       `json:"key"`
	State      string       `json:"state"`
	Counts     model.Counts `json:"counts"`
	Done       int          `json:"done"`
	Total      int          `json:"total"`
	Share      float64      `json:"share"`
	StartedAt  *string      `json:"startedAt"`
	FinishedAt *string      `json:"finishedAt"`
	Seconds    *float64     `json:"seconds"`
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

	Shards []shardJSON `json:"shards,omitzero"` // by index; nil for a task that is not sharded
}

func batchShape(b *model.Batch) batchJSON {
	out := batchJSON{
		ID: b.ID, Schedule: b.Schedule, Revision: b.Revision, Kind: string(b.Kind), State: string(b.State),
		Round:     b.Round,
		StartedAt: orNull(b.StartedAt), FinishedAt: orNull(b.FinishedAt), Tasks: make([]taskJSON, 0, len(b.Tasks)),
		Jobs: make([]jobJSON, 0, len(b.Jobs)),
	}
	for i := range b.Jobs {
		j := &b.Jobs[i]
		out.Jobs = append(out.Jobs, jobJSON{
			Key: j.Key, State: string(j.State), Counts: j.Counts, Done: j.Done, Total: j.Total, Share: j.Share,
			StartedAt: orNull(j.StartedAt), FinishedAt: orNull(j.FinishedAt), Seconds: j.Seconds,
		})
	}
	for i := range b.Tasks {
		t := &b.Tasks[i]
		out.Tasks = append(out.Tasks, taskJSON{
			Key: t.Key, Job: t.Job, State: string(t.State), Reason: t.Reason, Attempts: t.Attempts,
			Executor:  t.Executor,
			StartedAt: orNull(t.StartedAt), FinishedAt: orNull(t.FinishedAt), ExitCode: t.ExitCode, Error: t.Error,
			Shards: shardShapes(t),
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

// batchName is the name of a batch's schedule, or what a batch of hooks follows.
func batchName(schedule string, e *model.HookEvent) string {
	switch {
	case e == nil:
		return schedule
	case e.Key == "":
		return fmt.Sprintf("hooks of batch %d", e.Batch)
	default:
		return fmt.Sprintf("hooks of %s %s in batch %d", e.Scope, e.Key, e.Batch)
	}
}

// printBatch prints a batch, and who has taken its open problems.
func printBatch(w io.Writer, b *model.Batch, problems []model.Alert) {
	name := batchName(b.Schedule, b.Hook)
	switch {
	case b.Schedule != "":
		name = fmt.Sprintf("%s, revision %d", name, b.Revision)
	case name == "":
		name = "adhoc"
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
	printJobs(w, b.Jobs)
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
		addShards(t, r, now)
	}
	t.print(w)
}

// printJobs prints the jobs of a batch. An adhoc batch has none, and a server that is older than them shows none.
func printJobs(w io.Writer, jobs []model.JobRollUp) {
	if len(jobs) == 0 || jobs[0].Key == "" {
		return
	}
	t := newTable("JOB", "STATE", "DONE", "SHARE", "STARTED", "ENDED", "TOOK")
	for i := range jobs {
		j := &jobs[i]
		span := "-"
		if j.Seconds != nil {
			d := time.Duration(*j.Seconds * float64(time.Second))
			span = took(j.StartedAt.Time, j.StartedAt.Add(d), time.Time{})
			if j.FinishedAt.IsZero() {
				span = d.Round(time.Second).String() + " so far"
			}
		}
		t.add(j.Key, string(j.State), fmt.Sprintf("%d/%d", j.Done, j.Total), fmt.Sprintf("%.0f%%", 100*j.Share),
			shortTime(j.StartedAt.Time), shortTime(j.FinishedAt.Time), span)
	}
	t.print(w)
	fmt.Fprintln(w)
}

// reasonWord returns the reason of a run's state, or why a ready run waits.
func reasonWord(r *model.TaskRun) string {
	if r.Reason == "" {
		return r.Hold
	}
	return r.Reason
}
