package supervise_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/rprp/hivego/executor/supervise"
	"github.com/rprp/hivego/executor/supervise/supervisetest"
)

// When a supervisor is killed, its children die with it, and the next supervisor kills their descendants.
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
		if end := r.wait(ends); end.Lost.Words == "" {
			t.Fatalf("end %+v", end)
		}
	}
	// An attempt is reported as lost only after all its processes have ended.
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

// A new executor finds the running processes and those that ended meanwhile.
func TestAdoption(t *testing.T) {
	t.Parallel()
	old := newRig(t)
	old.start(old.spec(1, "while [ ! -e go ]; do sleep 0.02; done; exit 5"))
	old.wait(old.start(old.spec(2, "exit 6")))
	old.m.Close()
	r := open(t, old.data)
	if len(r.list.Running) != 1 || r.list.Running[0].ID != 1 || len(r.list.Exits) != 1 || r.list.Exits[0].Code != 6 {
		t.Fatalf("list %+v", r.list)
	}
	ends := make(chan supervise.End, 2)
	report := func(e supervise.End) { ends <- e }
	if !r.m.Adopt(ref(1), report) || !r.m.Adopt(ref(2), report) || r.m.Adopt(ref(3), report) {
		t.Fatal("adopted the wrong ones")
	}
	r.m.EndUnadopted()
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

func TestEndUnadoptedKillsUnknownProcesses(t *testing.T) {
	t.Parallel()
	old := newRig(t)
	old.start(old.spec(1, "echo $$ > pid; sleep 600"))
	pid := supervisetest.PIDIn(t, filepath.Join(old.data, "pid"))
	old.m.Close()
	r := open(t, old.data)
	r.m.EndUnadopted()
	eventually(t, "the unknown attempt is killed", supervisetest.Dead(pid))
}

// The next supervisor reads the exits that its predecessor stored.
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

// The supervisor enforces a lease while no executor is connected.
func TestLeaseWithoutExecutor(t *testing.T) {
	t.Parallel()
	old := newRig(t)
	old.m.SetLease(supervise.Lease{Name: "s", Forever: true})
	old.m.SetLease(supervise.Lease{Name: "t", Forever: true})
	short, long := old.spec(1, "echo $$ > short; sleep 600"), old.spec(2, "echo $$ > long; sleep 600")
	short.Lease, long.Lease = "s", "t"
	old.start(short)
	old.start(long)
	pid := supervisetest.PIDIn(t, filepath.Join(old.data, "short"))
	other := supervisetest.PIDIn(t, filepath.Join(old.data, "long"))
	old.m.SetLease(supervise.Lease{Name: "s", Deadline: bootTime() + 2*time.Second})
	after := old.spec(3, "exit 0")
	after.Lease = "t"
	old.wait(old.start(after)) // orders are executed in turn, so the supervisor has the lease now
	old.m.Close()
	eventually(t, "the lease ends the process", supervisetest.Dead(pid))
	eventually(t, "the exit is stored", func() bool {
		r := open(t, old.data)
		defer r.m.Close()
		return len(r.list.Running) == 1 && slices.ContainsFunc(r.list.Exits, func(x supervise.Exit) bool {
			return x.ID == 1 && x.Why == supervise.WhyLease
		})
	})
	r := open(t, old.data)
	r.m.EndUnadopted() // the other process was not adopted
	eventually(t, "the other process is killed", supervisetest.Dead(other))
}

func TestOneSupervisorOnly(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	err := supervise.Run(t.Context(), supervise.Config{Data: r.data})
	if err == nil || !strings.Contains(err.Error(), supervise.ErrRunning.Error()) {
		t.Fatalf("a second supervisor: %v", err)
	}
}

// A lease that has passed long ago is forgotten, so that sessions of servers do not add up. A passed lease that may
// have been renewed is not.
func TestOldLeasesAreForgotten(t *testing.T) {
	t.Parallel()
	old := newRig(t)
	for name, deadline := range map[string]time.Duration{"long ago": -2 * time.Hour, "now": -time.Second} {
		old.m.SetLease(supervise.Lease{Name: name, Deadline: bootTime() + deadline})
	}
	old.m.SetLease(supervise.Lease{Name: "forever", Forever: true})
	old.wait(old.start(old.spec(1, "exit 0"))) // orders are executed in turn, so the supervisor has the leases now
	old.m.Close()
	eventually(t, "the old lease is forgotten", func() bool {
		r := open(t, old.data)
		defer r.m.Close()
		var names []string
		for _, l := range r.list.Leases {
			names = append(names, l.Name)
		}
		slices.Sort(names)
		return slices.Equal(names, []string{"forever", "now"})
	})
}
