package cli

import (
	"bytes"
	"testing"
)

func TestNothingSteersTheTerminal(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain 数据仓库":          "plain 数据仓库",
		"a\nb\tc\r\n":         "a b c",
		"\x1b[31mred\x1b[0m":  "\uFFFD[31mred\uFFFD[0m",
		"\x1b]0;title\a":      "\uFFFD]0;title\uFFFD",
		"\u009b2J":            "\uFFFD2J",
		"\u202Egpj.exe":       "\uFFFDgpj.exe",
		"a\u2066b\u2069":      "a\uFFFDb\uFFFD",
		"zero\u200Bwidth":     "zero\uFFFDwidth",
		"line\u2028paragraph": "line\uFFFDparagraph",
		"می\u200Cخواهم":       "می\u200Cخواهم",
		"\x00":                "\uFFFD",
		"\xff":                "\uFFFD",
	} {
		if got := oneLine(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	var b bytes.Buffer
	text := "one\x1b[2J\n\ttwo\r\u202E\n"
	if n, err := (messages{&b}).Write([]byte(text)); n != len(text) || err != nil ||
		b.String() != "one\uFFFD[2J\n\ttwo\uFFFD\uFFFD\n" {
		t.Errorf("%d %v %q", n, err, b.String())
	}
}

func TestAddress(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"127.0.0.1:3000":            "http://127.0.0.1:3000",
		"localhost:3000":            "http://localhost:3000",
		"[::1]:3000/":               "http://[::1]:3000",
		"hivego.example":            "https://hivego.example",
		"10.0.0.1:3000":             "https://10.0.0.1:3000",
		"http://10.0.0.1:3000":      "http://10.0.0.1:3000",
		"localhost.example:3000/x/": "https://localhost.example:3000/x",
	} {
		if got, err := (&connection{server: given}).address(); err != nil || got != want {
			t.Errorf("%s: %s %v, want %s", given, got, err, want)
		}
	}
}
