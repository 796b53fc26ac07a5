package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
)

func TestNoMoreIsReadAtOnceThanThereIsRoom(t *testing.T) {
	t.Parallel()
	d := newDesk(10)
	var all sync.WaitGroup
	var held atomic.Int64
	var crowded atomic.Bool
	for i := range 200 {
		size := 1 + i%10
		all.Go(func() {
			leave, err := d.sit(t.Context(), size)
			if err != nil {
				t.Error(err)
				return
			}
			if held.Add(int64(size)) > 10 {
				crowded.Store(true)
			}
			held.Add(-int64(size))
			leave()
		})
	}
	all.Wait()
	if crowded.Load() || d.room != 10 || len(d.waiting) != 0 {
		t.Errorf("more than 10 at once: %v; %d left, %d wait", crowded.Load(), d.room, len(d.waiting))
	}
}

func TestWhoGoesAwayIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	d := newDesk(10)
	leave, err := d.sit(t.Context(), 5)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	gone, behind := make(chan error), make(chan error)
	go func() { _, err := d.sit(ctx, 10); gone <- err }()
	for d.row() == 0 {
		runtime.Gosched()
	}
	go func() { _, err := d.sit(t.Context(), 5); behind <- err }() // there is room, but not its turn
	for d.row() < 2 {
		runtime.Gosched()
	}
	cancel()
	if e, ok := errors.AsType[*hive.Error](<-gone); !ok || e.Code != hive.CodeUnavailable ||
		e.Reason != hive.ErrorBusy {
		t.Errorf("who waited in vain: %v", e)
	}
	if err := <-behind; err != nil {
		t.Error(err)
	}
	leave()
	if d.room != 5 || d.row() != 0 {
		t.Errorf("%d left, %d wait", d.room, d.row())
	}
}

// row is how many wait.
func (d *desk) row() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.waiting)
}

func TestLargeDocumentsAreReadOneAfterAnother(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	large := nightly + "# " + strings.Repeat("x", smallText) + "\n"
	if _, err := s.Save(t.Context(), hive.SaveRequest{Name: "nightly", Document: []byte(large)}); err != nil {
		t.Fatal(err)
	}
	leave, err := s.large.sit(t.Context(), document.MaxSize) // somebody reads the largest one
	if err != nil {
		t.Fatal(err)
	}
	defer leave()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	definition := json.RawMessage(fmt.Sprintf(`{"description": %q}`, strings.Repeat("x", smallText)))
	for name, call := range map[string]func(ctx context.Context, text string) error{
		"validate": func(ctx context.Context, text string) error {
			_,
				err := s.Validate(ctx, []byte(text))
			return err
		},
		"convert": func(ctx context.Context, text string) error { _, err := s.Convert(ctx, []byte(text)); return err },
		"save": func(ctx context.Context, text string) error {
			_, err := s.Save(ctx, hive.SaveRequest{Name: "nightly", Document: []byte(text)})
			return err
		},
	} {
		if err := call(ctx, large); hive.CodeOf(err) != hive.CodeUnavailable {
			t.Errorf("%s of a large one: %v", name, err)
		}
		if err := call(t.Context(), nightly); err != nil {
			t.Errorf("%s of a small one: %v", name, err)
		}
	}
	if _, err := s.Preview(ctx,
		hive.PreviewRequest{Definition: definition, Task: "a"}); hive.CodeOf(err) != hive.CodeUnavailable {
		t.Errorf("preview: %v", err)
	}
	if _, err := s.Forecast(ctx,
		hive.ForecastRequest{
			Triggers: []json.RawMessage{definition},
			Count:    1,
		}); hive.CodeOf(err) != hive.CodeUnavailable {
		t.Errorf("forecast: %v", err)
	}
	s.db.schedules[0].Revision = 1
	if _, err := s.Get(ctx, "nightly"); hive.CodeOf(err) != hive.CodeUnavailable {
		t.Errorf("get: %v", err)
	}
	if _, err := s.RevisionView(ctx, "nightly", 1); hive.CodeOf(err) != hive.CodeUnavailable {
		t.Errorf("revision: %v", err)
	}
}
