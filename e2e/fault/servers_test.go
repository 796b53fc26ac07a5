package fault

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/db/dbtest"
	"github.com/rprp/hivego/e2e/harness"
)

// midway is two servers on one database, the first in the middle of a batch. Its task a runs on an executor that
// registered with that server, as the files in dir show; b comes next.
func midway(t *testing.T) (dir string, first, second *harness.Server, id int64) {
	t.Helper()
	dir = t.TempDir()
	opts := harness.Options{DatabaseURL: dbtest.Postgres(t), NoExecutor: true}
	first = harness.NewServer(t, opts)
	opts.Token = first.Token
	second = harness.NewServer(t, opts)
	harness.NewExecutor(t, first, "only", "etl")
	first.Apply(chain(dir, "etl", "a", "b"))
	id = first.Run("chain")
	began(t, dir, "a")
	return dir, first, second, id
}

// takenOver waits until s has taken over the batches of another server.
func takenOver(t *testing.T, s *harness.Server) {
	t.Helper()
	harness.EventuallyOr(t, "the second server takes over", func() bool {
		return strings.Contains(s.Output(), "took over the batches of dead servers")
	}, s.Output)
}

// A server dies in the middle of a batch. The other one continues it, on an executor that registered only with the dead
// one, and finds the task running.
func TestServerTakesOver(t *testing.T) {
	t.Parallel()
	dir, first, second, id := midway(t)
	first.Kill()
	takenOver(t, second)
	release(t, dir, "a", "b")
	once(t, dir, second.WaitEnd(id))
}

// A server is stopped in the middle of a batch. It gives its session back, and the other one continues. Neither loses
// or repeats anything, nor does the first when it comes back.
func TestServerHandOver(t *testing.T) {
	t.Parallel()
	dir, first, second, id := midway(t)
	first.Terminate()
	if !strings.Contains(first.Output(), "the session was given back") {
		t.Fatal(first.Output())
	}
	takenOver(t, second)
	first.Start()
	release(t, dir, "a", "b")
	once(t, dir, second.WaitEnd(id))
}

// A server with an embedded executor gets SIGTERM. The other server takes over the batches that run on other executors.
// It cannot reach the embedded one, so the batches with a task there stay, and the first server finds them after its
// next start.
func TestServerHandOverOfWhatItCan(t *testing.T) {
	t.Parallel()
	far, here := t.TempDir(), t.TempDir()
	opts := harness.Options{DatabaseURL: dbtest.Postgres(t), Args: []string{"--executor-name", "one"}}
	first := harness.NewServer(t, opts)
	opts.Token, opts.Args = first.Token, []string{"--executor-name", "two"}
	second := harness.NewServer(t, opts)
	harness.NewExecutor(t, first, "only", "etl")
	first.Apply(chain(far, "etl", "a", "b"))
	first.Apply(strings.NewReplacer("name: chain", "name: inside", "group: default", "executor: one").
		Replace(chain(here, "default", "c", "d")))
	goes, stays := first.Run("chain"), first.Run("inside")
	began(t, far, "a")
	began(t, here, "c")
	first.Terminate()
	want := fmt.Sprintf("kept=1 batches=[%d]", stays)
	if !strings.Contains(first.Output(), want) {
		t.Fatalf("it does not say %s\n%s", want, first.Output())
	}
	takenOver(t, second)
	release(t, far, "a", "b")
	if !strings.Contains(second.Output(), "nobody") { // the first server owns it until then
		t.Errorf("it did not take what was given\n%s", second.Output())
	}
	first.Start()
	once(t, far, second.WaitEnd(goes))
	release(t, here, "c", "d")
	once(t, here, first.WaitEnd(stays))
}

