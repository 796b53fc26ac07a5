package fault

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/rprp/hivego/db/dbtest"
	"github.com/rprp/hivego/e2e/harness"
)

// The machine of a server and its executor goes back to a snapshot. Database and journal go back together, so nothing
// is unknown; tasks that ran in the snapshot are lost with their processes.
func TestMachineSnapshot(t *testing.T) {
	t.Parallel()
	w := newRewound(t, harness.Options{}, false)
	off := func() {
		w.s.Kill()
		harness.KillSupervisors(w.s.Data)
	}
	off()
	w.shell("cp -a data/. snapshot")
	w.s.Start()
	w.lost()
	w.era()
	w.era()
	off()
	w.shell("find data/ -mindepth 1 -delete; cp -a snapshot/. data/")
	before := w.marks("began", "")
	w.s.Start()
	w.fresh()
	w.lost()
	again := 0
	for _, m := range w.marks("began", "") {
		for _, b := range before {
			if m.schedule == "fresh" && m.id == b.id && m.key != b.key {
				again++
			}
		}
	}
	if again == 0 {
		t.Error("no number was given out again: nothing went back")
	}
	w.unnoticed()
}

// The disk of an executor is lost, the database is not: its attempts are lost, and another executor takes its name.
func TestExecutorDiskLost(t *testing.T) {
	t.Parallel()
	for _, separate := range []bool{false, true} {
		t.Run(fmt.Sprintf("separate=%t", separate), func(t *testing.T) {
			t.Parallel()
			// the server waits for it; its attempts are lost then
			opts := harness.Options{Args: []string{"--orphan-timeout", "2s"}}
			if separate {
				opts.DatabaseURL = dbtest.Postgres(t)
			}
			w := newRewound(t, opts, separate)
			if separate {
				w.e.Kill()
				harness.KillSupervisors(w.e.Data)
				w.lost()
				w.s.CLI("executors", "delete", "apart")
				w.e = harness.NewExecutor(t, w.s, "apart", w.group, "--slots", "40")
			} else {
				w.s.Kill()
				harness.KillSupervisors(w.s.Data)
				if err := os.RemoveAll(filepath.Join(w.s.Data, "executor")); err != nil {
					t.Fatal(err)
				}
				w.s.Start()
				w.lost()
				w.s.CLI("executors", "delete", "embedded")
			}
			w.fresh()
			w.unnoticed()
		})
	}
}

// lost waits until the tasks that ran in the earlier state are lost.
func (w *rewound) lost() {
	w.t.Helper()
	b := w.s.WaitEnd(w.kept)
	for _, task := range b.Tasks {
		if task.State != "failed" || task.Reason != "lost" || task.Attempts != 1 ||
			len(w.marks("began", task.Key)) != 1 {
			w.t.Errorf("%s is %s %s after %d attempts", task.Key, task.State, task.Reason, task.Attempts)
		}
	}
}

// unnoticed fails if there is a notice, or if anything does not work.
func (w *rewound) unnoticed() {
	w.t.Helper()
	var list struct {
		Items []notice `json:"items"`
	}
	w.quiet(notice{})
	if w.get("/api/v1/notices", &list); len(list.Items) != 0 {
		w.t.Errorf("%+v", list.Items)
	}
}
