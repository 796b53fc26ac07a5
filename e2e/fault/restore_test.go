package fault

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rprp/hivego/db/dbtest"
	"github.com/rprp/hivego/e2e/harness"
)

// A backup is restored after batches and restarts that it does not contain, by the commands of docs/operations.md:
// those of HiveGo, and those of the databases. After a restore by HiveGo no executor knows a later session.
func TestRestore(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		restarts           int
		postgres, separate bool
		tools              bool
	}{
		{restarts: 0, separate: true, tools: true},
		{restarts: 1, tools: true},
		{restarts: 2, separate: true, tools: true},
		{restarts: 0, postgres: true, tools: true},
		{restarts: 1, postgres: true, separate: true, tools: true},
		{restarts: 5, postgres: true, tools: true},
		{restarts: 1},
		{restarts: 2, separate: true},
		{restarts: 1, postgres: true, separate: true},
	} {
		t.Run(fmt.Sprintf("restarts=%d,postgres=%t,separate=%t,tools=%t", c.restarts, c.postgres, c.separate, c.tools),
			func(t *testing.T) {
				t.Parallel()
				opts, step := harness.Options{}, 0
				if c.postgres {
					opts.DatabaseURL, step = dbtest.Postgres(t), 1
				}
				backup, restore := documented(t, c.tools)
				w := newRewound(t, opts, c.separate)
				w.shell(backup[min(step, len(backup)-1)])
				w.goOn(c.restarts)
				w.s.Kill()
				w.endTails()
				w.shell(restore[step])
				w.s.Start()
				w.honest(c.restarts > 0 && c.tools, c.restarts > 0)
			})
	}
}

// The executor with the lost attempts is away while another executor runs new attempts with the same ids. When it comes
// back, the server must not confuse the two.
func TestRestoreBeforeExecutor(t *testing.T) {
	t.Parallel()
	backup, restore := documented(t, true)
	w := newRewound(t, harness.Options{}, true)
	w.shell(backup[0])
	w.goOn(1)
	w.s.Kill()
	w.endTails()
	w.e.Kill()
	w.shell(restore[0])
	w.s.Start()
	harness.NewExecutor(t, w.s, "other", w.group, "--slots", "40")
	before := w.marks("began", "")
	w.fresh()
	w.e.Start()
	w.listed(before, true, true)
}

