package document_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
)

// An unfinished text with faults is converted to both forms if these can express it.
func TestConvertOfDrafts(t *testing.T) {
	t.Parallel()
	const head = "apiVersion: hivego/v1\nkind: Schedule\nname: x\n"
	for name, c := range map[string]struct{ src, yaml, json, fault string }{
		"valid": {
			head + "jobs: []\n", head + "jobs: []\n",
			`{"apiVersion":"hivego/v1","kind":"Schedule","name":"x","jobs":[]}`, "",
		},
		"no name, no jobs": {
			"apiVersion: hivego/v1\nkind: Schedule\n",
			"apiVersion: hivego/v1\nkind: Schedule\nname: \"\"\njobs: []\n",
			`{"apiVersion":"hivego/v1","kind":"Schedule","name":"","jobs":[]}`, "name",
		},
		"empty": {
			"{}", "apiVersion: \"\"\nkind: \"\"\nname: \"\"\njobs: []\n",
			`{"apiVersion":"","kind":"","name":"","jobs":[]}`, "apiVersion",
		},
		"keys that are missing, empty and twice": {
			head + "jobs:\n  - key: a\n    tasks:\n      - {handler: shell}\n      - {key: '', handler: }\n      - " +
				"{key: b, handler: x}\n      - {key: B, handler: x}\n",
			head + "jobs:\n  - key: a\n    tasks:\n      - {key: \"\", handler: shell}\n      - {key: \"\", " +
				"handler: \"\"}\n      - {key: b, handler: x}\n      - {key: B, handler: x}\n",
			`"tasks":[{"key":"","handler":"shell"},{"key":"","handler":""},` +
				`{"key":"b","handler":"x"},{"key":"B","handler":"x"}]`,
			"jobs[0].tasks[0].key",
		},
		"needs of nothing": {
			head + "jobs:\n  - key: a\n    tasks:\n      - {key: b, handler: shell, needs: [z]}\n",
			head + "jobs:\n  - key: a\n    tasks:\n      - {key: b, handler: shell, needs: [z]}\n", `"needs":["z"]`,
			"jobs[0].tasks[0].needs[0]",
		},
		"durations and numbers being typed": {
			head + "policy: {timeout: 5 minutes}\njobs:\n  - key: a\n    tasks:\n      - {key: b, handler: shell, " +
				"timeout: 3x, priority: 0, retry: {backoff: 0}}\n",
			head + "policy:\n  timeout: 5 minutes\njobs:\n  - key: a\n    tasks:\n      - {key: b, handler: shell, " +
				"retry: {backoff: 0}, timeout: 3x, priority: 0}\n",
			`"retry":{"backoff":0},"timeout":"3x","priority":0`, "policy.timeout",
		},
		"a cron being typed": {
			head + "triggers:\n  - {}\n  - cron: 5 *\njobs: []\n", head +
				"triggers:\n  - {}\n  - cron: \"5 *\"\njobs: []\n",
			`"triggers":[{},{"cron":"5 *"}]`, "triggers[0].cron",
		},
		"a comment about nothing": {
			head + "params: # later\njobs: []\n", head +
				"params: null # later\njobs: []\n", `"jobs":[],"#":{"params":{"behind":"# later","as":"null"}}}`, "",
		},
		// The other form cannot express these.
		"no YAML":          {"a: [", "", "", ""},
		"a list":           {"[]", "", "", ""},
		"an unknown field": {head + "jobs: []\nowner: me\n", "", "", "owner"},
		"jobs of a kind":   {head + "jobs: {a: b}\n", "", "", "jobs"},
		"a task of a kind": {head + "jobs: [{key: a, tasks: [7]}]\n", "", "", "jobs[0].tasks[0]"},
		"a timeout of 30":  {head + "policy: {timeout: 30}\njobs: []\n", "", "", "policy.timeout"},
		"two documents":    {head + "jobs: []\n---\n" + head + "jobs: []\n", "", "", ""},
		"a field twice":    {head + "jobs: []\njobs: []\n", "", "", "jobs"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, faults := document.Convert([]byte(c.src), options())
			if (c.yaml == "") != (got == nil) || got == nil && !hive.Refused(faults) {
				t.Fatalf("%v, converted %v", faults, got != nil)
			}
			found := c.fault == ""
			for _, f := range faults {
				found = found || f.Path == c.fault && f.Line > 0
			}
			if !found || c.fault == "" && c.yaml != "" && len(faults) > 0 {
				t.Errorf("faults %v, want %q", faults, c.fault)
			}
			if got == nil {
				return
			}
			if string(got.Canonical) != c.yaml || !strings.Contains(string(got.JSON), c.json) {
				t.Errorf("%s\n%s", got.Canonical, got.JSON)
			}
			for _, form := range [][]byte{got.Canonical, got.JSON} {
				if again, _ := document.Convert(form, options()); again == nil || string(again.Canonical) != c.yaml ||
					!bytes.Equal(again.JSON, got.JSON) || again.Hash != got.Hash {
					t.Errorf("not stable: %+v", again)
				}
			}
		})
	}
}

// manyOf returns n remarks about list items that do not exist.
func manyOf(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"params.a[%d]":{"of":"z","above":["#"]},`, i)
	}
	return strings.TrimSuffix(b.String(), ",")
}

// The time to convert a large document is proportional to its size, for any content.
func TestConvertOfHugeDocuments(t *testing.T) {
	t.Parallel()
	for name, src := range map[string]string{
		"remarks": `{"#":{` +
			strings.TrimSuffix(strings.Repeat(`"k`+strings.Repeat(".a[", 30)+`":{},`, 1), ",") + `}}`,
		"one long path":    `{"#":{"` + strings.Repeat("a.", 1<<16) + `":{"above":["# x"]}}}`,
		"many comments":    `{"#":{"":{"top":[` + strings.TrimSuffix(strings.Repeat(`"# x","",`, 1<<13), ",") + `]}}}`,
		"one long comment": `{"#":{"":{"top":["#` + strings.Repeat("x", 1<<18) + `"]}}}`,
		"a long number":    `{"params":{"a":1.5},"#":{"params.a":{"as":"1.` + strings.Repeat("5", 1<<14) + `"}}}`,
		"many of one list": `{"params":{"a":[` + strings.Repeat(`"x",`, 1<<13) + `"y"]},"#":{` + manyOf(1<<13) + `}}`,
		"deep params":      `{"params":` + strings.Repeat(`{"a":`, 45) + "1" + strings.Repeat("}", 45) + `}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, faults := document.Convert([]byte(src), options())
			if c == nil {
				return // a refusal is fine too, as long as it ends
			}
			if again, _ := document.Convert(c.Canonical, options()); again == nil ||
				!bytes.Equal(again.Canonical, c.Canonical) {
				t.Errorf("not stable: %v", faults)
			}
		})
	}
}
