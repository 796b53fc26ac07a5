package app

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"

	"github.com/rprp/hivego/db"
	"github.com/rprp/hivego/executor/stock"
	"github.com/rprp/hivego/server/auth"
	"github.com/rprp/hivego/server/config"
	"github.com/rprp/hivego/server/hive"
)

// registrar maps executor tokens to groups for the registry. The embedded executor's token is created at each start,
// and only this process knows it. The given one is that of --executor-token-file.
type registrar struct {
	*db.Store
	auth  *auth.Service
	own   string
	given string
}

// GroupOf returns the group of an executor token.
func (r *registrar) GroupOf(ctx context.Context, token string) (string, error) {
	for _, known := range []string{r.own, r.given} {
		if known != "" && subtle.ConstantTimeCompare([]byte(known), []byte(token)) == 1 {
			return hive.DefaultGroup, nil
		}
	}
	return r.auth.Group(ctx, token)
}

// embedded is the executor in the server's own process. The server calls it over Thrift on loopback, like any other.
type embedded struct{ *stock.Executor }

func newEmbedded(cfg *config.Serve, version string, registry http.Handler, r *registrar,
	log *slog.Logger,
) (*embedded, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	r.own = newSecret()
	x, err := stock.New(stock.Config{
		Data: executorData(cfg), Listen: "127.0.0.1:0", Name: cfg.Name, Slots: cfg.Slots, Version: version,
		ServerURL: "http://" + cfg.Listen, Token: r.own, Transport: inProcess{registry}, Log: log,
		SuperviseCommand: []string{self, "supervise"}, Protected: protected(cfg),
	})
	if err != nil {
		return nil, fmt.Errorf("embedded executor: %w", err)
	}
	return &embedded{Executor: x}, nil
}

// protected lists the files that no task may open as a database: everything in the data folder, and the server's
// database.
func protected(cfg *config.Serve) []string {
	out := []string{cfg.Data, keyFile(cfg.SecretKey, cfg.Data)}
	if file := (db.Config{URL: cfg.DatabaseURL, Dir: cfg.Data}).File(); file != "" {
		for _, suffix := range []string{"", "-wal", "-shm", "-journal", ".lock"} {
			out = append(out, file+suffix)
		}
	}
	return out
}

// newSecret returns a random secret.
func newSecret() string {
	var secret [32]byte
	_, _ = rand.Read(secret[:]) // it never fails
	return base64.RawURLEncoding.EncodeToString(secret[:])
}

// executorData returns the data folder of the embedded executor. With another user it lies beside the server's, which
// that user cannot enter.
func executorData(cfg *config.Serve) string {
	dir := cfg.ExecutorData
	switch {
	case dir != "":
	case cfg.ExecutorUser != "":
		dir = filepath.Clean(cfg.Data)
		if full, err := filepath.Abs(dir); err == nil { // "." has no sibling, so take the full path
			dir = full
		}
		dir += "-executor"
	default:
		dir = filepath.Join(cfg.Data, "executor")
	}
	if full, err := filepath.Abs(dir); err == nil {
		return full
	}
	return dir
}

// inProcess passes the requests of the embedded executor to the registry without the network, whatever address and
// certificate the API has.
type inProcess struct{ handler http.Handler }

// RoundTrip passes one request to the registry.
func (t inProcess) RoundTrip(req *http.Request) (*http.Response, error) {
	w := &answer{header: http.Header{}, code: http.StatusOK}
	t.handler.ServeHTTP(w, req)
	return &http.Response{
		StatusCode: w.code, Status: http.StatusText(w.code), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.header, Body: io.NopCloser(&w.body), ContentLength: int64(w.body.Len()), Request: req,
	}, nil
}

type answer struct {
	header http.Header
	code   int
	body   bytes.Buffer
}

func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(code int) { a.code = code }

func (a *answer) Write(p []byte) (int, error) { return a.body.Write(p) }