// A server is frozen until the other one has taken over, and thaws: it notices that it is no longer the owner. All the
// time both see a schedule that is due every second; each tick makes one batch.
func TestServerFrozen(t *testing.T) {
	t.Parallel()
	dir, first, second, id := midway(t)
	first.Apply("apiVersion: hivego/v1\nkind: Schedule\nname: tick\ntriggers: [{cron: \"@every 1s\"}]\n" +
		"policy: {overlap: allow, catchUp: {mode: all}}\njobs: [{key: j, tasks: [{key: t, handler: shell, " +
		"group: etl, " +
		"params: {command: \"echo $HIVEGO_BATCH $HIVEGO_MOMENT >> " + dir + "/ticks\"}}]}]\n")
	ticks := func() map[string]int { return lines(t, filepath.Join(dir, "ticks")) }
	more := func() {
		t.Helper()
		n := len(ticks())
		harness.Eventually(t, "ticks go on", func() bool { return len(ticks()) >= n+2 })
	}
	more()
	first.Freeze()
	more() // the second alone
	takenOver(t, second)
	more()
	first.Thaw()
	harness.EventuallyOr(t, "the first notices", func() bool {
		return strings.Contains(first.Output(), "this server's session was lost")
	}, first.Output)
	first.WaitReady()
	more()
	release(t, dir, "a", "b")
	once(t, dir, second.WaitEnd(id))
	second.CLI("disable", "tick")
	oneEach(t, second, ticks)
}

// Two servers with one folder for logs both show the log of a task that ran under one of them. A server with a folder
// of its own answers that it does not have the log, and what to do.
func TestLogsOfTwoServers(t *testing.T) {
	t.Parallel()
	dir, url := t.TempDir(), dbtest.Postgres(t)
	serve := func(token string, args ...string) *harness.Server {
		return harness.NewServer(t, harness.Options{DatabaseURL: url, NoExecutor: true, Token: token, Args: args})
	}
	first := serve("", "--logs", filepath.Join(dir, "logs"))
	shared, own := serve(first.Token, "--logs", filepath.Join(dir, "logs")), serve(first.Token)
	harness.NewExecutor(t, first, "only", "etl")
	first.Apply("apiVersion: hivego/v1\nkind: Schedule\nname: talk\njobs: [{key: j, tasks: [" +
		"{key: loud, handler: shell, group: etl, params: {command: \"echo these are its words\"}}]}]\n")
	id := fmt.Sprint(first.WaitEnd(first.Run("talk")).ID)
	harness.Eventually(t, "the log is in the folder", func() bool {
		whole, err := filepath.Glob(filepath.Join(dir, "logs", "*", "*.log"))
		return err == nil && len(whole) == 1
	})
	for _, s := range []*harness.Server{first, shared} {
		if got := s.CLI("logs", id, "loud"); !strings.Contains(got, " out these are its words\n") {
			t.Errorf("the log is %q", got)
		}
	}
	for _, args := range [][]string{{"logs", id, "loud"}, {"logs", id, "loud", "-f"}} {
		// the executor keeps it until the server confirms
		harness.EventuallyOr(t, "the log is with the other server alone", func() bool {
			r := own.Try(args...)
			return r.Code != 0 && r.Stdout == "" &&
				strings.Contains(r.Stderr, "give all servers the same --logs folder")
		}, own.Output)
	}
}

// oneEach fails unless every tick that fired has one batch, which ran once, and no moment was left out.
func oneEach(t *testing.T, s *harness.Server, ran func() map[string]int) {
	t.Helper()
	made := func() (n int) { // ticks with a batch: a batch of a late tick may have been queued for a while
		for l := range strings.Lines(s.CLI("ticks", "tick", "--limit", "500")) {
			if strings.Contains(l, " fired ") || strings.Contains(l, " queued ") {
				n++
			}
		}
		return n
	}
	harness.EventuallyOr(t, "every tick with a batch has run", func() bool { return len(ran()) == made() },
		func() string {
			return fmt.Sprintf("%d made, %d ran\n%s", made(), len(ran()), s.CLI("ticks", "tick", "--limit", "500"))
		})
	batches, moments := map[string]bool{}, map[string]bool{}
	for l, n := range ran() {
		batch, moment, _ := strings.Cut(l, " ")
		if n != 1 || batches[batch] || moments[moment] {
			t.Errorf("batch %s of %s ran %d times, or beside another", batch, moment, n)
		}
		batches[batch], moments[moment] = true, true
	}
	all := slices.Sorted(maps.Keys(moments))
	for i := 1; i < len(all); i++ {
		before, err1 := time.Parse(time.RFC3339, all[i-1])
		after, err2 := time.Parse(time.RFC3339, all[i])
		if err1 != nil || err2 != nil || after.Sub(before) != time.Second {
			t.Errorf("after the tick of %s comes that of %s", all[i-1], all[i])
		}
	}
}
