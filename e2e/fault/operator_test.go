package fault

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/rprp/hivego/db/dbtest"
	"github.com/rprp/hivego/e2e/harness"
)

// The server is stopped while a task runs: it names the running task, and finds it again at the next start.
func TestServerStopped(t *testing.T) {
	t.Parallel()
	harness.Each(t, func(t *testing.T, opts harness.Options) {
		dir := t.TempDir()
		s := harness.NewServer(t, opts)
		s.Apply(chain(dir, "default", "a", "b"))
		id := s.Run("chain")
		began(t, dir, "a")
		s.Terminate()
		if out := s.Output(); !strings.Contains(out, "1 task goes on; start the server again") {
			t.Errorf("the stopping server says\n%s", out)
		}
		s.Start()
		release(t, dir, "a", "b")
		once(t, dir, s.WaitEnd(id))
	})
}

// A data folder is started twice, or copied with the executor in it: the second start is refused, with the reason.
func TestIdentityTwice(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := harness.NewServer(t, harness.Options{DatabaseURL: dbtest.Postgres(t), NoExecutor: true})
	e := harness.NewExecutor(t, s, "first", "etl")
	r := harness.Hivego(t, s.Env(), "", "serve", "--data", s.Data, "--listen", harness.FreeAddress(t), "--no-executor")
	if r.Code != 2 || !strings.Contains(r.Stderr, "another hivego server uses the data folder") {
		t.Errorf("a second server on the folder ends with %d: %s", r.Code, r.Stderr)
	}
	s.Apply(chain(dir, "etl", "a"))
	id := s.Run("chain")
	began(t, dir, "a")
	copied := filepath.Join(t.TempDir(), "copy")
	if err := os.MkdirAll(copied, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"executor-id", "secret"} {
		raw, err := os.ReadFile(filepath.Join(e.Data, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(copied, name), raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	second := harness.StartProcess(t, "copy", nil, "executor", "--server", s.URL, "--listen", harness.FreeAddress(t),
		"--group", "etl", "--name", "copy", "--data", copied, "--token-file", s.ExecutorToken("etl"))
	t.Cleanup(func() { harness.KillSupervisors(copied) })
	harness.EventuallyOr(t, "the copy is told", func() bool {
		return strings.Contains(second.Output(), "an executor with the same identity runs at")
	}, second.Output)
	if out := s.CLI("executors"); !strings.Contains(out, "first") || strings.Contains(out, "copy") {
		t.Errorf("executors:\n%s", out)
	}
	release(t, dir, "a")
	once(t, dir, s.WaitEnd(id))
}

// Processes that do not listen to SIGTERM, and those that tasks leave behind, end at a timeout and at a cancel.
func TestStubborn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := harness.NewServer(t, harness.Options{})
	const stubborn = "trap '' TERM; (trap '' TERM; exec setsid sleep 600) & echo $! > %s/%s.child; echo $$ > " +
		"%s/%s.pid; echo %s >> %s/began; wait; sleep 600"
	document := "apiVersion: hivego/v1\nkind: Schedule\nname: %s\n%sjobs: [{key: j, tasks: [{key: %s, handler: " +
		"shell, killGrace: 200ms, %sparams: {command: \"%s\"}}]}]\n"
	ids := map[string]int64{}
	for key, limits := range map[string][2]string{
		"task": {"", "timeout: 20s, "}, "batch": {"policy: {timeout: 20s}\n", ""}, "person": {"", ""},
	} {
		command := fmt.Sprintf(stubborn, dir, key, dir, key, key, dir)
		s.Apply(fmt.Sprintf(document, "s-"+key, limits[0], key, limits[1], command))
		ids[key] = s.Run("s-" + key)
	}
	began(t, dir, "person")
	s.CLI("cancel", strconv.FormatInt(ids["person"], 10))
	for key, want := range map[string]string{"task": "timeout", "batch": "batch_timeout", "person": "batch_canceled"} {
		b := s.WaitEnd(ids[key])
		if got := b.Task(key); got.Reason != want {
			t.Errorf("%s: %s (%s), expected %s", key, got.State, got.Reason, want)
		}
		began(t, dir, key)
		for _, what := range []string{"pid", "child"} {
			gone(t, filepath.Join(dir, key+"."+what))
		}
	}
}

// gone waits until the process whose id a file holds has ended.
func gone(t *testing.T, file string) {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(raw)))
	if err != nil {
		t.Fatal(err)
	}
	harness.Eventually(t, "process "+filepath.Base(file)+" has ended",
		func() bool { return syscall.Kill(pid, 0) != nil })
}
