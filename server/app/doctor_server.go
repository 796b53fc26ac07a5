package app

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/rprp/hivego/server/config"
	"github.com/rprp/hivego/server/doctor"
)

// doctorWait is how long the doctor waits for one answer.
const doctorWait = 5 * time.Second

// certificates looks at the certificates of the settings.
func certificates(cfg *config.Serve) []doctor.Certificate {
	var out []doctor.Certificate
	if cfg.TLSCert != "" && cfg.TLSKey != "" {
		c := doctor.Certificate{File: cfg.TLSCert}
		pair, err := tls.LoadX509KeyPair(cfg.TLSCert, cfg.TLSKey)
		if c.Err = err; err == nil && pair.Leaf != nil {
			c.Ends = pair.Leaf.NotAfter
		}
		out = append(out, c)
	}
	if cfg.CA != "" {
		c := doctor.Certificate{File: cfg.CA}
		ca, err := readCertificate(cfg.CA)
		if c.Err = err; err == nil {
			c.Ends = ca.NotAfter
		}
		out = append(out, c)
	}
	return out
}

// lookForServer looks whether a server uses the data folder, and how it is; or whether one could listen.
func lookForServer(ctx context.Context, cfg *config.Serve) *doctor.Server {
	scheme, trust := "http", (*tls.Config)(nil)
	if cfg.TLSCert != "" {
		scheme, trust = "https", ownTrust(cfg)
	}
	s := &doctor.Server{Running: inUse(cfg.Data), URL: scheme + "://" + nearby(cfg.Listen)}
	if !s.Running {
		ln, err := new(net.ListenConfig).Listen(ctx, "tcp", cfg.Listen)
		if s.Err = err; err == nil {
			_ = ln.Close()
		}
		return s
	}
	s.Failing, s.Err = askReady(ctx, s.URL, trust)
	return s
}

// inUse reports whether a server holds the lock of the data folder.
func inUse(data string) bool {
	f, err := os.Open(filepath.Join(data, identityFile))
	if err != nil {
		return false
	}
	defer f.Close()
	return errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}

// nearby returns how this machine reaches an address to listen on.
func nearby(listen string) string {
	host, port, err := net.SplitHostPort(listen)
	if ip := net.ParseIP(host); err == nil && (host == "" || ip != nil && ip.IsUnspecified()) {
		return net.JoinHostPort("127.0.0.1", port)
	}
	return listen
}

// ownTrust trusts the server's own certificate, whatever its authority is, and those of its authority: the server may
// still use an older one.
func ownTrust(cfg *config.Serve) *tls.Config {
	pool := x509.NewCertPool()
	if ca, err := authorities(cfg.CA); err == nil && ca != nil {
		pool = ca.RootCAs
	}
	out := &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	pair, err := tls.LoadX509KeyPair(cfg.TLSCert, cfg.TLSKey)
	if err == nil && pair.Leaf != nil {
		pool.AddCert(pair.Leaf)
		out.ServerName = certName(&pair)
	}
	return out
}

// askReady asks a server whether it is ready, and returns what is not well.
func askReady(ctx context.Context, url string, trust *tls.Config) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, doctorWait)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/readyz", http.NoBody)
	if err != nil {
		return nil, err
	}
	transport := &http.Transport{TLSClientConfig: trust, DisableKeepAlives: true}
	resp, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	var health struct {
		Status string `json:"status"`
		Checks []struct {
			Name     string `json:"name"`
			OK       bool   `json:"ok"`
			Degraded bool   `json:"degraded"`
			Detail   string `json:"detail"`
		} `json:"checks"`
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, 1<<20)).Decode(&health); err != nil || health.Status == "" {
		return nil, fmt.Errorf("what answers there (%s) is no HiveGo server", resp.Status)
	}
	var failing []string
	for _, c := range health.Checks {
		if c.OK && !c.Degraded {
			continue
		}
		words := c.Name
		if c.Detail != "" {
			words += ": " + c.Detail
		}
		failing = append(failing, words)
	}
	return failing, nil
}

// readCertificate reads the first certificate of a PEM file.
func readCertificate(file string) (*x509.Certificate, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(raw)
	if block == nil {
		return nil, errors.New("it holds no certificate")
	}
	return x509.ParseCertificate(block.Bytes)
}
