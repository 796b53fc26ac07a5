package sdk_test

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rprp/hivego/executor/sdk"
)

// nobody is a durable handler that is never called.
type nobody struct{ sdk.Durable }

func (nobody) Info() sdk.Info { return sdk.Info{Name: "nobody"} }

func TestConfig(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name string
		cfg  sdk.Config
		want string
	}{
		{"no data", sdk.Config{}, "no data folder"},
		{"open to all", sdk.Config{Data: "x", Listen: ":9999"}, "refusing to listen on :9999"},
		{"no token", sdk.Config{Data: "x", Listen: "0.0.0.0:9999"}, "--token-file"},
		{"no TLS", sdk.Config{Data: "x", Listen: "10.0.0.1:9999", Token: "t"}, "hivego certs"},
		{"no port", sdk.Config{Data: "x", Listen: "localhost"}, "listen address"},
		{"slots", sdk.Config{Data: "x", Slots: -1}, "slots"},
		{"server", sdk.Config{Data: "x", ServerURL: "host:3000"}, "want http://"},
		{"server in clear text", sdk.Config{Data: "x", ServerURL: "http://example.org"}, "https"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := sdk.New(c.cfg, handlers()...)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("%v, want %q", err, c.want)
			}
		})
	}
	if _, err := sdk.New(sdk.Config{Data: "x"}); err == nil {
		t.Fatal("an executor without handlers")
	}
	mixed := sdk.Config{Data: "x", Durables: []sdk.Durable{nobody{}}}
	if _, err := sdk.New(mixed, handler{name: "nobody"}); err == nil {
		t.Fatal("a durable handler and another one of one name")
	}
	if _, err := sdk.New(sdk.Config{Data: "x"}, handler{name: "a"}, handler{name: "a"}); err == nil {
		t.Fatal("two handlers of one name")
	}
}

func TestServe(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cfg := sdk.Config{Data: t.TempDir(), Log: slog.New(slog.DiscardHandler)}
	done := make(chan error, 1)
	go func() { done <- sdk.Serve(ctx, cfg, handlers()...) }()
	await(t, "it has an identity", func() bool {
		_, err := os.Stat(filepath.Join(cfg.Data, "secret"))
		return err == nil
	})
	cancel()
	if err := <-done; err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	blocked, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer blocked.Close()
	cfg.Listen = blocked.Addr().String()
	if err := sdk.Serve(t.Context(), cfg, handlers()...); err == nil {
		t.Fatal("listens where another does")
	}
}
