package sdk_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/rprp/hivego/executor/sdk"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// elsewhere is another system that does the work of tasks, and a handler that waits for that work.
type elsewhere struct {
	mu           sync.Mutex
	submitted    int
	kept         []error
	stopped      []string // causes with which waiting ended
	done         chan struct{}
	unresponsive chan struct{} // not nil: who waits listens to nothing before this is closed
	silent       bool          // it keeps nothing
}

func newElsewhere() *elsewhere { return &elsewhere{done: make(chan struct{})} }

func (x *elsewhere) Info() sdk.Info { return sdk.Info{Name: "elsewhere"} }

func (x *elsewhere) Run(ctx context.Context, t *sdk.Task) error {
	x.mu.Lock()
	x.submitted++
	n, silent := x.submitted, x.silent
	x.mu.Unlock()
	if err := t.Output("from", "run"); err != nil {
		return err
	}
	if !silent {
		err := t.Checkpoint(fmt.Appendf(nil, "job %d", n))
		x.mu.Lock()
		x.kept = append(x.kept, err)
		x.mu.Unlock()
	}
	return x.wait(ctx, t)
}

func (x *elsewhere) Resume(ctx context.Context, t *sdk.Task, checkpoint []byte) error {
	if err := t.Output("state", string(checkpoint)); err != nil {
		return err
	}
	return x.wait(ctx, t)
}

func (x *elsewhere) wait(ctx context.Context, t *sdk.Task) error {
	select {
	case <-ctx.Done():
		if x.unresponsive != nil {
			<-x.unresponsive
		}
		x.mu.Lock()
		defer x.mu.Unlock()
		why := context.Cause(ctx).Error()
		if t.WillResume(ctx) {
			why = "goes on"
		}
		x.stopped = append(x.stopped, why)
		return context.Cause(ctx)
	case <-x.done:
		return t.Output("params", string(t.Params))
	}
}

// waits blocks until n tasks have stored a checkpoint.
func (x *elsewhere) waits(t testing.TB, n int) {
	t.Helper()
	await(t, "they keep something", func() bool {
		x.mu.Lock()
		defer x.mu.Unlock()
		return len(x.kept) == n
	})
	for _, err := range x.kept {
		if err != nil {
			t.Fatal(err)
		}
	}
}

func (x *elsewhere) whys() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return strings.Join(x.stopped, ", ")
}

// life starts an executor process with this handler.
func (x *elsewhere) life(t testing.TB, cfg sdk.Config) *sdk.Executor {
	t.Helper()
	return start(t, cfg, x)
}

// A stop does not end work in another system: the next process resumes waiting for it, in the same log.
func TestResumesAfterAStop(t *testing.T) {
	t.Parallel()
	x := newElsewhere()
	cfg := sdk.Config{Data: t.TempDir(), StopTimeout: patience}
	e := x.life(t, cfg)
	s := connect(t, e, "s", 1)
	s.attach()
	a := assignment(1, "elsewhere")
	a.ParamsJson, a.Env = new(`{"a":1}`), map[string]string{"KEY": "hush-hush"}
	s.submit(a)
	s.submit(assignment(2, "wait"))
	await(t, "both run", func() bool { return e.Running() == 2 })
	x.waits(t, 1)
	if n := e.Surviving(); n != 1 {
		t.Errorf("%d go on, but only one has kept something", n)
	}
	e.Stop()
	if got := x.whys(); got != "goes on" {
		t.Fatalf("it was told %q", got)
	}
	var kept struct{ Assignment []byte }
	file := filepath.Join(cfg.Data, "attempts", "1", "kept")
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &kept)
	}
	if err != nil || !bytes.Contains(kept.Assignment, []byte("elsewhere")) ||
		bytes.Contains(kept.Assignment, []byte("hush")) {
		t.Fatalf("kept %q: %v", kept.Assignment, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v %v", info, err)
	}
	rewrite(t, file, map[string]any{"received": time.Now().Add(-time.Hour)})
	for life := range 2 { // and again after that
		e = x.life(t, cfg)
		s = connect(t, e, "s", int64(2+life))
		if r := s.attach(1, 2).Attempts; r[0].GetState() != hivego.AttemptState_RUNNING ||
			r[1].GetState() != hivego.AttemptState_LOST {
			t.Fatalf("reports %v", r)
		}
		if life == 0 {
			e.Stop()
		}
	}
	close(x.done)
	o := s.outcome(1)
	want := map[string]string{"from": "run", "state": "job 1", "params": `{"a":1}`}
	if o.GetKind() != hivego.OutcomeKind_SUCCESS || fmt.Sprint(o.Outputs) != fmt.Sprint(want) || x.submitted != 1 {
		t.Fatalf("%v %v, submitted %d times", o.GetKind(), o.Outputs, x.submitted)
	}
	text, complete := s.log(1)
	for _, words := range []string{
		"elsewhere is taken up again on executor test",
		"the executor stops; it takes this up again", "succeeded after 1h0m",
	} {
		if !strings.Contains(text, words) {
			t.Errorf("no %q in %s", words, text)
		}
	}
	if !complete || int64(len(text)) != o.GetLogBytes() {
		t.Errorf("%d bytes, told as %d", len(text), o.GetLogBytes())
	}
}

