package fault

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/thrift/lib/go/thrift"

	"github.com/rprp/hivego/e2e/harness"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

// envRunOnly turns this test's binary into an executor at an address, instead of a test.
const envRunOnly = "HIVEGO_TEST_RUN_ONLY"

// gate is the smallest executor: one handler, which records that a task began and ended, and waits for a file between.
type gate struct{}

func (gate) Describe(context.Context, *hivego.DescribeCall) (*hivego.DescribeReply, error) {
	return &hivego.DescribeReply{Handlers: []*hivego.HandlerInfo{{Name: new("gate")}}}, nil
}

func (gate) Run(_ context.Context, c *hivego.RunCall) (*hivego.RunReply, error) {
	var p struct{ Dir, Key string }
	if err := json.Unmarshal([]byte(c.Assignment.GetParamsJson()), &p); err != nil {
		return nil, err
	}
	if err := note(p.Dir, "began", p.Key); err != nil {
		return nil, err
	}
	for {
		if _, err := os.Stat(filepath.Join(p.Dir, "go-"+p.Key)); err == nil {
			break
		}
		time.Sleep(20 * time.Millisecond) //nolint:forbidigo // it waits for a file of another process
	}
	err := note(p.Dir, "ended", p.Key)
	return &hivego.RunReply{
		Outcome: &hivego.Outcome{Kind: new(hivego.OutcomeKind_SUCCESS)}, Log: new("the gate was open for " + p.Key),
	}, err
}

func note(dir, file, key string) error {
	f, err := os.OpenFile(filepath.Join(dir, file), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = fmt.Fprintln(f, key)
	return err
}

// serveGate answers calls until the process is killed.
func serveGate(address string) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	for {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		go func() {
			defer c.Close()
			cfg := &thrift.TConfiguration{}
			p := thrift.NewTBinaryProtocolConf(thrift.NewTFramedTransportConf(thrift.NewTSocketFromConnConf(c, cfg),
				cfg), cfg)
			for {
				if ok, err := hivego.NewExecutorProcessor(gate{}).Process(context.Background(), p, p); !ok ||
					err != nil {
					return
				}
			}
		}()
	}
}

// startGate starts one in a process of its own, and waits until it listens.
func startGate(t *testing.T, address string) *harness.Process {
	t.Helper()
	p := harness.StartProgram(t, "run-only executor", "", []string{envRunOnly + "=" + address}, os.Args[0])
	harness.EventuallyOr(t, "the run-only executor listens", func() bool {
		c, err := net.Dial("tcp", address)
		if err != nil {
			return false
		}
		_ = c.Close()
		return true
	}, p.Output)
	return p
}

// gates returns a schedule of tasks for it, one after another.
func gates(dir string, keys ...string) string {
	var b strings.Builder
	b.WriteString("apiVersion: hivego/v1\nkind: Schedule\nname: gates\njobs:\n")
	for i, key := range keys {
		fmt.Fprintf(&b, "  - {key: j%d, tasks: [{key: %s, handler: gate, params: {dir: %q, key: %s}}]}\n", i, key, dir,
			key)
	}
	return b.String()
}

// seen waits until the server sees an executor in a state.
func seen(t *testing.T, s *harness.Server, state string) {
	t.Helper()
	harness.EventuallyOr(t, "the executor is "+state, func() bool {
		var list []struct{ Name, State string }
		if err := json.Unmarshal([]byte(s.CLI("executors", "-o", "json")), &list); err != nil {
			t.Fatal(err)
		}
		return len(list) == 1 && list[0].State == state
	}, func() string { return s.CLI("executors") })
}

// held waits until a task waits for a person, with a reason.
func held(t *testing.T, s *harness.Server, id int64, key string) harness.Task {
	t.Helper()
	b := s.WaitBatch(id, key+" is held", func(b harness.Batch) bool { return b.Task(key).Reason == "held" })
	if got := b.Task(key); got.State != "unknown" || got.Attempts != 1 {
		t.Errorf("%s is %s after %d attempts; expected unknown after 1", key, got.State, got.Attempts)
	}
	return b.Task(key)
}

// An executor that only offers run dies in the middle of its work. The outcome is unknown, so nothing runs again by
// itself, even after the executor is back: a person resumes the batch.
func TestRunOnlyExecutorKilled(t *testing.T) {
	t.Parallel()
	harness.Each(t, func(t *testing.T, opts harness.Options) {
		dir := t.TempDir()
		opts.NoExecutor = true
		s := harness.NewServer(t, opts)
		address := harness.FreeAddress(t)
		x := startGate(t, address)
		s.CLI("executors", "add", address, "--name", "gate")
		s.Apply(gates(dir, "a", "b"))
		id := s.Run("gates")
		began(t, dir, "a")
		x.Kill()
		if why := held(t, s, id, "a").Error; !strings.Contains(why, "broke before it answered") {
			t.Errorf("the reason is %q", why)
		}
		seen(t, s, "silent")
		startGate(t, address)
		seen(t, s, "online")
		if n := lines(t, filepath.Join(dir, "began"))["a"]; n != 1 {
			t.Fatalf("a began %d times without anybody asking", n)
		}
		release(t, dir, "a", "b")
		s.CLI("resume", strconv.FormatInt(id, 10))
		b := s.WaitEnd(id)
		if b.State != "succeeded" || b.Task("a").Attempts != 2 || b.Task("b").Attempts != 1 {
			t.Errorf("state %s, a in %d attempts, b in %d; expected succeeded, 2, 1", b.State, b.Task("a").Attempts,
				b.Task("b").Attempts)
		}
		if got := s.CLI("logs", strconv.FormatInt(id, 10), "b"); !strings.Contains(got, "out the gate was open for b") {
			t.Errorf("the log is %q", got)
		}
	})
}

// The server dies while an executor that only offers run is at work. The end of the work reaches no server. The next
// server does not run it again; a person, who sees that it was done, marks it.
func TestRunOnlyServerKilled(t *testing.T) {
	t.Parallel()
	harness.Each(t, func(t *testing.T, opts harness.Options) {
		dir := t.TempDir()
		opts.NoExecutor = true
		s := harness.NewServer(t, opts)
		address := harness.FreeAddress(t)
		startGate(t, address)
		s.CLI("executors", "add", address, "--name", "gate")
		s.Apply(gates(dir, "a", "b"))
		id := s.Run("gates")
		began(t, dir, "a")
		s.Kill()
		s.Start()
		if why := held(t, s, id, "a").Error; !strings.Contains(why, "stopped or lost before the answer came") {
			t.Errorf("the reason is %q", why)
		}
		seen(t, s, "online") // the server kept the address, and calls it again
		release(t, dir, "a", "b")
		harness.Eventually(t, "a has ended", func() bool { return lines(t, filepath.Join(dir, "ended"))["a"] == 1 })
		s.CLI("mark", strconv.FormatInt(id, 10), "a", "--as", "success")
		b := s.WaitEnd(id)
		if b.State != "succeeded" || b.Task("a").Attempts != 1 || b.Task("b").Attempts != 1 {
			t.Errorf("state %s: %+v", b.State, b.Tasks)
		}
		for _, key := range []string{"a", "b"} {
			if n := lines(t, filepath.Join(dir, "began"))[key]; n != 1 {
				t.Errorf("%s began %d times", key, n)
			}
		}
	})
}
