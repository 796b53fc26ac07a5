package cli

import (
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/rprp/hivego/server/api/client"
	"github.com/rprp/hivego/server/api/model"
)

func pruneCommand(c *connection) *cobra.Command {
	var request model.PruneRequest
	cmd := &cobra.Command{
		Use:   "prune [NAME]",
		Short: "Delete old batches with their runs, attempts and logs, and old ticks",
		Long: "Deletes what exceeds the limits of the schedules (policy.keep) and of the server (--keep-days and " +
			"others), as the server does by itself each hour. With --older-than it deletes all that ended before, " +
			"whatever the limits are. What is live, has failed and is not closed, or may still be read by a trigger " +
			"stays, and so does the newest batch of each schedule.\n\n" +
			"With --orphan-logs it deletes logs of attempts that the database does not have, and nothing else, in " +
			"the folder of the server that answers and in its S3 bucket. After a restore of an older backup, these " +
			"are the logs of the time since.",
		Args: cobra.MaximumNArgs(1),
	}
	cmd.Flags().StringVar(&request.OlderThan, "older-than", "", "days since the end of a batch, such as 90d")
	cmd.Flags().BoolVar(&request.DryRun, "dry-run", false, "count what would be deleted, and delete nothing")
	cmd.Flags().BoolVar(&request.OrphanLogs, "orphan-logs", false, "delete logs that belong to no attempt, instead")
	out := bindFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		api, err := c.open()
		if err != nil {
			return err
		}
		if len(args) > 0 {
			request.Schedule = args[0]
		}
		if request.OrphanLogs {
			return pruneOrphans(cmd, api, request, *out)
		}
		var sum model.PruneReport
		for more := true; more; {
			r, err := checked(api.PruneWithResponse(cmd.Context(), request))
			if err != nil {
				return err
			}
			part := r.JSON200
			sum.Batches += part.Batches
			sum.Runs += part.Runs
			sum.Attempts += part.Attempts
			sum.Ticks += part.Ticks
			sum.Drafts += part.Drafts
			sum.LogBytes += part.LogBytes
			if more = part.More && !request.DryRun; more {
				fmt.Fprintf(cmd.ErrOrStderr(), "%s and %s so far\n", countWord(sum.Batches, "batch"),
					countWord(sum.Runs, "run"))
			}
		}
		if *out == formatJSON {
			return printJSON(cmd.OutOrStdout(), sum)
		}
		t := newTable("", "ROWS")
		if request.DryRun {
			t = newTable("WOULD GO", "ROWS")
		}
		for _, row := range []struct {
			name  string
			count int
		}{
			{"batches", sum.Batches},
			{"runs", sum.Runs},
			{"attempts", sum.Attempts},
			{"ticks", sum.Ticks},
			{"drafts", sum.Drafts},
		} {
			t.add(row.name, strconv.Itoa(row.count))
		}
		t.add("logs", bytesText(sum.LogBytes))
		t.print(cmd.OutOrStdout())
		return nil
	}
	return cmd
}

// pruneOrphans deletes logs without an attempt, or counts them, part by part.
func pruneOrphans(cmd *cobra.Command, api *client.ClientWithResponses, request model.PruneRequest, out format) error {
	var sum model.PruneReport
	for more := true; more; more = request.From != "" {
		r, err := checked(api.PruneWithResponse(cmd.Context(), request))
		if err != nil {
			return err
		}
		sum.OrphanLogs += r.JSON200.OrphanLogs
		sum.OrphanBytes += r.JSON200.OrphanBytes
		if request.From = r.JSON200.Next; request.From != "" {
			fmt.Fprintf(cmd.ErrOrStderr(), "%s so far\n", countWord(sum.OrphanLogs, "log"))
		}
	}
	if out == formatJSON {
		return printJSON(cmd.OutOrStdout(), sum)
	}
	verb := "were deleted"
	switch {
	case request.DryRun:
		verb = "would go"
	case sum.OrphanLogs == 1:
		verb = "was deleted"
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s without an attempt %s, %s\n", countWord(sum.OrphanLogs, "log"), verb,
		bytesText(sum.OrphanBytes))
	return nil
}

func diskCommand(c *connection) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "disk",
		Short: "Show the size of the database and the logs, and how long the disk lasts",
		Args:  cobra.NoArgs,
	}
	query(c, cmd, func(cmd *cobra.Command, api *client.ClientWithResponses, _ []string) (*model.DiskUse, error) {
		r, err := checked(api.GetDiskUseWithResponse(cmd.Context()))
		if err != nil {
			return nil, err
		}
		return r.JSON200, nil
	}, func(w io.Writer, u *model.DiskUse) {
		fmt.Fprintf(w, "database  %s", bytesText(u.DatabaseBytes))
		if u.DatabaseFreeBytes > 0 {
			fmt.Fprintf(w, ", of which %s is free for new rows", bytesText(u.DatabaseFreeBytes))
		}
		fmt.Fprintln(w)
		if u.MeasuredAt.IsZero() {
			fmt.Fprintln(w, "logs      not measured yet")
		} else {
			fmt.Fprintf(w, "logs      %s\n", bytesText(u.LogBytes))
		}
		fmt.Fprintf(w, "disk      %s of %s are free\n", bytesText(u.FreeBytes), bytesText(u.TotalBytes))
		switch {
		case u.GrowthPerDay == nil:
			fmt.Fprintln(w, "growth    not known yet; it needs a day")
		case u.DaysLeft == nil:
			fmt.Fprintf(w, "growth    none in the last %.1f days\n", u.GrowthOverDays)
		default:
			fmt.Fprintf(w, "growth    %s a day; at this pace the disk lasts %s\n", bytesText(*u.GrowthPerDay),
				countWord(*u.DaysLeft, "day"))
		}
	})
	return cmd
}

// bytesText writes a size with its largest unit.
func bytesText(n int64) string {
	units := []string{"KiB", "MiB", "GiB", "TiB"}
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	v, unit := float64(n)/1024, 0
	for ; v >= 1024 && unit < len(units)-1; unit++ {
		v /= 1024
	}
	return fmt.Sprintf("%.1f %s", v, units[unit])
}
