package cli

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rprp/hivego/server/api/client"
	"github.com/rprp/hivego/server/api/model"
)

// printDependants lists what followed a batch, in the order in which it would run again.
func printDependants(w io.Writer, p *model.ChainPreview) {
	others := p.Steps[1:]
	if len(others) == 0 {
		fmt.Fprintln(w, "no batch of another schedule followed")
		return
	}
	reruns := 0
	for i := range others {
		if others[i].Fate == model.ChainStepFateRerun {
			reruns++
		}
	}
	fmt.Fprintf(w, "and then %s of other schedules:\n", countWord(reruns, "batch"))
	printSteps(w, others, func(s *model.ChainStep) string { return fateWord(s.Fate) })
	if p.Busy != 0 {
		fmt.Fprintf(w, "chain repair %d runs some of these batches already: `hivego chain-repairs show %d`\n", p.Busy,
			p.Busy)
	}
}

// printSteps prints a table of steps. last is the word of the last column.
func printSteps(w io.Writer, steps []model.ChainStep, last func(*model.ChainStep) string) {
	t := newTable("STEP", "SCHEDULE", "MOMENT", "BATCH", "STATE", "TASKS", "USUAL", "AFTER", "WHAT")
	for i := range steps {
		s := &steps[i]
		batch, tasks, usual := "", "", ""
		if s.Batch != 0 {
			batch, tasks = strconv.FormatInt(s.Batch, 10), strconv.Itoa(s.Tasks)
		}
		if s.UsualSeconds != nil {
			usual = time.Duration(*s.UsualSeconds * float64(time.Second)).Round(time.Second).String()
		}
		needs := make([]string, len(s.Needs))
		for j, n := range s.Needs {
			needs[j] = strconv.Itoa(n)
		}
		t.add(strconv.Itoa(s.Position), s.Schedule, shortTime(s.Moment.Time), dash(batch), dash(string(s.State)),
			dash(tasks), dash(usual), dash(strings.Join(needs, " ")), last(s))
	}
	t.print(w)
}

func fateWord(f model.ChainStepFate) string {
	switch f {
	case model.ChainStepFateLive:
		return "left out: it runs already"
	case model.ChainStepFateDisabled:
		return "left out: its schedule is disabled"
	case model.ChainStepFateFollows:
		return "will follow by itself"
	default:
		return "runs again"
	}
}

func stepWord(s *model.ChainStep) string {
	switch s.Progress {
	case model.ChainStepProgressLeftOut:
		return fateWord(s.Fate)
	case model.ChainStepProgressSuperseded:
		return "left alone: somebody else has run it"
	case model.ChainStepProgressRefused:
		return "refused: " + oneLine(s.Problem.Detail)
	default:
		return string(s.Progress)
	}
}

func chainRepairsCommand(c *connection) *cobra.Command {
	var batch int64
	var live bool
	limit := 50
	cmd := &cobra.Command{
		Use:   "chain-repairs",
		Short: "List reruns of batches with what followed them, newest first; show and cancel act on one",
		Args:  cobra.NoArgs,
	}
	f := cmd.Flags()
	f.Int64Var(&batch, "batch", 0, "only those that have this batch")
	f.BoolVar(&live, "live", false, "only those that are neither done nor canceled")
	f.IntVar(&limit, "limit", limit, "at most so many")
	out := bindFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		api, err := c.open()
		if err != nil {
			return err
		}
		params := model.ListChainRepairsParams{Batch: given(batch), Live: given(live), Limit: &limit}
		r, err := checked(api.ListChainRepairsWithResponse(cmd.Context(), &params))
		if err != nil {
			return err
		}
		if *out == formatJSON {
			return printJSON(cmd.OutOrStdout(), r.JSON200.Items)
		}
		t := newTable("ID", "BATCH", "SCHEDULE", "STATE", "PROGRESS", "CREATED", "BY")
		for i := range r.JSON200.Items {
			one := &r.JSON200.Items[i]
			t.add(fmt.Sprint(one.ID), fmt.Sprint(one.Batch), one.Steps[0].Schedule, string(one.State), chainWords(one),
				shortTime(one.CreatedAt.Time), dash(one.CreatedBy))
		}
		t.print(cmd.OutOrStdout())
		return nil
	}
	cmd.AddCommand(showChainRepairCommand(c), cancelChainRepairCommand(c))
	return cmd
}

