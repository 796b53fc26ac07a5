package config

import (
	"testing"

	"github.com/spf13/pflag"
)

// The public URL is normalized as browsers write origins, because both are compared as texts.
func TestPublicURL(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"":                            "",
		"https://hivego.example":      "https://hivego.example",
		"https://hivego.example/":     "https://hivego.example",
		"HTTPS://HiveGo.Example:443/": "https://hivego.example",
		"http://hivego.example:80":    "http://hivego.example",
		"http://hivego.example:443":   "http://hivego.example:443",
		"https://hivego.example:8443": "https://hivego.example:8443",
		"http://[2001:db8::1]:80":     "http://[2001:db8::1]",
		"http://[2001:db8::1]:3000":   "http://[2001:db8::1]:3000",
		"https://xn--j9q.example":     "https://xn--j9q.example",
	} {
		c := BindServe(pflag.NewFlagSet("serve", pflag.ContinueOnError))
		if c.PublicURL = given; c.check() != nil || c.PublicURL != want {
			t.Errorf("%s: %q, want %q", given, c.PublicURL, want)
		}
	}
}

func TestLoopback(t *testing.T) {
	t.Parallel()
	for listen, want := range map[string]bool{
		"127.0.0.1:3000": true, "localhost:0": true, "[::1]:1": true, "0.0.0.0:3000": false, ":3000": false,
		"192.0.2.7:1": false, "x": false,
	} {
		if c := (&Serve{Listen: listen}); c.Loopback() != want {
			t.Errorf("%s: %v", listen, !want)
		}
	}
}
