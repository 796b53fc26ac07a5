package dbtest_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/rprp/hivego/db"
	"github.com/rprp/hivego/db/dbtest"
	"github.com/rprp/hivego/server/hive"
)

const (
	envChildURL = "HIVEGO_TEST_CHILD_URL"
	envChildDir = "HIVEGO_TEST_CHILD_DIR"
	crashRuns   = 500
)

// TestCrashChild is the server that TestKilledServer kills: it offers run after run, and reports each one after its
// commit. Once it has offered all, it goes on with commits until it is killed. Without a parent the pipe ends it.
func TestCrashChild(t *testing.T) {
	t.Parallel()
	dir := os.Getenv(envChildDir)
	if dir == "" {
		return
	}
	x := newFixture(t, dbtest.Open(t, db.Config{URL: os.Getenv(envChildURL), Dir: dir}))
	img := x.batch(crashRuns)
	text := 0
	say := func() { fmt.Println("offered", img.Batch.ID, text) } //nolint:forbidigo // the parent reads it
	for _, r := range img.Runs {
		ready, attempt := x.offer(r)
		x.ok(x.commit(hive.BatchWrite{
			BatchID: r.BatchID, Runs: []hive.RunChange{ready},
			Offers: []hive.Attempt{attempt},
		}))
		text = r.Number
		say()
	}
	for {
		x.ok(x.commit(hive.BatchWrite{
			BatchID: img.Batch.ID, Batch: &hive.BatchChange{From: hive.BatchRunning, To: img.Batch},
		}))
		say()
	}
}

// After a kill -9 everything that was reported as stored is there, no commit is stored in part, and the next server
// starts at once.
func TestKilledServer(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]db.Config{"sqlite": {}, "postgres": {URL: "postgres"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config.Dir = t.TempDir()
			if config.URL != "" {
				config.URL = dbtest.Postgres(t)
			}
			batch, text := killChild(t, config, 40)
			s := dbtest.Open(t, config)
			img := must(s.BatchSnapshot(t.Context(), batch))(t)
			open := map[int64]hive.Attempt{}
			for _, a := range img.Attempts {
				open[a.RunID] = a
			}
			same(t, "runs", len(img.Runs), crashRuns)
			for _, r := range img.Runs {
				a, offered := open[r.ID]
				if offered != (r.State == hive.RunReady) || r.Attempt != a.ID {
					t.Fatalf("run %d is %s with attempt %d, its open attempt is %d", r.Number, r.State, r.Attempt, a.ID)
				}
				if r.Number <= text && !offered {
					t.Fatalf("run %d was offered, and is %s", r.Number, r.State)
				}
			}
		})
	}
}

// killChild runs a child until it has offered some runs. It returns the child's batch and the last reported run.
func killChild(t *testing.T, c db.Config, offers int) (batch int64, text int) {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestCrashChild$", "-test.count=1")
	child.Env = append(os.Environ(), envChildURL+"="+c.URL, envChildDir+"="+c.Dir)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for n := 0; lines.Scan(); {
		if _, err := fmt.Sscanf(lines.Text(), "offered %d %d", &batch, &text); err != nil {
			t.Fatalf("the child says %q", lines.Text())
		}
		if n++; n == offers {
			if c.URL == "" {
				besideServer(t, c)
			}
			if err := child.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = child.Wait() // it was killed
	if text < offers-1 {
		t.Fatalf("the child ended after run %d", text)
	}
	return batch, text
}

// besideServer checks that, while a server runs on a SQLite file, a second one is refused and a short command works.
func besideServer(t *testing.T, c db.Config) {
	t.Helper()
	_, err := db.Open(t.Context(), c)
	if hive.CodeOf(err) != hive.CodeConflict {
		t.Fatalf("a second server: error %v, want a conflict", err)
	}
	c.Beside = true
	s := dbtest.Open(t, c)
	must(s.AddUser(t.Context(), hive.User{Name: "ada", CreatedAt: t0}))(t)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
