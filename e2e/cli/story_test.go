package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rprp/hivego/e2e/harness"
)

// A new user has just started HiveGo and follows the README.
func TestStory(t *testing.T) {
	t.Parallel()
	harness.Each(t, func(t *testing.T, opts harness.Options) {
		s := harness.NewServer(t, opts)
		list := s.CLI("schedules")
		for _, name := range []string{"warehouse ", "weather-report "} {
			if strings.Count(list, "\n"+name) != 1 {
				t.Errorf("%s is not listed once:\n%s", name, list)
			}
		}
		warehouse(t, s)
		repair(t, s)
		killed(t, s)
	})
}

// warehouse runs the first example to its end, and reads its report.
func warehouse(t *testing.T, s *harness.Server) {
	t.Helper()
	want(t, s.Try("run", "warehouse", "--wait"), printed{stdout: `1\n`})
	b := s.Batch(1)
	if b.State != "succeeded" || b.Round != 1 || b.Revision != 1 || b.Kind != "manual" || b.Schedule != "warehouse" {
		t.Errorf("batch: %+v", b)
	}
	states, counts := map[string]string{}, map[string]int{}
	for key := range strings.SplitSeq("abcdefghijk", "") {
		states[key], counts[key] = "succeeded", 1
	}
	same(t, "states", b.States(), states)
	same(t, "attempts", attempts(&b), counts)
	report := readReport(t, s, "warehouse", "report.md")
	if words := "# Flights and weather\n"; !strings.HasPrefix(report, words) {
		t.Errorf("the report does not begin with %q:\n%s", words, report)
	}
	if words := figures(t); !strings.Contains(report, words) {
		t.Errorf("the report does not say %q:\n%s", words, report)
	}
	log := s.CLI("logs", "1", "k")
	for line := range strings.Lines(report) {
		if !strings.Contains(log, " out "+line) {
			t.Errorf("the log of k lacks a line of the report: %s", line)
		}
	}
}

