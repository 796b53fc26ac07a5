package cli_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/rprp/hivego/e2e/harness"
)

// What ends calls its hooks, one after another, whatever becomes of the one before. The batch and its round show them.
func TestHooks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := harness.NewServer(t, harness.Options{Args: []string{"--slots", "2"}})
	note := func(words string, more ...string) string {
		return fmt.Sprintf("{handler: shell, params: {command: %q}}", strings.Join(append([]string{
			`echo "` + words + ` $HIVEGO_EVENT_STATE $HIVEGO_EVENT_TASK $HIVEGO_EVENT_ROUND" >> ` + dir + "/notes",
		}, more...), "\n"))
	}
	head := "onFailure:\n  - " + note("one", "echo gone >&2", "exit 3") + "\n  - " + note("two") +
		"\nonEnd:\n  - " + note("three") + "\n"
	s.Apply(document("hooked", head, []string{
		shell("a", until(dir+"/go")+"; test -e "+dir+"/good", "onEnd: ["+note("four")+"]"),
	}))
	s.Run("hooked")
	s.WaitBatch(1, "a runs", func(b harness.Batch) bool { return b.Task("a").State == "running" })
	if words := s.CLI("batch", "1"); strings.Contains(words, "HOOKS") {
		t.Errorf("a batch without called hooks shows some:\n%s", words)
	}
	touch(t, dir, "go")
	if b := s.WaitEnd(1); b.State != "failed" {
		t.Errorf("batch: %+v", b)
	}
	notes := func(n int) string {
		harness.Eventually(t, fmt.Sprintf("%d hooks have run", n), func() bool {
			raw, _ := os.ReadFile(dir + "/notes")
			return strings.Count(string(raw), "\n") >= n
		})
		s.WaitEnd(2)
		s.WaitEnd(3)
		raw, err := os.ReadFile(dir + "/notes")
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	got, words := notes(4), "one failed a 1\ntwo failed a 1\nthree failed a 1\n"
	if strings.Replace(got, "four failed a 1\n", "", 1) != words {
		t.Errorf("notes:\n%s", got)
	}
	row := `\d+ +(batch|task a) +failed +1 +(failed|succeeded) +.+\n`
	if words := s.CLI("batch", "1"); !whole(`(?s).+\nHOOKS +OF +AFTER +ROUND +STATE +STARTED +TOOK\n(?-s:` + row + row +
		`)`).MatchString(words) {
		t.Errorf("the batch:\n%s", words)
	}
	list := s.CLI("batches", "--hooks-of", "1")
	if strings.Count(list, " hook ") != 2 || strings.Contains(s.CLI("batches"), " hook ") {
		t.Errorf("its hooks:\n%s", list)
	}
	failed := hooksOf(t, list, " failed ")
	if log := s.CLI("logs", failed, "onFailure-1"); !strings.Contains(log, "gone") {
		t.Errorf("the log of the hook:\n%s", log)
	}
	if words := s.CLI("batch", failed); !strings.Contains(words, "hooks of batch 1") {
		t.Errorf("the batch of the hooks:\n%s", words)
	}

	touch(t, dir, "good")
	s.CLI("resume", "1")
	if b := s.WaitEnd(1); b.State != "succeeded" || b.Round != 2 {
		t.Errorf("batch: %+v", b)
	}
	got = notes(6)
	if strings.Count(got, "three succeeded  2\n") != 1 || strings.Count(got, "four succeeded a 2\n") != 1 {
		t.Errorf("notes of the second round:\n%s", got)
	}
}

// hooksOf returns the id of the batch in the first row of a list with these words.
func hooksOf(t *testing.T, list, words string) string {
	t.Helper()
	for line := range strings.Lines(list) {
		if strings.Contains(line, words) {
			id, _, _ := strings.Cut(strings.TrimSpace(line), " ")
			return id
		}
	}
	t.Fatalf("no row has %q:\n%s", words, list)
	return ""
}
