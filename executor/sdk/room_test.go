package sdk

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rprp/hivego/thrift/gen/hivego"
)

type idle struct{ ran chan Ref }

func (*idle) Info() Info { return Info{Name: "idle"} }

func (x *idle) Run(_ context.Context, t *Task) error {
	x.ran <- t.Attempt
	return nil
}

// On a full disk no attempt is started, and none fails. New attempts start as soon as there is room.
func TestAFullDiskIsBusy(t *testing.T) {
	t.Parallel()
	var free atomic.Uint64
	free.Store(1 << 40)
	x := &idle{make(chan Ref, 9)}
	e, err := New(Config{Data: t.TempDir(), Slots: 4, Log: slog.New(slog.DiscardHandler)}, x)
	if err != nil {
		t.Fatal(err)
	}
	e.freeSpace = func(string) (uint64, uint64, error) {
		if n := free.Load(); n > 0 {
			return n, 1 << 40, nil
		}
		return 0, 0, errors.New("nobody knows")
	}
	if err := e.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Stop)
	c := &calls{e}
	who := &hivego.Caller{Token: &e.id.secret, ClusterId: new("c"), ServerId: new("s"), Epoch: new(int64(1))}
	if _, err := c.Attach(t.Context(), &hivego.AttachCall{Caller: who}); err != nil {
		t.Fatal(err)
	}
	for i, step := range []struct {
		free     uint64
		want     hivego.ReceiptCode
		draining bool
	}{
		{1 << 40, hivego.ReceiptCode_STARTED, false},
		{reserve - 1, hivego.ReceiptCode_BUSY, true},
		{1, hivego.ReceiptCode_BUSY, true},
		{reserve, hivego.ReceiptCode_STARTED, false},
		{0, hivego.ReceiptCode_STARTED, false}, // then only writing tells
	} {
		free.Store(step.free)
		r, err := c.Submit(t.Context(), &hivego.SubmitCall{Caller: who, Assignments: []*hivego.Assignment{
			{AttemptId: new(int64(i + 1)), Key: new("k"), Handler: new("idle")},
		}})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Receipts[0]; got.GetCode() != step.want || step.want == hivego.ReceiptCode_BUSY &&
			!strings.Contains(got.GetWords(), "is full") {
			t.Errorf("with %d bytes: %v", step.free, got)
		}
		d, err := c.Describe(t.Context(), &hivego.DescribeCall{Caller: who})
		if err != nil || r.Load.GetDraining() != step.draining || d.Load.GetDraining() != step.draining {
			t.Errorf("with %d bytes: load %v and %v, %v", step.free, r.Load, d.GetLoad(), err)
		}
		if reported := strings.Contains(r.Load.GetWords(), "is full"); reported != step.draining {
			t.Errorf("with %d bytes: load says %q", step.free, r.Load.GetWords())
		}
	}
	ran := []Ref{<-x.ran, <-x.ran, <-x.ran}
	slices.SortFunc(ran, func(a, b Ref) int { return cmp.Compare(a.ID, b.ID) })
	if want := []Ref{{ID: 1, Key: "k"}, {ID: 4, Key: "k"}, {ID: 5, Key: "k"}}; !slices.Equal(ran, want) {
		t.Errorf("%v have run, want %v", ran, want)
	}
	e.Stop()
	if len(x.ran) > 0 {
		t.Errorf("%s has run", <-x.ran)
	}
}

// On a small disk the reserve is a tenth of the disk.
func TestASmallDisk(t *testing.T) {
	t.Parallel()
	e, err := New(Config{Data: t.TempDir(), Slots: 4, Log: slog.New(slog.DiscardHandler)}, &idle{make(chan Ref, 9)})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Stop)
	for free, want := range map[uint64]bool{1 << 20: false, 1<<20 - 1: true} {
		e.freeSpace = func(string) (uint64, uint64, error) { return free, 10 << 20, nil }
		if got := e.noRoom().Words != ""; got != want {
			t.Errorf("%d bytes of 10 MiB: %t", free, got)
		}
	}
}
