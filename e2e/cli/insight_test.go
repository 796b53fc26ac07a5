package cli_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/rprp/hivego/e2e/harness"
)

// scrape reads the metrics as Prometheus does, and returns the values by name.
func scrape(t *testing.T, url, token, ca string) (status int, values map[string]string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), harness.Patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	transport := &http.Transport{DisableKeepAlives: true}
	if ca != "" {
		pem, err := os.ReadFile(ca)
		if err != nil {
			t.Fatal(err)
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: x509.NewCertPool(), MinVersion: tls.VersionTLS12}
		transport.TLSClientConfig.RootCAs.AppendCertsFromPEM(pem)
	}
	resp, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		return 0, nil
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	values = map[string]string{}
	for line := range strings.Lines(string(raw)) {
		if at := strings.LastIndexByte(line, ' '); at > 0 {
			values[line[:at]] = strings.TrimSpace(line[at:])
		}
	}
	return resp.StatusCode, values
}

// The metrics count what has really happened, also over a kill; the counters begin again at 0, and the state is there.
func TestMetrics(t *testing.T) {
	t.Parallel()
	harness.Each(t, func(t *testing.T, opts harness.Options) {
		address := harness.FreeAddress(t)
		opts.Args = []string{"--metrics-listen", address}
		s := harness.NewServer(t, opts)
		file := t.TempDir() + "/go"
		s.Apply(document("few", "", []string{shell("a", "true"), shell("b", "exit 1", "allowFailure: true")}))
		s.Apply(document("waits", "", []string{shell("w", until(file)), shell("none", "true", "group: nowhere")}))
		want(t, s.Try("run", "few", "--wait"), printed{stdout: `1\n`})
		want(t, s.Try("run", "waits"), printed{stdout: `2\n`})
		state := map[string]string{
			`hivego_batches_live{state="running"}`: "1", `hivego_slots_used{group="default"}`: "1",
			`hivego_queue_task_runs{group="(no executor)"}`: "1", `hivego_executor_leases`: "1",
			`hivego_engine_up`: "1", `hivego_database_up`: "1",
		}
		shows := func(wanted map[string]string) func() bool {
			return func() bool {
				_, got := scrape(t, "http://"+address+"/metrics", "", "")
				for name, value := range wanted {
					if got[name] != value {
						return false
					}
				}
				return true
			}
		}
		harness.Eventually(t, "the waiting batch is shown", shows(state))
		harness.Eventually(t, "the ends are counted", shows(map[string]string{
			`hivego_batches_ended_total{state="succeeded"}`:   "1",
			`hivego_task_runs_ended_total{state="succeeded"}`: "1", `hivego_task_runs_ended_total{state="failed"}`: "1",
			`hivego_attempts_ended_total{outcome="success"}`: "1",
			`hivego_attempts_ended_total{outcome="failure"}`: "1",
			`hivego_dispatch_latency_seconds_count`:          "3", `hivego_commit_failures_total`: "0",
		}))
		s.Kill()
		if status, _ := scrape(t, "http://"+address+"/metrics", "", ""); status != 0 {
			t.Errorf("after the kill: %d", status)
		}
		s.Start()
		harness.Eventually(t, "the state is there again", shows(state))
		harness.Eventually(t, "the counters begin at 0", shows(map[string]string{
			`hivego_batches_ended_total{state="succeeded"}`: "0",
		}))
	})
}

// Beyond loopback, the metrics speak TLS and want the token. The doctor finds the same server well, and names a port
// where it does not answer.
func TestInsightOverTLS(t *testing.T) {
	t.Parallel()
	_, port, err := net.SplitHostPort(harness.FreeAddress(t))
	if err != nil {
		t.Fatal(err)
	}
	token := harness.File(t, "metrics.token", "0123456789abcdef0123\n")
	s := harness.NewServer(t, harness.Options{
		TLS: true, Args: []string{"--metrics-listen", "0.0.0.0:" + port, "--metrics-token-file", token},
	})
	url := "://127.0.0.1:" + port + "/metrics"
	if status, got := scrape(t, "https"+url, "0123456789abcdef0123",
		s.CA); status != 200 || got["hivego_engine_up"] != "1" {
		t.Errorf("with the token: %d", status)
	}
	for name, c := range map[string]struct {
		url, token, ca string
		status         int
	}{
		"no token":       {"https" + url, "", s.CA, 401},
		"another token":  {"https" + url, "0123456789abcdef0124", s.CA, 401},
		"no TLS":         {"http" + url, "0123456789abcdef0123", "", 400},
		"no trust in it": {"https" + url, "0123456789abcdef0123", "", 0},
	} {
		if status, got := scrape(t, c.url, c.token, c.ca); status != c.status || got["hivego_engine_up"] != "" {
			t.Errorf("%s: %d", name, status)
		}
	}
	_, api, err := net.SplitHostPort(strings.TrimPrefix(s.URL, "https://"))
	if err != nil {
		t.Fatal(err)
	}
	cert, key := s.Certificate("127.0.0.1")
	args := []string{
		"doctor", "--data", s.Data, "--listen", "0.0.0.0:" + api, "--tls-cert", cert, "--tls-key", key, "--ca", s.CA,
	}
	harness.Eventually(t, "the executor has registered", func() bool {
		return strings.Contains(s.CLI("executors"), "online")
	})
	r := harness.Hivego(t, nil, "", args...)
	if r.Code != 0 || !regexp.MustCompile(`(?m)^OK +server +the server at https://127.0.0.1:`+api+` is ready$`).
		MatchString(r.Stdout) || strings.Contains(r.Stdout, "FAULT") {
		t.Errorf("exit %d\n%s%s", r.Code, r.Stdout, r.Stderr)
	}
	args[4] = "0.0.0.0:1"
	r = harness.Hivego(t, nil, "", args...)
	if r.Code != 1 || !strings.Contains(r.Stdout, "FAULT    server") || !strings.Contains(r.Stdout, "→") {
		t.Errorf("exit %d\n%s%s", r.Code, r.Stdout, r.Stderr)
	}
}

// The settings are printed with their origins; top shows the server once if the output is no terminal.
func TestPrintAndTop(t *testing.T) {
	t.Parallel()
	r := harness.Hivego(t, []string{"HIVEGO_DATABASE_URL=postgres://u:geheim@db/x"}, "", "config", "print", "--slots",
		"3")
	if r.Code != 0 || !strings.Contains(r.Stdout, "postgres://u:***@db/x") || strings.Contains(r.Stdout, "geheim") ||
		!regexp.MustCompile(`(?m)^slots +3 +--slots$`).MatchString(r.Stdout) {
		t.Errorf("exit %d\n%s%s", r.Code, r.Stdout, r.Stderr)
	}
	s := harness.NewServer(t, harness.Options{})
	for _, args := range [][]string{{"top"}, {"top", "--once"}} {
		if out := s.CLI(args...); !strings.HasPrefix(out, "Batches  0 running") || strings.Contains(out, "\x1b") {
			t.Errorf("%v: %q", args, out)
		}
	}
	if r := s.Try("top", "--every", "1ms"); r.Code != 2 {
		t.Errorf("exit %d\n%s", r.Code, r.Stdout)
	}
}
