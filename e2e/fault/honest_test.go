package fault

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/rprp/hivego/e2e/harness"
)

// notice is a notice of the API.
type notice struct {
	Heard     int64    `json:"heard"`
	Session   int64    `json:"session"`
	Executors []string `json:"executors"`
	Running   int      `json:"running"`
	Ended     int      `json:"ended"`
	Attempts  []struct {
		Executor string `json:"executor"`
		ID       int64  `json:"id"`
		Key      string `json:"key"`
		Schedule string `json:"schedule"`
		Task     string `json:"task"`
		Running  bool   `json:"running"`
	} `json:"attempts"`
}

// honest fails if the server shows a wrong state, with its database in the earlier state, or does not work again at
// once. later says that executors have heard of a later session; repeats, that the database gives out known numbers
// again.
func (w *rewound) honest(later, repeats bool) {
	w.t.Helper()
	before := w.marks("began", "")
	w.fresh()
	w.listed(before, later, repeats)
}

// listed fails unless the notice lists the attempts in before, which the database has lost.
func (w *rewound) listed(before []mark, later, repeats bool) {
	w.t.Helper()
	n := w.noticed(before)
	if raised := n.Session > 0; raised != later || raised &&
		(n.Heard >= n.Session || !slices.Contains(n.Executors, w.executor())) {
		w.t.Errorf("a later session was heard of: %t; the notice is %+v\n%s", later, n, w.s.Output())
	}
	again := 0
	for _, m := range w.marks("began", "") {
		for _, a := range n.Attempts {
			if m.schedule == "fresh" && m.id == a.ID && m.key != a.Key {
				again++
			}
		}
	}
	if repeats && again == 0 {
		w.t.Errorf("no number of an attempt that the executor knows was given out again: nothing was tested\n%+v\n%+v",
			n, w.marks("began", ""))
	}
	w.resolved()
	w.quiet(n)
}

func (w *rewound) executor() string {
	if w.e != nil {
		return w.e.Name
	}
	return "embedded"
}

// fresh runs a new batch. It fails if a state, an exit code or a log of it comes from another attempt.
func (w *rewound) fresh() {
	w.t.Helper()
	w.t.Cleanup(func() {
		if w.t.Failed() {
			w.t.Log(w.s.Output())
		}
	})
	w.freshes++
	b := w.s.WaitEnd(w.s.Run("fresh"))
	want := map[string]int{"f0": 0, "f1": 3, "f2": 0, "f3": 5, "f4": 0, "f5": 0}
	if len(b.Tasks) != len(want) || b.State != "failed" {
		w.t.Errorf("the batch is %s with %d tasks", b.State, len(b.Tasks))
	}
	for key, code := range want {
		task, state := b.Task(key), "succeeded"
		if code != 0 {
			state = "failed"
		}
		if task.State != state || task.Attempts != 1 || task.ExitCode == nil || *task.ExitCode != code {
			w.t.Errorf("%s is %s %s, not %s with %d", key, task.State, task.Error, state, code)
		}
		if n := len(w.marks("began", key)); n != w.freshes {
			w.t.Errorf("%s ran %d times in %d batches", key, n, w.freshes)
		}
		log := w.s.CLI("logs", fmt.Sprint(b.ID), key)
		if strings.Count(log, " out ") != 1 || !strings.Contains(log, " out words of "+key+"\n") {
			w.t.Errorf("the log of %s is %q", key, log)
		}
	}
}

