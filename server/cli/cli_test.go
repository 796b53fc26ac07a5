package cli_test

import (
	"bytes"
	"context"
	"flag"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/server/api"
	"github.com/rprp/hivego/server/api/apitest"
	"github.com/rprp/hivego/server/cli"
	"github.com/rprp/hivego/server/hive"
)

//nolint:gochecknoglobals // how Go tests take flags
var update = flag.Bool("update", false, "write the golden files anew")

// world is a server over fakes, with a command line that calls it.
type world struct {
	*testing.T
	*apitest.Fakes

	server, token string
	local         cli.OpenLocal
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{T: t, Fakes: apitest.Sample(), token: apitest.Token}
	app := api.NewApp(api.Config{Log: slog.New(slog.DiscardHandler), Now: time.Now}, w.Ports())
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- app.Listener(l) }()
	t.Cleanup(func() {
		_ = app.ShutdownWithTimeout(time.Second)
		if err := <-done; err != nil {
			t.Errorf("the app: %v", err)
		}
	})
	w.server = "http://" + l.Addr().String()
	return w
}

type outcome struct {
	stdout, stderr string
	code           int
}

// hivego runs a command against the world's server.
func (w *world) hivego(args ...string) outcome {
	w.Helper()
	return w.with(w.Context(), "", args...)
}

func (w *world) with(ctx context.Context, stdin string, args ...string) outcome {
	w.Helper()
	file := filepath.Join(w.TempDir(), "token")
	if err := os.WriteFile(file, []byte(w.token+"\n"), 0o600); err != nil {
		w.Fatal(err)
	}
	return run(ctx, w.local, stdin, append([]string{"--server", w.server, "--token-file", file}, args...)...)
}

func run(ctx context.Context, local cli.OpenLocal, stdin string, args ...string) outcome {
	var stdout, stderr bytes.Buffer
	root := cli.Root(cli.Config{
		Commands: cli.LocalCommands(local), Handlers: handlers(),
		LogPatience: time.Millisecond,
	})
	code := cli.Main(ctx, root, args, strings.NewReader(stdin), &stdout, &stderr)
	return outcome{stdout.String(), stderr.String(), code}
}

// want expects an exit code and parts of the output.
func (w *world) want(o outcome, code int, stdout, stderr string) {
	w.Helper()
	if o.code != code || !strings.Contains(o.stdout, stdout) || !strings.Contains(o.stderr, stderr) {
		w.Errorf("exit %d\nstdout: %s\nstderr: %s\nwant exit %d, %q, %q", o.code, o.stdout, o.stderr, code, stdout,
			stderr)
	}
}

// golden compares text with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s\n--- got\n%s--- want\n%s", name, got, want)
	}
}

// handlers returns a handler as the stock executor offers it.
func handlers() []hive.Handler {
	return []hive.Handler{{Name: "shell", Schema: `{"type": "object",
		"required": ["command"], "additionalProperties": false,
		"properties": {"command": {"type": "string", "x-render": "shell"}, "env": {"type": "object"}}}`}}
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
