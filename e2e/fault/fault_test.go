// Package fault kills real processes in the middle of real batches and checks the result.
package fault

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/rprp/hivego/e2e/harness"
)

func TestMain(m *testing.M) {
	if address := os.Getenv(envRunOnly); address != "" {
		fmt.Fprintln(os.Stderr, serveGate(address))
		os.Exit(1)
	}
	harness.Main(m)
}

// chain returns a schedule whose tasks write a line to a file when they begin and end, and wait for a file to appear
// between. Every run of a task leaves its line, so no run goes unnoticed.
func chain(dir, group string, tasks ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "apiVersion: hivego/v1\nkind: Schedule\nname: chain\njobs:\n")
	for i, key := range tasks {
		fmt.Fprintf(&b, "  - key: j%d\n    tasks:\n      - key: %s\n        handler: shell\n        group: %s\n", i,
			key, group)
		if i > 0 {
			fmt.Fprintf(&b, "        needs: [%s]\n", tasks[i-1])
		}
		fmt.Fprintf(&b, "        params:\n          command: |\n")
		fmt.Fprintf(&b, "            echo %s >> %s/began\n", key, dir)
		fmt.Fprintf(&b, "            while [ ! -e %s/go-%s ]; do sleep 0.05; done\n", dir, key)
		fmt.Fprintf(&b, "            echo %s >> %s/ended\n", key, dir)
	}
	return b.String()
}

// lines counts how often each line is in a file.
func lines(t *testing.T, file string) map[string]int {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	n := map[string]int{}
	for l := range strings.Lines(string(raw)) {
		n[strings.TrimSpace(l)]++
	}
	return n
}

func began(t *testing.T, dir, key string) {
	t.Helper()
	harness.Eventually(t, key+" has begun", func() bool { return lines(t, filepath.Join(dir, "began"))[key] > 0 })
}

