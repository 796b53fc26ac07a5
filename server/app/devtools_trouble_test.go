package app

import (
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/executor/conform"
)

// An error of TLS names the remedy.
func TestCallTroubles(t *testing.T) {
	t.Parallel()
	quiet := slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	// its certificate is for 127.0.0.1, ::1 and example.com
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = quiet
	secure.StartTLS()
	t.Cleanup(secure.Close)
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)
	ca := filepath.Join(t.TempDir(), "ca.crt")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw})
	require.NoError(t, os.WriteFile(ca, text, 0o600))
	_, port, err := net.SplitHostPort(secure.Listener.Addr().String())
	require.NoError(t, err)
	for name, c := range map[string]struct {
		to    target
		words string
	}{
		"TLS, unasked":  {target{address: secure.Listener.Addr().String()}, "it speaks TLS: say --tls"},
		"no authority":  {target{address: secure.Listener.Addr().String(), tls: true}, "with --ca or HIVEGO_CA"},
		"another host":  {target{address: "localhost:" + port, tls: true, ca: ca}, "say --address example.com:" + port},
		"it is not TLS": {target{address: plain.Listener.Addr().String(), tls: true}, "leave --tls and --ca out"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			to, err := c.to.open()
			require.NoError(t, err)
			_, err = conform.Describe(t.Context(), to)
			require.Error(t, err)
			got := c.to.explain(t.Context(), err).Error()
			if !strings.HasSuffix(got, c.words) {
				t.Errorf("%q, want %q", got, c.words)
			}
		})
	}
}

// The remedy never suggests an address with a wildcard.
func TestCallTroublesOfWildcards(t *testing.T) {
	t.Parallel()
	to := target{address: "10.0.0.5:9999", tls: true}
	for names, words := range map[string]string{
		"*.a.example b.example": "its certificate is for *.a.example, b.example: say --address b.example:9999",
		"*.a.example":           "its certificate is for *.a.example: say --address with such a name",
		"":                      "give the executor a certificate for its host: `hivego certs` makes one",
	} {
		err := x509.HostnameError{Certificate: &x509.Certificate{DNSNames: strings.Fields(names)}, Host: "10.0.0.5"}
		if got := to.explain(t.Context(), err).Error(); !strings.HasSuffix(got, words) {
			t.Errorf("%q, want %q", got, words)
		}
	}
}
