package stock_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rprp/hivego/executor/supervise/supervisetest"
	"github.com/rprp/hivego/thrift/gen/hivego"
)

func TestShell(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	e, _ := inProcess(t, data)
	s := connect(t, e, 1)
	s.attach()
	cases := []struct {
		name, script string
		kind         hivego.OutcomeKind
		err, log     string
	}{
		{
			"success", "echo hello $region $n $HIVEGO_TASK $extra", hivego.OutcomeKind_SUCCESS, "",
			"out hello east 5 t more\n",
		},
		{
			"failure", "echo first >&2; echo 'no such table' >&2; exit 4", hivego.OutcomeKind_FAILURE,
			"exit code 4: no such table", "",
		},
		{"-e", "false; echo not reached", hivego.OutcomeKind_FAILURE, "exit code 1", ""},
		{"signal", "kill -SEGV $$", hivego.OutcomeKind_FAILURE, "signal 11", ""},
		{
			"outputs", "echo rows=12 >> $HIVEGO_OUTPUT; echo note=a=b >> $HIVEGO_OUTPUT",
			hivego.OutcomeKind_SUCCESS, "",
			"",
		},
		{
			"bad outputs", "echo rows >> $HIVEGO_OUTPUT",
			hivego.OutcomeKind_FAILURE, "line 1 is not name=value", "",
		},
		{"folder", "pwd", hivego.OutcomeKind_SUCCESS, "", "out " + filepath.Join(data, "workspace", "w") + "\n"},
		{
			"clean", "echo [$HIVEGO_TEST_SECRET] $LANG; test -d $TMPDIR", hivego.OutcomeKind_SUCCESS, "",
			"out [] C.UTF-8\n",
		},
	}
	for i, c := range cases {
		s.shell(int64(i+1), c.script, func(a *hivego.Assignment) {
			a.ValuesJson, a.Env = new(`{"region":"east","n":5,"Bad Name":1}`), map[string]string{"extra": "more"}
		})
	}
	for i, c := range cases {
		id := int64(i + 1)
		o := s.outcome(id)
		if o.GetKind() != c.kind || !strings.Contains(o.GetError(), c.err) {
			t.Errorf("%s: %v %q", c.name, o.GetKind(), o.GetError())
		}
		if text := s.log(id); !strings.Contains(text, c.log) ||
			!strings.Contains(text, "sys shell begins on executor stock") {
			t.Errorf("%s: log %q", c.name, text)
		}
	}
	if o := s.ended[5].Outputs; o["rows"] != "12" || o["note"] != "a=b" {
		t.Fatalf("outputs %v", o)
	}
}

