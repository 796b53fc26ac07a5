package document

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"github.com/rprp/hivego/server/hive"
)

// commented returns a document with the given members in the schedule, in a job and in a task.
func commented(schedule, job, task string) []byte {
	return []byte(`{"apiVersion":"hivego/v1","kind":"Schedule","name":"x"` + schedule +
		`,"jobs":[{"key":"one","tasks":[{"key":"a","handler":"shell"}]},` +
		`{"key":"two"` + job + `,"tasks":[{"key":"b","handler":"shell","params":{"command":"run"},"needs":["a"]` +
		task + `}]}]}`)
}

const plainText = `apiVersion: hivego/v1
kind: Schedule
name: x
jobs:
  - key: one
    tasks:
      - {key: a, handler: shell}
  - key: two
    tasks:
      - {key: b, handler: shell, params: {command: run}, needs: [a]}
`

// Comments stay with their place. If the place does not exist any more, they go to the nearest existing one.
func TestRemarksComeBack(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		src  []byte
		want string // the canonical text after the common part
	}{
		"of a task and within": {
			commented("", "", `,"#":{"":{"above":["# b"],"behind":"# is b"},"params.command":{"behind":"# runs"}}`),
			"  - key: two\n    tasks:\n      # b\n      # is b\n      - key: b\n        handler: shell\n        " +
				"params:\n" +
				"          command: run # runs\n        needs: [a]\n",
		},
		"of a job": {
			commented("", `,"#":{"":{"above":["# second"]},"tasks":{"behind":"# its tasks"}}`, ""),
			"  # second\n  - key: two\n    tasks: # its tasks\n      - {key: b, handler: shell, params: {command: " +
				"run}, needs: [a]}\n",
		},
		"of a need, found": {
			commented("", "", `,"#":{"needs[7]":{"behind":"# first","of":"a"}}`),
			"  - key: two\n    tasks:\n      - key: b\n        handler: shell\n        params: {command: run}\n    " +
				"    needs:\n          - a # first\n",
		},
		"of a need that another one replaced": {
			commented("", "", `,"#":{"needs[0]":{"behind":"# first","of":"z"}}`),
			"  - key: two\n    tasks:\n      - key: b\n        handler: shell\n        params: {command: run}\n    " +
				"    needs:\n          - a # first\n",
		},
		"of a removed need": {
			commented("", "", `,"#":{"needs[1]":{"above":["# one"],"behind":"# second","of":"z"}}`),
			"  - key: two\n    tasks:\n      - key: b\n        handler: shell\n        params: {command: run}\n    " +
				"    # one\n        # second\n        needs: [a]\n",
		},
		"of a removed param": {
			commented("", "", `,"#":{"params.env.A":{"behind":"# why"}}`),
			"  - key: two\n    tasks:\n      - key: b\n        handler: shell\n        # why\n        params: " +
				"{command: run}\n        needs: [a]\n",
		},
		"of a removed field": {
			commented("", "", `,"#":{"retry.max":{"above":["# thrice"]}}`),
			"  - key: two\n    tasks:\n      # thrice\n      - {key: b, handler: shell, params: {command: run}, " +
				"needs: [a]}\n",
		},
		"of an invalid path": {
			commented("", "", `,"#":{"[[]..\"":{"above":["# x"]},"..":{"as":"null"},`+
				`"[":{"behind":"# y"},"params[":{"behind":"# z","of":"q"}}`),
			"  - key: two\n    tasks:\n      # x\n      # y\n      - key: b\n        handler: shell\n        # z\n " +
				"       params: {command: run}\n        needs: [a]\n",
		},
		"of a field that is empty": {
			commented("", "", `,"#":{"labels":{"behind":"# none","as":"null"}}`),
			"  - key: two\n    tasks:\n      - key: b\n        handler: shell\n        labels: null # none\n       " +
				" params: {command: run}\n        needs: [a]\n",
		},
		"null is put nowhere else": {
			commented("", "", `,"#":{"params.new":{"as":"null"},"nothing":{"as":"null"},`+
				`"needs[3]":{"as":"null"},"params.command":{"as":"null"}}`),
			"  - key: two\n    tasks:\n      - {key: b, handler: shell, params: {command: run}, needs: [a]}\n",
		},
		"notations of numbers": {
			commented("", "", `,"priority":7,"retry":{"max":31},`+
				`"#":{"priority":{"as":"0x07"},"retry.max":{"as":"0x1E"},"key":{"as":"0x1F"}}`),
			"  - key: two\n    tasks:\n      - {key: b, handler: shell, params: {command: run}, needs: [a], retry: " +
				"{max: 31}, priority: 0x07}\n",
		},
		"nothing": {
			commented(`,"#":null`, `,"#":{}`, `,"#":{"key":{}}`),
			"  - key: two\n    tasks:\n      - {key: b, handler: shell, params: {command: run}, needs: [a]}\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, faults := Parse(c.src, Options{Stored: true})
			if d == nil {
				t.Fatal(faults)
			}
			head, _, _ := strings.Cut(plainText, "  - key: two")
			if got := string(d.Canonical); got != head+c.want {
				t.Errorf("got\n%s", got)
			}
			throughJSON(t, d)
		})
	}
}

