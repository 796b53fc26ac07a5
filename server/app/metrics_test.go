package app

import (
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// read returns the answer to a request.
func read(t *testing.T, url, token string) (code int, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	require.NoError(t, err)
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	require.NoError(t, err)
	raw, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	return resp.StatusCode, string(raw)
}

// A server answers its metrics on their own address: the real values of all its parts, from the start to the stop.
func TestMetrics(t *testing.T) {
	t.Parallel()
	cfg := settings(t.TempDir(), true)
	cfg.MetricsListen = "127.0.0.1:0"
	a := newApp(t, cfg)
	require.NoError(t, a.Start(t.Context()))
	url := "http://" + a.scrape.ln.Addr().String()
	code, body := read(t, url+"/metrics", "")
	assert.Equal(t, http.StatusOK, code)
	has := func(text string) bool { return strings.Contains(body, text) } // assert would print the whole body
	for _, line := range []string{
		`hivego_engine_up 1`, `hivego_database_up 1`, `hivego_commit_failing 0`,
		`hivego_batches_live{state="running"} 0`,
		`hivego_websocket_clients 0`, `hivego_disk_free_bytes{folder="data"} `,
		`hivego_disk_free_bytes{folder="logs"} `,
		`hivego_database_size_bytes `, `hivego_executors{state="lost"} 0`, `version="test"`, `go_goroutines `,
		`hivego_ticks_total{decision="fired"} 0`,
	} {
		assert.True(t, has(line), line)
	}
	assert.False(t, has("hivego_session_lease_seconds 0\n"), "it has a session")
	for path, want := range map[string]int{"/": 404, "/api/v1/schedules": 404, "/healthz": 404} {
		code, _ := read(t, url+path, "")
		assert.Equal(t, want, code, path)
	}
	code, _ = read(t, a.URL()+"/metrics", "")
	assert.NotEqual(t, http.StatusOK, code, "the API does not answer the metrics")
	a.Stop()
	_, err := get(t, url+"/metrics")
	require.Error(t, err)
}

// Without the flag nothing listens, and nothing is counted.
func TestNoMetrics(t *testing.T) {
	t.Parallel()
	a := newApp(t, settings(t.TempDir(), false))
	require.NoError(t, a.Start(t.Context()))
	assert.Nil(t, a.metrics)
	assert.Nil(t, a.scrape.ln)
}

// Wrong settings of the metrics stop the start, with the place and the remedy.
func TestMetricsRefused(t *testing.T) {
	t.Parallel()
	cfg := settings(t.TempDir(), false)
	cfg.MetricsListen, cfg.MetricsTokenFile = "127.0.0.1:0", "/no/such/file"
	_, err := New(t.Context(), cfg, "test", slog.New(slog.DiscardHandler))
	require.ErrorContains(t, err, "--metrics-token-file")

	a := newApp(t, settings(t.TempDir(), false))
	require.NoError(t, a.Start(t.Context()))
	cfg = settings(t.TempDir(), false)
	cfg.MetricsListen = strings.TrimPrefix(a.URL(), "http://")
	err = newApp(t, cfg).Start(t.Context())
	require.ErrorContains(t, err, "give another address with --metrics-listen")
}
