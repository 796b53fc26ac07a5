package tasklog

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func clock() time.Time { return time.Date(2026, 11, 21, 3, 22, 58, 114_000_000, time.UTC) }

const stamp = "2026-11-21T03:22:58.114Z "

// write runs f on a new log and returns the log's text.
func write(t testing.TB, dir string, limit int64, f func(w *Writer)) string {
	t.Helper()
	path := filepath.Join(dir, "log")
	_ = os.Remove(path)
	w, err := Open(path, limit, clock)
	if err != nil {
		t.Fatal(err)
	}
	f(w)
	if err := w.Close(""); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if int64(len(data)) != w.Size() {
		t.Fatalf("size %d, file %d", w.Size(), len(data))
	}
	return string(data)
}

// A log whose last line was cut continues on a new line.
func TestOpenAfterACutLine(t *testing.T) {
	t.Parallel()
	for before, want := range map[string]string{
		"":                stamp + "sys on\n",
		stamp + "out a\n": stamp + "out a\n" + stamp + "sys on\n",
		stamp + "out a":   stamp + "out a\n" + stamp + "sys on\n",
	} {
		path := filepath.Join(t.TempDir(), "log")
		if err := os.WriteFile(path, []byte(before), 0o600); err != nil {
			t.Fatal(err)
		}
		w, err := Open(path, 0, clock)
		if err != nil {
			t.Fatal(err)
		}
		w.Sys("on")
		if err := w.Close(""); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != want || w.Size() != int64(len(got)) {
			t.Errorf("%q %v, size %d; want %q", got, err, w.Size(), want)
		}
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name   string
		chunks []string
		want   []string
	}{
		{"complete lines", []string{"a\nb\n"}, []string{"out a", "out b"}},
		{"a line in pieces", []string{"a", "b", "c\n"}, []string{"out abc"}},
		{"an unfinished line is kept", []string{"a\nb"}, []string{"out a", "out b"}},
		{"empty lines", []string{"\n\n"}, []string{"out ", "out "}},
		{"windows", []string{"a\r\nb\r", "\nc\r\n"}, []string{"out a", "out b", "out c"}},
		{"a progress bar", []string{"10%\r20%\r"}, []string{"out 10%", "out 20%"}},
		{"binary", []string{"a\x00b\xffc\td\x1b[1m\n"}, []string{"out a\ufffdb\ufffdc\td\x1b[1m"}},
		{"chinese in pieces", []string{"\xe4\xb8", "\xad\n"}, []string{"out 中"}},
		{"second block of controls", []string{"a\u0085b\n"}, []string{"out a\ufffdb"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := write(t, t.TempDir(), 0, func(w *Writer) {
				p := w.Pipe(Out)
				for _, chunk := range c.chunks {
					_, _ = p.Write([]byte(chunk))
				}
			})
			want := ""
			for _, line := range c.want {
				want += stamp + line + "\n"
			}
			if got != want {
				t.Fatalf("got %q, want %q", got, want)
			}
		})
	}
}

func TestLimit(t *testing.T) {
	t.Parallel()
	got := write(t, t.TempDir(), 20_000, func(w *Writer) {
		w.Sys("begin")
		p := w.Pipe(Err)
		for range 10_000 {
			_, _ = p.Write([]byte(strings.Repeat("x", 70) + "\n"))
		}
		w.Sys("end %d", 7)
	})
	if len(got) > 20_000 {
		t.Fatalf("%d bytes", len(got))
	}
	lines := strings.Split(strings.TrimSpace(got), "\n")
	if n := strings.Count(got, "the log is cut here"); n != 1 {
		t.Fatalf("%d notices", n)
	}
	if last := lines[len(lines)-1]; last != stamp+"sys end 7" {
		t.Fatalf("last line %q", last)
	}
}

func TestLongLine(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("中", MaxLine) // three bytes each
	got := write(t, t.TempDir(), 0, func(w *Writer) { w.Line(Out, long) })
	text := ""
	for line := range strings.Lines(got) {
		line = strings.TrimSuffix(strings.TrimPrefix(line, stamp+"out "), "\n")
		if len(line) > MaxLine {
			t.Fatalf("a line of %d bytes", len(line))
		}
		text += line
	}
	if text != long {
		t.Fatal("the long line came back changed")
	}
}

// For any bytes in any pieces, the log has only well-formed lines, and it does not depend on the pieces.
func TestAnyBytes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	form := regexp.MustCompile(`^2026-11-21T03:22:58\.114Z err [^\n\r\x00]*\n$`)
	rapid.Check(t, func(rt *rapid.T) {
		data := rapid.SliceOf(rapid.Byte()).Draw(rt, "data")
		cuts := rapid.SliceOfN(rapid.IntRange(0, len(data)), 0, 4).Draw(rt, "cuts")
		one := write(t, dir, 0, func(w *Writer) { _, _ = w.Pipe(Err).Write(data) })
		parts := write(t, dir, 0, func(w *Writer) {
			p, last := w.Pipe(Err), 0
			for _, c := range cuts {
				if c > last {
					_, _ = p.Write(data[last:c])
					last = c
				}
			}
			_, _ = p.Write(data[last:])
		})
		if one != parts {
			rt.Fatalf("the pieces change the log: %q, %q", one, parts)
		}
		if !utf8.ValidString(one) || strings.IndexByte(one, 0) >= 0 {
			rt.Fatalf("not clean: %q", one)
		}
		for line := range strings.Lines(one) {
			if !form.MatchString(line) {
				rt.Fatalf("line %q", line)
			}
		}
	})
}
