package cli_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rprp/hivego/e2e/harness"
)

// live returns a schedule whose task slow runs until the test ends it, while its siblings are repaired.
func live(dir string) string {
	return document("live", "",
		[]string{
			shell("a", "echo a >> "+dir+"/runs"), shell("bad", "exit 1"),
			shell("slow", "echo slow >> "+dir+"/runs; "+until(dir+"/go")),
		},
		[]string{
			shell("b", "echo b >> "+dir+"/runs", "needs: [a]"), shell("c", "echo c >> "+dir+"/runs", "needs: [bad]"),
			shell("d", "echo d >> "+dir+"/runs", "needs: [slow]"),
		})
}

// A batch is repaired while it runs: a running task is left alone unless it is named.
func TestRepairOfRunningBatch(t *testing.T) {
	t.Parallel()
	harness.Each(t, func(t *testing.T, opts harness.Options) {
		dir := t.TempDir()
		s := harness.NewServer(t, opts)
		s.Apply(live(dir))
		id := s.Run("live")
		text := fmt.Sprint(id)
		s.WaitBatch(id, "c is skipped, b has succeeded, slow runs", func(b harness.Batch) bool {
			return b.Task("c").State == "skipped" && b.Task("b").State == "succeeded" &&
				b.Task("slow").State == "running"
		})
		want(t, s.Try("mark", text, "slow", "--as", "success"), printed{2, "", `hivego mark: .*slow.*\n`})
		want(t, s.Try("mark", text, "bad", "--as", "skipped"),
			printed{stdout: `(?s)batch \d+, round 2, revision 1: mark as skip changes 2 tasks\n.*` +
				`bad +j1 +failed +ignored +asked\nc +j2 +skipped +waiting +skipped \(bad\)\n`})
		s.WaitBatch(id, "c has succeeded", func(b harness.Batch) bool { return b.Task("c").State == "succeeded" })
		want(t, s.Try("rerun", text, "a", "--downstream"), printed{stdout: `(?s).*rerun changes 2 tasks\n.*`})
		s.WaitBatch(id, "b has run again", func(b harness.Batch) bool {
			return b.Task("b").Attempts == 2 && b.Task("b").State == "succeeded"
		})
		want(t, s.Try("rerun", text, "slow"),
			printed{stdout: `(?s).*slow +j1 +running +waiting +asked, killed first\n`})
		s.WaitBatch(id, "slow runs again", func(b harness.Batch) bool {
			return b.Task("slow").Attempts == 2 && b.Task("slow").State == "running"
		})
		touch(t, dir, "go")
		b := s.WaitEnd(id)
		same(t, "states", b.States(), map[string]string{
			"a": "succeeded", "bad": "ignored", "slow": "succeeded", "b": "succeeded", "c": "succeeded",
			"d": "succeeded",
		})
		same(t, "attempts", attempts(&b), map[string]int{"a": 2, "bad": 1, "slow": 2, "b": 2, "c": 1, "d": 1})
		if b.State != "succeeded" {
			t.Errorf("the batch is %s", b.State)
		}
		same(t, "runs", lines(t, filepath.Join(dir, "runs")), map[string]int{"a": 2, "slow": 2, "b": 2, "c": 1, "d": 1})
	})
}

// A batch is paused, continued, canceled, and resumed.
func TestWishes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := harness.NewServer(t, harness.Options{})
	s.Apply(live(dir))
	id := s.Run("live")
	text := fmt.Sprint(id)
	running := func(n int) func(harness.Batch) bool {
		return func(b harness.Batch) bool {
			return b.Task("slow").State == "running" && b.Task("slow").Attempts == n && b.Task("b").State == "succeeded"
		}
	}
	s.WaitBatch(id, "slow runs", running(1))
	want(t, s.Try("pause", text), printed{stdout: `batch 1 is paused\n`})
	want(t, s.Try("rerun", text, "a"), printed{stdout: `(?s).+`})
	want(t, s.Try("why", text, "a"),
		printed{stdout: `a \((waiting|ready)\): the batch is paused; .hivego continue \d+. lets it go on\nsince .+Z\n`})
	want(t, s.Try("continue", text), printed{stdout: `batch 1 goes on\n`})
	s.WaitBatch(id, "a has run again",
		func(b harness.Batch) bool { return b.Task("a").Attempts == 2 && b.Task("a").State == "succeeded" })

	want(t, s.Try("cancel", text), printed{stdout: `batch 1 (is being canceled|has ended \(canceled\))\n`})
	b := s.WaitEnd(id)
	if b.State != "canceled" || b.Task("slow").State != "canceled" || b.Task("d").State != "canceled" {
		t.Errorf("the batch is %s: %v", b.State, b.States())
	}
	want(t, s.Try("pause", text), printed{2, "", `hivego pause: the batch has ended \(canceled\); .+\n`})
	touch(t, dir, "go")
	want(t, s.Try("mark", text, "bad", "--as", "success"), printed{stdout: `(?s).+`})
	s.WaitEnd(id)
	want(t, s.Try("resume", text, "--wait"),
		printed{stdout: `(?s).+slow +j1 +canceled +waiting +canceled\nd +j2 +canceled +waiting +canceled\n`})
	done := s.Batch(id)
	same(t, "attempts", attempts(&done), map[string]int{"a": 2, "bad": 1, "slow": 2, "b": 1, "c": 1, "d": 1})
}

// `run --wait` reports that a batch was canceled, and exits with 1.
func TestWaitForCanceled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := harness.NewServer(t, harness.Options{})
	s.Apply(document("hang", "", []string{shell("hang", until(dir+"/never"))}))
	p := s.Background("run", "hang", "--wait")
	harness.Eventually(t, "it runs", func() bool { return strings.HasPrefix(p.Output(), "1\n") })
	s.CLI("cancel", "1")
	if code := p.Wait(t); code != 1 || !strings.Contains(p.Output(), "batch 1 was canceled") {
		t.Errorf("exit %d\n%s", code, p.Output())
	}
}

// logs -f prints new lines, across a retry, and ends with the task.
func TestFollow(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := harness.NewServer(t, harness.Options{})
	script := fmt.Sprintf("echo begins; %s; echo ends; test -e %s/well || { touch %s/well; exit 5; }", until(dir+"/go"),
		dir, dir)
	s.Apply(document("talk", "", []string{shell("first", until(dir+"/first"))},
		[]string{shell("talk", script, "needs: [first]", "retry: {max: 1, delay: 0s}")}))
	s.Run("talk")
	p := s.Background("logs", "1", "talk", "-f") // before there is any line
	touch(t, dir, "first")
	harness.Eventually(t, "the first line is seen", func() bool { return strings.Contains(p.Output(), "out begins\n") })
	if p.Ended() || strings.Contains(p.Output(), "ends") {
		t.Errorf("the task still runs, and the log is at its end:\n%s", p.Output())
	}
	touch(t, dir, "go")
	if code := p.Wait(t); code != 0 {
		t.Errorf("exit %d\n%s", code, p.Output())
	}
	if both := s.CLI("logs", "1", "talk", "--attempt", "1") + s.CLI("logs", "1", "talk"); p.Output() != both {
		t.Errorf("what was followed:\n%s\nboth logs:\n%s", p.Output(), both)
	}
	b := s.WaitEnd(1)
	if b.State != "succeeded" || b.Task("talk").Attempts != 2 {
		t.Errorf("%s, %+v", b.State, b.Tasks)
	}
}