func TestRemarksOfASchedule(t *testing.T) {
	t.Parallel()
	d, faults := Parse(commented(`,"#":{"":{"top":["","# a","","","# b",""],"tail":["# end"]},`+
		`"name":{"above":["# its name"]},"policy.overlap":{"behind":"# gone"}}`, "", ""),
		Options{Stored: true})
	if d == nil {
		t.Fatal(faults)
	}
	want := "# a\n\n# b\n\n# gone\n\n" + strings.Replace(plainText, "name: x", "# its name\nname: x", 1) + "# end\n"
	if string(d.Canonical) != want {
		t.Errorf("%s", d.Canonical)
	}
	throughJSON(t, d)
}

// A task that is copied to another job or schedule keeps its comments, even with another key.
func TestRemarksTravel(t *testing.T) {
	t.Parallel()
	src, err := os.ReadFile("testdata/warehouse.canonical.yaml")
	if err != nil {
		t.Fatal(err)
	}
	d, _ := Parse(src, Options{Stored: true})
	var def struct {
		Jobs []struct {
			Tasks []map[string]any `json:"tasks"`
		} `json:"jobs"`
	}
	if err := json.Unmarshal(d.JSON(), &def); err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(d.JSON()))
	if err != nil {
		t.Fatal(err)
	}
	if err := compiled(t).Validate(value); err != nil {
		t.Errorf("the schema knows no comments: %v", err)
	}
	task := def.Jobs[0].Tasks[1]
	task["key"] = "renamed"
	text, err := json.Marshal(map[string]any{
		"apiVersion": "hivego/v1", "kind": "Schedule", "name": "other", "jobs": []any{map[string]any{
			"key":   "j",
			"tasks": []any{task},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	c, faults := Convert(text, Options{})
	if c == nil || !strings.Contains(string(c.Canonical), "      # b is slow.\n      - {key: renamed,") ||
		!strings.Contains(string(c.Canonical), "} # since May\n") {
		t.Errorf("%v\n%s", faults, c.Canonical)
	}
}

// An invalid remark is a fault with position and remedy. Remarks never become anything but comments.
func TestHostileRemarks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ remarks, path, words string }{
		{`7`, "#", "not the number 7"},
		{`"# x"`, "#", "not the text"},
		{`[]`, "#", "not a list"},
		{`{"key":"# x"}`, "#.key", "not the text"},
		{`{"key":null}`, "#.key", "not nothing"},
		{`{"key":["# x"]}`, "#.key", "not a list"},
		{`{"key":{"over":["# x"]}}`, "#.key.over", "not a field here"},
		{`{"key":{"top":["# x"]}}`, "#.key.top", "not a field here"},
		{`{"":{"tail":["# x"]}}`, "#..tail", "not a field here"},
		{`{"key":{"above":"# x"}}`, "#.key.above", "a list of lines"},
		{`{"key":{"above":{"a":"# x"}}}`, "#.key.above", "a list of lines"},
		{`{"key":{"above":[7]}}`, "#.key.above[0]", "must be a text"},
		{`{"key":{"above":["x"]}}`, "#.key.above[0]", "must begin with #"},
		{`{"key":{"above":[""]}}`, "#.key.above[0]", "must begin with #"},
		{`{"key":{"above":[" # x"]}}`, "#.key.above[0]", "must begin with #"},
		{`{"key":{"above":["# x","# a\nname: evil"]}}`, "#.key.above[1]", "line break"},
		{`{"key":{"behind":"# a\rname: evil"}}`, "#.key.behind", "line break"},
		{`{"key":{"behind":"# a\u0085name: evil"}}`, "#.key.behind", "line break"},
		{`{"key":{"behind":"# a\u2028name: evil"}}`, "#.key.behind", "line break"},
		{`{"key":{"behind":"# a\u2029name: evil"}}`, "#.key.behind", "line break"},
		{`{"key":{"behind":"# a\u0000"}}`, "#.key.behind", "control character"},
		{`{"key":{"behind":"# \u001b[31m"}}`, "#.key.behind", "control character"},
		{`{"key":{"behind":"# \u007f"}}`, "#.key.behind", "control character"},
		{`{"key":{"behind":"# \uffff"}}`, "#.key.behind", "control character"},
		{`{"key":{"behind":7}}`, "#.key.behind", "must be a text"},
		{`{"key":{"as":7}}`, "#.key.as", "must be a text"},
		{`{"key":{"of":["a"]}}`, "#.key.of", "must be a text"},
		{`{"key":{},"key":{}}`, "#.key", "already stands"},
		{`{"key":{"above":` + strings.Repeat("[", 60) + strings.Repeat("]", 60) + `}}`, "", "nest deeper"},
	} {
		for at, src := range map[string][]byte{
			"jobs[1].tasks[0].": commented("", "", `,"#":`+c.remarks),
			"jobs[1].":          commented("", `,"#":`+c.remarks, ""),
			"":                  commented(`,"#":`+c.remarks, "", ""),
		} {
			if at == "" && strings.Contains(c.path, "tail") {
				continue // valid there
			}
			for what, faults := range map[string][]hive.Fault{
				"parse":   refusedBy(Parse(src, Options{})),
				"convert": refusedByConvert(src),
			} {
				if len(faults) != 1 || !strings.Contains(faults[0].Message, c.words) || faults[0].Remedy == "" ||
					faults[0].Line != 1 || faults[0].Column < 60 ||
					c.path != "" && faults[0].Path != at+c.path {
					t.Errorf("%s of %s at %q: %+v", what, c.remarks, at, faults)
				}
			}
		}
	}
	// Only schedules, jobs and tasks have remarks; params may have a key with that name.
	_, faults := Parse(commented(`,"policy":{"#":{}}`, "", ""), Options{})
	if len(faults) != 1 || faults[0].Path != "policy.#" || faults[0].Code != codeUnknownField {
		t.Error(faults)
	}
	_, faults = Parse([]byte(plainText+"\"#\": {}\n"), Options{})
	if len(faults) != 1 || faults[0].Path != "#" || faults[0].Code != codeUnknownField {
		t.Errorf("in YAML: %v", faults)
	}
	d, faults := Parse([]byte(strings.Replace(plainText, "command: run", `"#": {"": {above: [x]}}, labels: {"#": b}`,
		1)), Options{})
	if d == nil || !strings.Contains(string(d.JSON()), `"params":{"#":{"":{"above":["x"]}},"labels":{"#":"b"}}`) {
		t.Errorf("%v", faults)
	}
	throughJSON(t, d)
}

func refusedBy(_ *Document, faults []hive.Fault) []hive.Fault { return faults }

func refusedByConvert(src []byte) []hive.Fault {
	_, faults := Convert(src, Options{})
	return faults
}

// Remarks never change the definition, and the canonical text with them parses to the same comments.
func TestRemarksChangeNothing(t *testing.T) {
	t.Parallel()
	src, err := os.ReadFile("testdata/warehouse.canonical.yaml")
	if err != nil {
		t.Fatal(err)
	}
	good, _ := Parse(src, Options{Stored: true})
	def, err := json.Marshal(good.Definition)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		var tree map[string]any
		if err := json.Unmarshal(def, &tree); err != nil {
			t.Fatal(err)
		}
		objects := []map[string]any{tree}
		for _, job := range tree["jobs"].([]any) {
			objects = append(objects, job.(map[string]any))
			for _, task := range job.(map[string]any)["tasks"].([]any) {
				objects = append(objects, task.(map[string]any))
			}
		}
		given := 0
		for range rapid.IntRange(1, 5).Draw(t, "objects") {
			remarks := map[string]any{}
			for range rapid.IntRange(1, 4).Draw(t, "remarks") {
				given++
				remarks[drawPath(t)] = drawRemark(t, given)
			}
			objects[rapid.IntRange(0, len(objects)-1).Draw(t, "object")]["#"] = remarks
		}
		text, err := json.Marshal(tree)
		if err != nil {
			t.Fatal(err)
		}
		checkText(t, text)
		d, faults := Parse(text, Options{Stored: true})
		if d == nil {
			t.Fatalf("%v", faults)
		}
		again, err := json.Marshal(d.Definition)
		if err != nil || !bytes.Equal(again, def) {
			t.Fatalf("another definition: %v\n%s", err, again)
		}
		for _, line := range commentsIn(tree) {
			if !slices.Contains(allComments(d.root), line) {
				t.Fatalf("%q is lost:\n%s", line, d.Canonical)
			}
		}
	})
}

