package supervise_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/rprp/hivego/executor/supervise"
	"github.com/rprp/hivego/executor/supervise/supervisetest"
)

func TestEnds(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	cases := []struct {
		name, script string
		code, signal int
		log          string
	}{
		{"success", "echo hello; echo oops >&2; sleep 0.05; echo", 0, 0, ""},
		{"exit code", "echo one; exit 7", 7, 0, "out one\n"},
		{"signal", "kill -9 $$", 137, 9, "ended by signal 9"},
		{"unfinished line", "printf abc", 0, 0, "out abc\n"},
		{"clean environment", "env | cut -d= -f1 | sort | tr '\\n' ' '", 0, 0, "out HIVEGO_PROCESS PATH PWD"},
		{"nothing to read", "cat", 0, 0, "exit code 0"},
	}
	for i, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			id := int64(i + 1)
			end := r.wait(r.start(r.spec(id, c.script)))
			if end.Lost.Words != "" || end.Exit.Code != c.code || end.Exit.Signal != c.signal || end.Exit.Why != "" {
				t.Fatalf("end %+v", end)
			}
			text := r.text(id)
			if !strings.HasPrefix(text, "sys test begins, process ") || !strings.Contains(text, c.log) {
				t.Fatalf("log %q", text)
			}
			if info, _ := os.Stat(r.logPath(id)); info.Size() != end.Exit.LogBytes {
				t.Fatalf("log has %d bytes, the exit reports %d", info.Size(), end.Exit.LogBytes)
			}
		})
	}
}

func TestNotStarted(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	spec := r.spec(1, "")
	spec.Path = "/no/such/program"
	end := r.wait(r.start(spec))
	if !strings.Contains(end.Exit.Failed, "no such file") {
		t.Fatalf("end %+v", end)
	}
	spec = r.spec(2, "true")
	spec.Log = "/no/such/folder/log"
	if end = r.wait(r.start(spec)); end.Exit.Failed == "" {
		t.Fatalf("end %+v", end)
	}
}

func TestStartedOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	spec := r.spec(1, "echo x >> count; sleep 0.2")
	first := r.start(spec)
	second := r.start(spec) // replaces the report function of the first
	r.wait(second)
	third := r.start(spec)
	r.wait(third)
	if data, _ := os.ReadFile(filepath.Join(r.data, "count")); string(data) != "x\n" {
		t.Fatalf("it ran %q", data)
	}
	select {
	case <-first:
		t.Fatal("an end was reported twice")
	default:
	}
}

func TestTimeout(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	spec := r.spec(1, "sleep 600")
	spec.Deadline = bootTime() + 100*time.Millisecond
	end := r.wait(r.start(spec))
	if end.Exit.Why != supervise.WhyTimeout || end.Exit.Signal != int(unix.SIGTERM) {
		t.Fatalf("end %+v", end)
	}
}

func TestKillForcesAProcessThatIgnoresTERM(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ends := r.start(r.spec(1, "trap '' TERM; echo $$ > pid; while :; do sleep 1; done"))
	supervisetest.PIDIn(t, filepath.Join(r.data, "pid"))
	r.m.Kill(ref(1), 100*time.Millisecond, "a test")
	end := r.wait(ends)
	if end.Exit.Why != supervise.WhyKill || end.Exit.Signal != int(unix.SIGKILL) || end.Exit.Reason != "a test" {
		t.Fatalf("end %+v", end)
	}
}

func TestKillLetsTheGroupEndDuringTheGrace(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	script := `sh -c 'trap "sleep 0.2; echo cleaned; exit 0" TERM; echo $$ > pid
		while :; do sleep 0.05; done' & exec sleep 600`
	ends := r.start(r.spec(1, script))
	supervisetest.PIDIn(t, filepath.Join(r.data, "pid"))
	r.m.Kill(ref(1), patience, "a test")
	r.wait(ends)
	if text := r.text(1); !strings.Contains(text, "out cleaned\n") {
		t.Fatalf("log %q", text)
	}
}

func TestKillBeforeTheProcessRuns(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ends := r.start(r.spec(1, "sleep 600"))
	r.m.Kill(ref(1), time.Second, "a test")
	if end := r.wait(ends); end.Exit.Why != supervise.WhyKill {
		t.Fatalf("end %+v", end)
	}
}

func TestGrandchildren(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, script string
		kill         bool
	}{
		{"left in the group, silent", "sleep 600 >/dev/null 2>&1 & echo $! > pid", false},
		{"left in the group, holding the pipes", "sleep 600 & echo $! > pid", false},
		{"killed with their own session", "setsid sh -c 'echo $$ > pid; exec sleep 600' & wait", true},
		{"killed in the background", "(trap '' TERM; sh -c 'echo $PPID > pid'; sleep 600; sleep 600) & wait", true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			ends := r.start(r.spec(1, c.script))
			pid := supervisetest.PIDIn(t, filepath.Join(r.data, "pid"))
			if c.kill {
				r.m.Kill(ref(1), 200*time.Millisecond, "a test")
			}
			r.wait(ends)
			eventually(t, "the grandchild has ended", supervisetest.Dead(pid))
		})
	}
}

func TestOutputAfterTheLeaderHasEnded(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.wait(r.start(r.spec(1, "(sleep 0.3; echo late) & echo early")))
	if text := r.text(1); !strings.Contains(text, "out early\n") || !strings.Contains(text, "out late\n") {
		t.Fatalf("log %q", text)
	}
}

func TestOutputLimit(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	spec := r.spec(1, "head -c 5000000 /dev/zero | tr '\\0' 'x' | fold -w 100; echo done > finished")
	spec.LogLimit = 100_000
	end := r.wait(r.start(spec))
	text := r.text(1)
	if end.Exit.LogBytes > 100_000 || !strings.Contains(text, "the log is cut here") ||
		!strings.Contains(text, "exit code 0") || !exists(filepath.Join(r.data, "finished"))() {
		t.Fatalf("end %+v, log ends with %q", end, text[max(0, len(text)-300):])
	}
}

func TestLongPath(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), strings.Repeat("long/", 30))
	if err := os.MkdirAll(data, 0o700); err != nil {
		t.Fatal(err)
	}
	r := open(t, data)
	if end := r.wait(r.start(r.spec(1, "exit 2"))); end.Exit.Code != 2 {
		t.Fatalf("end %+v", end)
	}
}

func TestNoCommand(t *testing.T) {
	t.Parallel()
	m := supervise.NewManager(supervise.ManagerConfig{Data: t.TempDir()})
	if _, err := m.Open(t.Context(), true); err == nil {
		t.Fatal("opened without a supervisor")
	}
	m.Close()
	m = supervise.NewManager(supervise.ManagerConfig{Data: t.TempDir(), Command: []string{"/bin/false"}})
	if _, err := m.Open(t.Context(), true); err == nil || !strings.Contains(err.Error(), "ended at once") {
		t.Fatalf("opened with a supervisor that fails: %v", err)
	}
	m.Close()
}

// BenchmarkSpawn runs `true`, four processes at a time.
func BenchmarkSpawn(b *testing.B) {
	r := newRig(b)
	slots := make(chan struct{}, 4)
	for i := range b.N {
		slots <- struct{}{}
		spec := r.spec(int64(i+1), "")
		spec.Path, spec.Args = "/bin/true", []string{"true"}
		r.m.Start(spec, func(supervise.End) { <-slots; r.m.Forget(spec.Ref) })
	}
	for range 4 {
		slots <- struct{}{}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "tasks/s")
}
