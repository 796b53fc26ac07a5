package cli

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/hive"
)

func reportCommand(c *connection) *cobra.Command {
	var schedule, tag, owner, executor, by, since, zone string
	var params []string
	cmd := &cobra.Command{
		Use:   "report",
		Short: "Tell how the batches of schedules went over many days",
		Long: `Count the batches of each schedule over many days, with the share of successes, how long they
take and how late they start. SUCCESS is the share of those that succeeded or failed. MEDIAN and P95 are of
batches that succeeded, without backfills; TREND compares the medians of the two halves of the time. WAIT is
the median time from the moment to the start. LATE counts batches that a rule of alerts called late.

Batches that retention has deleted are counted, too, unless --executor, --by or --param select some: of deleted
batches, only the schedule, the day and the state are kept.`,
		Example: `  hivego report
  hivego report --tag night --since 90d -o csv
  hivego report --executor alpha --param region=east`,
		Args: cobra.NoArgs,
	}
	f := cmd.Flags()
	f.StringVar(&schedule, "schedule", "", "only this schedule")
	f.StringVar(&tag, "tag", "", "only schedules with this tag")
	f.StringVar(&owner, "owner", "", "only schedules of this owner")
	f.StringVar(&executor, "executor", "", "only batches in which this executor ran a task")
	f.StringVar(&by, "by", "", "only batches started by this: "+starterWords)
	f.StringArrayVar(&params, "param", nil, "only batches that were given NAME=VALUE; may be repeated")
	f.StringVar(&since, "since", "30d",
		"for so many days up to today (such as 7d), or from this day on (such as 2026-11-01)")
	f.StringVar(&zone, "timezone", "UTC", "the zone of the days")
	out := bindCSVFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		from, err := firstDay(since, zone, time.Now())
		if err != nil {
			return fmt.Errorf("--since: %w", err)
		}
		param, err := joinedParams(params)
		if err != nil {
			return err
		}
		api, err := c.open()
		if err != nil {
			return err
		}
		r, err := checked(api.ReportBatchesWithResponse(cmd.Context(), &model.ReportBatchesParams{
			From: &from, Zone: given(zone), Schedule: given(schedule), Tag: given(tag), Owner: given(owner),
			Executor: given(executor), By: given(by), Param: param,
		}))
		if err != nil {
			return err
		}
		if err := printReport(cmd.OutOrStdout(), *out, r.JSON200); err != nil {
			return err
		}
		if r.JSON200.Since != "" {
			cmd.PrintErrf("hivego report: there are too many batches; it begins on %s\n", r.JSON200.Since)
		}
		if r.JSON200.More > 0 {
			cmd.PrintErrf("hivego report: %s left out; choose some with --tag or --owner\n",
				count(r.JSON200.More, "schedule"))
		}
		return nil
	}
	return cmd
}

// firstDay reads the first day of a report: a day, or how many days there are up to today.
func firstDay(text, zone string, now time.Time) (string, error) {
	if _, err := time.Parse(time.DateOnly, text); err == nil {
		return text, nil
	}
	const day = 24 * time.Hour
	d, err := hive.ParseDuration(text)
	if err != nil || d.Std() < day || d.Std()%day != 0 {
		return "", fmt.Errorf("%q is neither a number of days such as 30d nor a day such as 2026-11-01", text)
	}
	days := int(d.Std() / day)
	if days > hive.MostReportDays {
		return "", fmt.Errorf("a report has at most %d days, not %d", hive.MostReportDays, days)
	}
	at, err := time.LoadLocation(zone)
	if err != nil {
		at = time.UTC // the server refuses the zone
	}
	return now.In(at).AddDate(0, 0, 1-days).Format(time.DateOnly), nil
}

func printReport(w io.Writer, how format, r *model.BatchReport) error {
	switch how {
	case formatJSON:
		return printJSON(w, r)
	case formatCSV:
		return reportCSV(w, r)
	case formatTable:
	}
	t := newTable("SCHEDULE", "BATCHES", "FAILED", "CANCELED", "SUCCESS", "MEDIAN", "P95", "TREND", "WAIT", "LATE")
	for i := range r.Schedules {
		s := &r.Schedules[i]
		t.add(dash(s.Name), strconv.Itoa(reportAll(s)), strconv.Itoa(s.Failed), strconv.Itoa(s.Canceled),
			dash(successShare(s)), reportTime(&s.Took, s.Took.Median), reportTime(&s.Took, s.Took.P95),
			dash(reportTrend(s)), reportTime(&s.Wait, s.Wait.Median), strconv.Itoa(s.Late))
	}
	t.print(w)
	return nil
}

// reportCSV prints the rows for other programs: durations are in seconds, and the share is from 0 to 1. What is not
// known is empty: 0 would count in the averages of others.
func reportCSV(w io.Writer, r *model.BatchReport) error {
	out := csv.NewWriter(w)
	rows := make([][]string, 0, 1+len(r.Schedules))
	rows = append(rows, []string{
		"schedule", "tags", "owners", "batches", "succeeded", "failed", "canceled", "queued", "running", "deleted",
		"late", "success_share", "median_seconds", "p95_seconds", "median_before_seconds", "median_after_seconds",
		"wait_median_seconds", "wait_p95_seconds",
	})
	for i := range r.Schedules {
		s := &r.Schedules[i]
		share := ""
		if n := s.Succeeded + s.Failed; n > 0 {
			share = strconv.FormatFloat(float64(s.Succeeded)/float64(n), 'f', 4, 64)
		}
		row := append(make([]string, 0, len(rows[0])), hive.Cell(s.Name), hive.Cell(strings.Join(s.Tags, " ")),
			hive.Cell(strings.Join(s.Owners, " ")))
		for _, n := range []int{
			reportAll(s), s.Succeeded, s.Failed, s.Canceled, s.Queued, s.Running, s.Deleted, s.Late,
		} {
			row = append(row, strconv.Itoa(n))
		}
		row = append(row, share,
			secondsCell(s.Took.Median, s.Took.Count > 0), secondsCell(s.Took.P95, s.Took.Count > 0),
			secondsCell(s.Before, s.Before > 0), secondsCell(s.After, s.After > 0),
			secondsCell(s.Wait.Median, s.Wait.Count > 0), secondsCell(s.Wait.P95, s.Wait.Count > 0))
		rows = append(rows, row)
	}
	return out.WriteAll(rows)
}

// secondsCell writes a duration; nothing for one that is not known.
func secondsCell(v float64, known bool) string {
	if !known {
		return ""
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

func reportAll(s *model.ReportSchedule) int {
	return s.Queued + s.Running + s.Succeeded + s.Failed + s.Canceled
}

// successShare returns the share of the batches that succeeded among those that succeeded or failed.
func successShare(s *model.ReportSchedule) string {
	n := s.Succeeded + s.Failed
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f%%", 100*float64(s.Succeeded)/float64(n))
}

// reportTrend returns by how much the median has changed.
func reportTrend(s *model.ReportSchedule) string {
	if s.Before <= 0 || s.After <= 0 {
		return ""
	}
	percent := math.Round(100 * (s.After/s.Before - 1))
	if percent == 0 {
		return "0%" // the sign of a change that rounds to nothing would mislead
	}
	return fmt.Sprintf("%+.0f%%", percent)
}

func reportTime(of *model.Spread, seconds float64) string {
	if of.Count == 0 {
		return "-"
	}
	d := time.Duration(seconds * float64(time.Second))
	if d < time.Minute {
		return d.Round(10 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}
