package cli

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rprp/hivego/server/api/client"
	"github.com/rprp/hivego/server/api/model"
)

func chainCommand(c *connection) *cobra.Command {
	var resumeAt string
	cmd := &cobra.Command{
		Use:   "chain NAME",
		Short: "Show how a schedule and those before and after it go on",
		Long: `List what a schedule waits for and what waits for it: the present moments, when they are expected to
begin and end, and until when a resume of the failed batches still helps.`,
		Example: `  hivego chain warehouse
  hivego chain warehouse --resume-at now`,
		Args: cobra.ExactArgs(1),
	}
	cmd.Flags().StringVar(&resumeAt, "resume-at", "",
		"what if the failed batches are resumed then? now, a moment (RFC 3339), or for so long from now (such as 2h)")
	out := bindFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		edit := func(context.Context, *http.Request) error { return nil }
		if resumeAt != "" {
			at := time.Now()
			if resumeAt != "now" {
				var err error
				if at, err = moment(resumeAt, at); err != nil {
					return fmt.Errorf("--resume-at: %w", err)
				}
			}
			edit = withTime("resumeAt", at)
		}
		api, err := c.open()
		if err != nil {
			return err
		}
		r, err := checked(api.GetChainWithResponse(cmd.Context(), args[0], &model.GetChainParams{}, edit))
		if err != nil {
			return err
		}
		if *out == formatJSON {
			return printJSON(cmd.OutOrStdout(), r.JSON200)
		}
		printChain(cmd, r.JSON200)
		return nil
	}
	return cmd
}

// withTime adds a parameter with a time. The generated client would write it as a date without a time.
func withTime(name string, at time.Time) client.RequestEditorFn {
	return func(_ context.Context, req *http.Request) error {
		query := req.URL.Query()
		query.Set(name, at.UTC().Format(time.RFC3339Nano))
		req.URL.RawQuery = query.Encode()
		return nil
	}
}

// printChain lists the present moments of a chain.
func printChain(cmd *cobra.Command, c *model.Chain) {
	t := newTable("SCHEDULE", "MOMENT", "OUTCOME", "STARTS", "ENDS", "LATE", "IN TIME UNTIL", "BEGINS UNTIL",
		"WAITS FOR")
	for i := range c.Schedules {
		s := &c.Schedules[i]
		if s.Missing {
			t.add(s.Name, "-", "no such schedule", "-", "-", "-", "-", "-", "-")
		}
		for j := range s.Bars {
			b := &s.Bars[j]
			if !b.Present {
				continue
			}
			starts, ends := b.StartsAt.Time, b.EndsAt.Time
			if starts.IsZero() {
				starts = b.StartedAt.Time
			}
			if ends.IsZero() {
				ends = b.FinishedAt.Time
			}
			late := "-"
			if b.LateSeconds > 0 {
				late = (time.Duration(b.LateSeconds) * time.Second).String()
			}
			t.add(s.Name, shortTime(b.Moment.Time), string(b.Outcome), shortTime(starts), shortTime(ends), late,
				shortTime(b.InTimeUntil.Time), shortTime(b.BeginsUntil.Time), chainNeeds(c, s.Name, b.Moment.Time))
		}
	}
	t.print(cmd.OutOrStdout())
	for i := range c.Failures {
		f := &c.Failures[i]
		fmt.Fprintf(cmd.OutOrStdout(), "batch %d of %s is %s; %s\n", f.Batch, f.Schedule, f.State, holds(f.Holds))
	}
	if c.Cut {
		cmd.PrintErrln("hivego chain: the chain is longer than this; it has at most 200 schedules")
	}
}

func holds(names []string) string {
	if len(names) == 0 {
		return "nothing waits for it"
	}
	return "waiting for it: " + strings.Join(names, ", ")
}

// chainNeeds is what one moment waits for. A star marks what it waits for last.
func chainNeeds(c *model.Chain, name string, at time.Time) string {
	var parts []string
	for i := range c.Edges {
		e := &c.Edges[i]
		if e.To != name || !e.ToMoment.Equal(at) {
			continue
		}
		text := fmt.Sprintf("%s %d/%d", e.From, e.Met, e.Needed)
		if e.Missing {
			text = e.From + ", which does not exist"
		}
		if e.Decides {
			text += "*"
		}
		parts = append(parts, text)
	}
	if parts == nil {
		return "-"
	}
	return strings.Join(parts, "; ")
}
