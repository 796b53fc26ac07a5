// Package stock is the stock executor: the SDK's executor, a supervisor, and the handlers shell, sql and http.
package stock

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	httphandler "github.com/rprp/hivego/executor/http"
	"github.com/rprp/hivego/executor/sdk"
	"github.com/rprp/hivego/executor/shell"
	"github.com/rprp/hivego/executor/sql"
	"github.com/rprp/hivego/executor/supervise"
)

// Config configures the stock executor. Data and SuperviseCommand are required.
type Config struct {
	Data      string            // folder of its own
	Listen    string            // host:port to be called at; default 127.0.0.1:0
	Advertise string            // host:port told to the server; default: where it listens
	Group     string            // default "default"
	Name      string            // default: the host's name
	Labels    map[string]string // narrow down where a task may run
	Slots     int               // attempts at once; default twice the CPUs, at least 4
	Version   string

	ServerURL string // server to register with; empty: it does not register
	Token     string // executor token of the group
	TLSCert   string // file with the certificate to be called with
	TLSKey    string // file with its key
	ServerCA  string // file with the authority of the server's certificate; empty: the system's

	Transport http.RoundTripper // reaches ServerURL in another way than over the network: a server in this process

	Protected []string // files and folders beside Data that no task of handler sql may open

	OrphanTimeout time.Duration // until a server says its own; default three minutes
	StopTimeout   time.Duration // how long Stop waits for handlers in this process; default five seconds
	Log           *slog.Logger  // default: nothing is logged
	// SuperviseCommand starts a supervisor, for example {"/usr/bin/hivego", "supervise"}. The executor appends --data
	// and the folder.
	SuperviseCommand []string
}

// Executor is the stock executor.
type Executor struct {
	*sdk.Executor

	supervisor *supervise.Manager
	shell      *shell.Handler
	once       sync.Once
}

// New checks the configuration and makes the executor. Start starts it.
func New(cfg Config) (*Executor, error) {
	if len(cfg.SuperviseCommand) == 0 {
		return nil, errors.New("executor: no command to start a supervisor with")
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Name == "" {
		cfg.Name, _ = os.Hostname()
	}
	data, err := filepath.Abs(cfg.Data)
	if cfg.Data == "" || err != nil {
		return nil, fmt.Errorf("executor: data folder %q cannot be used", cfg.Data)
	}
	own, err := ownTLS(cfg)
	if err != nil {
		return nil, err
	}
	servers, err := serverTLS(cfg)
	if err != nil {
		return nil, err
	}
	e := &Executor{supervisor: supervise.NewManager(supervise.ManagerConfig{
		Data: data, Command: cfg.SuperviseCommand, Log: cfg.Log,
	})}
	e.shell = shell.New(shell.Config{Data: data, Executor: cfg.Name, Supervisor: e.supervisor, Log: cfg.Log})
	e.Executor, err = sdk.New(sdk.Config{
		Data: data, Listen: cfg.Listen, Advertise: cfg.Advertise, Group: cfg.Group, Name: cfg.Name, Labels: cfg.Labels,
		Slots: cfg.Slots, Version: cfg.Version, ServerURL: cfg.ServerURL, Token: cfg.Token, TLS: own,
		ServerTLS: servers, Transport: cfg.Transport, OrphanTimeout: cfg.OrphanTimeout, StopTimeout: cfg.StopTimeout,
		Log:      cfg.Log,
		Durables: []sdk.Durable{e.shell},
	}, sql.New(sql.Config{Data: data, Protected: cfg.Protected}), httphandler.New(httphandler.Config{Data: data}))
	if err != nil {
		return nil, err
	}
	return e, nil
}

// Start recovers the attempts of an earlier process, and listens. When ctx ends, the executor stops.
func (e *Executor) Start(ctx context.Context) error {
	if err := e.Executor.Start(ctx); err != nil {
		e.Stop()
		return err
	}
	context.AfterFunc(ctx, e.Stop)
	return nil
}

// Stop ends the executor. Scripts keep running under the supervisor, and the next start adopts them. Stop may be called
// twice.
func (e *Executor) Stop() {
	e.Executor.Stop()
	e.once.Do(func() {
		e.shell.Close()
		e.supervisor.Close()
	})
}

func ownTLS(cfg Config) (*tls.Config, error) {
	if cfg.TLSCert == "" && cfg.TLSKey == "" {
		return nil, nil
	}
	pair, err := tls.LoadX509KeyPair(cfg.TLSCert, cfg.TLSKey)
	if err != nil {
		return nil, fmt.Errorf("executor: certificate (make one with `hivego certs`): %w", err)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, nil
}

func serverTLS(cfg Config) (*tls.Config, error) {
	if cfg.ServerCA == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(cfg.ServerCA)
	if err != nil {
		return nil, fmt.Errorf("executor: authority of the server: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("executor: %s has no certificate", cfg.ServerCA)
	}
	return &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}, nil
}
