package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// metricsRefusals returns wrong settings of the metrics.
func metricsRefusals() map[string]refusal {
	return map[string]refusal{
		"metrics, no port": {
			given{flags: []string{"--metrics-listen=9100"}},
			[]string{`--metrics-listen "9100": write host:port`},
		},
		"metrics, open port": {
			given{flags: []string{"--metrics-listen=0.0.0.0:9100", "--metrics-token-file=t"}},
			[]string{"--metrics-listen 0.0.0.0:9100", "hivego certs", "--tls-cert", "--behind-proxy"},
		},
		"metrics, no token": {
			given{flags: []string{"--metrics-listen=:9100", "--tls-cert=c", "--tls-key=k"}},
			[]string{"--metrics-listen :9100", "openssl rand -hex 32", "--metrics-token-file"},
		},
		"metrics behind a proxy, no token": {
			given{flags: []string{"--metrics-listen=10.0.0.5:9100", "--behind-proxy"}},
			[]string{"--metrics-token-file"},
		},
		"metrics on the API's port": {
			given{flags: []string{"--metrics-listen=127.0.0.1:3000"}},
			[]string{"where the API listens"},
		},
		"a token without metrics": {
			given{flags: []string{"--metrics-token-file=t"}},
			[]string{"--metrics-token-file is for --metrics-listen"},
		},
	}
}

func TestMetricsAllowed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		flags []string
		local bool
	}{
		{[]string{"--metrics-listen=127.0.0.1:9100"}, true},
		{[]string{"--metrics-listen=localhost:9100", "--metrics-token-file=t"}, true},
		{[]string{"--metrics-listen=127.0.0.1:0", "--listen=127.0.0.1:0"}, true},
		{[]string{"--metrics-listen=:9100", "--tls-cert=c", "--tls-key=k", "--metrics-token-file=t"}, false},
		{[]string{"--metrics-listen=10.0.0.5:9100", "--behind-proxy", "--metrics-token-file=t"}, false},
	} {
		f := pflag.NewFlagSet("serve", pflag.ContinueOnError)
		s := BindServe(f)
		_, err := given{flags: c.flags}.resolve(t, f)
		if err == nil {
			err = s.check()
		}
		if err != nil || s.MetricsLocal() != c.local {
			t.Errorf("%v: local %v, %v", c.flags, s.MetricsLocal(), err)
		}
	}
}

func TestMetricsToken(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "token")
	s := Serve{MetricsTokenFile: path}
	if _, err := s.MetricsToken(); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("no file: %v", err)
	}
	for content, want := range map[string]string{
		"0123456789abcdef\n": "0123456789abcdef", "\n": "", "short": "", "0123456789 abcdef": "",
	} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := s.MetricsToken(); got != want || (err == nil) != (want != "") {
			t.Errorf("MetricsToken() of %q = %q, %v", content, got, err)
		}
	}
	if got, err := (&Serve{}).MetricsToken(); got != "" || err != nil {
		t.Errorf("without a file: %q, %v", got, err)
	}
}
