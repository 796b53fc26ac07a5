package cli

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rprp/hivego/server/api/client"
	"github.com/rprp/hivego/server/api/model"
)

func backfillCommand(c *connection) *cobra.Command {
	var req model.BackfillRequest
	var order, existing, onFailure string
	var params []string
	var dryRun, waits bool
	cmd := &cobra.Command{
		Use:   "backfill NAME",
		Short: "Run a schedule for many moments of the past",
		Long: `Makes a batch of the schedule's newest revision for each moment from --from to --to at which it was
due, and prints the id of the backfill alone. With --wait it then waits for the end, and exits with 0
if every batch succeeded and with 1 otherwise. Times are read in the schedule's zone, and a date is
the whole day. With --with-dependants it also fills the schedules that wait for this one: their moments
that read a filled one, each as soon as all that it reads in the backfill has succeeded.`,
		Example: "  hivego backfill nightly --from 2026-09-01 --parallel 3 --order desc --dry-run",
		Args:    cobra.ExactArgs(1),
	}
	f := cmd.Flags()
	f.StringVar(&req.From, "from", "", "first day or time, as in 2026-09-01 or 2026-09-01T03:00")
	f.StringVar(&req.To, "to", "", "last day or time, included; now if left out")
	f.StringVar(&req.Step, "step", "", "a moment each 2h or 1d, in place of those of the triggers")
	f.StringArrayVar(&req.Moments, "at", nil, "one moment, in place of a range; may be given several times")
	f.StringVar(&order, "order", "asc", "asc: the oldest first; desc: the newest first")
	f.IntVar(&req.Parallel, "parallel", 1, "so many batches at once")
	f.StringVar(&existing, "existing", "keep",
		"for moments that have a batch: keep it, rerun it, or failed: resume if it failed")
	f.StringVar(&onFailure, "on-failure", "stop", "when a batch fails: stop, or continue")
	f.StringArrayVar(&params, "param", nil, "k=v: value of a declared param; may be given several times")
	f.StringVar(&req.Note, "note", "", "a remark, for others")
	f.BoolVar(&req.WithDependants, "with-dependants", false, "fill the schedules that wait for this one too")
	f.BoolVar(&dryRun, "dry-run", false, "print what would run, and change nothing")
	f.BoolVar(&waits, "wait", false, "wait for the end")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		req.Order, req.Existing = model.BackfillOrder(order), model.BackfillExisting(existing)
		req.OnFailure = model.BackfillOnFailure(onFailure)
		err := checkBackfill(&req)
		if err != nil {
			return err
		}
		if req.Params, err = pairs(params); err != nil {
			return err
		}
		api, err := c.open()
		if err != nil {
			return err
		}
		if dryRun {
			p, err := checked(api.PreviewBackfillWithResponse(cmd.Context(), args[0], req))
			if err != nil {
				return err
			}
			printBackfillPreview(cmd.OutOrStdout(), p.JSON200, &req)
			return nil
		}
		once := &model.CreateBackfillParams{IdempotencyKey: given(rand.Text())}
		r, err := checked(api.CreateBackfillWithResponse(cmd.Context(), args[0], once, req))
		if err != nil {
			return err
		}
		fmt.Fprintln(cmd.OutOrStdout(), r.JSON201.ID)
		if !waits {
			return nil
		}
		return followBackfill(cmd, api, r.JSON201.ID)
	}
	return cmd
}

// checkBackfill finds wrong flags that the server would name as fields.
func checkBackfill(req *model.BackfillRequest) error {
	switch {
	case !req.Order.Valid():
		return fmt.Errorf("--order %q: asc or desc", req.Order)
	case !req.Existing.Valid():
		return fmt.Errorf("--existing %q: one of keep, rerun, failed", req.Existing)
	case !req.OnFailure.Valid():
		return fmt.Errorf("--on-failure %q: stop or continue", req.OnFailure)
	case req.Parallel < 1:
		return fmt.Errorf("--parallel %d: 1 or more", req.Parallel)
	case req.From == "" && len(req.Moments) == 0:
		return errors.New("no moments are named: give --from, as in --from 2026-09-01, or --at")
	default:
		return nil
	}
}

func printBackfillPreview(w io.Writer, p *model.BackfillPreview, req *model.BackfillRequest) {
	for i := range p.Schedules {
		of := &p.Schedules[i]
		fmt.Fprintf(w, "%s of %s, revision %d, from %s to %s\n", countWord(of.Moments, "moment"), of.Schedule,
			of.Revision, shortTime(of.First.Time), shortTime(of.Last.Time))
		if of.Existing > 0 {
			fmt.Fprintf(w, "%d of them have a batch: %d kept, %d run again\n", of.Existing, of.Kept,
				of.Existing-of.Kept)
		}
	}
	for _, l := range p.LeftOut {
		fmt.Fprintf(w, "left out: %s, %s\n", l.Schedule, leftOutWords(l.Reason))
	}
	fmt.Fprintf(w, "would run %s, %d at once", countWord(p.Moments-p.Kept, "batch"), req.Parallel)
	if p.ExpectedSeconds != nil {
		fmt.Fprintf(w, ", about %s", time.Duration(*p.ExpectedSeconds*float64(time.Second)).Round(time.Second))
	}
	fmt.Fprintln(w)
}

