package scenarios

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

const story = `title: A story
about: It is wrong.
definition:
  jobs:
    - key: one
      tasks: [{key: a}, {key: b}]
steps:
`

// TestWrongStories checks that Play finds each expectation that does not hold, with its line.
func TestWrongStories(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ steps, words string }{
		"a state": {
			"  - expect: {tasks: {a b: failed}}",
			`line 8: tasks: a is "succeeded", not "failed"; b is`,
		},
		"a reason":  {"  - expect: {tasks: {a: succeeded(person)}}", `a is "succeeded", not "succeeded(person)"`},
		"the batch": {"  - expect: {batch: running}", "the batch is succeeded, not running"},
		"a round":   {"  - expect: {round: 2}", "round 1, not 2"},
		"a count":   {"  - expect: {attempts: {a: 2}}", "a had 1 attempts, not 2"},
		"a missing row": {
			"  - rerun: {tasks: [a], rows: {a: succeeded -> waiting, b: succeeded -> waiting}}",
			`b is "", not`,
		},
		"a row too much": {
			"  - rerun: {tasks: [a, b], rows: {a: succeeded -> waiting}}",
			"b is \"succeeded -> waiting (asked)\" and was not expected",
		},
		"a hook too few":   {"  - expect: {hooks: {task a 1: onEnd-1}}", "the hooks of task a 1 are [], not [onEnd-1]"},
		"no refusal":       {"  - rerun: {tasks: [a], refused: conflict}", "should have been refused"},
		"nothing in hand":  {"  - end: {a: fail}", "a has no attempt in hand"},
		"no limits here":   {"  - limits: {server: 0}", "has no limits"},
		"no number":        {"  - limits: {server: many}", "a number, or off"},
		"no waits here":    {"  - expect: {waits: {a: server}}", "has no limits"},
		"no such step":     {"  - hurry: {}", `there is no step "hurry"`},
		"no such field":    {"  - expect: {states: {}}", "states"},
		"no such behavior": {"  - end: {a: dance}", `no attempt can "dance"`},
		"two keys":         {"  - {wish: run, advance: 3s}", "one key"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "story.yaml"), []byte(story+c.steps+"\n"), 0o600))
			all, err := Load(dir)
			if err == nil {
				require.Len(t, all, 1)
				err = Play(t.Context(), &all[0], newMemory())
			}
			require.ErrorContains(t, err, c.words)
		})
	}
}
