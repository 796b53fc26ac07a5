// Package s3test runs a real S3 server for tests: Versity's gateway over a folder.
package s3test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// The key that a gateway takes, and its region and bucket.
const (
	Access = "hivego-test"
	Secret = "a secret key for tests"
	Region = "eu-test-1"
	Bucket = "logs"
)

// Gateway is an S3 server with one empty bucket. Its objects are files, so that a test can damage them.
type Gateway struct {
	URL *url.URL

	t       *testing.T
	program string
	dir     string
	address string
	server  *exec.Cmd
	hold    io.Closer // the server runs until it is closed, or this process ends
}

// Start starts a gateway, which ends with the test.
func Start(t *testing.T) *Gateway {
	t.Helper()
	g := &Gateway{t: t, program: program(t), dir: t.TempDir(), address: freeAddress(t)}
	g.URL = &url.URL{Scheme: "http", Host: g.address}
	for _, dir := range []string{"objects/" + Bucket, "meta"} {
		if err := os.MkdirAll(filepath.Join(g.dir, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	g.Up()
	t.Cleanup(g.Down)
	return g
}

// program returns the path of the gateway.
func program(t *testing.T) string {
	t.Helper()
	if name := os.Getenv("HIVEGO_TEST_VERSITYGW"); name != "" {
		return name
	}
	root, err := filepath.Abs(".")
	for err == nil && root != "/" {
		if found, _ := filepath.Glob(filepath.Join(root, "bin", "tools", "versitygw-*", "versitygw")); len(found) > 0 {
			return found[len(found)-1]
		}
		root = filepath.Dir(root)
	}
	t.Fatal("there is no S3 server; `make race` builds it, or HIVEGO_TEST_VERSITYGW names versitygw")
	return ""
}

// freeAddress returns an address at which nobody listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// keeper runs the server for as long as its standard input is open.
const keeper = `"$@" & server=$!; read -r _; kill -KILL $server; wait $server`

// Up starts the server again after Down, at the same address.
func (g *Gateway) Up() {
	g.t.Helper()
	//nolint:noctx // Down ends it
	g.server = exec.Command("/bin/sh", "-c", keeper, "sh", g.program, "--access", Access, "--secret", Secret,
		"--region", Region, "--port", g.address, "--quiet", "--keep-alive", "posix", "--sidecar", g.path("meta"),
		g.path("objects"))
	g.server.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	in, err := g.server.StdinPipe()
	if err != nil {
		g.t.Fatal(err)
	}
	if err := g.server.Start(); err != nil {
		g.t.Fatal(err)
	}
	g.hold = in
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	late := time.After(30 * time.Second)
	for {
		err := g.answers()
		if err == nil {
			return
		}
		select {
		case <-again.C:
		case <-late:
			g.t.Fatalf("the S3 server does not start: %v", err)
		}
	}
}

// answers asks whether the server listens.
func (g *Gateway) answers() error {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	r, err := http.NewRequestWithContext(g.t.Context(), http.MethodGet, g.URL.String(), http.NoBody)
	if err != nil {
		return fmt.Errorf("ask the S3 server: %w", err)
	}
	answer, err := client.Do(r)
	if err != nil {
		return fmt.Errorf("ask the S3 server: %w", err)
	}
	return errors.Join(answer.Body.Close())
}

// Down ends the server; its objects stay.
func (g *Gateway) Down() {
	if g.hold != nil {
		_ = g.hold.Close()
		_ = g.server.Wait()
		g.hold = nil
	}
}

func (g *Gateway) path(parts ...string) string {
	return filepath.Join(append([]string{g.dir}, parts...)...)
}

// Objects lists the files of all objects in the bucket.
func (g *Gateway) Objects() []string {
	g.t.Helper()
	var files []string
	err := filepath.WalkDir(g.path("objects", Bucket), func(name string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && filepath.Ext(name) == ".log" {
			files = append(files, name)
		}
		return err
	})
	if err != nil {
		g.t.Fatal(err)
	}
	return files
}
