package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/hive"
)

func forecastCommand(c *connection) *cobra.Command {
	var until string
	var down, shift []string
	limit := 1000
	cmd := &cobra.Command{
		Use:   "forecast [NAME]",
		Short: "List the decisions to be expected, of one schedule or of all",
		Long: `List every moment that will be due, with the decision to be expected: by the code that will decide it, if
nobody changes anything. Each batch is assumed to take the usual time of its schedule. Moments that wait for others
start when these have succeeded; STARTS is "unknown" if the usual time of one of these is not known.`,
		Example: `  hivego forecast --until 7d
  hivego forecast warehouse --down 2026-12-01T02:00:00Z..2026-12-01T05:00:00Z
  hivego forecast --shift orders=1h`,
		Args: cobra.MaximumNArgs(1),
	}
	f := cmd.Flags()
	f.StringVar(&until, "until", "24h", "up to this moment (RFC 3339), or for so long from now (such as 7d)")
	f.StringArrayVar(&down, "down", nil, "FROM..TO (RFC 3339): what if no server runs then; may be given several times")
	f.StringArrayVar(&shift, "shift", nil,
		"NAME=TIME, such as mart=1h or mart=-30m: what if this schedule ran later or earlier; may be given several "+
			"times")
	f.IntVar(&limit, "limit", limit, "at most so many, at most 10000")
	out := bindFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		end, err := moment(until, time.Now())
		if err != nil {
			return fmt.Errorf("--until: %w", err)
		}
		api, err := c.open()
		if err != nil {
			return err
		}
		params := model.ForecastTicksParams{Schedule: given(strings.Join(args, "")), Limit: &limit}
		if len(down) > 0 {
			params.Down = &down
		}
		if len(shift) > 0 {
			params.Shift = &shift
		}
		r, err := checked(api.ForecastTicksWithResponse(cmd.Context(), &params, withTime("until", end)))
		if err != nil {
			return err
		}
		if *out == formatJSON {
			return printJSON(cmd.OutOrStdout(), r.JSON200)
		}
		t := newTable("MOMENT", "SCHEDULE", "DECISION", "RULE", "STARTS", "ENDS", "TRIGGER", "DETAIL")
		for i := range r.JSON200.Items {
			k := &r.JSON200.Items[i]
			starts := shortTime(k.StartsAt.Time)
			if k.StartsUnknown {
				starts = "unknown"
			}
			t.add(shortTime(k.Moment.Time), k.Schedule, string(k.Decision), k.Rule, starts,
				shortTime(k.EndsAt.Time), k.Trigger, forecastDetail(k))
		}
		t.print(cmd.OutOrStdout())
		if reached := r.JSON200.Until.Time; reached.Before(end.Truncate(time.Second)) {
			cmd.PrintErrf("hivego forecast: the list ends at %s, after %s; more with --limit\n",
				shortTime(reached), countWord(len(r.JSON200.Items), "tick"))
		}
		return nil
	}
	return cmd
}

func forecastDetail(k *model.ForecastTick) string {
	var detail []string
	if k.Count > 1 {
		detail = append(detail, fmt.Sprintf("%d ticks until %s", k.Count, shortTime(k.Until.Time)))
	}
	if k.Detail != "" {
		detail = append(detail, k.Detail)
	}
	switch k.Ends {
	case model.ForecastTickEndsReplaced:
		detail = append(detail, "a later batch replaces it")
	case model.ForecastTickEndsExpired:
		detail = append(detail, "it waits for longer than expire")
	}
	return strings.Join(detail, "; ")
}

// moment reads a moment, or a duration from now on.
func moment(text string, now time.Time) (time.Time, error) {
	if d, err := hive.ParseDuration(text); err == nil {
		return now.Add(d.Std()), nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return at, fmt.Errorf("%q is neither a duration such as 7d nor a moment such as 2026-12-01T00:00:00Z", text)
	}
	return at, nil
}
