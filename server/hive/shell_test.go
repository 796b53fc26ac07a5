package hive_test

import (
	"os/exec"
	"testing"

	"github.com/rprp/hivego/server/hive"
)

// Commands that texts propose can be pasted into a shell, whatever the names in them.
func TestShellWord(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"/var/lib/hivego-1": "/var/lib/hivego-1", "a b": "'a b'", "it's": `'it'\''s'`, "": "''", "$HOME": "'$HOME'",
		"数据":  "'数据'",
		"a`b": "'a`b'", "[x]": "'[x]'", "@Z{": "'@Z{'",
	} {
		if got := hive.ShellWord(word); got != want {
			t.Errorf("%q: %s, want %s", word, got, want)
		}
		out, err := exec.CommandContext(t.Context(), "sh", "-c", "printf %s "+hive.ShellWord(word)).Output()
		if err != nil || string(out) != word {
			t.Errorf("a shell reads %s as %q, %v", hive.ShellWord(word), out, err)
		}
	}
}