// documented returns the commands of docs/operations.md to back up and restore SQLite and PostgreSQL, with the tools of
// the databases or with HiveGo. HiveGo has one command to back up both.
func documented(t *testing.T, tools bool) (backup, restore []string) {
	t.Helper()
	root, err := harness.Root()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(filepath.Join(root, "docs", "operations.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := func(heading string, n int) (out []string) {
		t.Helper()
		_, text, _ := strings.Cut(string(raw), "\n### "+heading+"\n")
		text, _, _ = strings.Cut(text, "\n### ")
		for _, rest := range strings.Split(text, "\n```sh\n")[1:] {
			block, _, _ := strings.Cut(rest, "\n```\n")
			out = append(out, block)
		}
		if len(out) != n {
			t.Fatalf("the page has other commands under %q: %q", heading, out)
		}
		return out
	}
	if tools {
		all := blocks("With the tools of the database", 4)
		return all[:2], all[2:]
	}
	return blocks("Back up", 1), blocks("Restore", 2)
}

// rewound is a server whose database goes back to an earlier state.
type rewound struct {
	t           *testing.T
	dir         string // where tasks write their marks; the server's folder, data, is below it
	s           *harness.Server
	e           *harness.Executor // nil: the embedded one
	group       string
	kept        int64 // the batch that runs in the earlier state
	postgres    bool
	generations int // since then; each one has left a process in the background and the end of a log

	freshes int // batches of fresh
}

// newRewound starts a server and an executor, and a batch of two tasks, which run when it returns.
func newRewound(t *testing.T, opts harness.Options, separate bool) *rewound {
	t.Helper()
	w := &rewound{t: t, dir: t.TempDir(), group: "default", postgres: opts.DatabaseURL != ""}
	if opts.NoExecutor = separate; !separate {
		opts.Args = append(opts.Args, "--slots", "40")
	}
	w.s = harness.NewServer(t, opts)
	if err := os.Symlink(w.s.Data, filepath.Join(w.dir, "data")); err != nil {
		t.Fatal(err)
	}
	if separate {
		w.group = "etl"
		w.e = harness.NewExecutor(t, w.s, "apart", w.group, "--slots", "40")
	}
	w.apply("kept", "gone", "echo its log keeps its folder; "+w.until("gone"), "stays", w.until("stays"))
	w.apply("long", "long", w.until("never"))
	w.apply("tail", "tail", "echo last words of a tail; "+w.until("tail"))
	w.apply("quick", "q0", "true", "q1", "true", "q2", "exit 4")
	w.apply("fresh", "f0", "echo words of f0", "f1", "echo words of f1; exit 3", "f2", "echo words of f2", "f3",
		"echo words of f3; exit 5",
		"f4", "echo words of f4", "f5", "echo words of f5")
	w.kept = w.s.Run("kept")
	w.marked("began", "gone", 1)
	w.marked("began", "stays", 1)
	w.s.WaitBatch(w.kept, "it is stored that both run", func(b harness.Batch) bool {
		return b.Task("gone").State == "running" && b.Task("stays").State == "running"
	})
	return w
}

// apply saves a schedule of tasks beside one another, each a key and a command. A lost one fails.
func (w *rewound) apply(name string, tasks ...string) {
	w.t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "apiVersion: hivego/v1\nkind: Schedule\nname: %s\npolicy: {overlap: allow}\njobs:\n  - "+
		"key: j\n    tasks:\n", name)
	for i := 0; i < len(tasks); i += 2 {
		fmt.Fprintf(&b, "      - {key: %s, handler: shell, group: %s, killGrace: 1s, onLost: {do: fail}, params: "+
			"{command: %q}}\n", tasks[i],
			w.group, fmt.Sprintf("echo %s $HIVEGO_ATTEMPT $$ $HIVEGO_SCHEDULE >> %s/began; %s", tasks[i], w.dir,
				tasks[i+1]))
	}
	w.s.Apply(b.String())
}

func (w *rewound) until(gate string) string {
	return fmt.Sprintf("while [ ! -e %s/go-%s ]; do sleep 0.1; done; echo %s $HIVEGO_ATTEMPT $$ $HIVEGO_SCHEDULE "+
		">> %s/ended", w.dir, gate, gate, w.dir)
}

// mark is a line that a task has written.
type mark struct {
	task, schedule string
	id             int64 // of the attempt
	key            string
	pid            int
}

// marks are those in a file, of one task, or of all if it is empty.
func (w *rewound) marks(file, task string) (out []mark) {
	w.t.Helper()
	for line, n := range lines(w.t, filepath.Join(w.dir, file)) {
		f := strings.Fields(line)
		if len(f) != 4 {
			continue // it is being written
		}
		id, key, _ := strings.Cut(f[1], "-")
		m := mark{task: f[0], schedule: f[3], key: key}
		var err error
		if m.id, err = strconv.ParseInt(id, 10, 64); err == nil {
			m.pid, err = strconv.Atoi(f[2])
		}
		if err != nil || key == "" || n != 1 {
			w.t.Fatalf("the mark %q, %d times: %v", line, n, err)
		}
		if task == "" || m.task == task {
			out = append(out, m)
		}
	}
	return out
}

func (w *rewound) marked(file, task string, n int) {
	w.t.Helper()
	harness.EventuallyOr(w.t, fmt.Sprintf("%s %s %d times", task, file, n),
		func() bool { return len(w.marks(file, task)) == n }, w.s.Output)
}