// Attempts that ended meanwhile, and attempts with an unusable checkpoint, are not resumed.
func TestUnusableCheckpoints(t *testing.T) {
	t.Parallel()
	long := new(time.Hour.Milliseconds())
	const unreadable = "the executor was restarted, and what it had kept to go on with cannot be read"
	for name, c := range map[string]struct {
		change func(t *testing.T, x *elsewhere, kept string)
		want   string
	}{
		"nothing was kept": {func(t *testing.T, _ *elsewhere, kept string) {
			if err := os.Remove(kept); err != nil {
				t.Fatal(err)
			}
		}, "LOST the executor was restarted, and this handler does not outlive it"},
		"no JSON": {func(t *testing.T, _ *elsewhere, kept string) {
			if err := os.WriteFile(kept, []byte(`{"assignment"`), 0o600); err != nil {
				t.Fatal(err)
			}
		}, "LOST " + unreadable + ": unexpected end of JSON input"},
		"a pipe that nobody writes to": {func(t *testing.T, _ *elsewhere, kept string) {
			if err := errors.Join(os.Remove(kept), unix.Mkfifo(kept, 0o600)); err != nil {
				t.Fatal(err)
			}
		}, "LOST " + unreadable},
		"no assignment": {func(t *testing.T, _ *elsewhere, kept string) {
			rewrite(t, kept, map[string]any{"assignment": []byte("\x0c\xff\xff")})
		}, "LOST " + unreadable},
		"another's": {func(t *testing.T, _ *elsewhere, kept string) {
			rewrite(t, kept, map[string]any{"assignment": []byte{0}})
		}, "LOST " + unreadable + ": it is that of attempt 0, "},
		"over its time": {func(t *testing.T, _ *elsewhere, kept string) {
			rewrite(t, kept, map[string]any{"deadline": 1})
		}, "TIMEOUT stopped: its timeout is over"},
		"over its time, on a machine that was started anew": {func(t *testing.T, _ *elsewhere, kept string) {
			rewrite(t, kept, map[string]any{"machine": "another", "received": time.Now().Add(-2 * time.Hour)})
		}, "TIMEOUT stopped: its timeout is over"},
		"in time, on a machine that was started anew": {func(t *testing.T, x *elsewhere, kept string) {
			rewrite(t, kept, map[string]any{"machine": "another", "deadline": 1, "received": time.Now().Add(time.Hour)})
			close(x.done)
		}, "SUCCESS "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newElsewhere()
			cfg := sdk.Config{Data: t.TempDir(), StopTimeout: patience}
			e := x.life(t, cfg)
			s := connect(t, e, "s", 1)
			s.attach()
			a := assignment(1, "elsewhere")
			a.TimeoutMillis = long
			s.submit(a)
			x.waits(t, 1)
			e.Stop()
			c.change(t, x, filepath.Join(cfg.Data, "attempts", "1", "kept"))
			s = connect(t, x.life(t, cfg), "s", 2)
			s.attach(1)
			o := s.outcome(1)
			if got := fmt.Sprint(o.GetKind(), " ", o.GetError()); !strings.HasPrefix(got, c.want) {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

// rewrite changes fields of a JSON file.
func rewrite(t testing.TB, path string, change map[string]any) {
	t.Helper()
	all := map[string]any{}
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, &all)
	}
	maps.Copy(all, change)
	if err == nil {
		data, err = json.Marshal(all)
	}
	if err == nil {
		err = os.WriteFile(path, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// An attempt was being killed when the executor stopped. The next process ends it.
func TestKilledAcrossRestarts(t *testing.T) {
	t.Parallel()
	x := newElsewhere()
	x.unresponsive = make(chan struct{})
	cfg := sdk.Config{Data: t.TempDir(), StopTimeout: time.Millisecond}
	e := x.life(t, cfg)
	s := connect(t, e, "s", 1)
	s.attach()
	s.submit(assignment(1, "elsewhere"))
	x.waits(t, 1)
	order := &hivego.KillOrder{AttemptId: new(int64(1)), Reason: new("ada")}
	if _, err := s.c.Kill(s.ctx(), &hivego.KillCall{Caller: s.caller, Orders: []*hivego.KillOrder{order}}); err != nil {
		t.Fatal(err)
	}
	e.Stop() // it does not wait for who listens to nothing
	again := &elsewhere{}
	s = connect(t, again.life(t, cfg), "s", 2)
	s.attach(1)
	if o := s.outcome(1); o.GetKind() != hivego.OutcomeKind_KILLED || o.GetError() != "killed: ada" ||
		again.whys() != "killed: ada" {
		t.Errorf("%v %s, told %q", o.GetKind(), o.GetError(), again.whys())
	}
	close(x.unresponsive)
	await(t, "the former life ends", func() bool { return x.whys() != "" })
}

// If no server calls again, a resumed attempt ends when the lease is over that began at the start.
func TestResumedAttemptWithoutServer(t *testing.T) {
	t.Parallel()
	x := newElsewhere()
	cfg := sdk.Config{Data: t.TempDir(), StopTimeout: patience}
	e := x.life(t, cfg)
	s := connect(t, e, "s", 1)
	r, err := s.c.Attach(s.ctx(), &hivego.AttachCall{Caller: s.caller, OrphanTimeoutMillis: new(int64(100_000))})
	if err != nil {
		t.Fatal(err, r)
	}
	s.submit(assignment(1, "elsewhere"))
	x.waits(t, 1)
	e.Stop()
	kept := filepath.Join(cfg.Data, "attempts", "1", "kept")
	data, err := os.ReadFile(kept)
	if err != nil || !strings.Contains(string(data), `"orphan":100000000000`) {
		t.Fatalf("%s %v", data, err)
	}
	rewrite(t, kept, map[string]any{"orphan": time.Millisecond})
	e = x.life(t, cfg)
	await(t, "it is ended", func() bool { return e.Running() == 0 })
	s = connect(t, e, "s", 2)
	if r := s.attach(1).Attempts[0]; r.GetState() != hivego.AttemptState_LOST {
		t.Errorf("report %v", r)
	}
	if got := x.whys(); got != "goes on, killed: its server was silent for longer than the orphan timeout" {
		t.Errorf("told %q", got)
	}
}

// A checkpoint that cannot be stored is an error, but does not fail the task. A checkpoint that no process would
// resume is not stored.
func TestCheckpointErrors(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var got []string
	try := handler{"try", func(_ context.Context, t *sdk.Task) error {
		mu.Lock()
		defer mu.Unlock()
		got = append(got, fmt.Sprint(t.Checkpoint(nil), ", ", t.Checkpoint(make([]byte, sdk.MaxCheckpoint+1))))
		return nil
	}}
	data := t.TempDir()
	e, err := sdk.New(sdk.Config{Data: data, Name: "test"}, try, newElsewhere())
	if err == nil {
		err = e.Start(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Stop)
	s := connect(t, e, "s", 1)
	s.attach()
	s.submit(assignment(1, "try"))
	s.outcome(1)
	if _, err := s.c.Run(s.ctx(), &hivego.RunCall{Caller: s.caller, Assignment: assignment(2, "try")}); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"handler try stores a checkpoint, but cannot be resumed, a checkpoint of 4194305 bytes; at most 4194304",
		"<nil>, <nil>",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%q", got)
	}
}
