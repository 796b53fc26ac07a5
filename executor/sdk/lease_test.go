package sdk

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/rprp/hivego/thrift/gen/hivego"
)

// leased is a Durable that runs nothing.
type leased struct{ leases chan Lease }

func (leased) Info() Info { return Info{Name: "leased"} }

func (leased) Recover(context.Context, []Ref, Reporter) ([]Lease, error) { return nil, nil }

func (leased) Start(*Task) {}

func (leased) Kill(Ref, time.Duration, string) {}

func (x leased) SetLease(l Lease) { x.leases <- l }

func (leased) Move(Ref, string) {}

func (leased) Drop(Ref) {}

// An executor does not remember the leases of sessions that are over.
func TestLeasesOfFormerSessions(t *testing.T) {
	t.Parallel()
	x := leased{make(chan Lease, 9)}
	e, err := New(Config{Data: t.TempDir(), Log: slog.New(slog.DiscardHandler), Durables: []Durable{x}})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Stop)
	c := &calls{e}
	for epoch := int64(1); epoch < 5; epoch++ {
		who := &hivego.Caller{Token: &e.id.secret, ClusterId: new("c"), ServerId: new("s"), Epoch: &epoch}
		if _, err := c.Attach(t.Context(), &hivego.AttachCall{Caller: who}); err != nil {
			t.Fatal(err)
		}
		last := <-x.leases
		e.mu.Lock()
		names := slices.Collect(maps.Keys(e.pushedLeases))
		e.mu.Unlock()
		if !slices.Equal(names, []string{last.Name}) {
			t.Fatalf("after %s it remembers %v", last.Name, names)
		}
	}
}
