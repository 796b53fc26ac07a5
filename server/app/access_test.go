package app

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/hive"
)

// runTask saves and runs a schedule of one task with this handler and params. It returns the batch, the end of its only
// attempt, and the log.
func runTask(t *testing.T, a *App, name, handler, params string) (hive.Batch, hive.Attempt, string) {
	t.Helper()
	text := fmt.Sprintf(`{"apiVersion": "hivego/v1", "kind": "Schedule", "name": %q, "title": "t",
		"jobs": [{"key": "j", "title": "j",
		"tasks": [{"key": "t", "title": "t", "handler": %q, "params": %s}]}]}`, name, handler, params)
	_, err := a.catalog.Save(t.Context(), hive.SaveRequest{Name: name, Document: []byte(text), By: "eve"})
	require.NoError(t, err)
	made, err := a.batches.Create(t.Context(), hive.RunRequest{Schedule: name, By: "eve"})
	require.NoError(t, err)
	var b hive.Batch
	require.Eventually(t, func() bool {
		b, err = a.store.Batch(t.Context(), made.Batch.ID)
		return err == nil && !b.Live
	}, time.Minute, 20*time.Millisecond)
	attempts, err := a.store.Attempts(t.Context(), made.Batch.ID)
	require.NoError(t, err)
	require.Len(t, attempts, 1)
	var log []byte
	require.Eventually(t, func() bool { // the log is copied after the end
		log, err = os.ReadFile(filepath.Join(logFolder(a.cfg), fmt.Sprint(attempts[0].ID/1000),
			attempts[0].Ref().Name()+".log"))
		return err == nil
	}, time.Minute, 20*time.Millisecond)
	return b, attempts[0], string(log)
}

// A task that opens the server's own database is refused, and cannot make its user an administrator.
func TestNoAdministratorBySQL(t *testing.T) {
	t.Parallel()
	for name, place := range map[string]func(data string) string{
		"in the data folder": func(string) string { return "" },
		"elsewhere":          func(string) string { return "sqlite:" + filepath.Join(t.TempDir(), "other.db") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := settings(t.TempDir(), true)
			cfg.LogLimit = 1 << 20
			cfg.DatabaseURL = place(cfg.Data)
			a := newApp(t, cfg)
			require.NoError(t, a.Start(t.Context()))
			_, err := a.auth.AddUser(t.Context(), "eve", "correct horse battery", false)
			require.NoError(t, err)
			file := a.database().File()
			link := filepath.Join(t.TempDir(), "harmless.db")
			require.NoError(t, os.Symlink(file, link))
			for i, params := range []string{
				fmt.Sprintf(`{"connection": "sqlite:%s", "statement": "UPDATE users SET admin = 1"}`, file),
				fmt.Sprintf(`{"connection": "sqlite:%s", "statement": "UPDATE users SET admin = 1"}`, link),
				fmt.Sprintf(`{"connection": "sqlite:mine.db", `+
					`"statement": "ATTACH '%s' AS own; UPDATE own.users SET admin = 1"}`, link),
				fmt.Sprintf(`{"connection": "sqlite:%s", "statement": "SELECT secret FROM executors"}`, file),
				fmt.Sprintf(`{"connection": "sqlite:mine.db", "file": "%s/secret.key"}`, cfg.Data),
			} {
				b, attempt, log := runTask(t, a, fmt.Sprintf("sql-%d", i), "sql", params)
				assert.Equal(t, hive.BatchFailed, b.State, params)
				assert.Contains(t, attempt.Error, "belongs to HiveGo itself", params)
				assert.NotContains(t, log, "| ", params)
			}
			users, err := a.store.Users(t.Context())
			require.NoError(t, err)
			require.Len(t, users, 1)
			assert.False(t, users[0].Admin)
		})
	}
}
