// Package cli_test uses HiveGo as a stranger does: the real program, its commands, and nothing else. What the commands
// print and how they exit is a contract with the scripts of others; it is written down here.
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

// said is what a command must print, whole, as regular expressions, and how it must exit.
type said struct {
	code           int
	stdout, stderr string
}

// want compares the outcome of a command with what it must be.
func want(t *testing.T, r harness.Result, w said) {
	t.Helper()
	if r.Code != w.code || !whole(w.stdout).MatchString(r.Stdout) || !whole(w.stderr).MatchString(r.Stderr) {
		t.Errorf("exit %d\nstdout: %s\nstderr: %s\nmust be: exit %d\nstdout: %s\nstderr: %s",
			r.Code, r.Stdout, r.Stderr, w.code, w.stdout, w.stderr)
	}
}

// whole matches a text from end to end; `.` is any character of a line.
func whole(pattern string) *regexp.Regexp { return regexp.MustCompile(`\A(?:` + pattern + `)\z`) }

// shape demands that a JSON object has exactly these keys, and answers it.
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

// attempts are the counts of attempts of all tasks by their keys.
func attempts(b *harness.Batch) map[string]int {
	n := map[string]int{}
	for _, t := range b.Tasks {
		n[t.Key] = t.Attempts
	}
	return n
}

// same fails unless two maps hold the same.
func same[V comparable](t *testing.T, what string, got, must map[string]V) {
	t.Helper()
	if !maps.Equal(got, must) {
		t.Errorf("%s: %v, must be %v", what, got, must)
	}
}

// document is a schedule of jobs, each given as the lines of its tasks.
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

// shell is a task that runs a script.
func shell(key, script string, more ...string) string {
	return strings.Join(append([]string{"key: " + key, "handler: shell", fmt.Sprintf("params: {command: %q}", script)},
		more...), ", ")
}

// until is a script that waits until a file is there.
func until(file string) string { return "while [ ! -e " + file + " ]; do sleep 0.02; done" }

// touch makes a file.
func touch(t *testing.T, parts ...string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(parts...), nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

// lines counts the lines of a file by their text.
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