// leftOutWords says why a backfill leaves a schedule out.
func leftOutWords(r model.BackfillLeftOutReason) string {
	switch r {
	case model.BackfillLeftOutReasonDisabled:
		return "which is disabled"
	case model.BackfillLeftOutReasonArchived:
		return "which is archived"
	case model.BackfillLeftOutReasonUpstream:
		return "which waits only for schedules that are left out"
	case model.BackfillLeftOutReasonNothing:
		return "which has no moment that is over and reads these moments"
	case model.BackfillLeftOutReasonJoins:
		return "whose moments follow from when several schedules succeed"
	case model.BackfillLeftOutReasonCircle:
		return "which is in a circle of schedules that wait for each other"
	default:
		return string(r)
	}
}

// countWord returns a number with its noun.
func countWord[N int | int64](n N, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case strings.HasSuffix(noun, "ch"):
		return fmt.Sprintf("%d %ses", n, noun)
	default:
		return fmt.Sprintf("%d %ss", n, noun)
	}
}

// followBackfill waits until a backfill is over or stops. It returns nil if all its batches succeeded.
func followBackfill(cmd *cobra.Command, api *client.ClientWithResponses, id int64) error {
	var last *model.Backfill
	shown := map[string]string{}
	show := fmt.Sprintf("hivego backfills show %d", id)
	err := watch(cmd, fmt.Sprintf("backfill %d", id), show, func() (bool, error) {
		r, err := checked(api.GetBackfillWithResponse(cmd.Context(), id))
		if err != nil {
			return false, err
		}
		last = r.JSON200
		printProgress(cmd.ErrOrStderr(), last, shown)
		return isOver(last), nil
	})
	if err != nil {
		return err
	}
	return backfillVerdict(cmd, last)
}

// printProgress prints the schedules of a backfill whose progress is not the one that was shown, if it has several.
func printProgress(w io.Writer, b *model.Backfill, shown map[string]string) {
	if len(b.Schedules) < 2 {
		return
	}
	for i := range b.Schedules {
		of := &b.Schedules[i]
		if words := countsWords(&of.Counts, of.Moments); shown[of.Schedule] != words {
			shown[of.Schedule] = words
			fmt.Fprintf(w, "%s: %s\n", of.Schedule, words)
		}
	}
}

// watch asks again and again until something is over, also while the server is away for a time. show is the command
// that shows it.
func watch(cmd *cobra.Command, what, show string, ask func() (over bool, err error)) error {
	interrupted := fmt.Errorf("interrupted; %s goes on: `%s`", what, show)
	var away time.Time
	for pause := firstAsk; ; pause = min(pause*3/2, lastAsk) {
		over, err := ask()
		switch {
		case err == nil && over:
			return nil
		case err == nil:
			away = time.Time{}
		case cmd.Context().Err() != nil:
			return interrupted
		case !isTransient(err):
			return err
		case away.IsZero():
			away = time.Now()
			fmt.Fprintf(cmd.ErrOrStderr(), "%v; still waiting for %s\n", err, what)
		case time.Since(away) > maxAway:
			return fmt.Errorf("%s may have ended or not: %w", what, err)
		}
		if err := wait(cmd.Context(), pause); err != nil {
			return interrupted
		}
	}
}

// isOver reports whether a backfill does nothing more without a person.
func isOver(b *model.Backfill) bool {
	return b.Counts.Running == 0 && b.State != model.BackfillStateRunning && b.State != model.BackfillStatePaused
}

func backfillVerdict(cmd *cobra.Command, b *model.Backfill) error {
	if b.State == model.BackfillStateDone && b.Counts.Failed == 0 && b.Counts.Canceled == 0 &&
		b.Counts.Skipped == 0 {
		return nil
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "backfill %d is %s: %s; `hivego batches --backfill %d` lists its batches\n", b.ID,
		b.State, progressWords(b), b.ID)
	return exit(exitFailed)
}

// progressWords names the counts that are not zero.
func progressWords(b *model.Backfill) string { return countsWords(&b.Counts, b.Moments) }

func countsWords(c *model.BackfillCounts, moments int) string {
	var words []string
	for _, of := range []struct {
		n    int
		word string
	}{
		{c.Succeeded, "succeeded"},
		{c.Failed, "failed"},
		{c.Canceled, "canceled"},
		{c.Kept, "kept"},
		{c.Skipped, "skipped"},
		{c.Running, "running"},
		{c.Waiting, "waiting"},
	} {
		if of.n > 0 {
			words = append(words, strconv.Itoa(of.n)+" "+of.word)
		}
	}
	return fmt.Sprintf("%s of %s", strings.Join(words, ", "), countWord(moments, "moment"))
}