// readReport reads a file that the tasks of a schedule left on the embedded executor.
func readReport(t *testing.T, s *harness.Server, schedule, name string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(s.Data, "executor", "workspace", schedule, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// figures counts here from the raw data, independently of the example's own statements.
func figures(t *testing.T) string {
	t.Helper()
	root, err := harness.Root()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(filepath.Join(root, "docs", "examples", "data", "flights-5k.json"))
	if err != nil {
		t.Fatal(err)
	}
	flights, _ := decode(t, string(raw)).([]any)
	late, minutes := 0, 0.0
	origins := map[any]bool{}
	for _, f := range flights {
		flight, _ := f.(map[string]any)
		origins[flight["origin"]] = true
		if delay, _ := flight["delay"].(float64); delay >= 15 {
			late, minutes = late+1, minutes+delay
		}
	}
	return fmt.Sprintf("%d flights between 2001-01-01 and 2001-03-31, from %d airports: %.1f %% were late, by %.1f "+
		"minutes on average.",
		len(flights), len(origins), 100*float64(late)/float64(len(flights)), minutes/float64(late))
}

// repair runs the second example, sees it fail, corrects its file, and resumes from the failure.
func repair(t *testing.T, s *harness.Server) {
	t.Helper()
	want(t, s.Try("run", "weather-report", "--wait"), printed{
		1, `2\n`, "batch 2 failed; `hivego batch 2` shows its tasks, `hivego resume 2` goes on where it stopped\n",
	})
	failed := s.Batch(2)
	same(t, "states", failed.States(), map[string]string{
		"extract": "succeeded", "load": "succeeded", "monthly": "failed", "extremes": "succeeded", "report": "skipped",
	})
	if r := failed.Task("report"); r.Reason != "upstream_failed" || r.Attempts != 0 {
		t.Errorf("report: %+v", r)
	}
	if words, log := "no such column: precipitation_mm", s.CLI("logs", "2", "monthly"); !strings.Contains(log, words) {
		t.Errorf("the log does not say %q:\n%s", words, log)
	}
	want(t, s.Try("why", "2", "report"),
		printed{stdout: `report \(skipped\): it was skipped because of monthly \(upstream_failed\)\nsince .+Z\n`})

	corrected := strings.Replace(s.CLI("export", "weather-report"), "sum(precipitation_mm)", "sum(precipitation)", 1)
	file := harness.File(t, "repair.yaml", corrected)
	want(t, s.Try("apply", "-f", file), printed{stdout: `weather-report: saved as revision 2\n`})
	want(t, s.Try("apply", "-f", file), printed{stdout: `weather-report: unchanged, revision 2\n`})
	if again := s.CLI("export", "weather-report"); again != corrected {
		t.Errorf("the export is not what was applied:\n%s", again)
	}
	plan := `TASK     JOB        FROM     TO       WHY\n` +
		`monthly  summarise  failed   waiting  failed\n` +
		`report   publish    skipped  waiting  skipped \(monthly\)\n`
	want(t, s.Try("resume", "2", "--latest", "--dry-run"),
		printed{stdout: `batch 2, round 2, revision 2: resume would change 2 tasks\n` + plan})
	if b := s.Batch(2); b.Round != 1 || b.State != "failed" {
		t.Errorf("the dry run left a trace: %+v", b)
	}
	want(t, s.Try("resume", "2", "--latest", "--wait"),
		printed{stdout: `batch 2, round 2, revision 2: resume changes 2 tasks\n` + plan})

	done := s.Batch(2)
	if done.State != "succeeded" || done.Round != 2 || done.Revision != 2 {
		t.Errorf("the batch is %s in round %d with revision %d", done.State, done.Round, done.Revision)
	}
	same(t, "attempts", attempts(&done),
		map[string]int{"extract": 1, "load": 1, "monthly": 2, "extremes": 1, "report": 1})
	for _, key := range []string{"extract", "load", "extremes"} {
		if before, now := failed.Task(key), done.Task(key); *now.StartedAt != *before.StartedAt ||
			*now.FinishedAt != *before.FinishedAt {
			t.Errorf("%s had succeeded, and ran again: %+v, %+v", key, before, now)
		}
	}
	if report := readReport(t, s, "weather-report", "report.txt"); !strings.Contains(report, "\n12    622.7 mm\n") {
		t.Errorf("the report:\n%s", report)
	}
	if log := s.CLI("logs", "2", "monthly", "--attempt", "1"); !strings.Contains(log, "no such column") {
		t.Errorf("the log of the failed attempt is gone:\n%s", log)
	}
}

// killed kills the server in the middle of the warehouse.
func killed(t *testing.T, s *harness.Server) {
	t.Helper()
	want(t, s.Try("run", "warehouse"), printed{stdout: `3\n`})
	s.Kill()
	want(t, s.Try("batch", "3"), printed{
		code: 2,
		stderr: `hivego batch: the server cannot be reached at http://127\.0\.0\.1:\d+: .*refused; ` +
			`is it running there .+\n`,
	})
	s.Start()
	if b := s.WaitEnd(3); b.State != "succeeded" {
		t.Errorf("batch 3 is %s: %+v", b.State, b.Tasks)
	}
}

// The schedule in the guide runs exactly as the guide shows it.
func TestGuide(t *testing.T) {
	t.Parallel()
	root, err := harness.Root()
	if err != nil {
		t.Fatal(err)
	}
	guide, err := os.ReadFile(filepath.Join(root, "docs", "guide.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(guide), "\n```yaml\n")
	text, _, ok := strings.Cut(rest, "```\n")
	if !ok {
		t.Fatal("the guide has no schedule")
	}
	s := harness.NewServer(t, harness.Options{})
	want(t, s.Try("apply", "-f", harness.File(t, "nightly.yaml", text)),
		printed{stdout: `nightly: saved as revision 1\n`})
	if canonical := s.CLI("export", "nightly"); canonical != text {
		t.Errorf("the guide's schedule is not in canonical form:\n%s", canonical)
	}
	want(t, s.Try("run", "nightly", "--param", "region=west", "--wait"), printed{stdout: `1\n`})
	if log := s.CLI("logs", "1", "report"); !strings.Contains(log, " out 2 customers, load number 1\n") {
		t.Errorf("the log of report:\n%s", log)
	}
}
