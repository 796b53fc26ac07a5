package fault

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rprp/hivego/e2e/harness"
)

// broadcast returns a schedule whose shards write their index to a file, and wait for a file to appear.
func broadcast(dir string) string {
	return fmt.Sprintf(`apiVersion: hivego/v1
kind: Schedule
name: refresh
jobs:
  - key: j
    tasks:
      - key: refresh
        handler: shell
        group: etl
        shard: broadcast
        params:
          command: |
            echo $HIVEGO_SHARD_INDEX of $HIVEGO_SHARD_TOTAL >> %[1]s/began
            while [ ! -e %[1]s/go-$HIVEGO_SHARD_INDEX ]; do sleep 0.05; done
            echo $HIVEGO_SHARD_INDEX >> %[1]s/ended
`, dir)
}

// A broadcast over three executors outlives its server. An executor that dies with its processes costs its own shard:
// no other one gets it. A resume repeats that shard on its executor, and no other.
func TestBroadcastLosesAnExecutor(t *testing.T) {
	t.Parallel()
	harness.Each(t, func(t *testing.T, opts harness.Options) {
		dir := t.TempDir()
		opts.NoExecutor, opts.Args = true, []string{"--orphan-timeout", "3s"}
		s := harness.NewServer(t, opts)
		var executors []*harness.Executor
		for i := range 3 {
			executors = append(executors, harness.NewExecutor(t, s, fmt.Sprintf("e%d", i), "etl"))
		}
		online(t, s, 3)
		s.Apply(broadcast(dir))
		id := s.Run("refresh")
		for i := range 3 {
			began(t, dir, fmt.Sprintf("%d of 3", i))
		}
		s.Kill()
		s.Start()
		release(t, dir, "0")
		s.WaitBatch(id, "the first shard has succeeded", func(b harness.Batch) bool {
			shards := b.Task("refresh").Shards
			return len(shards) == 3 && shards[0].State == "succeeded" && b.Task("refresh").State == "running"
		})
		lost := executors[1]
		lost.Kill()
		harness.KillSupervisors(lost.Data)
		s.WaitBatch(id, "the shard of the dead executor is lost", func(b harness.Batch) bool {
			shard := b.Task("refresh").Shards[1]
			return shard.State == "failed" && shard.Reason == "lost"
		})
		release(t, dir, "2")
		b := s.WaitEnd(id)
		if task := b.Task("refresh"); task.State != "failed" || task.Reason != "shards" {
			t.Errorf("the task is %s (%s)", task.State, task.Reason)
		}
		if n := lines(t, filepath.Join(dir, "began"))["1 of 3"]; n != 1 {
			t.Errorf("the lost shard began %d times: no other executor may have it", n)
		}

		lost.Start()
		online(t, s, 3)
		release(t, dir, "1")
		s.CLI("resume", strconv.FormatInt(id, 10))
		b = s.WaitEnd(id)
		shards := b.Task("refresh").Shards
		if b.State != "succeeded" || len(shards) != 3 {
			t.Fatalf("after the resume: %+v", b)
		}
		for i, shard := range shards {
			if want := fmt.Sprintf("e%d", i); shard.Executor != want || shard.Index != i {
				t.Errorf("shard %d of %d ran on %s, want %s", shard.Index, i, shard.Executor, want)
			}
		}
		got := lines(t, filepath.Join(dir, "ended"))
		for i := range 3 {
			if n := got[strconv.Itoa(i)]; n != 1 {
				t.Errorf("shard %d ended %d times: %v", i, n, got)
			}
		}
	})
}

// online waits until so many executors are in contact.
func online(t *testing.T, s *harness.Server, want int) {
	t.Helper()
	harness.EventuallyOr(t, "the executors are online", func() bool {
		var list []struct{ State string }
		if err := json.Unmarshal([]byte(s.CLI("executors", "-o", "json")), &list); err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, x := range list {
			if x.State == "online" {
				n++
			}
		}
		return n == want
	}, func() string { return s.CLI("executors") })
}
