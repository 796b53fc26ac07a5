package app

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/hive"
)

const pruneTask = "jobs: [{key: load, tasks: [{key: a, handler: shell, params: {command: 'true'}}]}]\n"

// saveForPruning stores a schedule with a batch for each of the last days.
func saveForPruning(t *testing.T, a *App, name, rest string, days int) []int64 {
	t.Helper()
	saved, err := a.catalog.Save(t.Context(), hive.SaveRequest{
		Name:     name,
		Document: []byte("apiVersion: hivego/v1\nkind: Schedule\nname: " + name + "\n" + rest + pruneTask), By: "ada",
	})
	require.NoError(t, err)
	now := time.Now().UTC().Truncate(time.Second)
	var all []hive.NewBatch
	for i := range days {
		at := now.AddDate(0, 0, i-days)
		all = append(all, hive.NewBatch{
			Batch: hive.Batch{
				ScheduleID: saved.Schedule.ID, RevisionID: saved.Revision.ID, Revision: 1, Kind: hive.KindScheduled,
				State: hive.BatchSucceeded, Wish: hive.WishRun, Round: 1, Moment: at, CreatedAt: at, StartedAt: at,
				RoundAt: at, FinishedAt: at.Add(time.Minute), Counts: hive.Counts{hive.RunSucceeded: 1},
			},
			Runs: []hive.Run{{
				Job: "load", Task: "a", State: hive.RunSucceeded, Round: 1, Attempts: 1, StartedAt: at, FinishedAt: at,
				ChangedAt: at,
			}},
		})
	}
	made, err := a.store.CreateBatches(t.Context(), a.session(), all)
	require.NoError(t, err)
	ids := make([]int64, len(made))
	for i := range made {
		ids[i] = made[i].ID
	}
	return ids
}

// Retention deletes batches with their logs, and leaves what another schedule may still read.
func TestRetention(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	cfg := settings(data, false)
	cfg.KeepDays = 10
	a := newApp(t, cfg)
	require.NoError(t, a.Start(t.Context()))
	plain := saveForPruning(t, a, "plain", "", 40)
	own := saveForPruning(t, a, "own", "policy: {keep: {days: 0, batches: 35}}\n", 40)
	orders := saveForPruning(t, a, "orders", "", 40)
	saveForPruning(t, a, "mart",
		"triggers: [{cron: '0 3 * * *', after: [{schedule: orders, window: '(-20d, 0h]'}]}]\n", 0)

	raw, err := sql.Open("sqlite", filepath.Join(data, "hivego.db")+"?_pragma=busy_timeout(10000)")
	require.NoError(t, err)
	defer raw.Close()
	_, err = raw.ExecContext(t.Context(), "INSERT INTO attempts (id, batch_id, run_id, number, round, executor, "+
		"executor_name, state, outcome, exit_code, error, outputs, killing_at, kill_reason, offered_at, started_at, "+
		"finished_at, log_bytes, notes, key) SELECT id, batch_id, id, 1, 1, 'e', 'e', 'ended', 'success', 0, '', '', "+
		"0, '', 1, 1, 1, 5, '', 'k' FROM runs")
	require.NoError(t, err)
	log := func(batch int64) string {
		var run int64
		require.NoError(t, raw.QueryRowContext(t.Context(), "SELECT id FROM runs WHERE batch_id = ?", batch).Scan(&run))
		return filepath.Join(logFolder(cfg), fmt.Sprint(run/1000), hive.AttemptRef{ID: run, Key: "k"}.Name()+".log")
	}
	files := map[int64]string{}
	for _, id := range []int64{plain[0], plain[39], orders[25]} {
		files[id] = log(id)
		require.NoError(t, os.MkdirAll(filepath.Dir(files[id]), 0o700))
		require.NoError(t, os.WriteFile(files[id], []byte("hello"), 0o600))
	}

	dry, err := a.retention.Prune(t.Context(), hive.PruneRequest{DryRun: true})
	require.NoError(t, err)
	assert.Equal(t, hive.PruneCounts{Batches: 52, Runs: 52, Attempts: 52, LogBytes: 52 * 5}, dry.PruneCounts)
	out, err := a.retention.Prune(t.Context(), hive.PruneRequest{})
	require.NoError(t, err)
	for out.More { // a call ends after some time
		next, err := a.retention.Prune(t.Context(), hive.PruneRequest{})
		require.NoError(t, err)
		out.Batches, out.Runs = out.Batches+next.Batches, out.Runs+next.Runs
		out.Attempts, out.LogBytes = out.Attempts+next.Attempts, out.LogBytes+next.LogBytes
		out.More = next.More
	}
	assert.Equal(t, dry, out)

	stays := func(batch int64) bool {
		_, err := a.store.Batch(t.Context(), batch)
		return err == nil
	}
	for batch, want := range map[int64]bool{
		plain[0]: false, plain[29]: false, plain[30]: true, plain[39]: true,
		own[4]: false, own[5]: true, orders[16]: false, orders[17]: true,
	} {
		assert.Equal(t, want, stays(batch), "batch %d", batch)
	}
	for batch, file := range files {
		_, err := os.Stat(file)
		assert.Equal(t, stays(batch), err == nil, file)
	}
	use, err := a.retention.DiskUse(t.Context())
	require.NoError(t, err)
	assert.Positive(t, use.Database.Total)
	require.NoError(t, a.retention.Measure(t.Context()))
	use, err = a.retention.DiskUse(t.Context())
	require.NoError(t, err)
	assert.Positive(t, use.Logs)
}
