package sdk

import (
	"crypto/tls"
	"net/http"
	"strings"
	"testing"
)

// An executor does not listen beyond this machine without a token and TLS, and sends no secret there without TLS.
func TestExposure(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(c *Config)
		want   string
	}{
		"loopback": {func(*Config) {}, ""},
		"beyond, bare": {
			func(c *Config) { c.Listen = "0.0.0.0:9999" },
			"TLS (make certificates with `hivego certs`",
		},
		"beyond, without TLS": {func(c *Config) { c.Listen, c.Token = ":9999", "t" }, "it needs TLS"},
		"beyond, without token": {
			func(c *Config) { c.Listen, c.TLS = "[::]:9999", &tls.Config{} },
			"it needs a token",
		},
		"beyond, with both": {
			func(c *Config) { c.Listen, c.Token, c.TLS = "0.0.0.0:9999", "t", &tls.Config{} },
			"",
		},
		"a name":              {func(c *Config) { c.Listen = "localhost.example:9999" }, "it needs TLS"},
		"server in the clear": {func(c *Config) { c.ServerURL = "http://10.0.0.1:3000" }, "it needs https"},
		"server over TLS":     {func(c *Config) { c.ServerURL = "https://10.0.0.1:3000" }, ""},
		"server in this process": {func(c *Config) {
			c.ServerURL, c.Transport = "http://0.0.0.0:3000",
				http.DefaultTransport
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := Config{Data: t.TempDir(), Listen: "127.0.0.1:0"}
			tc.change(&c)
			_, err := c.complete()
			if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%v, want %q", err, tc.want)
			}
		})
	}
}
