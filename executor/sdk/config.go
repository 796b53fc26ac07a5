package sdk

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"strings"
	"time"
)

// Config configures an executor. Only Data is required.
type Config struct {
	Data      string            // folder of its own; identity, journal, logs
	Listen    string            // host:port on which it listens; default 127.0.0.1:0
	Advertise string            // host:port that the server calls; default: the address on which it listens
	Group     string            // default "default"
	Name      string            // default: the host's name
	Labels    map[string]string // a task may require labels of its executor
	Slots     int               // attempts at once; default twice the CPUs, at least 4
	Version   string

	Durables []Durable // kinds of work that outlive this process; most executors have none

	ServerURL string      // http(s)://host:port of a server to register with; empty: it does not register
	Token     string      // executor token of the group
	TLS       *tls.Config // for calls of servers; nil: they call without TLS
	ServerTLS *tls.Config // to trust the server at an https ServerURL; nil: the system's authorities
	// Transport is used to call ServerURL instead of the network, for a server in this process.
	Transport http.RoundTripper

	OrphanTimeout time.Duration // until a server sends its own; default three minutes
	StopTimeout   time.Duration // how long Stop waits for handlers; default five seconds
	Log           *slog.Logger  // default: nothing is logged
}

const (
	defaultStopTimeout = 5 * time.Second
	defaultGroup       = "default"
)

// complete fills in defaults, and returns an error for settings that cannot work or are not safe.
func (c Config) complete() (Config, error) {
	if c.Data == "" {
		return c, errors.New("executor: no data folder")
	}
	if c.Listen == "" {
		c.Listen = "127.0.0.1:0"
	}
	if c.Group == "" {
		c.Group = defaultGroup
	}
	if c.Name == "" {
		c.Name, _ = os.Hostname()
	}
	if c.Slots < 0 {
		return c, errors.New("executor: slots must be positive")
	}
	if c.Slots == 0 {
		c.Slots = max(4, 2*runtime.NumCPU())
	}
	if c.StopTimeout == 0 {
		c.StopTimeout = defaultStopTimeout
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if err := checkExposure(c); err != nil {
		return c, err
	}
	if c.Transport != nil { // it does not go over the network
		return c, nil
	}
	return c, checkServer(c.ServerURL)
}

// checkExposure returns an error if the executor would listen beyond this machine without TLS or without a token.
func checkExposure(c Config) error {
	host, _, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return fmt.Errorf("executor: listen address %q: %w", c.Listen, err)
	}
	if loopback(host) || (c.TLS != nil && c.Token != "") {
		return nil
	}
	var missing []string
	if c.TLS == nil {
		missing = append(missing, "TLS (make certificates with `hivego certs`, then give --tls-cert and --tls-key)")
	}
	if c.Token == "" {
		missing = append(missing, "a token (make an executor token of the group on the server, then give --token-file)")
	}
	return fmt.Errorf("executor: refusing to listen on %s: an executor runs commands, so beyond this machine "+
		"it needs %s; or listen on 127.0.0.1", c.Listen, strings.Join(missing, " and "))
}

// loopback reports whether a host is this machine.
func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// checkServer returns an error if secrets would be sent without TLS.
func checkServer(raw string) error {
	if raw == "" {
		return nil
	}
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return fmt.Errorf("executor: server %q: want http://host:port or https://host:port", raw)
	}
	if u.Scheme == "http" && !loopback(u.Hostname()) {
		return fmt.Errorf("executor: server %q: registering sends secrets, so beyond this machine it needs https", raw)
	}
	return nil
}
