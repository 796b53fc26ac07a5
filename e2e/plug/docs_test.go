package plug_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rprp/hivego/e2e/harness"
	"github.com/rprp/hivego/executor/conform"
)

func read(t *testing.T, file string) string {
	t.Helper()
	root, err := harness.Root()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

var included = regexp.MustCompile("<!-- file: ([^ ]+) -->\n```[a-z]+\n((?s:.*?))```\n")

// A file that docs/executors.md shows is equal to that file.
func TestDocsShowTheFiles(t *testing.T) {
	t.Parallel()
	shown := map[string]bool{}
	for _, m := range included.FindAllStringSubmatch(read(t, "docs/executors.md"), -1) {
		shown[m[1]] = true
		if m[2] != read(t, m[1]) {
			t.Errorf("docs/executors.md shows another %s than there is", m[1])
		}
	}
	for _, file := range []string{"executor/python/greet.py", "executor/node/greet.js", "executor/python/bare.py"} {
		if !shown[file] {
			t.Errorf("docs/executors.md does not show %s", file)
		}
	}
}

// The docs, the READMEs and the script that prepares these tests name the same steps to get the examples ready.
func TestDocsHaveTheSteps(t *testing.T) {
	t.Parallel()
	docs, script := read(t, "docs/executors.md"), read(t, "scripts/plug")
	for file, steps := range map[string][]string{
		"executor/python/README.md": {
			"python3 -m venv .venv", ".venv/bin/pip install", "-r requirements.txt", "thrift --gen py -out . ../../",
		},
		"executor/node/README.md": {"npm ci", "thrift --gen js:node -out gen ../../"},
		"executor/java/README.md": {"thrift --gen java:generated_annotations=suppress -out src/main/java ../../"},
	} {
		for _, step := range steps {
			for name, text := range map[string]string{
				"docs/executors.md": docs, file: read(t, file),
				"scripts/plug": script,
			} {
				if !strings.Contains(text, step) {
					t.Errorf("%s lacks the step %q", name, step)
				}
			}
		}
	}
}

// The docs name every rule of conformance and every call of the contract.
func TestDocsHaveTheRules(t *testing.T) {
	t.Parallel()
	docs := read(t, "docs/executors.md")
	for _, name := range conform.Names() {
		if !strings.Contains(docs, "| `"+name+"` | ") {
			t.Errorf("docs/executors.md lacks the rule %s", name)
		}
	}
	calls := regexp.MustCompile(`(?m)^  \w+Reply (\w+)\(1: `).FindAllStringSubmatch(read(t, "thrift/hivego.thrift"), -1)
	if len(calls) != 9 {
		t.Errorf("the contract has %d calls", len(calls))
	}
	for _, m := range calls {
		if !strings.Contains(docs, "`"+m[1]+"`") {
			t.Errorf("docs/executors.md lacks the call %s", m[1])
		}
	}
}