// noticed waits for the notice with the attempts that the database does not have, and for the end of the running ones.
func (w *rewound) noticed(before []mark) notice {
	w.t.Helper()
	var list struct {
		Items []notice `json:"items"`
	}
	harness.EventuallyOr(w.t, "a notice of the attempts that nobody knows", func() bool {
		w.get("/api/v1/notices", &list)
		return len(list.Items) > 0 && list.Items[0].Running >= w.generations && list.Items[0].Ended >= w.generations
	}, func() string { return fmt.Sprintf("%+v\n%s", list, w.s.Output()) })
	n := list.Items[0]
	if len(list.Items) != 1 || n.Running != w.generations || len(n.Attempts) != n.Running+n.Ended {
		w.t.Errorf("the notices are %+v; %d attempts ran", list.Items, w.generations)
	}
	listed := map[string]int{}
	for _, a := range n.Attempts {
		i := slices.IndexFunc(before, func(m mark) bool { return m.id == a.ID && m.key == a.Key })
		if i < 0 || before[i].task != a.Task || before[i].schedule != a.Schedule || a.Executor != w.executor() ||
			a.Running != (a.Task == "long") {
			w.t.Errorf("the notice tells of %+v", a)
		}
		listed[a.Task]++
	}
	if listed["long"] != w.generations || listed["tail"] != w.generations || listed["gone"]+listed["stays"] > 0 {
		w.t.Errorf("%d long and %d tail are to be told of: %v", w.generations, w.generations, listed)
	}
	for _, m := range w.marks("began", "long") {
		harness.EventuallyOr(w.t, "what nobody knows is ended",
			func() bool { return errors.Is(syscall.Kill(m.pid, 0), syscall.ESRCH) }, w.s.Output)
	}
	harness.EventuallyOr(w.t, "the logs of those that had ended are stored", func() bool {
		return w.stored("last words of a tail") == w.generations
	}, w.s.Output)
	if words := w.s.Try("executors").Stderr; !strings.Contains(words,
		fmt.Sprintf("running, ended now: %d; already ended: %d", n.Running, n.Ended)) {
		w.t.Errorf("the command line says %q", words)
	}
	return n
}

// stored counts the logs in the server's folder that have these words.
func (w *rewound) stored(words string) (n int) {
	w.t.Helper()
	files, err := filepath.Glob(filepath.Join(w.s.Data, "logs", "*", "*.log"))
	if err != nil {
		w.t.Fatal(err)
	}
	for _, name := range files {
		if raw, err := os.ReadFile(name); err == nil && strings.Contains(string(raw), words) {
			n++
		}
	}
	return n
}

// resolved checks the batch of the earlier state: tasks that ended since are lost, running tasks continue.
func (w *rewound) resolved() {
	w.t.Helper()
	b := w.s.WaitBatch(w.kept, "what ended since is lost",
		func(b harness.Batch) bool { return b.Task("gone").FinishedAt != nil })
	if task := b.Task("gone"); task.State != "failed" || task.Reason != "lost" || task.Attempts != 1 ||
		len(w.marks("began", "gone")) != 1 {
		w.t.Errorf("what ended since is %s %s after %d attempts", task.State, task.Reason, task.Attempts)
	}
	release(w.t, w.dir, "stays")
	b = w.s.WaitEnd(w.kept)
	if task := b.Task("stays"); b.State != "failed" || task.State != "succeeded" || task.Attempts != 1 ||
		len(w.marks("began", "stays")) != 1 {
		w.t.Errorf("the batch is %s, and what runs still %s after %d attempts", b.State, task.State, task.Attempts)
	}
}

// quiet fails if an attempt still holds a slot or is in trouble, or if the server printed an unreadable line.
func (w *rewound) quiet(n notice) {
	w.t.Helper()
	type executor struct {
		State   string `json:"state"`
		Trouble string `json:"trouble"`
		Running int    `json:"running"`
	}
	var list struct {
		Items []executor `json:"items"`
	}
	harness.EventuallyOr(w.t, "the executors are idle", func() bool {
		w.get("/api/v1/executors", &list)
		return len(list.Items) > 0 &&
			!slices.ContainsFunc(list.Items, func(e executor) bool { return e != executor{State: "online"} })
	}, func() string { return fmt.Sprintf("%+v\n%s", list, w.s.Output()) })
	if out := w.s.CLI("executors"); !strings.Contains(out, " online ") {
		w.t.Errorf("%s", out)
	}
	if got := w.s.Ready(); got != http.StatusOK {
		w.t.Errorf("readyz is %d", got)
	}
	harness.EventuallyOr(w.t, "the executor has nothing", func() bool {
		var list struct {
			Items []any `json:"items"`
		}
		w.get("/api/v1/executors/"+w.executor()+"/attempts", &list)
		return len(list.Items) == 0
	}, w.s.Output)
	out := w.s.Output()
	if w.e != nil {
		out += w.e.Output()
	}
	for _, bad := range []string{"0xc0", "it closed the connection", "panic"} {
		if strings.Contains(out, bad) {
			w.t.Errorf("the output has %q, with the notice %+v:\n%s", bad, n, out)
		}
	}
}
