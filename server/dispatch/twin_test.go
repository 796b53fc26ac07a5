package dispatch

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

func TestTwin(t *testing.T) {
	t.Parallel()
	t0 := time.Date(2026, 3, 1, 4, 0, 0, 0, time.UTC)
	first := hive.Executor{ID: "x", Name: "x", Address: "10.0.0.1:9999", BootID: "one"}
	copied := hive.Executor{ID: "x", Name: "y", Address: "10.0.0.2:9999", BootID: "two"}
	for name, tc := range map[string]struct {
		change func(*peer)
		comes  hive.Executor
		want   string
	}{
		"a copy":                   {func(*peer) {}, copied, first.Address},
		"itself again":             {func(*peer) {}, first, ""},
		"started again, same port": {func(*peer) {}, hive.Executor{ID: "x", Address: first.Address, BootID: "two"}, ""},
		"the same has moved":       {func(*peer) {}, hive.Executor{ID: "x", Address: "10.0.0.3:1", BootID: "one"}, ""},
		"the first has ended":      {func(p *peer) { p.failed(t0, "") }, copied, ""},
		"the first is silent":      {func(p *peer) { p.heard = t0.Add(-time.Minute) }, copied, ""},
		"another executor": {
			func(*peer) {},
			hive.Executor{ID: "z", Address: copied.Address, BootID: "two"},
			"",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := NewFleet(Settings{}, slog.New(slog.DiscardHandler))
			f.Know(t0, first)
			p := f.peers["x"]
			p.attached, p.boot = true, "one"
			tc.change(p)
			if got := f.Twin(t0, tc.comes); got != tc.want {
				t.Errorf("Twin is %q, expected %q", got, tc.want)
			}
		})
	}
}

func TestTwinIsRefused(t *testing.T) {
	t.Parallel()
	store := registrar{map[string]hive.Executor{}}
	r := NewRegistry("c", store, func(hive.Executor) { t.Error("the copy is taken in") }, time.Now)
	r.RefuseTwins(func(context.Context, hive.Executor) (string, error) { return "10.0.0.1:9999", nil })
	_, err := r.RegisterExecutor(t.Context(), registration())
	denied, ok := errors.AsType[*hivego.AccessDenied](err)
	if !ok || len(store.stored) > 0 || !strings.Contains(denied.GetMessage(), "10.0.0.1:9999") {
		t.Errorf("the copy is answered %v; %d stored", err, len(store.stored))
	}
}