// shell runs commands of the page.
func (w *rewound) shell(commands string) {
	w.t.Helper()
	cmd := exec.CommandContext(w.t.Context(), "sh", "-ec", commands)
	cmd.Dir = w.dir
	cmd.Env = append(os.Environ(), w.s.LocalEnv()...)
	cmd.Env = append(cmd.Env, "PATH="+filepath.Dir(w.hivego())+":"+os.Getenv("PATH"))
	if w.postgres {
		cmd.Env = append(cmd.Env, "HIVEGO_SECRET_KEY=data/shared.key")
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("%s\n%v\n%s\n(the test needs sqlite3 and the client programs of PostgreSQL)", commands, err, out)
	}
}

// hivego returns a link to the program under its usual name.
func (w *rewound) hivego() string {
	w.t.Helper()
	link := filepath.Join(w.dir, "hivego")
	if err := os.Symlink(harness.Binary(w.t), link); err != nil && !os.IsExist(err) {
		w.t.Fatal(err)
	}
	return link
}

// goOn makes history that the earlier state does not have. In each era one attempt begins to run for ever, another one
// until endTails, and some end; between two eras the server is killed or stopped, and started. A task that ran in the
// earlier state ends well.
func (w *rewound) goOn(restarts int) {
	w.t.Helper()
	w.era()
	if len(w.remains("gone")) == 0 {
		w.t.Fatal("the executor has no files of an attempt that runs")
	}
	release(w.t, w.dir, "gone")
	w.s.WaitBatch(w.kept, "its first task has ended",
		func(b harness.Batch) bool { return b.Task("gone").State == "succeeded" })
	for i := range restarts {
		if i%2 == 0 {
			w.s.Kill()
		} else {
			w.s.Terminate()
		}
		w.s.Start()
		w.era()
	}
	w.released("gone")
}

// released waits until the executor has forgotten a task's attempt because its end is stored: no file of it is left.
func (w *rewound) released(task string) {
	w.t.Helper()
	harness.EventuallyOr(w.t, task+" is released", func() bool { return len(w.remains(task)) == 0 },
		func() string { return fmt.Sprint(w.remains(task)) })
}

// remains returns the executor's files of a task's attempt.
func (w *rewound) remains(task string) (out []string) {
	w.t.Helper()
	m := w.marks("began", task)[0]
	// other files come and go meanwhile
	_ = filepath.WalkDir(w.executorData(), func(path string, _ os.DirEntry, _ error) error {
		if strings.Contains(filepath.Base(path), fmt.Sprintf("%d-%s", m.id, m.key)) {
			out = append(out, path)
		}
		return nil
	})
	return out
}

func (w *rewound) executorData() string {
	if w.e != nil {
		return w.e.Data
	}
	return filepath.Join(w.s.Data, "executor")
}

func (w *rewound) era() {
	w.t.Helper()
	w.generations++
	w.s.Run("long")
	w.marked("began", "long", w.generations)
	w.s.Run("tail")
	w.marked("began", "tail", w.generations)
	w.s.WaitEnd(w.s.Run("quick"))
}

// endTails ends the attempts whose server is gone. A separate executor has noted that in its journal when this returns.
// The embedded one is gone, too, and finds it when it starts.
func (w *rewound) endTails() {
	w.t.Helper()
	release(w.t, w.dir, "tail")
	w.marked("ended", "tail", w.generations)
	if w.e == nil {
		return
	}
	for _, m := range w.marks("ended", "tail") {
		harness.EventuallyOr(w.t, "the executor notes the end of a tail", func() bool {
			journal, err := os.ReadFile(filepath.Join(w.e.Data, "journal"))
			return err == nil && strings.Contains(string(journal), fmt.Sprintf(`{"k":"end","a":%d,`, m.id))
		}, w.s.Output)
	}
}

// get reads from the API.
func (w *rewound) get(path string, into any) {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, w.s.URL+path, http.NoBody)
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+w.s.Token)
	resp, err := w.s.Client().Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(into); err != nil || resp.StatusCode != http.StatusOK {
		w.t.Fatalf("%s: %d %v", path, resp.StatusCode, err)
	}
}
