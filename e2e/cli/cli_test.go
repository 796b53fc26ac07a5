// Package cli_test uses HiveGo as a new user does: the real program, its commands, and nothing else. The output and
// the exit codes of commands are a contract with other people's scripts; these tests state it.
package cli_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rprp/hivego/e2e/harness"
)

func TestMain(m *testing.M) { harness.Main(m) }

// printed is the whole output that a command must print, as regular expressions, and its exit code.
type printed struct {
	code           int
	stdout, stderr string
}

// want compares the result of a command with the expected one.
func want(t *testing.T, r harness.Result, w printed) {
	t.Helper()
	if r.Code != w.code || !whole(w.stdout).MatchString(r.Stdout) || !whole(w.stderr).MatchString(r.Stderr) {
		t.Errorf("exit %d\nstdout: %s\nstderr: %s\nmust be: exit %d\nstdout: %s\nstderr: %s",
			r.Code, r.Stdout, r.Stderr, w.code, w.stdout, w.stderr)
	}
}

// whole matches a text from end to end; `.` is any character of a line.
func whole(pattern string) *regexp.Regexp { return regexp.MustCompile(`\A(?:` + pattern + `)\z`) }

// shape requires that a JSON object has exactly these keys, and returns it.
func shape(t *testing.T, object any, keys ...string) map[string]any {
	t.Helper()
	m, ok := object.(map[string]any)
	if !ok {
		t.Fatalf("%v is no JSON object", object)
	}
	got := slices.Sorted(maps.Keys(m))
	slices.Sort(keys)
	if !slices.Equal(got, keys) {
		t.Errorf("keys: %v, must be %v", got, keys)
	}
	return m
}

// decode reads JSON.
func decode(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return v
}

// attempts maps the keys of all tasks to the number of their attempts.
func attempts(b *harness.Batch) map[string]int {
	n := map[string]int{}
	for _, t := range b.Tasks {
		n[t.Key] = t.Attempts
	}
	return n
}

// same fails unless two maps are equal.
func same[V comparable](t *testing.T, what string, got, must map[string]V) {
	t.Helper()
	if !maps.Equal(got, must) {
		t.Errorf("%s: %v, must be %v", what, got, must)
	}
}

// document returns a schedule of jobs, each given as the lines of its tasks.
func document(name, head string, jobs ...[]string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "apiVersion: hivego/v1\nkind: Schedule\nname: %s\n%sjobs:\n", name, head)
	for i, tasks := range jobs {
		fmt.Fprintf(&b, "  - key: j%d\n    tasks:\n", i+1)
		for _, t := range tasks {
			fmt.Fprintf(&b, "      - {%s}\n", t)
		}
	}
	return b.String()
}

// shell returns a task that runs a script.
func shell(key, script string, more ...string) string {
	return strings.Join(append([]string{"key: " + key, "handler: shell", fmt.Sprintf("params: {command: %q}", script)},
		more...), ", ")
}

// until returns a script that waits until a file is there.
func until(file string) string { return "while [ ! -e " + file + " ]; do sleep 0.02; done" }

// touch makes a file.
func touch(t *testing.T, parts ...string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(parts...), nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

// lines counts how often each line is in a file.
func lines(t *testing.T, file string) map[string]int {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	n := map[string]int{}
	for l := range strings.Lines(string(raw)) {
		n[strings.TrimSpace(l)]++
	}
	return n
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}
