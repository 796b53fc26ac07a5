package document

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/rprp/hivego/server/hive"
)

const fuzzHead = "apiVersion: hivego/v1\nkind: Schedule\nname: x\n"

// FuzzParse: no text makes Parse panic. Every fault has a message and a position within the text. The canonical text of
// an accepted document parses to the same definition with the same comments, and to the same canonical text.
func FuzzParse(f *testing.F) {
	warehouse, err := os.ReadFile("testdata/warehouse.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(warehouse)
	for _, seed := range []string{
		"", "---\n", "# only\n", "{}", "[]", "null", "a", "a: b: c", "\tkey: x", "a: &x 1\nb: *x", "<<: {}",
		"!!map {}", "a: |\n", "? a\n: b",
		fuzzHead + "jobs: []\n---\n" +
			fuzzHead, `{"apiVersion":"hivego/v1","kind":"Schedule","name":"x","jobs":[{"key":"\u0000"}]}`,
		fuzzHead + "jobs:\n- key: a\n  tasks:\n  - {key: b, handler: shell, needs: b, retry: {max: x}} # c\n",
		fuzzHead + "jobs: [{key: a, # one\n tasks: [{key: b, handler: c}]}\n # two\n ] # three\n",
		fuzzHead + "description: |+2 # c\n    a\n\n# d\njobs: []",
		fuzzHead + "params: {a: 'it''s # not', \"b\\\"#\": 1} # yes\njobs: []\n",
		`{"apiVersion":"hivego/v1","kind":"Schedule","name":"x","#":{"":{"top":["# a"]},"jobs":{"behind":"# b"}},` +
			`"jobs":[{"key":"a","#":{"key":{"above":["# c"]}}}]}`,
		fuzzHead + "params: {a: 0x1F, b: 1_0, c: +.5, d: -0, e: 12345678901234567, f: 1.0} # numbers\njobs: []\n",
		fuzzHead + "params:\n  ? a\n  : - |-\n      x # y\n    - # z\n     - 1\njobs: []\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, src []byte) { checkText(t, src) })
}

func checkText(t interface {
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}, src []byte,
) {
	o := Options{Now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Limit: 1 << 16}
	d, faults := Parse(src, o)
	if (d == nil) != hive.Refused(faults) {
		t.Fatalf("document %v, faults %v", d != nil, faults)
	}
	for _, fault := range faults {
		lines := bytes.Count(src, []byte("\n")) + bytes.Count(src, []byte("\r")) + 2 +
			bytes.Count(src, []byte("\u0085")) +
			bytes.Count(src, []byte("\u2028")) + bytes.Count(src, []byte("\u2029"))
		if fault.Message == "" || fault.Remedy == "" || fault.Code == "" || fault.Line > lines {
			t.Errorf("no message or no position: %+v", fault)
		}
	}
	formatted, err := Format(src)
	if err == nil {
		again, err := Format(formatted)
		if err != nil || !bytes.Equal(formatted, again) {
			t.Fatalf("format is not stable: %v\n%s\n---- then\n%s", err, formatted, again)
		}
	}
	if d == nil {
		return
	}
	if err != nil || !bytes.Equal(formatted, d.Canonical) {
		t.Fatalf("format and parse differ: %v", err)
	}
	again, faults := Parse(d.Canonical, Options{Now: o.Now})
	if again == nil || !bytes.Equal(again.Canonical, d.Canonical) ||
		!reflect.DeepEqual(again.Definition, d.Definition) {
		t.Fatalf("another document: %v\n%s", faults, d.Canonical)
	}
	throughJSON(t, again)
	if a, b := allComments(d.root), allComments(again.root); !slices.Equal(a, b) {
		t.Fatalf("comments\n%q\n%q", a, b)
	}
}

// throughJSON checks that the canonical text survives the way through JSON byte for byte, also through a program that
// only has float64, such as a browser.
func throughJSON(t interface {
	Fatalf(format string, args ...any)
}, d *Document,
) {
	o := Options{Now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Limit: 1 << 22}
	text := d.JSON()
	if !json.Valid(text) {
		t.Fatalf("no JSON:\n%s", text)
	}
	for _, src := range [][]byte{text, browsed(text)} {
		back, faults := Parse(src, o)
		if back == nil || !bytes.Equal(back.Canonical, d.Canonical) {
			got := ""
			if back != nil {
				got = string(back.Canonical)
			}
			t.Fatalf("through JSON: %v\n%s\n----\n%s\n----\n%s", faults, d.Canonical, src, got)
		}
	}
}

// browsed returns JSON like JSON.stringify(JSON.parse(text)) in a browser: numbers are float64.
func browsed(text []byte) []byte {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var out bytes.Buffer
	var walk func()
	walk = func() {
		token, _ := d.Token()
		switch x := token.(type) {
		case json.Delim:
			out.WriteRune(rune(x))
			for first := true; d.More(); first = false {
				if !first {
					out.WriteByte(',')
				}
				if x == '{' {
					walk()
					out.WriteByte(':')
				}
				walk()
			}
			_, _ = d.Token()
			out.WriteRune(rune(x + 2)) // the closing one
		case json.Number:
			f, _ := x.Float64()
			out.WriteString(shortFloat(f))
		default:
			one, _ := json.Marshal(x)
			out.Write(one)
		}
	}
	walk()
	return out.Bytes()
}

// allComments lists the comments of a tree, sorted.
func allComments(root *node) []string {
	out := append(slices.Clone(root.top), root.tail...)
	for _, a := range collect(root, nil) {
		out = append(out, a.at.head...)
		out = append(out, a.at.note)
	}
	out = slices.DeleteFunc(out, func(s string) bool { return s == "" })
	slices.Sort(out)
	return out
}

// All comments of a text are found, and no text of a scalar counts as a comment.
func TestCommentsFound(t *testing.T) {
	t.Parallel()
	src, err := os.ReadFile("testdata/warehouse.yaml")
	if err != nil {
		t.Fatal(err)
	}
	d, _ := Parse(src, Options{Stored: true})
	want := 0
	for line := range strings.Lines(string(src)) {
		if strings.Contains(line, "#") && !strings.Contains(line, "echo") && !strings.Contains(line, "no comment") {
			want++
		}
	}
	if got := allComments(d.root); len(got) != want {
		t.Errorf("%d comments of %d: %q", len(got), want, got)
	}
}

// checkText holds for texts with comments in random places, and with random indentation and line breaks.
func TestCommentsAnywhere(t *testing.T) {
	t.Parallel()
	src, err := os.ReadFile("testdata/warehouse.yaml")
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		lines := strings.Split(string(src), "\n")
		for i := range rapid.IntRange(1, 12).Draw(t, "comments") {
			at := rapid.IntRange(0, len(lines)-1).Draw(t, "line")
			text := fmt.Sprintf("# comment %d", i)
			switch rapid.IntRange(0, 3).Draw(t, "where") {
			case 0:
				lines[at] += " " + text
			case 1:
				lines = slices.Insert(lines, at, "", text)
			case 2:
				if head, tail, ok := strings.Cut(lines[at], ", "); ok {
					lines = slices.Replace(lines, at, at+1, head+", "+text, strings.Repeat(" ", 12)+tail)
				}
			default:
				lines = slices.Insert(lines, at, strings.Repeat(" ", rapid.IntRange(0, 12).Draw(t, "indent"))+text)
			}
		}
		checkText(t, []byte(strings.Join(lines, "\n")))
	})
}
