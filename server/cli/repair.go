package cli

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rprp/hivego/server/api/client"
	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/hive"
)

// repair is the common part of resume, rerun and mark.
type repair struct {
	dryRun, wait, dependants bool
	note                     string
	out                      *format
}

func (r *repair) bind(cmd *cobra.Command, waits bool) {
	f := cmd.Flags()
	f.BoolVar(&r.dryRun, "dry-run", false, "print what would change, and change nothing")
	if waits {
		f.BoolVar(&r.wait, "wait", false, "wait for the end; exit 1 if the batch does not succeed")
	}
	f.StringVar(&r.note, "note", "", "why, for the history of the batch")
	r.out = bindFormat(cmd)
}

// bindDependants adds the flag that includes what followed in other schedules.
func (r *repair) bindDependants(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&r.dependants, "with-dependants", false,
		"and then, one after another, the batches of other schedules that followed")
}

func (r *repair) do(cmd *cobra.Command, c *connection, id int64, req model.RepairRequest) error {
	api, err := c.open()
	if err != nil {
		return err
	}
	req.Dependants, req.Note = r.dependants, r.note
	if r.dryRun {
		p, err := checked(api.PlanRepairWithResponse(cmd.Context(), id, req))
		if err != nil {
			return err
		}
		return r.print(cmd, p.JSON200)
	}
	done, err := checked(api.RepairWithResponse(cmd.Context(), id,
		&model.RepairParams{IdempotencyKey: given(rand.Text())}, req))
	if err != nil {
		return err
	}
	stored := cmp.Or(done.JSON200, done.JSON202)
	answer := stored
	if answer.State == model.CommandStatePending {
		if answer, err = awaitCommand(cmd, api, stored); err != nil {
			return err
		}
	}
	chain := cmp.Or(answer.ChainRepair, stored.ChainRepair)
	if err := r.print(cmd, &answer.Plan); err != nil {
		return err
	}
	if chain != 0 && *r.out != formatJSON {
		fmt.Fprintf(cmd.OutOrStdout(), "chain repair %d runs what followed: `hivego chain-repairs show %d`\n", chain,
			chain)
	}
	switch {
	case !r.wait:
		return nil
	case chain != 0:
		return followChainRepair(cmd, api, chain)
	default:
		return follow(cmd, api, id)
	}
}

// awaitCommand waits for a command that the owner has not answered yet.
func awaitCommand(cmd *cobra.Command, api *client.ClientWithResponses, command *model.Command) (*model.Command, error) {
	fmt.Fprintf(cmd.ErrOrStderr(), "stored as command %d; waiting for the batch's owner\n", command.ID)
	for pause := firstAsk; ; pause = min(2*pause, lastAsk) {
		r, err := checked(api.GetCommandWithResponse(cmd.Context(), command.ID))
		if err != nil && !isTransient(err) {
			return nil, err
		}
		if err == nil {
			switch r.JSON200.State {
			case model.CommandStateApplied:
				return r.JSON200, nil
			case model.CommandStateRefused:
				return nil, refused(r.JSON200.Problem.Status, &r.JSON200.Problem)
			case model.CommandStatePending:
			}
		}
		if err := wait(cmd.Context(), pause); err != nil {
			return nil, fmt.Errorf("interrupted; command %d stays stored and will be done", command.ID)
		}
	}
}

func (r *repair) print(cmd *cobra.Command, p *model.RepairPlan) error {
	if *r.out == formatJSON {
		return printJSON(cmd.OutOrStdout(), p)
	}
	printPlan(cmd.OutOrStdout(), p, r.dryRun)
	if r.dependants && r.dryRun && len(p.Dependants.Steps) > 0 {
		printDependants(cmd.OutOrStdout(), &p.Dependants)
	}
	return nil
}

