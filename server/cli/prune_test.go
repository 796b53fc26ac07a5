package cli_test

import (
	"slices"
	"testing"
	"time"

	"github.com/rprp/hivego/server/api/apitest"
	"github.com/rprp/hivego/server/hive"
)

// A server deletes for a short time only; the command asks until nothing is left.
func TestPrune(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var got []hive.PruneRequest
	w.PruneF = func(r hive.PruneRequest) (hive.PruneReport, error) {
		got = append(got, r)
		return hive.PruneReport{
			PruneCounts: hive.PruneCounts{Batches: 2, Runs: 4, Attempts: 4, Ticks: 1, LogBytes: 1536},
			More:        len(got) < 3,
		}, nil
	}
	w.want(w.hivego("prune", "warehouse", "--older-than", "90d"), 0,
		"          ROWS\nbatches   6\nruns      12\nattempts  12\nticks     3\ndrafts    0\nlogs      4.5 KiB\n", "")
	if len(got) != 3 || got[0] != (hive.PruneRequest{Schedule: "warehouse", Days: 90, By: "ada"}) {
		t.Errorf("%+v", got)
	}
	got = nil
	w.want(w.hivego("prune", "--dry-run"), 0,
		"WOULD GO  ROWS\nbatches   2\nruns      4\nattempts  4\nticks     1\ndrafts    0\nlogs      1.5 KiB\n", "")
	if len(got) != 1 || !got[0].DryRun {
		t.Errorf("%+v", got)
	}
	for _, bad := range []string{"90", "12h", "0d", "soon", "36501d"} {
		w.want(w.hivego("prune", "--older-than", bad), 2, "", "is no number of days; write one from 1d")
	}
}

// Logs without an attempt go part by part, from where the server stopped.
func TestPruneOrphans(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var got []hive.PruneRequest
	w.PruneF = func(r hive.PruneRequest) (hive.PruneReport, error) {
		got = append(got, r)
		out := hive.PruneReport{OrphanLogs: 2, OrphanBytes: 1024}
		if r.From == "" {
			out.Next, out.More = "archive:7", true
		}
		return out, nil
	}
	w.want(w.hivego("prune", "--orphan-logs", "--dry-run"), 0, "4 logs without an attempt would go, 2.0 KiB\n",
		"2 logs so far\n")
	w.want(w.hivego("prune", "--orphan-logs"), 0, "4 logs without an attempt were deleted, 2.0 KiB\n",
		"2 logs so far\n")
	want := []hive.PruneRequest{
		{DryRun: true, Orphans: true, By: "ada"},
		{DryRun: true, Orphans: true, From: "archive:7", By: "ada"},
		{Orphans: true, By: "ada"},
		{Orphans: true, From: "archive:7", By: "ada"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	w.want(w.hivego("prune", "--orphan-logs", "warehouse"), 2, "", "orphanLogs stands alone")
}

func TestDisk(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	use := hive.DiskReport{
		Database: hive.DatabaseSize{Total: 3 << 20, Free: 1 << 20}, HasDatabase: true, Logs: 5 << 30,
		MeasuredAt: apitest.T0, Free: 50 << 30, Total: 100 << 30, GrowthPerDay: 1 << 30, Over: 84 * time.Hour,
		DaysLeft: 50,
	}
	w.DiskUseF = func() (hive.DiskReport, error) { return use, nil }
	w.want(w.hivego("disk"), 0, "database  3.0 MiB, of which 1.0 MiB is free for new rows\nlogs      5.0 GiB\n"+
		"disk      50.0 GiB of 100.0 GiB are free\ngrowth    1.0 GiB a day; at this pace the disk lasts 50 days\n", "")
	use.DaysLeft, use.GrowthPerDay = -1, -5
	w.want(w.hivego("disk"), 0, "growth    none in the last 3.5 days\n", "")
	use.Over, use.MeasuredAt = 0, time.Time{}
	w.want(w.hivego("disk"), 0, "growth    not known yet; it needs a day\n", "")
}
