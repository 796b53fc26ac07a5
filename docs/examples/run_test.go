package examples_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/rprp/hivego/docs/examples"
	"github.com/rprp/hivego/executor/sdk"
	"github.com/rprp/hivego/executor/sql"
	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
)

// bench runs the tasks of a definition one job after the other, without a server: scripts by sh, statements by the
// handler sql.
type bench struct {
	def       *hive.Definition
	workspace string
	folder    string // of attempts
	outputs   map[string]map[string]string
	attempt   int64
}

// newBench installs the data and reads a definition.
func newBench(t *testing.T, schedule string) *bench {
	t.Helper()
	root := t.TempDir()
	if err := examples.Install(root); err != nil {
		t.Fatal(err)
	}
	return &bench{
		def: parse(t, find(t, schedule)), workspace: filepath.Join(root,
			schedule), folder: t.TempDir(), outputs: map[string]map[string]string{},
	}
}

func find(t *testing.T, schedule string) string {
	t.Helper()
	for _, f := range examples.Definitions() {
		if f.Schedule == schedule {
			return f.Document
		}
	}
	t.Fatalf("there is no example %q", schedule)
	return ""
}

// parse reads a definition and refuses any fault, warnings too.
func parse(t *testing.T, text string) *hive.Definition {
	t.Helper()
	doc, faults := document.Parse([]byte(text), document.Options{Now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)})
	for _, f := range faults {
		t.Errorf("%s", f)
	}
	if doc == nil {
		t.FailNow()
	}
	return doc.Definition
}

// run runs all tasks, those of a job at the same time, and answers the first failure.
func (b *bench) run(ctx context.Context) error {
	for i := range b.def.Jobs {
		job := &b.def.Jobs[i]
		results := make([]map[string]string, len(job.Tasks))
		var g errgroup.Group
		for n := range job.Tasks {
			b.attempt++
			attempt := b.attempt
			g.Go(func() error {
				var err error
				results[n], err = b.task(ctx, &job.Tasks[n], attempt)
				if err != nil {
					return fmt.Errorf("task %s: %w", job.Tasks[n].Key, err)
				}
				return nil
			})
		}
		if err := g.Wait(); err != nil {
			return err
		}
		for n := range job.Tasks {
			b.outputs[job.Tasks[n].Key] = results[n]
		}
	}
	return nil
}

func (b *bench) task(ctx context.Context, task *hive.Task, attempt int64) (map[string]string, error) {
	folder := filepath.Join(b.folder, fmt.Sprint(attempt))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	if task.Handler == "shell" {
		return b.shell(ctx, task, folder)
	}
	params, err := json.Marshal(task.Params)
	if err != nil {
		return nil, err
	}
	values := map[string]any{}
	for name, v := range b.def.Params {
		values[name] = json.Number(fmt.Sprint(v))
	}
	t := &sdk.Task{
		Attempt: sdk.Ref{ID: attempt}, Handler: task.Handler, Params: params, Values: values, Name: task.Key,
		Folder: folder, Workspace: b.workspace, LogLimit: 1 << 20,
	}
	h := sql.New(sql.Config{Data: b.folder})
	if err := h.Check(t); err != nil {
		return nil, err
	}
	err = h.Run(ctx, t)
	return t.Outputs(), err
}

// shell runs a script as the handler shell does: sh -e, a clean environment, the shared folder.
func (b *bench) shell(ctx context.Context, task *hive.Task, folder string) (map[string]string, error) {
	script, output := filepath.Join(folder, "script"), filepath.Join(folder, "output")
	command, _ := task.Params["command"].(string)
	if err := os.WriteFile(script, []byte(command), 0o600); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, "/bin/sh", "-e", script)
	cmd.Dir = b.workspace
	cmd.Env = []string{
		"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "HIVEGO_OUTPUT=" + output, "HIVEGO_WORKSPACE=" +
			b.workspace,
		"HIVEGO_BATCH=1", "HIVEGO_MOMENT=2026-01-01T19:20:00Z", "HIVEGO_TASK=" + task.Key,
	}
	for name, v := range b.def.Params {
		cmd.Env = append(cmd.Env, fmt.Sprintf("%s=%v", name, v))
	}
	env, _ := task.Params["env"].(map[string]any)
	for name, v := range env {
		cmd.Env = append(cmd.Env, name+"="+b.render(fmt.Sprint(v)))
	}
	if words, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, words)
	}
	outputs := map[string]string{}
	lines, err := os.ReadFile(output)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	for line := range strings.Lines(string(lines)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		outputs[name] = value
	}
	return outputs, nil
}

// render fills in ${{ outputs.TASK.NAME }}.
func (b *bench) render(text string) string {
	place := regexp.MustCompile(`\$\{\{ outputs\.(\w+)\.(\w+) \}\}`)
	return place.ReplaceAllStringFunc(text, func(s string) string {
		m := place.FindStringSubmatch(s)
		return b.outputs[m[1]][m[2]]
	})
}
