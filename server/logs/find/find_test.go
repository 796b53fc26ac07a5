package find

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/rprp/hivego/server/hive"
)

const mark = "2026-11-21T03:22:58.114Z "

// memory is a log in memory, read in pieces of at most `most` bytes.
type memory struct {
	text  []byte
	most  int64
	reads int64
}

func (m *memory) read(_ context.Context, offset, limit int64) (hive.LogPart, error) {
	size := int64(len(m.text))
	from := min(offset, size)
	p := hive.LogPart{Data: m.text[from:min(from+min(limit, m.most), size)], Offset: offset, Size: size, Complete: true}
	m.reads += int64(len(p.Data))
	return p, nil
}

func still() time.Time { return time.Time{} }

// find searches for a text and returns the place with its line.
func find(t *testing.T, text string, q hive.LogQuery) (hive.LogPlace, string) {
	t.Helper()
	m := &memory{text: []byte(text), most: piece}
	p, err := NewFinder(still).Find(t.Context(), 1, m.read, q)
	if err != nil {
		t.Fatal(err)
	}
	if !p.Found {
		return p, ""
	}
	return p, string(lineAt(m.text, int(p.Offset)))
}

// lines writes a log. Each line begins with its stream; `>` before it marks the line that is to be found.
func lines(text string) (log, want string) {
	var b strings.Builder
	for line := range strings.Lines(strings.TrimSpace(text)) {
		line = strings.TrimSuffix(line, "\n")
		rest, wanted := strings.CutPrefix(line, ">")
		b.WriteString(mark + rest + "\n")
		if wanted {
			want = mark + rest
		}
	}
	return b.String(), want
}

func TestCause(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("testdata/causes.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range strings.Split(string(file), "\n== ")[1:] {
		name, text, _ := strings.Cut(c, "\n")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log, want := lines(text)
			if _, got := find(t, log, hive.LogQuery{}); got != want {
				t.Errorf("found %q, want %q", got, want)
			}
		})
	}
}

