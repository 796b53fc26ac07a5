package supervise_test

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/rprp/hivego/executor/supervise"
	"github.com/rprp/hivego/executor/supervise/supervisetest"
)

func TestMain(m *testing.M) { supervisetest.Main(m) }

const patience = 2 * time.Minute

// rig is a data folder with a manager.
type rig struct {
	t    testing.TB
	data string
	m    *supervise.Manager
	list supervise.List
}

func open(t testing.TB, data string) *rig {
	t.Helper()
	m := supervise.NewManager(supervise.ManagerConfig{
		Data: data, Command: supervisetest.Command(), Log: slog.New(slog.DiscardHandler),
	})
	list, err := m.Open(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return &rig{t: t, data: data, m: m, list: list}
}

func newRig(t testing.TB) *rig {
	t.Helper()
	return open(t, t.TempDir())
}

// ref is the process that these tests call by its number.
func ref(id int64) supervise.Ref { return supervise.Ref{ID: id, Key: "k3V"} }

// spec is a shell script as an attempt.
func (r *rig) spec(id int64, script string) supervise.Spec {
	return supervise.Spec{
		Ref: ref(id), Path: "/bin/sh", Args: []string{"sh", "-c", script}, Dir: r.data, Log: r.logPath(id),
		Env: []string{"PATH=" + os.Getenv("PATH")}, Opening: "test begins", Grace: 200 * time.Millisecond,
	}
}

func (r *rig) logPath(id int64) string { return filepath.Join(r.data, fmt.Sprint("log", id)) }

func (r *rig) start(spec supervise.Spec) <-chan supervise.End {
	ends := make(chan supervise.End, 2)
	r.m.Start(spec, func(e supervise.End) { ends <- e })
	return ends
}

func (r *rig) wait(ends <-chan supervise.End) supervise.End {
	r.t.Helper()
	select {
	case e := <-ends:
		return e
	case <-time.After(patience):
		r.t.Fatal("no end was told")
		return supervise.End{}
	}
}

// text is a log without its times.
func (r *rig) text(id int64) string {
	r.t.Helper()
	data, err := os.ReadFile(r.logPath(id))
	if err != nil {
		r.t.Fatal(err)
	}
	out := ""
	for line := range strings.Lines(string(data)) {
		out += line[len("2026-11-21T03:22:58.114Z "):]
	}
	return out
}

// eventually waits for something that a process does.
func eventually(t testing.TB, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !f(); <-time.After(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

func exists(path string) func() bool {
	return func() bool {
		_, err := os.Stat(path)
		return err == nil
	}
}

// supervisorPID finds the supervisor of a data folder.
func supervisorPID(t testing.TB, data string) int {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range entries {
		pid, err := strconv.Atoi(x.Name())
		if err != nil {
			continue
		}
		line, _ := os.ReadFile("/proc/" + x.Name() + "/cmdline")
		if strings.HasSuffix(string(line), "\x00--data\x00"+data+"\x00") && !supervisetest.Dead(pid)() {
			return pid
		}
	}
	return 0
}

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
			if end.Lost != "" || end.Exit.Code != c.code || end.Exit.Signal != c.signal || end.Exit.Why != "" {
				t.Fatalf("end %+v", end)
			}
			text := r.text(id)
			if !strings.HasPrefix(text, "sys test begins, process ") || !strings.Contains(text, c.log) {
				t.Fatalf("log %q", text)
			}
			if info, _ := os.Stat(r.logPath(id)); info.Size() != end.Exit.LogBytes {
				t.Fatalf("log has %d bytes, told %d", info.Size(), end.Exit.LogBytes)
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
	second := r.start(spec) // takes the place of the first
	r.wait(second)
	third := r.start(spec)
	r.wait(third)
	if data, _ := os.ReadFile(filepath.Join(r.data, "count")); string(data) != "x\n" {
		t.Fatalf("it ran %q", data)
	}
	select {
	case <-first:
		t.Fatal("an end was told twice")
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

func TestKillForcesWhatIgnoresTERM(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ends := r.start(r.spec(1, "trap '' TERM; echo $$ > pid; while :; do sleep 1; done"))
	supervisetest.PIDIn(t, filepath.Join(r.data, "pid"))
	r.m.Kill(ref(1), 100*time.Millisecond, "a test")
	end := r.wait(ends)
	if end.Exit.Why != supervise.WhyKill || end.Exit.Signal != int(unix.SIGKILL) || end.Exit.Words != "a test" {
		t.Fatalf("end %+v", end)
	}
}

func TestKillLetsTheGroupFinishInItsGrace(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	script := `sh -c 'trap "sleep 0.2; echo cleaned; exit 0" TERM; echo $$ > pid; while :; do sleep 0.05; done' & exec sleep 600`
	ends := r.start(r.spec(1, script))
	supervisetest.PIDIn(t, filepath.Join(r.data, "pid"))
	r.m.Kill(ref(1), patience, "a test")
	r.wait(ends)
	if text := r.text(1); !strings.Contains(text, "out cleaned\n") {
		t.Fatalf("log %q", text)
	}
}

func TestKillBeforeItRuns(t *testing.T) {
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
			eventually(t, "the grandchild is gone", supervisetest.Dead(pid))
		})
	}
}

func TestOutputAfterTheLeaderIsKept(t *testing.T) {
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

// A supervisor that is killed takes its children, and the next one sweeps their children.
func TestKilledSupervisor(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	inside := r.start(r.spec(1, "sh -c 'echo $$ > inner; sleep 600; sleep 600' & echo $$ > outer; wait"))
	outside := r.start(r.spec(2, "setsid sh -c 'echo $$ > away; sleep 600; sleep 600' & wait"))
	done := r.start(r.spec(3, "exit 3"))
	if end := r.wait(done); end.Exit.Code != 3 {
		t.Fatalf("end %+v", end)
	}
	pids := []int{
		supervisetest.PIDIn(t, filepath.Join(r.data, "inner")), supervisetest.PIDIn(t, filepath.Join(r.data, "outer")),
		supervisetest.PIDIn(t, filepath.Join(r.data, "away")),
	}
	sup := supervisorPID(t, r.data)
	if err := unix.Kill(sup, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for _, ends := range []<-chan supervise.End{inside, outside} {
		if end := r.wait(ends); end.Lost == "" {
			t.Fatalf("end %+v", end)
		}
	}
	// Lost is only told when everything is gone.
	for _, pid := range pids {
		if !supervisetest.Dead(pid)() {
			t.Fatalf("process %d outlived its supervisor", pid)
		}
	}
	again := r.start(r.spec(4, "exit 4"))
	if end := r.wait(again); end.Exit.Code != 4 {
		t.Fatalf("end %+v", end)
	}
}

// A new executor finds what runs and what ended meanwhile, and the old one has no say any more.
func TestAdoption(t *testing.T) {
	t.Parallel()
	old := newRig(t)
	old.start(old.spec(1, "while [ ! -e go ]; do sleep 0.02; done; exit 5"))
	pidIn := old.start(old.spec(2, "exit 6"))
	old.wait(pidIn)
	old.m.Close()
	r := open(t, old.data)
	if len(r.list.Running) != 1 || r.list.Running[0].ID != 1 || len(r.list.Exits) != 1 || r.list.Exits[0].Code != 6 {
		t.Fatalf("list %+v", r.list)
	}
	ends := make(chan supervise.End, 2)
	tell := func(e supervise.End) { ends <- e }
	if !r.m.Adopt(ref(1), tell) || !r.m.Adopt(ref(2), tell) || r.m.Adopt(ref(3), tell) {
		t.Fatal("adopted the wrong ones")
	}
	r.m.Settle()
	if end := r.wait(ends); end.Exit.ID != 2 || end.Exit.Code != 6 {
		t.Fatalf("end %+v", end)
	}
	if err := os.WriteFile(filepath.Join(r.data, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if end := r.wait(ends); end.Exit.ID != 1 || end.Exit.Code != 5 {
		t.Fatalf("end %+v", end)
	}
}

func TestSettleEndsWhatNobodyKnows(t *testing.T) {
	t.Parallel()
	old := newRig(t)
	old.start(old.spec(1, "echo $$ > pid; sleep 600"))
	pid := supervisetest.PIDIn(t, filepath.Join(old.data, "pid"))
	old.m.Close()
	r := open(t, old.data)
	r.m.Settle()
	eventually(t, "the unknown attempt is gone", supervisetest.Dead(pid))
}

// Exits outlive the supervisor too: the next one reads them.
func TestExitsOutliveTheSupervisor(t *testing.T) {
	t.Parallel()
	old := newRig(t)
	old.wait(old.start(old.spec(1, "exit 9")))
	old.m.Close()
	if err := unix.Kill(supervisorPID(t, old.data), unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	r := open(t, old.data)
	if len(r.list.Exits) != 1 || r.list.Exits[0].Code != 9 {
		t.Fatalf("list %+v", r.list)
	}
	r.m.Forget(ref(1))
	r.m.Close()
	eventually(t, "the supervisor ends when idle", func() bool { return supervisorPID(t, old.data) == 0 })
	if again := open(t, old.data); len(again.list.Exits) != 0 {
		t.Fatalf("list %+v", again.list)
	}
}

// The lease ends what runs, with nobody connected.
func TestLeaseWithoutExecutor(t *testing.T) {
	t.Parallel()
	old := newRig(t)
	old.m.SetLease(supervise.Lease{Server: "s", Forever: true})
	old.m.SetLease(supervise.Lease{Server: "t", Forever: true})
	short, long := old.spec(1, "echo $$ > short; sleep 600"), old.spec(2, "echo $$ > long; sleep 600")
	short.Server, long.Server = "s", "t"
	old.start(short)
	old.start(long)
	pid := supervisetest.PIDIn(t, filepath.Join(old.data, "short"))
	other := supervisetest.PIDIn(t, filepath.Join(old.data, "long"))
	old.m.SetLease(supervise.Lease{Server: "s", Deadline: bootTime() + 2*time.Second})
	after := old.spec(3, "exit 0")
	after.Server = "t"
	old.wait(old.start(after)) // by then the supervisor has heard of the lease
	old.m.Close()
	eventually(t, "the lease ends it", supervisetest.Dead(pid))
	eventually(t, "the exit is kept", func() bool {
		r := open(t, old.data)
		defer r.m.Close()
		return len(r.list.Running) == 1 && slices.ContainsFunc(r.list.Exits, func(x supervise.Exit) bool {
			return x.ID == 1 && x.Why == supervise.WhyLease
		})
	})
	r := open(t, old.data)
	r.m.Settle() // nobody adopts the other
	eventually(t, "the other is killed", supervisetest.Dead(other))
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

func TestOneSupervisorOnly(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	err := supervise.Run(t.Context(), supervise.Config{Data: r.data})
	if err == nil || !strings.Contains(err.Error(), supervise.ErrRunning.Error()) {
		t.Fatalf("a second supervisor: %v", err)
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

func bootTime() time.Duration {
	var ts unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts)
	return time.Duration(ts.Nano())
}

// BenchmarkSpawn runs `true` with four at once.
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
