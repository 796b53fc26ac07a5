package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rprp/hivego/e2e/harness"
)

// Five executors in two groups: the route of a group, of a schedule and of a task choose among them, each attempt
// records why, and a task that waits for one executor names it.
func TestRoutes(t *testing.T) {
	t.Parallel()
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte(smallToken+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := harness.NewServer(t, harness.Options{NoExecutor: true})
	for name, group := range map[string]string{"a1": "gpu", "a2": "gpu", "a3": "gpu", "b2": "cpu"} {
		x := &small{}
		x.set("boot-"+name, "shell")
		s.CLI("executors", "add", x.serve(t), "--token-file", token, "--group", group, "--name", name, "--label",
			"zone="+name[1:])
	}
	b1 := harness.NewExecutor(t, s, "b1", "cpu")
	harness.EventuallyOr(t, "all are online", func() bool {
		list := executors(t, s)
		return len(list) == 5 && !slices.ContainsFunc(list, func(e listed) bool { return e.State != "online" })
	}, func() string { return s.CLI("executors") })

	s.CLI("groups", "set", "gpu", "--route", "round_robin", "--reason", "even use")
	r := s.Try("groups", "set", "gpu", "--route", "fastest")
	if r.Code == 0 || !strings.Contains(r.Stderr, "busy_over") {
		t.Errorf("an unknown route: exit %d, %q", r.Code, r.Stderr)
	}
	groups := s.CLI("groups")
	for _, want := range []string{"cpu", "least_loaded", "gpu", "round_robin", "even use"} {
		if !strings.Contains(groups, want) {
			t.Errorf("hivego groups lacks %q:\n%s", want, groups)
		}
	}

	s.Apply(`apiVersion: hivego/v1
kind: Schedule
name: routed
policy: {maxBatches: 5}
jobs:
  - {key: j1, tasks: [{key: one, handler: shell, group: gpu, params: {command: x}}]}
  - {key: j2, tasks: [{key: two, handler: shell, group: gpu, params: {command: x}}]}
  - {key: j3, tasks: [{key: three, handler: shell, group: gpu, params: {command: x}}]}
  - {key: j4, tasks: [{key: four, handler: shell, group: gpu, params: {command: x}}]}
  - {key: j5, tasks: [{key: last, handler: shell, group: gpu, route: last, params: {command: x}}]}
  - key: j6
    tasks: [{key: narrow, handler: shell, group: gpu, selector: "zone in (1, 2), zone!=1", params: {command: x}}]
  - {key: j7, tasks: [{key: same, handler: shell, group: gpu, route: consistent_hash, params: {command: x}}]}
`)
	b := s.WaitEnd(s.Run("routed"))
	for task, want := range map[string]string{
		"one": "a1", "two": "a2", "three": "a3", "four": "a1", "last": "a3", "narrow": "a2",
	} {
		if got := b.Task(task).Executor; got != want {
			t.Errorf("%s ran on %s, want %s", task, got, want)
		}
	}
	if again := s.WaitEnd(s.Run("routed")); again.Task("same").Executor != b.Task("same").Executor {
		t.Errorf("the same key ran on %s, then on %s", b.Task("same").Executor, again.Task("same").Executor)
	}
	id := strconv.FormatInt(b.ID, 10)
	for task, want := range map[string]string{
		"two":    "route round_robin (of the group) chose a2 of 3 executors",
		"last":   "route last (of the task) chose a3 of 3 executors",
		"narrow": "no_match",
		"same":   `by the key "routed/same"`,
	} {
		if got := s.CLI("why", id, task); !strings.Contains(got, want) {
			t.Errorf("why of %s lacks %q:\n%s", task, want, got)
		}
	}

	b1.Kill()
	s.Apply("apiVersion: hivego/v1\nkind: Schedule\nname: waits\npolicy: {route: first}\n" +
		"jobs: [{key: j, tasks: [{key: t, handler: shell, group: cpu, params: {command: 'true'}}]}]\n")
	harness.EventuallyOr(t, "the server misses b1", func() bool {
		list := executors(t, s)
		return slices.ContainsFunc(list, func(e listed) bool { return e.Name == "b1" && e.State != "online" })
	}, func() string { return s.CLI("executors") })
	waiting := s.Run("waits")
	want := `it waits for executor b1, the first of group "cpu", which does not answer`
	var got string
	harness.EventuallyOr(t, "why names the executor", func() bool {
		got = s.CLI("why", strconv.FormatInt(waiting, 10), "t")
		return strings.Contains(got, want)
	}, func() string { return got })
	b1.Start()
	if b := s.WaitEnd(waiting); b.Task("t").Executor != "b1" {
		t.Errorf("%+v", b)
	}
}

// The answer to why has what the params of the latest attempt were rendered to.
func TestParamsAsSent(t *testing.T) {
	t.Parallel()
	s := harness.NewServer(t, harness.Options{})
	s.Apply("apiVersion: hivego/v1\nkind: Schedule\nname: sent\njobs: [{key: j, tasks: [{key: t, handler: shell,\n" +
		"  params: {command: 'true', env: {ROUND: '${{ batch.round }}'}}}]}]\n")
	b := s.WaitEnd(s.Run("sent"))
	for _, format := range []string{"table", "json"} {
		got := s.CLI("why", strconv.FormatInt(b.ID, 10), "t", "-o", format)
		if compact := strings.ReplaceAll(got, " ", ""); !strings.Contains(compact, `"ROUND":"1"`) {
			t.Errorf("why as %s lacks the params as sent:\n%s", format, got)
		}
	}
}
