package app

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/config"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/service"
)

func settings(data string, executor bool) *config.Serve {
	return &config.Serve{
		Data: data, Listen: "127.0.0.1:0", NoExecutor: !executor, Name: "embedded",
		OrphanTimeout: hive.Duration(3 * time.Minute), Log: config.Log{Level: "error", Format: "text"},
	}
}

func newApp(t *testing.T, cfg *config.Serve) *App {
	t.Helper()
	a, err := New(t.Context(), cfg, "test", slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	t.Cleanup(a.Stop)
	return a
}

// get sends a request on a connection of its own.
func get(t *testing.T, url string) (int, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	require.NoError(t, err)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return 0, err
	}
	return resp.StatusCode, resp.Body.Close()
}

// A server starts once and ends with Stop, which may be called twice. The next server on its data is the same server.
func TestStartStop(t *testing.T) {
	t.Parallel()
	for name, executor := range map[string]bool{"alone": false, "with its executor": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := filepath.Join(t.TempDir(), "data")
			var ids []string
			for range 2 {
				a := newApp(t, settings(data, executor))
				require.NoError(t, a.Start(t.Context()))
				require.ErrorIs(t, a.Start(t.Context()), service.ErrStarted)
				code, err := get(t, a.URL()+"/readyz")
				require.NoError(t, err)
				assert.Equal(t, http.StatusOK, code)
				ids = append(ids, a.server.ID)
				url := a.URL()
				a.Stop()
				a.Stop()
				_, err = get(t, url+"/readyz")
				require.Error(t, err)
				require.ErrorIs(t, a.Start(t.Context()), service.ErrStarted)
			}
			assert.Equal(t, ids[0], ids[1])
			assert.Len(t, ids[0], 32)
			for name, mode := range map[string]os.FileMode{"": 0o700, identityFile: 0o600} {
				info, err := os.Stat(filepath.Join(data, name))
				require.NoError(t, err)
				assert.Equal(t, mode, info.Mode().Perm(), name)
			}
		})
	}
}

// Alarms about ticks degrade the server, but it stays ready. Clients without a token cannot read the names of
// schedules.
func TestTicksCheck(t *testing.T) {
	t.Parallel()
	assert.Equal(t, hive.Check{Name: "ticks"}, ticksCheck(nil))
	stuck := hive.TickAlarm{Reason: hive.AlarmNotStored, Schedule: "payroll", Words: "payroll cannot be stored"}
	check := ticksCheck([]hive.TickAlarm{stuck})
	assert.True(t, check.Degraded)
	require.ErrorContains(t, check.Err, "1 alarms about ticks")
	assert.NotContains(t, check.Err.Error(), "payroll")
	clock := hive.TickAlarm{Reason: hive.AlarmClockJumped, Words: "the clock jumped"}
	require.ErrorContains(t, ticksCheck([]hive.TickAlarm{clock, stuck}).Err, "the clock jumped")
}

// A second server on the same data is refused, and does not disturb the first one.
func TestSecondServer(t *testing.T) {
	t.Parallel()
	cfg := settings(t.TempDir(), false)
	a := newApp(t, cfg)
	require.NoError(t, a.Start(t.Context()))
	_, err := New(t.Context(), cfg, "test", slog.New(slog.DiscardHandler))
	require.ErrorContains(t, err, "another hivego server uses")
	code, err := get(t, a.URL()+"/readyz")
	require.NoError(t, err)
	assert.Equal(t, http.StatusOK, code)
}

// An address that is in use gives an error with a remedy, and the data folder is free again.
func TestAddressTaken(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	cfg := settings(t.TempDir(), true)
	cfg.Listen = ln.Addr().String()
	a := newApp(t, cfg)
	require.ErrorContains(t, a.Start(t.Context()), "--listen")
	require.NoError(t, ln.Close())
	b := newApp(t, cfg)
	require.NoError(t, b.Start(t.Context()))
	assert.Equal(t, "http://"+cfg.Listen, b.URL())
}

// A server that is stopped during its start does not start. A server that was never started can be stopped.
func TestStopEarly(t *testing.T) {
	t.Parallel()
	cfg := settings(t.TempDir(), true)
	a := newApp(t, cfg)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, a.Start(ctx), context.Canceled)
	a = newApp(t, cfg)
	a.Stop()
	require.ErrorIs(t, a.Start(t.Context()), service.ErrStarted)
}

// A call of the loop gets its answer, or an error when its time is over or the loop has ended.
func TestAsk(t *testing.T) {
	t.Parallel()
	a := newApp(t, settings(t.TempDir(), false))
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for len(a.inbox) < cap(a.inbox) { // the loop does not run yet
		a.post(func(time.Time) {})
	}
	require.ErrorContains(t, a.ask(over, func(time.Time) {}), "busy")
	require.NoError(t, a.Start(t.Context()))
	ran := false
	require.NoError(t, a.ask(t.Context(), func(time.Time) { ran = true }))
	assert.True(t, ran)
	a.Stop()
	for range 2 * cap(a.inbox) {
		a.post(func(time.Time) {})
	}
	err := a.ask(t.Context(), func(time.Time) {})
	assert.Equal(t, hive.CodeUnavailable, hive.CodeOf(err))
}
