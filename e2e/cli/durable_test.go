package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rprp/hivego/e2e/harness"
	"github.com/rprp/hivego/executor/sdk"
)

// gated is a handler of an executor built with the SDK: it works until the test ends it.
type gated struct {
	began chan struct{}
	open  chan struct{}
}

func (gated) Info() sdk.Info { return sdk.Info{Name: "gated"} }

func (g gated) Run(ctx context.Context, t *sdk.Task) error {
	g.began <- struct{}{}
	t.Printf("the gate of %s", t.Name)
	select {
	case <-g.open:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// A durable executor that does not register itself is added by its address; its work outlives the server. An executor
// that registers itself need not be added.
func TestDurableExecutorByAddress(t *testing.T) {
	t.Parallel()
	g := gated{make(chan struct{}, 2), make(chan struct{})}
	x, err := sdk.New(sdk.Config{Data: t.TempDir(), Name: "loner", Group: "ml", Slots: 3}, g)
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(x.Stop)
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte(x.Secret()), 0o600); err != nil {
		t.Fatal(err)
	}
	s := harness.NewServer(t, harness.Options{})
	s.CLI("executors", "add", x.Addr(), "--token-file", token)
	s.Apply("apiVersion: hivego/v1\nkind: Schedule\nname: lone\njobs: [{key: j, tasks: [{key: t, handler: gated, " +
		"group: ml}]}]\n")
	id := s.Run("lone")
	harness.Eventually(t, "its task has begun", func() bool { return len(g.began) > 0 })
	<-g.began
	s.Kill()
	s.Start()
	close(g.open)
	if b := s.WaitEnd(id); b.State != "succeeded" || b.Task("t").Attempts != 1 || b.Task("t").Executor != "loner" {
		t.Errorf("%+v", b)
	}
	if len(g.began) > 0 {
		t.Error("it began twice")
	}
	var embedded string
	harness.Eventually(t, "the embedded executor registers", func() bool {
		for _, e := range executors(t, s) {
			if e.Origin == "registered" && e.State == "online" {
				embedded = e.Address
			}
		}
		return embedded != ""
	})
	r := s.Try("executors", "add", embedded, "--token-file", filepath.Join(s.Data, "executor", "secret"))
	if r.Code == 0 || !strings.Contains(r.Stderr, "registers itself") {
		t.Errorf("exit %d, %q", r.Code, r.Stderr)
	}
}
