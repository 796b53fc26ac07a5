package cli_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/e2e/harness"
)

// A schedule that is due every second: each moment has one decision, whether the schedule is enabled or not.
func TestTicks(t *testing.T) {
	t.Parallel()
	harness.Each(t, func(t *testing.T, opts harness.Options) {
		s := harness.NewServer(t, opts)
		s.Apply(document("second",
			"triggers:\n  - cron: \"* * * * * *\"\npolicy: {overlap: allow, catchUp: {mode: all}}\n",
			[]string{shell("a", "true")}))
		harness.Eventually(t, "two ticks have fired",
			func() bool { return strings.Count(s.CLI("ticks", "second"), " fired ") >= 2 })
		want(t, s.Try("disable", "second"), printed{stdout: `second: disabled\n`})
		harness.Eventually(t, "two ticks were skipped",
			func() bool { return strings.Count(s.CLI("ticks", "second"), " paused ") >= 2 })
		if list := s.CLI("schedules"); !regexp.MustCompile(`\nsecond +disabled +1 +- `).MatchString(list) {
			t.Errorf("the list:\n%s", list)
		}
		table := s.CLI("ticks", "second")
		row := `\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ +`
		pattern := `MOMENT +DECISION +RULE +BATCH +TRIGGER +DETAIL\n` +
			`(` + row + `skipped +paused +- +\* \* \* \* \* \* +the schedule is disabled\n)+` +
			// late ones queue on a slow machine
			`(` + row + `(fired +on_time|fired +catch_up|queued +\w+) +\d+ +\* \* \* \* \* \*( .*)?\n)+`
		if !whole(pattern).MatchString(table) {
			t.Errorf("ticks:\n%s", table)
		}
		ticks, _ := decode(t, s.CLI("ticks", "second", "-o", "json")).([]any)
		seconds(t, ticks)
		for _, k := range ticks {
			tick, _ := k.(map[string]any)
			if tick["decision"] == "skipped" {
				continue
			}
			id, _ := tick["batch"].(float64)
			if b := s.WaitEnd(int64(id)); b.Kind != "scheduled" || b.State != "succeeded" || b.Schedule != "second" {
				t.Errorf("batch %d: %+v", b.ID, b)
			}
		}
		if batches, fired := s.CLI("batches", "--schedule", "second"), strings.Count(table,
			" fired ")+strings.Count(table, " queued "); strings.Count(batches, " scheduled ") != fired {
			t.Errorf("%d ticks have fired, and these are the batches:\n%s", fired, batches)
		}
	})
}

// seconds requires that the moments of ticks, latest first, are one second apart: none is missing, none is there twice.
func seconds(t *testing.T, ticks []any) {
	t.Helper()
	var last time.Time
	for _, k := range ticks {
		tick, _ := k.(map[string]any)
		text, _ := tick["moment"].(string)
		at, err := time.Parse(time.RFC3339, text)
		if err != nil || !moment.MatchString(text) {
			t.Errorf("moment %q: %v", text, err)
		}
		if !last.IsZero() && last.Sub(at) != time.Second {
			t.Errorf("the ticks of %s and %s are neighbours", at, last)
		}
		last = at
	}
}

// Every wait has its reason.
func TestWhy(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := harness.NewServer(t, harness.Options{Args: []string{"--slots", "1"}})
	s.Apply(document("waits", "",
		[]string{
			shell("first", until(dir+"/go"), "priority: 10"), shell("second", "true"),
			"key: odd, handler: odd", shell("far", "true", "group: far"), shell("pinned", "true", "executor: nobody"),
		},
		[]string{shell("third", "true", "needs: [first]"), shell("all", "true")}))
	s.Apply(document("again", "", []string{shell("again", "exit 1", "retry: {max: 1, delay: 1h}")}))
	s.Apply(document("strict", "flow: strict\n", []string{shell("one", "true", "group: far")},
		[]string{shell("two", "true")}))
	s.Run("again")
	s.WaitBatch(1, "it failed once", func(b harness.Batch) bool { return b.Task("again").Reason == "retry" })
	s.Run("waits")
	s.WaitBatch(2, "first runs", func(b harness.Batch) bool { return b.Task("first").State == "running" })
	s.Run("strict")
	since := `since \d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ\n`
	for task, words := range map[string]string{
		"1 again": `again \(ready\): it failed, and is tried again in (1h0m0s|\d\dm\d+s)\n` + since + `until .+Z\n`,
		"2 first": `first \(running\): it runs on embedded\n` + since,
		"2 second": `second \(ready\): all slots of group "default" that it could use are taken\n` + since +
			`\nEXECUTOR +BATCH +SCHEDULE +TASK +SINCE\nembedded +2 +waits +first +.+Z\n`,
		"2 odd": `odd \(ready\): no executor of group "default" offers the handler "odd"\n` + since,
		"2 far": "far \\(ready\\): no executor of group \"far\" has ever come; start one with `hivego executor " +
			"--group far`\n" + since,
		"2 pinned": `pinned \(ready\): group "default" has no executor named "nobody"\n` + since,
		"2 third":  `third \(waiting\): its rule all_success waits for 1 task: first \(running\)\n` + since,
		"2 all":    `all \(waiting\): its rule all_success waits for 5 tasks: first \(running\), .+\n` + since,
		"3 two": `two \(waiting\): the flow is strict: 1 task of earlier jobs must end first: one \(ready\)\n` +
			since,
	} {
		id, key, _ := strings.Cut(task, " ")
		harness.EventuallyOr(t, "the answer to why "+task, func() bool {
			return whole(words).MatchString(s.CLI("why", id, key))
		}, func() string { return fmt.Sprintf("%s\nmust be: %s", s.CLI("why", id, key), words) })
	}
	touch(t, dir, "go")
	s.WaitBatch(2, "third has succeeded", func(b harness.Batch) bool { return b.Task("third").State == "succeeded" })
}