func release(t *testing.T, dir string, keys ...string) {
	t.Helper()
	for _, k := range keys {
		if err := os.WriteFile(filepath.Join(dir, "go-"+k), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// once fails unless every task began and ended exactly once, in one attempt.
func once(t *testing.T, dir string, b harness.Batch) {
	t.Helper()
	if b.State != "succeeded" {
		t.Fatalf("the batch is %s: %+v", b.State, b.Tasks)
	}
	for _, task := range b.Tasks {
		for _, file := range []string{"began", "ended"} {
			if n := lines(t, filepath.Join(dir, file))[task.Key]; n != 1 {
				t.Errorf("%s %s %d times, once is right", task.Key, file, n)
			}
		}
		if task.Attempts != 1 {
			t.Errorf("%s took %d attempts, 1 is right", task.Key, task.Attempts)
		}
	}
}

// The server and its embedded executor die. The process goes on under its supervisor; the next server finds it.
func TestServerKilled(t *testing.T) {
	t.Parallel()
	harness.Each(t, func(t *testing.T, opts harness.Options) {
		dir := t.TempDir()
		s := harness.NewServer(t, opts)
		s.Apply(chain(dir, "default", "a", "b", "c"))
		id := s.Run("chain")
		began(t, dir, "a")
		s.Kill()
		release(t, dir, "a") // it ends while no server is there
		harness.Eventually(t, "a has ended", func() bool { return lines(t, filepath.Join(dir, "ended"))["a"] == 1 })
		s.Start()
		began(t, dir, "b")
		s.Kill() // and once more, with the task still running when the server is back
		s.Start()
		release(t, dir, "b", "c")
		once(t, dir, s.WaitEnd(id))
	})
}

// Only the executor dies. The server waits for it, and gives nothing to another executor that is there.
func TestExecutorKilled(t *testing.T) {
	t.Parallel()
	harness.Each(t, func(t *testing.T, opts harness.Options) {
		dir := t.TempDir()
		opts.NoExecutor = true
		s := harness.NewServer(t, opts)
		e := harness.NewExecutor(t, s, "first", "etl", "--label", "role=first")
		s.Apply(chain(dir, "etl", "a", "b"))
		id := s.Run("chain")
		began(t, dir, "a")
		harness.NewExecutor(t, s, "second", "etl")
		e.Kill()
		release(t, dir, "a")
		harness.Eventually(t, "a has ended", func() bool { return lines(t, filepath.Join(dir, "ended"))["a"] == 1 })
		e.Start()
		release(t, dir, "b")
		b := s.WaitEnd(id)
		once(t, dir, b)
		if got := b.Task("a").Executor; got != "first" {
			t.Errorf("a ran on %q, not on the executor that had it", got)
		}
	})
}

// The supervisor dies, and its children with it. The loss is noticed and reported at once, and the task runs again.
func TestSupervisorKilled(t *testing.T) {
	t.Parallel()
	harness.Each(t, func(t *testing.T, opts harness.Options) {
		dir := t.TempDir()
		s := harness.NewServer(t, opts)
		s.Apply(chain(dir, "default", "a", "b"))
		id := s.Run("chain")
		began(t, dir, "a")
		pids := harness.Supervisors(s.Data)
		if len(pids) != 1 {
			t.Fatalf("supervisors: %v, expected one", pids)
		}
		if err := syscall.Kill(pids[0], syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		harness.Eventually(t, "a has begun again",
			func() bool { return lines(t, filepath.Join(dir, "began"))["a"] == 2 })
		release(t, dir, "a", "b")
		b := s.WaitEnd(id)
		if b.State != "succeeded" || b.Task("a").Attempts != 2 || b.Task("b").Attempts != 1 {
			t.Errorf("state %s, a in %d attempts, b in %d; expected succeeded, 2, 1",
				b.State, b.Task("a").Attempts, b.Task("b").Attempts)
		}
		if n := lines(t, filepath.Join(dir, "ended"))["a"]; n != 1 {
			t.Errorf("a ended %d times", n)
		}
	})
}

// The server stays away for longer than the orphan timeout: the executor kills its tasks, and the task runs again only
// after the server is back.
func TestServerAwayTooLong(t *testing.T) {
	t.Parallel()
	harness.Each(t, func(t *testing.T, opts harness.Options) {
		dir := t.TempDir()
		opts.NoExecutor = true
		opts.Args = []string{"--orphan-timeout", "3s"}
		s := harness.NewServer(t, opts)
		harness.NewExecutor(t, s, "only", "etl")
		// On a slow machine the executor may hear nothing for so long although the server is there, and kill the task
		// then, too.
		document := strings.Replace(chain(dir, "etl", "a"), "        params:",
			"        onLost: {max: 20}\n        params:", 1)
		s.Apply(strings.Replace(document, "            echo a",
			"            trap 'echo a >> "+dir+"/killed; exit 143' TERM\n            echo a", 1))
		id := s.Run("chain")
		began(t, dir, "a")
		s.Kill()
		n := func(file string) int { return lines(t, filepath.Join(dir, file))["a"] }
		harness.Eventually(t, "a was killed", func() bool { return n("killed") > 0 && n("killed") == n("began") })
		before := n("began")
		s.Start()
		harness.Eventually(t, "a has begun again", func() bool { return n("began") > before })
		release(t, dir, "a")
		b := s.WaitEnd(id)
		if b.State != "succeeded" || b.Task("a").Attempts < 2 || b.Task("a").Attempts < n("began") {
			t.Errorf("state %s after %d attempts, of which %d began; expected succeeded after 2 or more", b.State,
				b.Task("a").Attempts, n("began"))
		}
		if n := lines(t, filepath.Join(dir, "ended"))["a"]; n != 1 {
			t.Errorf("a ended %d times", n)
		}
	})
}

// Everything is killed again and again, in the middle of its work. Every run of a task has an attempt in the API, every
// task ends well once, and the batch ends.
func TestKilledAgainAndAgain(t *testing.T) {
	t.Parallel()
	harness.Each(t, func(t *testing.T, opts harness.Options) {
		dir := t.TempDir()
		opts.NoExecutor = true
		opts.Args = []string{"--orphan-timeout", "20s"}
		s := harness.NewServer(t, opts)
		e := harness.NewExecutor(t, s, "only", "etl", "--slots", "4")
		var b strings.Builder
		b.WriteString("apiVersion: hivego/v1\nkind: Schedule\nname: storm\njobs:\n")
		for j := range 5 {
			fmt.Fprintf(&b, "  - key: j%d\n    tasks:\n", j)
			for k := range 4 {
				fmt.Fprintf(&b, "      - {key: t%d%d, handler: shell, group: etl, onLost: {max: 20}, params: "+
					"{command: \"echo t%d%d >> %s/began; sleep 0.3; echo t%d%d >> %s/ended\"}}\n",
					j, k, j, k, dir, j, k, dir)
			}
		}
		s.Apply(b.String())
		id := s.Run("storm")
		for i := range 6 {
			// Progress decides when to kill: in the middle, and at another place of the engine each time.
			harness.Eventually(t, "more tasks have begun", func() bool {
				n := 0
				for _, of := range lines(t, filepath.Join(dir, "began")) {
					n += of
				}
				return n >= 3*(i+1)
			})
			switch i % 3 {
			case 0:
				s.Kill()
				s.Start()
			case 1:
				e.Kill()
				e.Start()
			case 2:
				harness.KillSupervisors(e.Data)
			}
		}
		got := s.WaitEnd(id)
		if got.State != "succeeded" {
			t.Fatalf("the batch is %s: %+v", got.State, got.Tasks)
		}
		ran, ended := lines(t, filepath.Join(dir, "began")), lines(t, filepath.Join(dir, "ended"))
		keys := make([]string, 0, len(got.Tasks))
		for _, task := range got.Tasks {
			keys = append(keys, task.Key)
			if ran[task.Key] < 1 || ran[task.Key] > task.Attempts {
				t.Errorf("%s began %d times in %d attempts", task.Key, ran[task.Key], task.Attempts)
			}
			if ended[task.Key] < 1 {
				t.Errorf("%s never ended", task.Key)
			}
		}
		sort.Strings(keys)
		if len(keys) != 20 {
			t.Errorf("tasks: %v", keys)
		}
	})
}

// The output of a task is kept although the server was killed when the task ended, and the executor afterwards for
// good.
func TestLogOutlivesEverybody(t *testing.T) {
	t.Parallel()
	harness.Each(t, func(t *testing.T, opts harness.Options) {
		dir := t.TempDir()
		opts.NoExecutor = true
		s := harness.NewServer(t, opts)
		e := harness.NewExecutor(t, s, "only", "etl")
		s.Apply(strings.Replace(chain(dir, "etl", "a"), "            echo a >> "+dir+"/ended",
			"            echo these are its last words\n"+
				"            echo a >> "+dir+"/ended", 1))
		id := s.Run("chain")
		began(t, dir, "a")
		s.Kill()
		release(t, dir, "a")
		harness.Eventually(t, "a has ended", func() bool { return lines(t, filepath.Join(dir, "ended"))["a"] == 1 })
		s.Start()
		once(t, dir, s.WaitEnd(id))
		harness.Eventually(t, "the executor was told to forget it", func() bool {
			logs, err := filepath.Glob(filepath.Join(e.Data, "attempts", "*"))
			return err == nil && len(logs) == 0
		})
		e.Kill()
		s.Kill()
		s.Start()
		if got := s.CLI("logs", strconv.FormatInt(id, 10), "a"); !strings.Contains(got, "these are its last words") {
			t.Errorf("the log is %q", got)
		}
	})
}
