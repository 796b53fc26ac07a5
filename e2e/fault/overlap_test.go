package fault

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rprp/hivego/db/dbtest"
	"github.com/rprp/hivego/e2e/harness"
)

// overlapping returns a schedule whose task writes a line when it begins and when it ends, and waits for a file between
// the two. It takes its time to end when it is killed.
func overlapping(dir, name, overlap, triggers string) string {
	return fmt.Sprintf(`apiVersion: hivego/v1
kind: Schedule
name: %[2]s
timezone: UTC
triggers: [%[4]s]
policy: {overlap: %[3]s, maxBatches: 1}
jobs:
  - key: j
    tasks:
      - key: t
        handler: shell
        group: etl
        killGrace: 30s
        params:
          command: |
            trap 'sleep 2; echo ended $HIVEGO_BATCH >> %[1]s/%[2]s; exit 1' TERM
            echo began $HIVEGO_BATCH >> %[1]s/%[2]s
            while [ ! -e %[1]s/go ]; do sleep 0.05; done
            echo ended $HIVEGO_BATCH >> %[1]s/%[2]s
`, dir, name, overlap, triggers)
}

// history returns the lines that the batches of a schedule wrote, in order.
func history(t *testing.T, dir, name string) []string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.FieldsFunc(string(raw), func(r rune) bool { return r == '\n' })
}

// crossed is two servers on one database, and two schedules with this overlap. A batch of here runs on the first
// server, and one of there on the second. Then the next tick of each makes a batch. One server decides all that is due
// at a moment, so in one of the schedules the queued batch has another owner than the running one.
func crossed(t *testing.T, overlap string) (dir string, first, second *harness.Server, running map[string]int64) {
	t.Helper()
	dir = t.TempDir()
	opts := harness.Options{DatabaseURL: dbtest.Postgres(t), NoExecutor: true}
	first = harness.NewServer(t, opts)
	opts.Token = first.Token
	second = harness.NewServer(t, opts)
	harness.NewExecutor(t, first, "only", "etl")
	running = map[string]int64{}
	for name, s := range map[string]*harness.Server{"here": first, "there": second} {
		s.Apply(overlapping(dir, name, overlap, ""))
		running[name] = s.Run(name)
		harness.EventuallyOr(t, name+" runs", func() bool { return len(history(t, dir, name)) == 1 }, s.Output)
	}
	for name := range running {
		second.Apply(overlapping(dir, name, overlap, `{cron: "*/10 * * * * *"}`))
	}
	for name := range running {
		harness.EventuallyOr(t, "a batch of "+name+" is queued", func() bool {
			return strings.Contains(second.CLI("ticks", name), " queued ")
		}, second.Output)
	}
	return dir, first, second, running
}

// oneByOne fails unless the first batch of a schedule ended before the next one began.
func oneByOne(t *testing.T, dir, name string, first int64) {
	t.Helper()
	got := history(t, dir, name)
	var next int64
	if len(got) > 2 {
		_, _ = fmt.Sscanf(got[2], "began %d", &next)
	}
	want := []string{
		fmt.Sprint("began ", first), fmt.Sprint("ended ", first),
		fmt.Sprint("began ", next), fmt.Sprint("ended ", next),
	}
	if next == first || !slices.Equal(got, want) {
		t.Errorf("%s: %q, expected %q", name, got, want)
	}
}

// goOn lets all tasks end, and waits until two batches of each schedule have ended.
func goOn(t *testing.T, dir string, s *harness.Server, running map[string]int64) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, id := range running {
		harness.EventuallyOr(t, "both batches of "+name+" have ended", func() bool {
			return len(history(t, dir, name)) >= 4
		}, s.Output)
		oneByOne(t, dir, name, id)
	}
}

// A queued batch waits for the running one, whichever servers own them, also after the server of a running one has
// died.
func TestQueueAcrossServers(t *testing.T) {
	t.Parallel()
	dir, first, second, running := crossed(t, "queue")
	first.Apply("apiVersion: hivego/v1\nkind: Schedule\nname: other\njobs: [{key: j, tasks: [" +
		"{key: t, handler: shell, group: etl, params: {command: \"true\"}}]}]\n")
	alone := func(servers ...*harness.Server) {
		t.Helper()
		for _, s := range servers { // as long as a batch needs, a queued one would have begun
			s.WaitEnd(s.Run("other"))
		}
		for name := range running {
			if got := history(t, dir, name); len(got) != 1 {
				t.Errorf("%s: %q, and the first batch has not ended", name, got)
			}
		}
	}
	alone(first, second)
	first.Kill()
	takenOver(t, second)
	alone(second)
	goOn(t, dir, second, running)
}

// A batch that replaces another one begins when the other one has ended, whichever servers own them, also if a server
// dies meanwhile.
func TestReplaceAcrossServers(t *testing.T) {
	t.Parallel()
	for what, kill := range map[string]bool{"both servers live": false, "the first server dies": true} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			dir, first, second, running := crossed(t, "replace")
			if kill {
				first.Kill()
			}
			for name := range running {
				harness.EventuallyOr(t, "the next batch of "+name+" has begun", func() bool {
					return len(history(t, dir, name)) >= 3
				}, second.Output)
			}
			goOn(t, dir, second, running)
		})
	}
}
