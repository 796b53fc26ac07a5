package plug_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rprp/hivego/e2e/harness"
)

// added adds an executor to a server by its address, into the group "people".
func added(t *testing.T, s *harness.Server, x *program) {
	t.Helper()
	out := s.CLI("executors", "add", x.address, "--group", "people", "--token-file", x.token)
	if !strings.Contains(out, " is in group people and offers ") {
		t.Errorf("executors add says %q", out)
	}
}

const hello = `
apiVersion: hivego/v1
kind: Schedule
name: hello
jobs:
  - key: say
    tasks:
      - {key: hello, handler: greet, group: people, params: {name: Ada}}
      - {key: nobody, handler: greet, group: people, params: {name: nobody}, allowFailure: true}
  - key: answer
    tasks:
      - {key: echo, handler: greet, group: people, needs: [hello], params: {name: "${{ outputs.hello.greeting }}"}}
`

// The first steps of docs/executors.md: an executor beside the server's own one, without a group.
func TestDocsSchedule(t *testing.T) {
	t.Parallel()
	docs := read(t, "docs/executors.md")
	document := regexp.MustCompile("```yaml\n(apiVersion: (?s:.*?))```\n").FindStringSubmatch(docs)
	if document == nil {
		t.Fatal("docs/executors.md has no schedule")
	}
	s := harness.NewServer(t, harness.Options{})
	x := start(t, "python", "greet.py")
	out := s.CLI("executors", "add", x.address, "--token-file", x.token)
	if !strings.Contains(docs, "\n"+out+"```\n") {
		t.Errorf("docs/executors.md does not show what `executors add` says: %s", out)
	}
	s.Apply(document[1])
	if b := s.WaitEnd(s.Run("hello")); b.State != "succeeded" || b.Task("hello").Executor != "python" {
		t.Errorf("batch %+v\n%s", b, x.Output())
	}
}

// An executor of other people is added by its address. Its handler has a form; its tasks succeed, fail with its words,
// hand outputs on, and have a log.
func TestExamplesOnAServer(t *testing.T) {
	t.Parallel()
	forEach(t, func(t *testing.T, language, suffix string) {
		s := harness.NewServer(t, harness.Options{NoExecutor: true})
		x := start(t, language, "greet"+suffix)
		added(t, s, x)

		var list []struct {
			Name, Group, Address, Origin, State string
			Durable                             bool
			Slots                               int
			Handlers                            []struct{ Name, Title, Schema string }
		}
		if err := json.Unmarshal([]byte(s.CLI("executors", "-o", "json")), &list); err != nil {
			t.Fatal(err)
		}
		if len(list) != 1 || list[0].Name != language || list[0].Group != "people" || list[0].Address != x.address ||
			list[0].Durable || list[0].Origin != "address" || list[0].Slots != 4 ||
			len(list[0].Handlers) != 1 || list[0].Handlers[0].Title != "Greet" ||
			!strings.Contains(list[0].Handlers[0].Schema, `"x-render"`) {
			t.Errorf("executors: %+v", list)
		}

		wrong := harness.File(t, "wrong.yaml", strings.Replace(hello, "params: {name: Ada}", "params: {nam: Ada}", 1))
		r := s.Try("apply", "-f", wrong)
		if r.Code == 0 || !strings.Contains(r.Stderr, "nam is not a parameter of this handler") {
			t.Errorf("params against the schema of the executor: exit %d %s%s", r.Code, r.Stdout, r.Stderr)
		}

		s.Apply(hello)
		id := s.Run("hello")
		b := s.WaitEnd(id)
		if b.State != "succeeded" || b.Task("hello").State != "succeeded" || b.Task("hello").Executor != language {
			t.Errorf("batch %+v\n%s", b, x.Output())
		}
		if failed := b.Task("nobody"); failed.State != "failed" || failed.Error != "there is nobody to greet" {
			t.Errorf("the failure is %+v", failed)
		}
		batch := strconv.FormatInt(id, 10)
		for task, line := range map[string]string{
			"hello":  " out greeting Ada\n",
			"echo":   " out greeting Hello Ada\n",
			"nobody": " sys there is nobody to greet\n",
		} {
			if log := s.CLI("logs", batch, task); !strings.HasSuffix(log, line) {
				t.Errorf("the log of %s is %q", task, log)
			}
		}
	})
}

const waits = `
apiVersion: hivego/v1
kind: Schedule
name: waits
jobs:
  - key: only
    tasks:
      - {key: wait, handler: wait, group: people, params: {file: FILE}}
`

// An executor dies in the middle of a task: nobody knows the outcome, so nothing is repeated and a person decides. The
// executor comes back by itself.
func TestKilledExampleIsHeld(t *testing.T) {
	t.Parallel()
	forEach(t, func(t *testing.T, language, _ string) {
		s := harness.NewServer(t, harness.Options{NoExecutor: true})
		x, file := waiting(t, language)
		added(t, s, x)
		s.Apply(strings.Replace(waits, "FILE", file, 1))
		id := s.Run("waits")
		batch := strconv.FormatInt(id, 10)
		harness.EventuallyOr(t, "the task has begun", func() bool { return exists(file + ".began") }, x.Output)
		x.Kill()
		b := s.WaitBatch(id, "its task is held",
			func(b harness.Batch) bool { return b.Task("wait").State == "unknown" })
		if b.Task("wait").Attempts != 1 || b.FinishedAt != nil && *b.FinishedAt != "" {
			t.Errorf("batch %+v", b)
		}
		if why := s.CLI("why", batch, "wait"); !strings.Contains(why, "a person") {
			t.Errorf("why says %q", why)
		}

		if err := os.Remove(file + ".began"); err != nil {
			t.Fatal(err)
		}
		x.again(t)
		harness.Eventually(t, "the executor is back",
			func() bool { return strings.Contains(s.CLI("executors"), " online ") })
		s.CLI("resume", batch)
		harness.EventuallyOr(t, "the task runs again", func() bool { return exists(file + ".began") }, x.Output)
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if b := s.WaitEnd(id); b.State != "succeeded" || b.Round != 2 || b.Task("wait").Attempts != 2 {
			t.Errorf("batch %+v\n%s", b, x.Output())
		}
	})
}

// While a task runs, others run beside it, up to the number of slots: each on a connection of its own.
func TestExamplesRunSeveralAtOnce(t *testing.T) {
	t.Parallel()
	forEach(t, func(t *testing.T, language, _ string) {
		s := harness.NewServer(t, harness.Options{NoExecutor: true})
		x, file := waiting(t, language)
		added(t, s, x)
		var tasks strings.Builder
		files := []string{file + "1", file + "2", file + "3", file + "4"}
		for _, f := range files {
			tasks.WriteString("      - {key: " + filepath.Base(f) +
				", handler: wait, group: people, params: {file: " + f + "}}\n")
		}
		s.Apply("apiVersion: hivego/v1\nkind: Schedule\nname: four\n" +
			"jobs:\n  - key: only\n    tasks:\n" + tasks.String())
		id := s.Run("four")
		for _, f := range files {
			harness.EventuallyOr(t, "all four have begun", func() bool { return exists(f + ".began") }, x.Output)
		}
		for _, f := range files {
			if err := os.WriteFile(f, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if b := s.WaitEnd(id); b.State != "succeeded" {
			t.Errorf("batch %+v\n%s", b, x.Output())
		}
	})
}
