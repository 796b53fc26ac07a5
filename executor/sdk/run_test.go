package sdk_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/rprp/hivego/executor/sdk"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// outlasting is a durable handler whose work ends only when it is killed.
type outlasting struct {
	mu       sync.Mutex
	reporter sdk.Reporter
	did      []string
}

func (*outlasting) Info() sdk.Info { return sdk.Info{Name: "outlasting"} }

func (o *outlasting) Recover(_ context.Context, survivors []sdk.Ref, reporter sdk.Reporter) ([]sdk.Lease, error) {
	o.reporter = reporter
	if len(survivors) > 0 {
		o.note("recovers %d", len(survivors))
	}
	return nil, nil
}

func (o *outlasting) note(format string, args ...any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.did = append(o.did, fmt.Sprintf(format, args...))
}

func (o *outlasting) notes() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return fmt.Sprint(o.did)
}

func (o *outlasting) Start(*sdk.Task) { o.note("starts") }

func (o *outlasting) Kill(attempt sdk.Ref, _ time.Duration, reason string) {
	o.note("killed: %s", reason)
	go o.reporter.Ended(attempt, sdk.Outcome{Kind: sdk.Killed}, true)
}

func (o *outlasting) SetLease(sdk.Lease)   {}
func (o *outlasting) Move(sdk.Ref, string) {}
func (o *outlasting) Drop(attempt sdk.Ref) { o.note("drops %d", attempt.ID) }
func (o *outlasting) in(data string) sdk.Config {
	return sdk.Config{Data: data, Durables: []sdk.Durable{o}}
}

// begin calls run on a connection of its own, and does not wait for the answer.
func begin(t *testing.T, e *sdk.Executor, id int64, handler string) *server {
	t.Helper()
	s := connect(t, e, "s", id) // each call from a later session
	running := e.Running()
	var wg sync.WaitGroup
	wg.Go(func() {
		_, _ = s.c.Run(s.ctx(), &hivego.RunCall{Caller: s.caller, Assignment: assignment(id, handler)})
	})
	t.Cleanup(wg.Wait)
	await(t, "it runs", func() bool { return e.Running() == running+1 })
	return s
}

// The connection of a run breaks after a later session has called: the attempt is killed and released all the same.
func TestRunOfAReplacedSession(t *testing.T) {
	t.Parallel()
	work := &outlasting{}
	e := start(t, work.in(t.TempDir()))
	first := begin(t, e, 1, "outlasting")
	begin(t, e, 2, "outlasting")
	await(t, "both have started", func() bool { return work.notes() == "[starts starts]" })
	first.close()
	const want = "[starts starts killed: the caller has gone drops 1]"
	await(t, want, func() bool { return work.notes() == want })
}

// A stop of the executor breaks the connection of a run, so it kills the work, even if the work could go on.
func TestStopKillsRuns(t *testing.T) {
	t.Parallel()
	work := &outlasting{}
	e := start(t, work.in(t.TempDir()))
	begin(t, e, 1, "outlasting")
	await(t, "it has started", func() bool { return work.notes() == "[starts]" })
	if n := e.Surviving(); n != 0 {
		t.Errorf("%d attempts survive, though nobody will wait for them", n)
	}
	e.Stop()
	if got := work.notes(); got != "[starts killed: the caller has gone]" && // if the end came after the stop
		got != "[starts killed: the caller has gone drops 1]" {
		t.Errorf("it did %s", got)
	}
}

// After a crash of the executor nobody waits for its runs: the next process kills those that still run, and releases
// all of them.
func TestCrashEndsRuns(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	e := start(t, (&outlasting{}).in(data), handler{"logs", func(ctx context.Context, t *sdk.Task) error {
		t.Printf("waiting")
		<-ctx.Done()
		return context.Cause(ctx)
	}})
	folder := func(data string, id int64) string { return sdk.AttemptFolder(data, sdk.Ref{ID: id}) }
	exists := func(path string) bool {
		_, err := os.Stat(path)
		return !errors.Is(err, os.ErrNotExist)
	}
	begin(t, e, 1, "outlasting")
	begin(t, e, 2, "logs")
	await(t, "they have folders", func() bool { return exists(folder(data, 1)) && exists(folder(data, 2)) })
	crashed := filepath.Join(t.TempDir(), "crashed")
	if err := os.CopyFS(crashed, os.DirFS(data)); err != nil {
		t.Fatal(err)
	}
	work := &outlasting{}
	next := start(t, work.in(crashed))
	await(t, "its slot is free", func() bool { return next.Running() == 0 })
	await(t, "their folders are removed", func() bool {
		return !exists(folder(crashed, 1)) && !exists(folder(crashed, 2))
	})
	const want = "[recovers 1 killed: the caller has gone drops 2 drops 1]"
	await(t, want, func() bool { return work.notes() == want })
}