func drawPath(t *rapid.T) string {
	return rapid.SampledFrom([]string{
		"", "key", "handler", "params", "params.command", "params.list", "params.list[1]", "params.list[4].a",
		"params.list[9]", "needs", "needs[0]", "needs[5]",
		"retry", "retry.max", "retry.nothing", "labels.disk", "labels[\"true\"]", "tasks", "jobs", "jobs[0]",
		"jobs[0].tasks[0]", "name", "policy.catchUp",
		"triggers[0].cron", "triggers[1].dst.gap", "policy", "params.hex", "params.rate", "[", "]", ".", "a.b[3",
		"[\"", "title", "group", "onLost",
	}).Draw(t, "path")
}

func drawRemark(t *rapid.T, n int) map[string]any {
	r := map[string]any{}
	if rapid.Bool().Draw(t, "above") {
		r["above"] = []string{fmt.Sprintf("# above %d", n), fmt.Sprintf("#more: [%d", n)}
	}
	if rapid.Bool().Draw(t, "behind") {
		r["behind"] = fmt.Sprintf("# behind %d: \"x", n)
	}
	if rapid.Bool().Draw(t, "as") {
		r["as"] = rapid.SampledFrom([]string{
			"null", "0x1F", "0b1", "1.50", "# x", "a: b", "~", "7\nname: evil", "3e1",
			"031", "",
		}).Draw(t, "number")
	}
	if rapid.Bool().Draw(t, "of") {
		r["of"] = rapid.SampledFrom([]string{"a", "b", "two", ""}).Draw(t, "text")
	}
	return r
}

// commentsIn lists the comments of a tree, except the comments of the schedule itself, which are in top and tail.
func commentsIn(v any) []string {
	var out []string
	switch x := v.(type) {
	case map[string]any:
		for key, value := range x {
			lines, _ := value.([]string)
			text, _ := value.(string)
			switch key {
			case "above":
				out = append(out, lines...)
			case "behind":
				out = append(out, text)
			default:
				out = append(out, commentsIn(value)...)
			}
		}
	case []any:
		for _, one := range x {
			out = append(out, commentsIn(one)...)
		}
	}
	return out
}
