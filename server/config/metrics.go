package config

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"
)

func bindMetrics(f *pflag.FlagSet, c *Serve) {
	f.StringVar(&c.MetricsListen, "metrics-listen", "",
		"host:port of /metrics for Prometheus, such as 127.0.0.1:9100 (default: no metrics)")
	f.StringVar(&c.MetricsTokenFile, "metrics-token-file", "",
		"file of the token that a scrape of /metrics must carry; needed beyond loopback")
}

// minMetricsToken is the smallest length of the token of the metrics.
const minMetricsToken = 16

// checkMetrics checks the listener of the metrics. Beyond loopback it speaks TLS, as the API does, and wants a token.
func (c *Serve) checkMetrics() error {
	if c.MetricsListen == "" {
		if c.MetricsTokenFile != "" {
			return errors.New("--metrics-token-file is for --metrics-listen: name its host:port, or leave both out")
		}
		return nil
	}
	local, err := onLoopback("--metrics-listen", c.MetricsListen)
	switch {
	case err != nil:
		return err
	case c.MetricsListen == c.Listen && !strings.HasSuffix(c.Listen, ":0"):
		return fmt.Errorf("--metrics-listen %s: that is where the API listens; give the metrics another port",
			c.MetricsListen)
	case !local && c.TLSCert == "" && !c.BehindProxy:
		return fmt.Errorf("--metrics-listen %s: beyond this machine HiveGo speaks TLS only; make a certificate with "+
			"`hivego certs` and give --tls-cert and --tls-key, or say --behind-proxy if a proxy in front speaks TLS",
			c.MetricsListen)
	case !local && c.MetricsTokenFile == "":
		return fmt.Errorf("--metrics-listen %s: beyond this machine a scrape needs a token; make one with "+
			"`(umask 077; openssl rand -hex 32 > metrics.token)` and name the file with --metrics-token-file",
			c.MetricsListen)
	}
	return nil
}

// MetricsLocal reports whether the metrics can only be reached from this machine.
func (c *Serve) MetricsLocal() bool {
	local, err := onLoopback("--metrics-listen", c.MetricsListen)
	return local && err == nil
}

// MetricsToken reads the token that a scrape must carry; "" if none is needed.
func (c *Serve) MetricsToken() (string, error) {
	if c.MetricsTokenFile == "" {
		return "", nil
	}
	t, err := readToken(c.MetricsTokenFile, "a random text, as `openssl rand -hex 32` makes one,")
	switch {
	case err != nil:
		return "", fmt.Errorf("--metrics-token-file: %w", err)
	case len(t) < minMetricsToken || strings.ContainsFunc(t, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "", fmt.Errorf("--metrics-token-file: the token in %s is to have at least %d characters, without "+
			"spaces; `openssl rand -hex 32` makes one", c.MetricsTokenFile, minMetricsToken)
	}
	return t, nil
}