func TestCauseIsNearTheEnd(t *testing.T) {
	t.Parallel()
	noise := strings.Repeat(mark+"out row 1 of many\n", 2*tail/40)
	old, _ := lines("err ERROR: an old one")
	log, want := lines("out loading\n>err ERROR: a new one\nsys exit code 1 after 3s")
	p, got := find(t, old+noise+log, hive.LogQuery{})
	if got != want || p.Line != int64(strings.Count(old+noise, "\n"))+2 {
		t.Errorf("%+v %q", p, got)
	}
	if p, got = find(t, old+noise+noise, hive.LogQuery{}); p.Found {
		t.Errorf("found %q, far from the end", got)
	}
	if p, got = find(t, old+noise, hive.LogQuery{Next: true}); got != strings.TrimSpace(old) || p.Line != 1 {
		t.Errorf("%+v %q", p, got)
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	log, _ := lines("out one\nerr Two\nout two err\nout 数据 TWO\nsys exit code 0 after 1s")
	at := func(n int) int64 { return int64(strings.Index(log, strings.SplitAfter(log, "\n")[n])) }
	for _, c := range []struct {
		q    hive.LogQuery
		want int64 // line; 0: none
	}{
		{hive.LogQuery{Text: "two"}, 2},
		{hive.LogQuery{Text: "TWO", From: at(1)}, 2},
		{hive.LogQuery{Text: "two", From: at(1) + 1}, 3},
		{hive.LogQuery{Text: "two", From: at(3) + 1}, 0},
		{hive.LogQuery{Text: "two", From: 1 << 40}, 0},
		{hive.LogQuery{Text: "err"}, 3}, // the mark of line 2 is not its text
		{hive.LogQuery{Text: "数据"}, 4},
		{hive.LogQuery{Text: "据 t"}, 4},
		{hive.LogQuery{Text: "two", Backwards: true}, 4},
		{hive.LogQuery{Text: "two", Backwards: true, From: at(3)}, 3},
		{hive.LogQuery{Text: "two", Backwards: true, From: at(3) + 1}, 4},
		{hive.LogQuery{Text: "err", Backwards: true}, 3},
		{hive.LogQuery{Text: "2026", Backwards: true}, 0},
		{hive.LogQuery{Text: "one", Backwards: true, From: at(4)}, 1},
		{hive.LogQuery{Line: 1}, 1},
		{hive.LogQuery{Line: 5}, 5},
		{hive.LogQuery{Line: 6}, 0},
	} {
		p, _ := find(t, log, c.q)
		if p.Found != (c.want > 0) || p.Line != c.want || p.Size != int64(len(log)) || !p.Found && !p.Complete ||
			p.Found && p.Offset != at(int(c.want)-1) {
			t.Errorf("%+v: %+v, want line %d", c.q, p, c.want)
		}
	}
	if p, _ := find(t, "", hive.LogQuery{Text: "x"}); p.Found || !p.Complete {
		t.Errorf("in an empty log: %+v", p)
	}
	if p, got := find(t, "no mark\nERR here", hive.LogQuery{Text: "err"}); got != "ERR here" || p.Line != 2 {
		t.Errorf("in a log of somebody else, without an end: %+v", p)
	}
}

// A search that is too long for one query continues where it stopped, and reads at most one line twice.
func TestLongSearch(t *testing.T) {
	t.Parallel()
	line := []byte(mark + "out " + strings.Repeat("x", 970) + "\n")
	text := append(bytes.Repeat(line, 10<<20/len(line)), []byte(mark+"err here\n")...)
	m := &memory{text: text, most: piece}
	f := NewFinder(still)
	f.most = 4 << 20
	var from int64
	for asked := 1; ; asked++ {
		before := m.reads
		p, err := f.Find(t.Context(), 1, m.read, hive.LogQuery{Text: "HERE", From: from})
		if err != nil {
			t.Fatal(err)
		}
		if p.Found {
			if want := int64(bytes.Count(text, []byte{'\n'})); asked != 3 || p.Line != want {
				t.Errorf("found at line %d of %d, asked %d times", p.Line, want, asked)
			}
			break
		}
		if read := m.reads - before; p.Complete || p.Next <= from || read > f.most+3*piece {
			t.Fatalf("%+v after %d bytes", p, read)
		}
		from = p.Next
	}
	before := m.reads // the lines are known now
	p, err := f.Find(t.Context(), 1, m.read, hive.LogQuery{Line: 5000})
	if err != nil || p.Offset != 4999*int64(len(line)) || m.reads-before > 3*piece {
		t.Errorf("%+v %v, %d bytes", p, err, m.reads-before)
	}
	p, err = f.Find(t.Context(), 1, m.read, hive.LogQuery{Text: "out", Backwards: true, From: int64(len(text))})
	if err != nil || p.Found || p.Complete {
		t.Errorf("%+v %v", p, err)
	}
}

// When the time is over, the answer has the offset at which to continue, and the counts stay.
func TestPatience(t *testing.T) {
	t.Parallel()
	text := bytes.Repeat([]byte(mark+"out x\n"), 5<<20/31)
	m := &memory{text: text, most: piece}
	var now time.Time
	f := NewFinder(func() time.Time { now = now.Add(patience / 3); return now })
	want := int64(bytes.Count(text, []byte{'\n'}))
	p, err := f.Find(t.Context(), 1, m.read, hive.LogQuery{Line: want})
	if err != nil || p.Found || p.Complete || p.Next == 0 {
		t.Fatalf("%+v %v", p, err)
	}
	for asked := 0; !p.Found; asked++ {
		if p, err = f.Find(t.Context(), 1, m.read, hive.LogQuery{Line: want}); err != nil || asked > 5 {
			t.Fatalf("%+v %v", p, err)
		}
	}
	if p.Offset != int64(len(text)-31) {
		t.Errorf("%+v", p)
	}
}

// An error near the end is found, however slow the machine.
func TestCauseWithoutTime(t *testing.T) {
	t.Parallel()
	noise := bytes.Repeat([]byte(mark+"out record of the load\n"), 6<<20/48)
	text := slices.Concat(noise, []byte(mark+"err fatal: the disk is full\n"), noise[:40<<10/48*48],
		[]byte(mark+"out and a last word\n"))
	want := int64(bytes.Index(text, []byte(mark+"err fatal")))
	for name, step := range map[string]time.Duration{
		"in time": 0, "late at once": 2 * patience,
		"late half way": patience / 3,
	} {
		var now time.Time
		f := NewFinder(func() time.Time { now = now.Add(step); return now })
		m := &memory{text: text, most: piece}
		p, err := f.Find(t.Context(), 1, m.read, hive.LogQuery{})
		if err != nil || !p.Found || p.Offset != want {
			t.Errorf("%s: %+v %v, want %d", name, p, err, want)
		}
	}
}

// For every log and every size of pieces, the answers equal the answers of a simple search.
func TestAsPlain(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		var b strings.Builder
		all := rapid.SliceOfN(rapid.SampledFrom([]string{"", "a", "B", "ab", "aab", "数a"}), 0, 30).Draw(rt, "lines")
		for _, l := range all {
			if rapid.Bool().Draw(rt, "marked") {
				b.WriteString(mark + "out ")
			}
			b.WriteString(l + "\n")
		}
		text := strings.TrimSuffix(b.String(), rapid.SampledFrom([]string{"", "\n"}).Draw(rt, "cut"))
		m := &memory{text: []byte(text), most: rapid.Int64Range(1, 80).Draw(rt, "most")}
		q := hive.LogQuery{
			Text: rapid.SampledFrom([]string{"a", "AB", "b", "数"}).Draw(rt, "text"), Backwards: rapid.Bool().Draw(rt,
				"backwards"),
			From: rapid.Int64Range(0, int64(len(text))).Draw(rt, "from"),
		}
		got, err := NewFinder(still).Find(t.Context(), 1, m.read, q)
		if err != nil {
			rt.Fatal(err)
		}
		offset, number, want := int64(0), int64(0), hive.LogPlace{}
		for line := range strings.Lines(text) {
			number++
			_, n := parse([]byte(line))
			hit := strings.Contains(strings.ToLower(strings.TrimSuffix(line[n:], "\n")), strings.ToLower(q.Text))
			switch {
			case !hit:
			case q.Backwards && (q.From == 0 || offset < q.From), !q.Backwards && offset >= q.From && !want.Found:
				want.Found, want.Offset, want.Line = true, offset, number
			}
			offset += int64(len(line))
		}
		if got.Found != want.Found || got.Offset != want.Offset || got.Line != want.Line {
			rt.Fatalf("%+v in %q: %s, want %s", q, text, fmt.Sprint(got), fmt.Sprint(want))
		}
		if want.Found {
			at, err := NewFinder(still).Find(t.Context(), 1, m.read, hive.LogQuery{Line: want.Line})
			if err != nil || at.Offset != want.Offset {
				rt.Fatalf("line %d of %q: %+v %v", want.Line, text, at, err)
			}
		}
	})
}