func printPlan(w io.Writer, p *model.RepairPlan, would bool) {
	verb := "changes"
	if would {
		verb = "would change"
	}
	fmt.Fprintf(w, "batch %d, round %d", p.Batch, p.Round)
	if p.Revision != 0 {
		fmt.Fprintf(w, ", revision %d", p.Revision)
	}
	fmt.Fprintf(w, ": %s %s %s\n", actionWord(p.Action), verb, tasksWord(changedTasks(p.Rows)))
	if len(p.Rows) > 0 {
		t := newTable("TASK", "JOB", "FROM", "TO", "WHY")
		for _, row := range p.Rows {
			t.add(rowName(row), dash(row.Job), dash(string(row.From)), string(row.To), whyWord(row))
		}
		t.print(w)
	}
	for _, k := range p.Kept {
		fmt.Fprintf(w, "kept: %s (%s)%s\n", k.Task, k.State, keptWord(k))
	}
}

// rowName returns the task of a row, or the name of its shard.
func rowName(r model.PlanRow) string {
	if r.Shard == nil {
		return r.Task
	}
	return hive.ShardName(r.Task, *r.Shard)
}

func actionWord(a model.PlanAction) string { return strings.ReplaceAll(string(a), "_", " as ") }

// changedTasks counts the tasks that a plan changes. Shards do not count beside the row of their task.
func changedTasks(rows []model.PlanRow) int {
	whole := map[string]bool{}
	for i := range rows {
		if rows[i].Shard == nil {
			whole[rows[i].Task] = true
		}
	}
	n := 0
	for i := range rows {
		if rows[i].Shard == nil || !whole[rows[i].Task] {
			n++
		}
	}
	return n
}

func tasksWord(n int) string {
	switch n {
	case 0:
		return "nothing"
	case 1:
		return "1 task"
	default:
		return fmt.Sprintf("%d tasks", n)
	}
}

func whyWord(r model.PlanRow) string {
	words := string(r.Why)
	if r.Cause != "" {
		words += " (" + r.Cause + ")"
	}
	if r.Kill {
		words += ", killed first"
	}
	return words
}

func keptWord(k model.PlanKept) string {
	words := ""
	if k.Changed {
		words += "; its definition is another one now"
	}
	if k.RanOnFailed != "" {
		words += "; it read " + k.RanOnFailed + " as it was before"
	}
	return words
}

func resumeCommand(c *connection) *cobra.Command {
	var r repair
	var req model.RepairRequest
	cmd := &cobra.Command{
		Use:   "resume ID",
		Short: "Go on where a batch stopped: run what failed, and what was skipped because of it",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := batchID(args[0])
			if err != nil {
				return err
			}
			req.Action = model.PlanActionResume
			return r.do(cmd, c, id, req)
		},
	}
	cmd.Flags().BoolVar(&req.Latest, "latest", false, "with the newest revision of the schedule")
	cmd.Flags().Int64Var(&req.Revision, "revision", 0, "with the revision of this number")
	cmd.Flags().StringArrayVar(&req.Tasks, "task", nil,
		"only this task and what was skipped because of it; may be given several times")
	r.bind(cmd, true)
	r.bindDependants(cmd)
	return cmd
}

