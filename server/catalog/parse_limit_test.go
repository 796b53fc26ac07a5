package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"golang.org/x/sync/semaphore"

	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
)

// newSmallLimit makes a limit that allows room bytes of small texts.
func newSmallLimit(room int64) *parseLimit { return &parseLimit{small: semaphore.NewWeighted(room)} }

func TestParseLimitBoundsTheSizeOfConcurrentTexts(t *testing.T) {
	t.Parallel()
	l := newSmallLimit(10)
	var all sync.WaitGroup
	var parsing atomic.Int64
	var exceeded atomic.Bool
	for i := range 200 {
		size := 1 + i%10
		all.Go(func() {
			release, err := l.acquire(t.Context(), size)
			if err != nil {
				t.Error(err)
				return
			}
			if parsing.Add(int64(size)) > 10 {
				exceeded.Store(true)
			}
			parsing.Add(-int64(size))
			release()
		})
	}
	all.Wait()
	if exceeded.Load() || !l.small.TryAcquire(10) {
		t.Errorf("more than 10 at once: %v; or some room was not released", exceeded.Load())
	}
}

// A canceled caller leaves the queue. The callers behind it stay in order.
func TestCanceledCallerLeavesTheQueue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newSmallLimit(10)
		release, err := l.acquire(t.Context(), 5)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		canceled, behind := make(chan error, 1), make(chan error, 1)
		go func() { _, err := l.acquire(ctx, 10); canceled <- err }()
		synctest.Wait()
		go func() { _, err := l.acquire(t.Context(), 5); behind <- err }() // there is room, but another caller is first
		synctest.Wait()
		if len(behind) != 0 {
			t.Error("a later text did not wait for an earlier one")
		}
		cancel()
		if e, ok := errors.AsType[*hive.Error](<-canceled); !ok || e.Code != hive.CodeUnavailable ||
			e.Reason != hive.ErrorBusy {
			t.Errorf("the canceled caller: %v", e)
		}
		if err := <-behind; err != nil {
			t.Error(err)
		}
		release()
		if !l.small.TryAcquire(5) || l.small.TryAcquire(1) {
			t.Error("5 of 10 should be left")
		}
	})
}

func TestLargeDocumentsWaitForEachOther(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	large := nightly + "# " + strings.Repeat("x", smallText) + "\n"
	if _, err := s.Save(t.Context(), hive.SaveRequest{Name: "nightly", Document: []byte(large)}); err != nil {
		t.Fatal(err)
	}
	release, err := s.parsing.acquire(t.Context(), document.MaxSize) // another caller parses the largest one
	if err != nil {
		t.Fatal(err)
	}
	defer release()
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