// chainWords counts the steps by their progress.
func chainWords(r *model.ChainRepair) string {
	n := map[model.ChainStepProgress]int{}
	for i := range r.Steps {
		n[r.Steps[i].Progress]++
	}
	var words []string
	for _, p := range []model.ChainStepProgress{
		model.ChainStepProgressSucceeded, model.ChainStepProgressFailed, model.ChainStepProgressCanceled,
		model.ChainStepProgressRefused, model.ChainStepProgressSuperseded, model.ChainStepProgressRunning,
		model.ChainStepProgressWaiting, model.ChainStepProgressLeftOut,
	} {
		if n[p] > 0 {
			words = append(words, fmt.Sprintf("%d %s", n[p], strings.ReplaceAll(string(p), "_", " ")))
		}
	}
	return fmt.Sprintf("%s of %s", strings.Join(words, ", "), countWord(len(r.Steps), "batch"))
}

// ofChainRepair makes a client, and reads the id of the chain repair from the arguments.
func (c *connection) ofChainRepair(word string) (*client.ClientWithResponses, int64, error) {
	id, err := strconv.ParseInt(word, 10, 64)
	if err != nil || id < 1 {
		return nil, 0, fmt.Errorf("%q: a chain repair is named by its number", word)
	}
	api, err := c.open()
	return api, id, err
}

func showChainRepairCommand(c *connection) *cobra.Command {
	cmd := &cobra.Command{Use: "show ID", Short: "Show a chain repair with its steps", Args: cobra.ExactArgs(1)}
	out := bindFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		api, id, err := c.ofChainRepair(args[0])
		if err != nil {
			return err
		}
		r, err := checked(api.GetChainRepairWithResponse(cmd.Context(), id))
		if err != nil {
			return err
		}
		if *out == formatJSON {
			return printJSON(cmd.OutOrStdout(), r.JSON200)
		}
		printChainRepair(cmd.OutOrStdout(), r.JSON200)
		return nil
	}
	return cmd
}

func printChainRepair(w io.Writer, r *model.ChainRepair) {
	fmt.Fprintf(w, "chain repair %d of batch %d: %s\n", r.ID, r.Batch, r.State)
	fmt.Fprintf(w, "created %s by %s\n", shortTime(r.CreatedAt.Time), dash(r.CreatedBy))
	if r.Note != "" {
		fmt.Fprintf(w, "note: %s\n", oneLine(r.Note))
	}
	if r.StoppedBy != 0 {
		fmt.Fprintf(w, "batch %d did not succeed: `hivego resume %d`, and the rest goes on by itself\n", r.StoppedBy,
			r.StoppedBy)
	}
	printSteps(w, r.Steps, stepWord)
}

func cancelChainRepairCommand(c *connection) *cobra.Command {
	return &cobra.Command{
		Use:   "cancel ID",
		Short: "End a chain repair: no further batch runs again, what runs goes on",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			api, id, err := c.ofChainRepair(args[0])
			if err != nil {
				return err
			}
			wish := model.ChainRepairWish{Wish: model.ChainRepairWishWishCancel}
			r, err := checked(api.SetChainRepairWishWithResponse(cmd.Context(), id, wish))
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "chain repair %d is canceled: %s\n", id, chainWords(r.JSON200))
			return nil
		},
	}
}

// followChainRepair waits until a chain repair does nothing more without a person. It returns nil if all that it ran
// has succeeded.
func followChainRepair(cmd *cobra.Command, api *client.ClientWithResponses, id int64) error {
	var last *model.ChainRepair
	err := watch(cmd, fmt.Sprintf("chain repair %d", id), fmt.Sprintf("hivego chain-repairs show %d", id),
		func() (bool, error) {
			r, err := checked(api.GetChainRepairWithResponse(cmd.Context(), id))
			if err != nil {
				return false, err
			}
			last = r.JSON200
			return chainRests(last), nil
		})
	if err != nil {
		return err
	}
	if last.State == model.ChainRepairStateDone && !chainHas(last, model.ChainStepProgressFailed,
		model.ChainStepProgressCanceled, model.ChainStepProgressRefused) {
		return nil
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "chain repair %d is %s: %s; `hivego chain-repairs show %d` lists its batches\n", id,
		last.State, chainWords(last), id)
	return exit(exitFailed)
}

// chainRests reports whether a chain repair does nothing more without a person.
func chainRests(r *model.ChainRepair) bool {
	return r.State != model.ChainRepairStateRunning && !chainHas(r, model.ChainStepProgressRunning)
}

func chainHas(r *model.ChainRepair, progress ...model.ChainStepProgress) bool {
	return slices.ContainsFunc(r.Steps, func(s model.ChainStep) bool { return slices.Contains(progress, s.Progress) })
}