func TestShellParams(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	e, _ := inProcess(t, data)
	s := connect(t, e, 1)
	s.attach()
	if err := os.MkdirAll(filepath.Join(data, "workspace", "w"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/", filepath.Join(data, "workspace", "w", "root")); err != nil {
		t.Fatal(err)
	}
	refused := []string{
		`{}`, `{"command": ""}`, `{"command": "x", "comand": "y"}`, `{"command": "x", "workdir": "../up"}`,
		`{"command": "x", "interpreter": []}`, `{"command": "x", "env": {"A=B": "c"}}`, `{"command": 5}`,
	}
	for i, params := range refused {
		r, err := s.c.Submit(t.Context(), &hivego.SubmitCall{Caller: s.caller, Assignments: []*hivego.Assignment{{
			AttemptId: new(int64(i + 100)), Handler: new("shell"), ParamsJson: &params,
		}}})
		if err != nil || r.Receipts[0].GetCode() != hivego.ReceiptCode_REFUSED ||
			!strings.Contains(r.Receipts[0].GetWords(), "params") {
			t.Errorf("%s: %v %v", params, r, err)
		}
	}
	cases := []struct {
		params string
		kind   hivego.OutcomeKind
		err    string
	}{
		{
			`{"command": "import os; print(os.environ['A'])", "interpreter": ["python3"], "env": {"A": "b"}}`,
			hivego.OutcomeKind_SUCCESS, "",
		},
		{`{"command": "pwd; test -d ../er", "workdir": "deep/er"}`, hivego.OutcomeKind_SUCCESS, ""},
		{`{"command": "pwd", "workdir": "/"}`, hivego.OutcomeKind_SUCCESS, ""},
		{`{"command": "pwd", "workdir": "root/tmp"}`, hivego.OutcomeKind_FAILURE, "workdir"},
		{`{"command": "pwd", "workdir": "/no/such"}`, hivego.OutcomeKind_FAILURE, "not a folder"},
		{
			`{"command": "x", "interpreter": ["no-such-program"]}`, hivego.OutcomeKind_FAILURE,
			"no-such-program is not on this executor",
		},
	}
	for i, c := range cases {
		s.shell(int64(i+1), "", func(a *hivego.Assignment) { a.ParamsJson = &c.params })
	}
	for i, c := range cases {
		o := s.outcome(int64(i + 1))
		if o.GetKind() != c.kind || !strings.Contains(o.GetError(), c.err) {
			t.Errorf("%s: %v %q", c.params, o.GetKind(), o.GetError())
		}
	}
}

func TestTimeoutAndKill(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	e, _ := inProcess(t, data)
	s := connect(t, e, 1)
	s.attach()
	s.shell(1, "sleep 600", func(a *hivego.Assignment) { a.TimeoutMillis = new(int64(200)) })
	s.shell(2, "trap '' TERM; echo $$ > two; while :; do sleep 1; done")
	supervisetest.PIDIn(t, filepath.Join(data, "workspace", "w", "two"))
	r, err := s.c.Kill(t.Context(), &hivego.KillCall{Caller: s.caller, Orders: []*hivego.KillOrder{
		{AttemptId: new(int64(2)), GraceMillis: new(int64(100)), Reason: new("the batch was cancelled")},
	}})
	if err != nil || r.Statuses[0].GetCode() != hivego.KillCode_KILLING {
		t.Fatalf("%v %v", r, err)
	}
	if o := s.outcome(1); o.GetKind() != hivego.OutcomeKind_TIMEOUT {
		t.Fatalf("%v", o)
	}
	if o := s.outcome(2); o.GetKind() != hivego.OutcomeKind_KILLED ||
		o.GetError() != "killed: the batch was cancelled" {
		t.Fatalf("%v %s", o.GetKind(), o.GetError())
	}
}

// The executor is killed. Its processes keep running, and the next executor adopts them.
func TestKilledExecutor(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	first := ownProcess(t, data)
	s := connect(t, first, 1)
	s.attach()
	work := filepath.Join(data, "workspace", "w")
	s.shell(1, "echo $$ > one; while [ ! -e go ]; do sleep 0.02; done; echo x >> count; echo done=1 > $HIVEGO_OUTPUT")
	s.shell(2, "echo $$ > two; echo y >> count2")
	s.shell(3, "echo $$ > three; sleep 600")
	supervisetest.PIDIn(t, filepath.Join(work, "one"))
	eventually(t, "two ran",
		func() bool { return supervisetest.Dead(supervisetest.PIDIn(t, filepath.Join(work, "two")))() })
	third := supervisetest.PIDIn(t, filepath.Join(work, "three"))
	kill(t, first)
	second := ownProcess(t, data)
	if second.secret != first.secret {
		t.Fatal("another secret")
	}
	s = connect(t, second, 2)
	reports := s.attach(1, 2, 3, 4)
	if reports[0].GetState() != hivego.AttemptState_RUNNING || reports[2].GetState() != hivego.AttemptState_RUNNING ||
		reports[3].GetState() != hivego.AttemptState_FORGOTTEN {
		t.Fatalf("reports %v", reports)
	}
	if o := s.outcome(2); o.GetKind() != hivego.OutcomeKind_SUCCESS {
		t.Fatalf("%v", o)
	}
	s.shell(1, "echo x >> count") // offered again: it must not start again
	if err := os.WriteFile(filepath.Join(work, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if o := s.outcome(1); o.GetKind() != hivego.OutcomeKind_SUCCESS || o.Outputs["done"] != "1" {
		t.Fatalf("%v", o)
	}
	if count, _ := os.ReadFile(filepath.Join(work, "count")); string(count) != "x\n" {
		t.Fatalf("attempt 1 ran %q", count)
	}
	if _, err := s.c.Kill(t.Context(),
		&hivego.KillCall{Caller: s.caller, Orders: []*hivego.KillOrder{{AttemptId: new(int64(3))}}}); err != nil {
		t.Fatal(err)
	}
	if o := s.outcome(3); o.GetKind() != hivego.OutcomeKind_KILLED || !supervisetest.Dead(third)() {
		t.Fatalf("%v", o)
	}
}

// The supervisor is killed. Its processes die and are reported as lost; new ones run under a new supervisor.
func TestKilledSupervisor(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	e, _ := inProcess(t, data)
	s := connect(t, e, 1)
	s.attach()
	s.shell(1, "sh -c 'echo $$ > inner; sleep 600; true' & echo $PPID > parent; wait")
	work := filepath.Join(data, "workspace", "w")
	inner, parent := supervisetest.PIDIn(t, filepath.Join(work, "inner")), supervisetest.PIDIn(t,
		filepath.Join(work, "parent"))
	if err := syscall.Kill(parent, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if o := s.outcome(1); o.GetKind() != hivego.OutcomeKind_LOST {
		t.Fatalf("%v %s", o.GetKind(), o.GetError())
	}
	// The process is killed by now, but a busy system may take a while.
	eventually(t, "its processes are gone", supervisetest.Dead(inner))
	s.shell(2, "exit 0")
	if o := s.outcome(2); o.GetKind() != hivego.OutcomeKind_SUCCESS {
		t.Fatalf("%v %s", o.GetKind(), o.GetError())
	}
}

// Executor and supervisor both die, as in a crash of the machine.
func TestKilledBoth(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	first := ownProcess(t, data)
	s := connect(t, first, 1)
	s.attach()
	s.shell(1, "echo $PPID > parent; sleep 600")
	s.shell(2, "exit 5")
	s.poll()
	parent := supervisetest.PIDIn(t, filepath.Join(data, "workspace", "w", "parent"))
	if o := s.outcome(2); o.GetExitCode() != 5 {
		t.Fatalf("%v", o)
	}
	kill(t, first)
	if err := syscall.Kill(parent, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	e, _ := inProcess(t, data)
	s = connect(t, e, 2)
	reports := s.attach(1, 2)
	if reports[0].GetState() != hivego.AttemptState_LOST {
		t.Fatalf("reports %v", reports)
	}
	// The journal of the supervisor has the end that was reported before, and it is reported again.
	if o := s.outcome(2); o.GetExitCode() != 5 {
		t.Fatalf("%v", o)
	}
}

// The executor is dead and no server polls. The supervisor kills the processes when the lease is over.
func TestLeaseEndsWithTheExecutorDead(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	first := ownProcess(t, data)
	s := connect(t, first, 1)
	s.attach()
	s.shell(1, "echo $$ > one; sleep 600")
	pid := supervisetest.PIDIn(t, filepath.Join(data, "workspace", "w", "one"))
	polled := time.Now()
	s.poll()
	s.orphan = 6 * time.Second
	s.poll() // names the answer to the one before: from then on the lease is short
	s.shell(2, "exit 0")
	// Orders are executed in turn, so the supervisor has the lease by now.
	if o := s.outcome(2); o.GetKind() != hivego.OutcomeKind_SUCCESS {
		t.Fatalf("%v %s", o.GetKind(), o.GetError())
	}
	kill(t, first)
	if supervisetest.Dead(pid)() && time.Since(polled) < s.orphan {
		t.Fatal("it died with its executor")
	}
	eventually(t, "the lease ends it", supervisetest.Dead(pid))
	e, _ := inProcess(t, data)
	s = connect(t, e, 2)
	if r := s.attach(1)[0]; r.GetState() != hivego.AttemptState_LOST {
		if o := s.outcome(1); o.GetKind() != hivego.OutcomeKind_LOST {
			t.Fatalf("%v %s", o.GetKind(), o.GetError())
		}
	}
}

// The lease is also enforced while the executor runs.
func TestLease(t *testing.T) {
	t.Parallel()
	e, _ := inProcess(t, t.TempDir())
	s := connect(t, e, 1)
	s.orphan = 3 * time.Second
	s.attach()
	s.shell(1, "sleep 600")
	<-time.After(s.orphan) // the server is silent: that is the test
	again := connect(t, e, 2)
	again.attach()
	if o := again.outcome(1); o.GetKind() != hivego.OutcomeKind_LOST {
		t.Fatalf("%v %s", o.GetKind(), o.GetError())
	}
}

// Stop leaves scripts running, and the next executor finds them.
func TestStopLeavesScripts(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	e, old := inProcess(t, data)
	s := connect(t, e, 1)
	s.attach()
	s.shell(1, "echo $$ > one; while [ ! -e go ]; do sleep 0.02; done; exit 3")
	work := filepath.Join(data, "workspace", "w")
	supervisetest.PIDIn(t, filepath.Join(work, "one"))
	old.Stop()
	e, _ = inProcess(t, data)
	s = connect(t, e, 2)
	if r := s.attach(1)[0]; r.GetState() != hivego.AttemptState_RUNNING {
		t.Fatalf("report %v", r)
	}
	if err := os.WriteFile(filepath.Join(work, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if o := s.outcome(1); o.GetExitCode() != 3 {
		t.Fatalf("%v", o)
	}
}

func TestProgress(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	e, _ := inProcess(t, data)
	s := connect(t, e, 1)
	s.attach()
	s.shell(1, "echo 0.25 > $HIVEGO_PROGRESS; while [ ! -e go ]; do sleep 0.05; done")
	for end := time.Now().Add(patience); ; {
		r, err := s.c.Poll(t.Context(),
			&hivego.PollCall{Caller: s.caller, WaitMillis: new(int64(500)), LastAnswer: &s.last})
		if err != nil || time.Now().After(end) {
			t.Fatal("no progress", err)
		}
		s.last = r.GetAnswer()
		if n := len(r.Events); n > 0 && r.Events[n-1].GetKind() == hivego.EventKind_PROGRESS {
			if p := r.Events[n-1].GetProgress(); p != 0.25 {
				t.Fatalf("progress %v", p)
			}
			break
		}
	}
	if err := os.WriteFile(filepath.Join(data, "workspace", "w", "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.outcome(1)
}
