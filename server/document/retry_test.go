package document_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
)

const retried = head + `params: {area: east}
onEnd:
  - {handler: shell, params: {command: x}, retry: {max: 1, on: timeout, when: 'event.state == "failed"'}}
jobs:
  - key: a
    tasks:
      - key: b
        handler: shell
        params: {command: x}
        retry: {max: 3, delay: 30s, jitter: 0.2, on: "75, 100-110, timeout"}
      - {key: c, handler: shell, params: {command: x}, shard: {count: 2}, retry: {max: 2, when: outcome.exitCode == 75}}
`

func TestRetriesInTheCanonicalForm(t *testing.T) {
	t.Parallel()
	doc, faults := document.Parse([]byte(retried), document.Options{})
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	got := doc.Definition.Jobs[0].Tasks[0].Retry
	want := hive.Retry{Max: 3, Delay: 30e9, Jitter: 0.2, On: "75, 100-110, timeout"}
	if got != want {
		t.Errorf("%+v", got)
	}
	again, faults := document.Parse(doc.JSON(), document.Options{})
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	for _, text := range [][]byte{doc.Canonical, again.Canonical} {
		if !bytes.Equal(text, doc.Canonical) || !strings.Contains(string(text), `on: 75, 100-110, timeout`) &&
			!strings.Contains(string(text), `on: "75, 100-110, timeout"`) {
			t.Errorf("the canonical form is\n%s", text)
		}
	}
}

// Each fault of retries has its place.
func TestFaultsOfRetries(t *testing.T) {
	t.Parallel()
	const first, second, hook = "jobs[0].tasks[0].retry.", "jobs[0].tasks[1].retry.when ", "onEnd[0].retry."
	for change, want := range map[string]string{
		"jitter: 0.2 -> jitter: 1.2":                    first + "jitter out_of_range",
		"jitter: 0.2 -> jitter: -0.2":                   first + "jitter out_of_range",
		"jitter: 0.2 -> jitter: .nan":                   first + "jitter wrong_type",
		"jitter: 0.2 -> jitter: 20%":                    first + "jitter wrong_type",
		`on: "75, 100-110, timeout" -> on: 75`:          first + "on wrong_type",
		`on: "75, 100-110, timeout" -> on: [75]`:        first + "on wrong_type",
		`100-110 -> 110-100`:                            first + "on bad_value",
		`100-110 -> 100-300`:                            first + "on bad_value",
		`110, timeout -> 110, lost`:                     first + "on bad_value",
		`outcome.exitCode == 75 -> outcome.exitCode`:    "",
		`outcome.exitCode == 75 -> outcome.failures`:    second + "bad_expression",
		`outcome.exitCode == 75 -> outcome.state == ''`: second + "bad_expression",
		`outcome.exitCode == 75 -> "' '"`:               second + "bad_expression",
		`outcome.exitCode == 75 -> params.ares == 'x'`:  second + "unknown_param",
		`outcome.exitCode == 75 -> outputs.b.x == 'x'`:  second + "later_need",
		`outcome.exitCode == 75 -> event.state == 'x'`:  second + "bad_expression",
		`outcome.exitCode == 75 -> shard.index == 1`:    "",
		`shard: {count: 2}, retry: {max: 2, when: outcome.exitCode == 75} -> retry: {when: shard.index == 1}`: second +
			"bad_expression",
		"on: timeout -> on: never":                                hook + "on bad_value",
		`'event.state == "failed"' -> outcome.reason == 'killed'`: "",
		`'event.state == "failed"' -> outputs.b.x == 'x'`:         hook + "when bad_expression",
		`key: c, handler -> key: c, when: outcome.failures > 1, handler`: "jobs[0].tasks[1].when " +
			"bad_expression",
	} {
		from, to, _ := strings.Cut(change, " -> ")
		text := strings.Replace(retried, from, strings.Trim(to, `"`), 1)
		if text == retried {
			t.Fatalf("%s changes nothing", change)
		}
		_, faults := document.Parse([]byte(text), document.Options{})
		var got []string
		for _, f := range brief(faults) {
			_, place, _ := strings.Cut(f, " ")
			got = append(got, place)
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: %v, want %s", change, got, want)
		}
	}
}

// The condition that a job gives to its tasks is checked once, at the job.
func TestRetryOfDefaults(t *testing.T) {
	t.Parallel()
	for when, want := range map[string]string{
		"outcome.exitCode == 75": "",
		"params.ares == 'x'":     "jobs[0].defaults.retry.when unknown_param",
		"outputs.b.x == 'x'":     "jobs[0].defaults.retry.when later_need",
		"outcome.failures":       "jobs[0].defaults.retry.when bad_expression",
	} {
		_, faults := document.Parse([]byte(head+fmt.Sprintf(`jobs:
  - key: a
    defaults: {retry: {max: 1, when: %q}}
    tasks:
      - {key: b, handler: shell, params: {command: x}}
      - {key: c, handler: shell, params: {command: x}}
`, when)), document.Options{})
		var got []string
		for _, f := range brief(faults) {
			_, place, _ := strings.Cut(f, " ")
			got = append(got, place)
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: %v, want %s", when, got, want)
		}
	}
}

// outcome is known in retry.when only, not in the templates of params that have that name.
func TestOutcomeInParams(t *testing.T) {
	t.Parallel()
	text := head + `jobs:
  - key: a
    tasks:
      - {key: b, handler: shell, params: {retry: {when: '${{ outcome.error }}'}}}
`
	handlers := []hive.Handler{{
		Name: "shell", Schema: `{"properties": {"retry": {"properties": {"when": {"x-render": "plain"}}}}}`,
	}}
	_, faults := document.Parse([]byte(text), document.Options{Handlers: handlers})
	if len(faults) != 1 || faults[0].Reason != hive.FaultOutcomeOutside {
		t.Errorf("%v", faults)
	}
}
