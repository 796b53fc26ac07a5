package mask_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/rprp/hivego/executor/internal/mask"
)

const value = "c0rrect+h/rse %41"

func TestForms(t *testing.T) {
	t.Parallel()
	s := mask.New([]string{value, "short", "line one of it\nline two of it", " \tpadded one \n", "it's 'quoted'"})
	std, web := base64.StdEncoding, base64.URLEncoding
	quoted, err := json.Marshal("<" + value + "\">")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"itself":          value,
		"query":           url.QueryEscape(value),
		"path":            url.PathEscape(value),
		"all encoded":     "%63%30%72%72%65%63%74%2b%68%2F%72%73%65%20%25%34%31",
		"lower case":      strings.ToLower(url.QueryEscape(value)),
		"base64":          std.EncodeToString([]byte(value)),
		"base64 after 1":  std.EncodeToString([]byte("a" + value + "\n")),
		"base64 after 2":  std.EncodeToString([]byte("ab" + value + "c")),
		"basic auth":      std.EncodeToString([]byte("user:" + value)),
		"web base64":      web.EncodeToString([]byte("??" + value)),
		"base64 in query": url.QueryEscape(std.EncodeToString([]byte(value))),
		"json":            string(quoted),
		"one line":        "2: line two of it",
		"both lines":      "line one of it\nline two of it",
		"trimmed":         "padded one",
		"in SQL":          "it''s ''quoted''",
	} {
		got := s.String("before " + text + " after")
		if !strings.HasPrefix(got, "before ") || !strings.HasSuffix(got, " after") ||
			!strings.Contains(got, mask.Text) {
			t.Errorf("%s: %q", name, got)
		}
		for n := range len(text) - 5 { // base64 keeps characters that depend on the neighbors too
			if part := text[n : n+6]; strings.Contains(value, part) && strings.Contains(got, part) {
				t.Errorf("%s: %q shows %q", name, got, part)
			}
		}
		if name != "json" && name != "one line" && name != "trimmed" && len(got) > len("before *** after")+10 {
			t.Errorf("%s: %q shows too much", name, got)
		}
	}
	for _, text := range []string{"short", "nothing", "c0rrect+h/rse", "", "%", "100%", "%4"} {
		if got := s.String(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// Base64 with line breaks, as the program base64 writes it.
func TestWrapped(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("0123456789abcdefghij", 30)
	text := base64.StdEncoding.EncodeToString([]byte(long))
	for _, width := range []int{1, 3, 64, 76} {
		var b strings.Builder
		for part := range strings.SplitSeq(text, "") {
			b.WriteString(part)
			if (b.Len()+1)%(width+1) == 0 {
				b.WriteString("\n")
			}
		}
		if got := strings.ReplaceAll(mask.New([]string{long}).String(b.String()), "\n", ""); len(got) > 12 {
			t.Errorf("width %d: %q", width, got)
		}
	}
}

// Values that overlap are masked as a whole.
func TestOverlap(t *testing.T) {
	t.Parallel()
	s := mask.New([]string{"abcdefgh", "efghijkl", "ijklmnop"})
	if got := s.String("-abcdefghijklmnop-abcdefgh-efgh"); got != "-***-***-efgh" {
		t.Error(got)
	}
	if mask.New([]string{"", "12345"}) != nil || (*mask.Set)(nil).String("x") != "x" {
		t.Error("a set of nothing")
	}
}

// A long value that repeats itself must not make the search slow.
func TestLongValue(t *testing.T) {
	t.Parallel()
	s := mask.New([]string{strings.Repeat("a", 16<<10)})
	got := s.String(strings.Repeat("a", 100<<10))
	if got != mask.Text {
		t.Errorf("%d bytes, %.20q", len(got), got)
	}
}

// However a text is cut into writes, the result is the same, no value is in it, and what is no value stays.
func TestAnySplit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		values := rapid.SliceOfN(rapid.StringMatching(`[ab%+ 2 5\n]{6,12}`), 1, 3).Draw(rt, "values")
		s := mask.New(values)
		encode := []func(string) string{
			func(v string) string { return v }, url.QueryEscape, url.PathEscape,
			func(v string) string { return base64.StdEncoding.EncodeToString([]byte(v)) },
			func(v string) string { return base64.URLEncoding.EncodeToString([]byte("x" + v + "y")) },
		}
		var b strings.Builder
		for range rapid.IntRange(1, 6).Draw(rt, "parts") {
			if rapid.Bool().Draw(rt, "noise") {
				b.WriteString(rapid.StringMatching(`[ab%+ 25Q\n]{0,8}`).Draw(rt, "text"))
				continue
			}
			v := rapid.SampledFrom(values).Draw(rt, "value")
			b.WriteString(rapid.SampledFrom(encode).Draw(rt, "form")(v))
		}
		text := b.String()
		want := s.String(text)
		for _, v := range values {
			for _, form := range encode[:4] {
				if strings.Contains(want, form(v)) {
					rt.Fatalf("%q shows %q", want, form(v))
				}
			}
		}
		var got []byte
		m := s.Stream()
		for rest := []byte(text); len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(rt, "cut")
			got = append(got, m.Write(rest[:n])...)
			rest = rest[n:]
		}
		got = append(got, m.Flush()...)
		if string(got) != want {
			rt.Fatalf("in pieces %q, at once %q", got, want)
		}
	})
}

func FuzzSplit(f *testing.F) {
	f.Add("secret value", "a secret%20value b", 5)
	f.Add("%25%25%25", "%25%2525%25", 3)
	f.Fuzz(func(t *testing.T, value, text string, at int) {
		s := mask.New([]string{value})
		if s == nil || strings.Contains(value, "*") { // a mask may look like such a value
			return
		}
		whole := s.String(text)
		if strings.Contains(whole, value) {
			t.Errorf("%q shows %q", whole, value)
		}
		cut := 0
		if at > 0 && len(text) > 0 {
			cut = at % len(text)
		}
		m := s.Stream()
		var b bytes.Buffer
		b.Write(m.Write([]byte(text[:cut])))
		b.Write(m.Write([]byte(text[cut:])))
		b.Write(m.Flush())
		if b.String() != whole {
			t.Errorf("in pieces %q, at once %q", b.String(), whole)
		}
	})
}

func BenchmarkStream(b *testing.B) {
	s := mask.New([]string{value, strings.Repeat("0123456789", 100), "another secret"})
	line := []byte("2026-11-21T03:22:58Z loaded 12,345 rows of customers into the warehouse in 12.3 seconds\n")
	b.SetBytes(int64(len(line)))
	m := s.Stream()
	for b.Loop() {
		m.Write(line)
	}
}
