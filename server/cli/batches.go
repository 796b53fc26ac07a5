package cli

import (
	"fmt"
	"io"
	"net/http"
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
	var filter batchFilter
	limit := 50
	cmd := &cobra.Command{
		Use:   "batches",
		Short: "List batches, newest first",
		Long: `Lists the batches that all given flags select, newest first.

A MOMENT is RFC 3339 (2026-12-24T18:00:00Z); a date, or a date with a time of day, in the zone of this computer
(2026-12-24, 2026-12-24T18:00); a time before now (30m, 24h, 7d); or today, yesterday or now. --since and --until are
about the start of a batch, and about when it was made if it has not started yet.`,
		Example: `  hivego batches --since 24h --state failed
  hivego batches --tag finance --since yesterday --until today -o csv > yesterday.csv
  hivego batches --by ada --param region=east --longer 10m`,
		Args: cobra.NoArgs,
	}
	filter.bind(cmd)
	cmd.Flags().IntVar(&limit, "limit", limit, "at most so many; with -o csv 10000 if left out")
	out, mark := bindFileFormat(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		params, err := filter.params(time.Now())
		if err != nil {
			return err
		}
		api, err := c.open()
		if err != nil {
			return err
		}
		if *out == formatCSV {
			ask := exportOf(params)
			ask.Bom = given(*mark)
			if cmd.Flags().Changed("limit") {
				ask.Rows = &limit
			}
			return printFile(cmd.OutOrStdout(), func() (*http.Response, error) {
				return api.ClientInterface.ExportBatches(cmd.Context(), ask)
			})
		}
		params.Limit = &limit
		r, err := checked(api.ListBatchesWithResponse(cmd.Context(), params))
		if err != nil {
			return err
		}
		if *out == formatJSON {
			return printJSON(cmd.OutOrStdout(), r.JSON200.Items)
		}
		printBatches(cmd.OutOrStdout(), r.JSON200.Items)
		return nil
	}
	return cmd
}

func printBatches(w io.Writer, list []model.BatchSummary) {
	t := newTable("ID", "SCHEDULE", "REVISION", "KIND", "STATE", "ROUND", "STARTED", "TOOK", "BY")
	now := time.Now()
	for i := range list {
		b := &list[i]
		t.add(fmt.Sprint(b.ID), dash(batchName(b.Schedule, b.Hook)), revisionWord(b.Revision), string(b.Kind),
			stateWord(b.State, b.Wish, b.Live),
			strconv.Itoa(b.Round), shortTime(b.RoundAt.Time), took(b.RoundAt.Time, b.FinishedAt.Time,
				now), dash(b.CreatedBy))
	}
	t.print(w)
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
