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

// parseMoment reads a moment as commands print it, or as RFC 3339.
func parseMoment(text string) (time.Time, error) {
	text = strings.Replace(strings.TrimSpace(text), " ", "T", 1)
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z07:00"} {
		if at, err := time.Parse(layout, text); err == nil {
			return at, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is not a moment; write one as ticks prints it, such as 2026-03-01T03:20:00Z",
		text)
}

func releaseCommand(c *connection) *cobra.Command {
	var reason string
	var skip bool
	cmd := &cobra.Command{
		Use:   "release NAME MOMENT --reason TEXT",
		Short: "Let one waiting tick of a schedule go without what is missing, or skip it",
		Args:  cobra.ExactArgs(2),
	}
	cmd.Flags().StringVar(&reason, "reason", "", "why it need not wait; the ledger keeps it")
	cmd.Flags().BoolVar(&skip, "skip", false, "make no batch of it")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		at, err := parseMoment(args[1])
		if err != nil {
			return err
		}
		api, err := c.open()
		if err != nil {
			return err
		}
		req := model.ReleaseRequest{Reason: reason, Skip: skip}
		req.Moment.Time = at
		_, err = checked(api.ReleaseTickWithResponse(cmd.Context(), args[0], req))
		if err == nil {
			done := "released"
			if skip {
				done = "skipped"
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: %s %s\n", args[0], done, shortTime(at))
		}
		return err
	}
	if err := cmd.MarkFlagRequired("reason"); err != nil {
		panic(err)
	}
	return cmd
}

// whyTick says what became of one moment of a schedule.
func whyTick(cmd *cobra.Command, api *client.ClientWithResponses, name, moment string, output format) error {
	at, err := parseMoment(moment)
	if err != nil {
		return err
	}
	one, before := 1, at.Add(time.Millisecond).UTC().Format(time.RFC3339Nano)
	r, err := checked(api.ListTicksWithResponse(cmd.Context(), name, &model.ListTicksParams{Limit: &one},
		func(_ context.Context, req *http.Request) error { // the generated client writes a moment as a date
			query := req.URL.Query()
			query.Set("before", before)
			req.URL.RawQuery = query.Encode()
			return nil
		}))
	if err != nil {
		return err
	}
	if len(r.JSON200.Items) == 0 || !r.JSON200.Items[0].Moment.Equal(at) {
		return fmt.Errorf("%s has no tick of %s; hivego ticks %s lists them", name, shortTime(at), name)
	}
	tick := &r.JSON200.Items[0]
	if output == formatJSON {
		return printJSON(cmd.OutOrStdout(), tick)
	}
	printTick(cmd, name, tick)
	return nil
}

func printTick(cmd *cobra.Command, name string, k *model.Tick) {
	o := cmd.OutOrStdout()
	fmt.Fprintf(o, "%s %s (%s): %s\n", name, shortTime(k.Moment.Time), k.Decision, oneLine(dash(k.Detail)))
	if k.Batch != 0 {
		fmt.Fprintf(o, "batch %d\n", k.Batch)
	}
	fmt.Fprintf(o, "since %s\n", shortTime(k.DecidedAt.Time))
	if len(k.Missing) == 0 {
		return
	}
	fmt.Fprintln(o)
	t := newTable("SCHEDULE", "MOMENT", "STATE", "BATCH")
	for _, m := range k.Missing {
		batch := "-"
		if m.Batch != 0 {
			batch = fmt.Sprint(m.Batch)
		}
		t.add(m.Schedule, shortTime(m.Moment.Time), string(m.State), batch)
	}
	t.print(o)
	if k.MissingMore > 0 {
		fmt.Fprintf(o, "and %d more\n", k.MissingMore)
	}
}