func rerunCommand(c *connection) *cobra.Command {
	var r repair
	var req model.RepairRequest
	cmd := &cobra.Command{
		Use:   "rerun ID [TASK...]",
		Short: "Run tasks of a batch again; running ones are killed first",
		Long: `Runs the named tasks of a batch again. With --with-dependants it then runs again, one after another,
the batches of other schedules that followed this one; without a task it runs the whole batch again.
copy.3 names one shard of the task copy: it runs again with its index and its element. A whole task with shards
begins anew, also with their number.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := batchID(args[0])
			if err != nil {
				return err
			}
			req.Action, req.Tasks = model.PlanActionRerun, args[1:]
			if len(req.Tasks) == 0 {
				if !r.dependants {
					return errors.New("name the tasks to run again; --with-dependants alone takes the whole batch")
				}
				if req.Tasks, err = tasksOf(cmd, c, id); err != nil {
					return err
				}
			}
			return r.do(cmd, c, id, req)
		},
	}
	cmd.Flags().BoolVar(&req.Downstream, "downstream", false, "and everything that reads them")
	cmd.Flags().BoolVar(&req.Latest, "latest", false, "with the newest revision of the schedule")
	cmd.Flags().Int64Var(&req.Revision, "revision", 0, "with the revision of this number")
	r.bind(cmd, true)
	r.bindDependants(cmd)
	return cmd
}

// tasksOf lists the tasks of a batch.
func tasksOf(cmd *cobra.Command, c *connection, id int64) ([]string, error) {
	api, err := c.open()
	if err != nil {
		return nil, err
	}
	b, err := checked(api.GetBatchWithResponse(cmd.Context(), id, &model.GetBatchParams{}))
	if err != nil {
		return nil, err
	}
	keys := make([]string, len(b.JSON200.Tasks))
	for i := range b.JSON200.Tasks {
		keys[i] = b.JSON200.Tasks[i].Key
	}
	return keys, nil
}

func markCommand(c *connection) *cobra.Command {
	var r repair
	var as string
	cmd := &cobra.Command{
		Use:   "mark ID TASK... --as success|skipped",
		Short: "Say that tasks succeeded, or are to be skipped",
		Args:  cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := batchID(args[0])
			if err != nil {
				return err
			}
			req := model.RepairRequest{Tasks: args[1:]}
			switch as {
			case "success":
				req.Action = model.PlanActionMarkSuccess
			case "skipped":
				req.Action = model.PlanActionMarkSkip
			default:
				return errors.New("say --as success or --as skipped")
			}
			return r.do(cmd, c, id, req)
		},
	}
	cmd.Flags().StringVar(&as, "as", "", "success or skipped")
	r.bind(cmd, false)
	return cmd
}

// wishWords describes the command for a wish.
type wishWords struct {
	wish             model.Wish
	use, short, done string
}

// wishCommands makes the commands cancel, pause and continue.
func wishCommands(c *connection) []*cobra.Command {
	return []*cobra.Command{
		wishCommand(c, wishWords{
			model.WishCancel, "cancel", "Cancel a batch: what has not started never does, what runs is killed",
			"is being canceled",
		}),
		wishCommand(c, wishWords{
			model.WishPause, "pause", "Pause a batch: nothing new starts, what runs goes on",
			"is paused",
		}),
		wishCommand(c, wishWords{model.WishRun, "continue", "Let a paused batch go on", "goes on"}),
	}
}

func wishCommand(c *connection, w wishWords) *cobra.Command {
	return &cobra.Command{
		Use:   w.use + " ID",
		Short: w.short,
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			api, id, err := c.ofBatch(args[0])
			if err != nil {
				return err
			}
			r, err := checked(api.SetWishWithResponse(cmd.Context(), id,
				&model.SetWishParams{IdempotencyKey: given(rand.Text())},
				model.WishRequest{Wish: w.wish}))
			if err != nil {
				return err
			}
			if r.JSON200 == nil {
				if _, err := awaitCommand(cmd, api, r.JSON202); err != nil {
					return err
				}
			}
			done := w.done
			if w.wish == model.WishCancel { // the batch may have ended before or meanwhile
				without := false
				b, err := checked(api.GetBatchWithResponse(cmd.Context(), id, &model.GetBatchParams{Tasks: &without}))
				if err == nil && b.JSON200.State != model.BatchStateQueued &&
					b.JSON200.State != model.BatchStateRunning {
					done = fmt.Sprintf("has ended (%s)", b.JSON200.State)
				} // otherwise the wish is stored, even if the answer is missing
			}
			fmt.Fprintf(cmd.OutOrStdout(), "batch %d %s\n", id, done)
			return nil
		},
	}
}
