package document_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
)

func options() document.Options {
	return document.Options{Now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
}

// parse reads a valid text.
func parse(t interface {
	Helper()
	Fatalf(string, ...any)
}, src []byte, o document.Options,
) *document.Document {
	t.Helper()
	d, faults := document.Parse(src, o)
	if d == nil || hive.Refused(faults) {
		t.Fatalf("refused: %v\n%s", faults, src)
	}
	return d
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	src, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

func TestCanonical(t *testing.T) {
	t.Parallel()
	d := parse(t, read(t, "warehouse.yaml"), options())
	if want := read(t, "warehouse.canonical.yaml"); !bytes.Equal(d.Canonical, want) {
		t.Errorf("canonical:\n%s", d.Canonical)
	}
	if len(d.Hash) != 64 {
		t.Errorf("hash %q", d.Hash)
	}
	again := parse(t, d.Canonical, options())
	if !bytes.Equal(again.Canonical, d.Canonical) || again.Hash != d.Hash {
		t.Errorf("not stable:\n%s", again.Canonical)
	}
	if !reflect.DeepEqual(again.Definition, d.Definition) {
		t.Errorf("another definition:\n%+v\n%+v", again.Definition, d.Definition)
	}
	formatted, err := document.Format(read(t, "warehouse.yaml"))
	if err != nil || !bytes.Equal(formatted, d.Canonical) {
		t.Errorf("format differs from parse: %v", err)
	}
}

func TestDefinition(t *testing.T) {
	t.Parallel()
	def := parse(t, read(t, "warehouse.yaml"), options()).Definition
	if def.Flow != "" || def.Policy.Overlap != "" || def.Policy.CatchUp.Grace != nil ||
		def.Policy.Timeout.Std() != 2*time.Hour {
		t.Errorf("head: %+v", def)
	}
	if want := map[string]any{
		"region": "east", "hex": int64(31), "rate": 1.5,
		"note": "yes",
	}; !reflect.DeepEqual(def.Params, want) {
		t.Errorf("params: %#v", def.Params)
	}
	c := def.Jobs[0].Tasks[2]
	if c.Params["command"] != "# this is no comment\necho \"a # b\"\n\nexit 0\n" {
		t.Errorf("command: %q", c.Params["command"])
	}
	if want := []any{int64(1), "two", true, nil, map[string]any{"a": "b"}}; !reflect.DeepEqual(c.Params["list"], want) {
		t.Errorf("list: %#v", c.Params["list"])
	}
	if e := def.Jobs[1].Tasks[1]; e.OnLost.Max == nil || *e.OnLost.Max != 0 || e.Description != "folded text\n" {
		t.Errorf("e: %+v", e)
	}
}

// A definition survives the way through the JSON of the API.
func TestFromDefinition(t *testing.T) {
	t.Parallel()
	def := parse(t, read(t, "warehouse.yaml"), options()).Definition
	d, faults := document.FromDefinition(def, options())
	if d == nil {
		t.Fatal(faults)
	}
	if !reflect.DeepEqual(d.Definition, def) {
		t.Errorf("another definition:\n%+v\n%+v", d.Definition, def)
	}
	if again := parse(t, d.Canonical, options()); !bytes.Equal(again.Canonical, d.Canonical) {
		t.Errorf("not stable:\n%s", again.Canonical)
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	src := "\uFEFF{\n\t\"apiVersion\": \"hivego/v1\", \"kind\": \"Schedule\", \"name\": \"x\",\n\t\"title\": " +
		"\"\\ud83d\\ude00 \\/\",\n" +
		"\t\"params\": {\"z\": 1, \"a\": 1e3, \"n\": 12345678901234567},\n\t\"jobs\": [{\"key\": \"a\", \"tasks\": " +
		"[{\"key\": \"t\", \"handler\": \"shell\"}]}]}"
	d := parse(t, []byte(src), options())
	want := "apiVersion: hivego/v1\nkind: Schedule\nname: x\ntitle: \"😀 /\"\nparams: {z: 1, a: 1e3, \"n\": " +
		"12345678901234567}\n" +
		"jobs:\n  - key: a\n    tasks:\n      - {key: t, handler: shell}\n"
	if got := string(d.Canonical); got != want {
		t.Errorf("canonical:\n%s", got)
	}
	if got := d.Definition.Params["a"]; got != 1000.0 {
		t.Errorf("a is %v", got)
	}
	parse(t, d.Canonical, options())
}

// Comments in all places stay with their key or item, in any layout.
func TestComments(t *testing.T) {
	t.Parallel()
	const head = "apiVersion: hivego/v1\nkind: Schedule\nname: x\n"
	for name, c := range map[string]struct{ src, want string }{
		"above the first key, with no empty line": {"# a\n" + head + "jobs: []\n", "# a\n" + head + "jobs: []\n"},
		"a head of two parts": {
			"\n# a\n\n\n# b\n\n" + head + "jobs: []\n",
			"# a\n\n# b\n\n" + head + "jobs: []\n",
		},
		"a disabled job": {
			head + "jobs:\n  - key: a\n    # until the move\n    disabled: true # ask Ada\n" +
				"  - {key: b, disabled: false}\n",
			head + "jobs:\n  - key: a\n    # until the move\n    disabled: true # ask Ada\n  - key: b\n",
		},
		"a default that a comment speaks of": {
			head + "flow: needs # because\njobs: []\n",
			head + "flow: needs # because\njobs: []\n",
		},
		"an empty field that a comment speaks of": {
			head + "params: # none yet\njobs: []\n",
			head + "params: null # none yet\njobs: []\n",
		},
		"inside of braces": {
			head + "jobs: [{key: a, # one\n  # above\n  title: b}] # end\n",
			head + "jobs:\n  - key: a # one\n    # above\n    title: b # end\n",
		},
		"behind a closing bracket on its own line": {
			head + "params: {a: b\n} # end\njobs: []\n", head + "params: {a: b}\n# end\njobs: []\n",
		},
		"behind block headers": {
			head + "description: |- # why\n  a # b\n  c\njobs: []\n", head +
				"description: |- # why\n  a # b\n  c\njobs: []\n",
		},
		"hashes in texts": {
			head + "title: a#b\ndescription: 'it''s # no\n  comment' # one\njobs: []\n",
			head + "title: \"a#b\"\ndescription: \"it's # no comment\"\n# one\njobs: []\n",
		},
		"quotes in plain texts": {
			head + "title: it \"is # one\njobs: []\n", head + "title: 'it \"is' # one\njobs: []\n",
		},
		"less indented than a block": {
			head + "jobs:\n  - key: a\n    description: |\n      x\n      # no comment\n    # a comment\n    " +
				"title: t\n",
			head + "jobs:\n  - key: a\n    # a comment\n    title: t\n    description: |\n      x\n      # no " +
				"comment\n",
		},
		"an explicit indentation": {
			head + "description: |2\n    x\n   # no\n # yes\njobs: []\n",
			head + "description: \"  x\\n # no\\n\"\n# yes\njobs: []\n",
		},
		"an empty block": {head + "description: |\n# yes\njobs: []\n", head + "# yes\njobs: []\n"},
		"on an item that becomes a block": {
			head + "jobs:\n  - {key: a, title: b} # one\n", head + "jobs:\n  # one\n  - key: a\n    title: b\n",
		},
		"windows line ends": {
			"# a\r\n\r\n" + strings.ReplaceAll(head, "\n", "\r\n") + "jobs: [] # b\r\n",
			"# a\n\n" + head + "jobs: [] # b\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := document.Format([]byte(c.src))
			if err != nil || string(got) != c.want {
				t.Fatalf("%v\n%s", err, got)
			}
			if again, err := document.Format(got); err != nil || !bytes.Equal(again, got) {
				t.Errorf("not stable: %v\n%s", err, again)
			}
		})
	}
}

func TestRemoveRedundant(t *testing.T) {
	t.Parallel()
	src := `apiVersion: hivego/v1
kind: Schedule
name: x
jobs:
  - key: one
    tasks:
      - {key: a, handler: shell}
      - {key: b, handler: shell}
  - key: two
    tasks:
      - {key: c, handler: shell, needs: [a, b]}
  - key: three
    tasks:
      - {key: d, handler: shell, needs: [a, c, b]}
      - key: e
        handler: shell
        needs:
          # for the figures
          - a
          - c
`
	d, faults := document.Parse([]byte(src), options())
	if len(faults) != 3 || hive.Refused(faults) {
		t.Fatalf("warnings: %v", faults)
	}
	if f := faults[0]; f.Line != 14 || f.Column != 42 || f.Path != "jobs[2].tasks[0].needs[0]" {
		t.Errorf("place: %+v", f)
	}
	less, n, err := document.RemoveRedundant(d)
	if err != nil || n != 3 {
		t.Fatal(n, err)
	}
	want := strings.Replace(src, "[a, c, b]", "[c]", 1)
	want = strings.Replace(want, "          - a\n", "", 1)
	if string(less.Canonical) != want {
		t.Errorf("got\n%s", less.Canonical)
	}
	if string(d.Canonical) != src {
		t.Errorf("the document itself was changed:\n%s", d.Canonical)
	}
	if _, n, err := document.RemoveRedundant(less); n != 0 || err != nil {
		t.Error(n, err)
	}
}

// drawText draws texts that YAML could read as something else.
func drawText(t *rapid.T, label string) string {
	return rapid.OneOf(
		rapid.StringOfN(rapid.RuneFrom([]rune("ab \t\n#:-?&*!|>'\"%@`{}[],\\~=.0123456789eExo_<yn"+
			"\u0085\u2028\uFEFF数😀\r\x1b")), 0, 12, -1),
		rapid.SampledFrom([]string{
			"", "null", "true", "~", "1e3", "0x1F", "2026-01-01", "12:30:00", "---", "...", "<<", "=", "a\n", "a\n\n",
			" a\nb",
		}),
		rapid.StringMatching(`[a-z]{120,130}`),
	).Draw(t, label)
}

// drawAny draws values of user maps.
func drawAny(t *rapid.T, depth int) any {
	switch n := rapid.IntRange(0, 7).Draw(t, "kind"); {
	case n == 0:
		return rapid.Bool().Draw(t, "bool")
	case n == 1:
		return rapid.Int64().Draw(t, "int")
	case n == 2:
		return rapid.Float64Range(-1e9, 1e9).
			Filter(func(f float64) bool { return f != float64(int64(f)) }).
			Draw(t, "float")
	case n == 3 && depth < 3:
		out := make([]any, rapid.IntRange(0, 3).Draw(t, "items"))
		for i := range out {
			out[i] = drawAny(t, depth+1)
		}
		return out
	case n == 4 && depth < 3:
		return drawMap(t, depth+1)
	default:
		return drawText(t, "text")
	}
}

func drawMap(t *rapid.T, depth int) map[string]any {
	out := map[string]any{}
	for range rapid.IntRange(0, 3).Draw(t, "entries") {
		out[drawText(t, "key")] = drawAny(t, depth)
	}
	return out
}

// The canonical text of any definition parses to the same definition and to the same canonical text.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		def := &hive.Definition{
			APIVersion: hive.APIVersion, Kind: hive.KindSchedule, Name: "x",
			Description: drawText(t, "description"),
			Policy:      hive.Policy{Timeout: drawDuration(t), Expire: drawDuration(t)},
			Jobs:        []hive.Job{},
		}
		for j := range rapid.IntRange(0, 3).Draw(t, "jobs") {
			job := hive.Job{Key: fmt.Sprintf("j%d", j), Description: drawText(t, "job")}
			for k := range rapid.IntRange(0, 3).Draw(t, "tasks") {
				task := hive.Task{Key: fmt.Sprintf("t%d_%d", j, k), Handler: "shell", Description: drawText(t, "task")}
				if params := drawMap(t, 0); len(params) > 0 {
					task.Params = params
				}
				if j > 0 && len(def.Jobs[j-1].Tasks) > 0 {
					task.Needs = []string{def.Jobs[j-1].Tasks[0].Key}
				}
				job.Tasks = append(job.Tasks, task)
			}
			def.Jobs = append(def.Jobs, job)
		}
		d, faults := document.FromDefinition(def, document.Options{Stored: true})
		if d == nil {
			t.Fatalf("refused: %v", faults)
		}
		if !reflect.DeepEqual(d.Definition, def) {
			a, _ := json.Marshal(def)
			b, _ := json.Marshal(d.Definition)
			t.Fatalf("through JSON\n%s\n%s", a, b)
		}
		again := parse(t, d.Canonical, document.Options{Stored: true})
		if !bytes.Equal(again.Canonical, d.Canonical) || again.Hash != d.Hash {
			t.Fatalf("not stable:\n%s\n%s", d.Canonical, again.Canonical)
		}
		if !reflect.DeepEqual(again.Definition, def) {
			a, _ := json.Marshal(def)
			b, _ := json.Marshal(again.Definition)
			t.Fatalf("through YAML\n%s\n%s\n%s", a, b, d.Canonical)
		}
	})
}

func drawDuration(t *rapid.T) hive.Duration {
	unit := rapid.SampledFrom([]time.Duration{
		time.Nanosecond, time.Millisecond, time.Second, time.Minute, time.Hour, 24 * time.Hour,
	}).Draw(t, "unit")
	return hive.Duration(time.Duration(rapid.IntRange(0, 100).Draw(t, "times")) * unit)
}