func backfillsCommand(c *connection) *cobra.Command {
	var schedule, by string
	var live bool
	var span timeFlags
	limit := 50
	cmd := &cobra.Command{
		Use:   "backfills",
		Short: "List backfills, newest first; show, pause, continue and cancel act on one",
		Args:  cobra.NoArgs,
	}
	f := cmd.Flags()
	f.StringVar(&schedule, "schedule", "", "only of this schedule")
	f.BoolVar(&live, "live", false, "only those that are neither done nor canceled")
	f.StringVar(&by, "by", "", "only those that this person created")
	span.bind(cmd, "only created")
	f.IntVar(&limit, "limit", limit, "at most so many")
	out := bindFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		since, until, err := span.read(time.Now())
		if err != nil {
			return err
		}
		api, err := c.open()
		if err != nil {
			return err
		}
		params := model.ListBackfillsParams{
			Schedule: given(schedule), Live: given(live), By: given(by), Since: since, Until: until, Limit: &limit,
		}
		r, err := checked(api.ListBackfillsWithResponse(cmd.Context(), &params))
		if err != nil {
			return err
		}
		if *out == formatJSON {
			return printJSON(cmd.OutOrStdout(), r.JSON200.Items)
		}
		t := newTable("ID", "SCHEDULE", "STATE", "FROM", "TO", "PROGRESS", "CREATED", "BY")
		for i := range r.JSON200.Items {
			b := &r.JSON200.Items[i]
			t.add(fmt.Sprint(b.ID), b.Schedule, string(b.State), shortTime(b.First.Time), shortTime(b.Last.Time),
				progressWords(b), shortTime(b.CreatedAt.Time), dash(b.CreatedBy))
		}
		t.print(cmd.OutOrStdout())
		return nil
	}
	cmd.AddCommand(
		showBackfillCommand(c),
		backfillWishCommand(c, wishWords{
			model.WishPause, "pause", "Pause a backfill: it starts no more batches, what runs goes on", "is paused",
		}),
		backfillWishCommand(c, wishWords{
			model.WishRun, "continue", "Let a paused or stopped backfill go on", "goes on",
		}),
		backfillWishCommand(c, wishWords{
			model.WishCancel, "cancel", "End a backfill and cancel its live batches", "is canceled",
		}),
	)
	return cmd
}

// ofBackfill makes a client, and reads the id of the backfill from the arguments.
func (c *connection) ofBackfill(word string) (*client.ClientWithResponses, int64, error) {
	id, err := strconv.ParseInt(word, 10, 64)
	if err != nil || id < 1 {
		return nil, 0, fmt.Errorf("%q: a backfill is named by its number", word)
	}
	api, err := c.open()
	return api, id, err
}

func showBackfillCommand(c *connection) *cobra.Command {
	cmd := &cobra.Command{Use: "show ID", Short: "Show a backfill with its progress", Args: cobra.ExactArgs(1)}
	out := bindFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		api, id, err := c.ofBackfill(args[0])
		if err != nil {
			return err
		}
		r, err := checked(api.GetBackfillWithResponse(cmd.Context(), id))
		if err != nil {
			return err
		}
		if *out == formatJSON {
			return printJSON(cmd.OutOrStdout(), r.JSON200)
		}
		printBackfill(cmd.OutOrStdout(), r.JSON200)
		return nil
	}
	return cmd
}

func printBackfill(w io.Writer, b *model.Backfill) {
	fmt.Fprintf(w, "backfill %d of %s, revision %d: %s\n", b.ID, b.Schedule, b.Revision, b.State)
	fmt.Fprintf(w, "%s\n", progressWords(b))
	printProgress(w, b, map[string]string{})
	for i := range b.Skipped {
		s := &b.Skipped[i]
		fmt.Fprintf(w, "skipped: %s of %s, because %s of %s has not succeeded (batch %d)\n", s.Schedule,
			shortTime(s.Moment.Time), dash(s.Upstream), shortTime(s.UpstreamMoment.Time), s.Batch)
	}
	fmt.Fprintf(w, "from %s to %s, %s, %d at once; existing batches: %s; on failure: %s\n", shortTime(b.First.Time),
		shortTime(b.Last.Time), b.Order, b.Parallel, b.Existing, b.OnFailure)
	fmt.Fprintf(w, "created %s by %s\n", shortTime(b.CreatedAt.Time), dash(b.CreatedBy))
	if b.Note != "" {
		fmt.Fprintf(w, "note: %s\n", oneLine(b.Note))
	}
	if b.StoppedBy != 0 {
		fmt.Fprintf(w, "batch %d did not succeed: `hivego resume %d`, or `hivego backfills continue %d` goes on "+
			"without it\n", b.StoppedBy, b.StoppedBy, b.ID)
	}
}

func backfillWishCommand(c *connection, w wishWords) *cobra.Command {
	return &cobra.Command{
		Use:   w.use + " ID",
		Short: w.short,
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			api, id, err := c.ofBackfill(args[0])
			if err != nil {
				return err
			}
			r, err := checked(api.SetBackfillWishWithResponse(cmd.Context(), id, model.BackfillWish{Wish: w.wish}))
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "backfill %d %s: %s\n", id, w.done, progressWords(r.JSON200))
			return nil
		},
	}
}
