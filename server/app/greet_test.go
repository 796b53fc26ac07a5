package app

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"testing"
)

// A server that listens everywhere prints an address that commands can use. [::] is not one, and no certificate has it.
func TestReach(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		listen, want string
		leaf         *x509.Certificate
	}{
		{"127.0.0.1:0", "http://127.0.0.1:", nil},
		{"0.0.0.0:0", "http://here:", nil},
		{"0.0.0.0:0", "https://hive.example:", &x509.Certificate{DNSNames: []string{"*.example", "hive.example"}}},
		{"0.0.0.0:0", "https://10.0.0.5:", &x509.Certificate{IPAddresses: []net.IP{net.IPv4(10, 0, 0, 5)}}},
		{"0.0.0.0:0", "https://here:", &x509.Certificate{DNSNames: []string{"*.example"}}},
	} {
		ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", c.listen)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = ln.Close() })
		web := &listener{ln: ln}
		if c.leaf != nil {
			web.tls, web.name = &tls.Config{MinVersion: tls.VersionTLS12}, certName(&tls.Certificate{Leaf: c.leaf})
		}
		_, port, err := net.SplitHostPort(ln.Addr().String())
		if got := (&App{web: web}).reach("here"); err != nil || got != c.want+port {
			t.Errorf("%s with %v: %s, want %s%s", c.listen, c.leaf, got, c.want, port)
		}
	}
}

func TestPlaceWords(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"":                           "--data 'my data'",
		"sqlite:x.db":                "--data 'my data' --database-url sqlite:x.db",
		"postgres://ada@db/hive":     "--data 'my data' --database-url postgres://ada@db/hive",
		"postgres:///hive?host=/pg":  "--data 'my data' --database-url 'postgres:///hive?host=/pg'",
		"postgres://ada:s@db/hive":   `--data 'my data' --database-url "${HIVEGO_DATABASE_URL:?is not set here}"`,
		"postgres://db/h?password=s": `--data 'my data' --database-url "${HIVEGO_DATABASE_URL:?is not set here}"`,
	} {
		if got := placeWords("my data", url); got != want {
			t.Errorf("%q: %s, want %s", url, got, want)
		}
	}
}
