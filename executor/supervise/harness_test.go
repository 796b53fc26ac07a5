package supervise_test

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
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

// ref makes a reference from the number of a test process.
func ref(id int64) supervise.Ref { return supervise.Ref{ID: id, Key: "k3V"} }

// spec returns a shell script as an attempt.
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
		r.t.Fatal("no end was reported")
		return supervise.End{}
	}
}

// text reads a log and strips the timestamps.
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

// eventually waits until f returns true.
func eventually(t testing.TB, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !f(); <-time.After(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("did not happen: %s", what)
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

func bootTime() time.Duration {
	var ts unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts)
	return time.Duration(ts.Nano())
}
