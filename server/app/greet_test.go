package app

import (
	"os/exec"
	"testing"
)

// What a server prints at its start may be pasted into a shell, whatever its folder is called.
func TestQuote(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"/var/lib/hivego-1": "/var/lib/hivego-1", "a b": "'a b'", "it's": `'it'\''s'`, "": "''", "$HOME": "'$HOME'", "数据": "'数据'",
		"a`b": "'a`b'", "[x]": "'[x]'", "@Z{": "'@Z{'",
	} {
		if got := quote(word); got != want {
			t.Errorf("%q: %s, want %s", word, got, want)
		}
		out, err := exec.CommandContext(t.Context(), "sh", "-c", "printf %s "+quote(word)).Output()
		if err != nil || string(out) != word {
			t.Errorf("a shell reads %s as %q, %v", quote(word), out, err)
		}
	}
}

func TestPlaceWords(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"":                           "--data 'my data'",
		"sqlite:x.db":                "--data 'my data' --database-url sqlite:x.db",
		"postgres://ada@db/hive":     "--data 'my data' --database-url postgres://ada@db/hive",
		"postgres:///hive?host=/pg":  "--data 'my data' --database-url 'postgres:///hive?host=/pg'",
		"postgres://ada:s@db/hive":   `--data 'my data' --database-url "${HIVEGO_DATABASE_URL:?is not set here}"`,
		"postgres://db/h?password=s": `--data 'my data' --database-url "${HIVEGO_DATABASE_URL:?is not set here}"`,
	} {
		if got := placeWords("my data", url); got != want {
			t.Errorf("%q: %s, want %s", url, got, want)
		}
	}
}
