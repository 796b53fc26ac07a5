package state

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/hive"
)

//nolint:gochecknoglobals // the flag package's own way
var update = flag.Bool("update", false, "write docs/states.md from the table")

// TestStatesPage keeps docs/states.md what the table says: `go test ./server/state -run StatesPage -update`.
func TestStatesPage(t *testing.T) {
	t.Parallel()
	path := filepath.Join("..", "..", "docs", "states.md")
	want := renderStates()
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(want), 0o644))
	}
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, want, string(got), "run: go test ./server/state -run StatesPage -update")
}

func TestNextKnowsEveryStateAndEvent(t *testing.T) {
	t.Parallel()
	reached := map[hive.RunState]bool{hive.RunWaiting: true}
	for _, ev := range RunEvents() {
		require.NotEmpty(t, ev.Meaning(), "event %s has no meaning", ev)
		used := false
		for _, from := range hive.RunStates() {
			to, ok := Next(from, ev)
			if !ok {
				require.Equal(t, from, to, "a refused event changes nothing")
				continue
			}
			used, reached[to] = true, true
			if from.Final() {
				require.Contains(t, []RunEvent{RunReset, RunMarkSuccess, RunMarkSkip, RunRemove, RunSkip}, ev,
					"only a plan leads out of %s", from)
			}
		}
		require.True(t, used, "event %s leads nowhere", ev)
	}
	require.Len(t, reached, len(hive.RunStates()))
	_, ok := Next(hive.RunReady, "no such event")
	require.False(t, ok)
}

func renderStates() string {
	var b strings.Builder
	b.WriteString(statesHead)
	b.WriteString("```mermaid\nstateDiagram-v2\n    [*] --> waiting\n")
	for _, from := range hive.RunStates() {
		for _, to := range hive.RunStates() {
			var events []string
			for _, ev := range RunEvents() {
				if next, ok := Next(from, ev); ok && next == to && from != to && !byPlan(ev, from) {
					events = append(events, string(ev))
				}
			}
			if len(events) > 0 {
				fmt.Fprintf(&b, "    %s --> %s: %s\n", from, to, strings.Join(events, ", "))
			}
		}
	}
	b.WriteString("```\n\n## The table\n\n| event | from | to | meaning |\n| --- | --- | --- | --- |\n")
	for _, ev := range RunEvents() {
		var sources []string
		var to hive.RunState
		for _, from := range hive.RunStates() {
			if next, ok := Next(from, ev); ok {
				sources, to = append(sources, string(from)), next
			}
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", ev, strings.Join(sources, ", "), to, ev.Meaning())
	}
	b.WriteString(statesTail)
	return b.String()
}

// byPlan leaves the arrows that only a repair plan takes out of the picture: they lead from everywhere.
func byPlan(ev RunEvent, from hive.RunState) bool {
	return ev == RunMarkSuccess || ev == RunMarkSkip || ev == RunRemove || ev == RunReset || from.Final()
}

const statesHead = `# The states of a task run

<!-- Generated from the table in server/state/table.go: go test ./server/state -run StatesPage -update -->

A task run is always in exactly one of nine states. One pure function decides every transition; this page is made
from its table. What a repair plan does (` + "`reset`, `mark_success`, `mark_skip`, `remove`" + `) is in the table below and left out of
the picture, because it leads from nearly everywhere.

`

const statesTail = `
## What the states of others follow from

- **Effect** of a final run on those that need it: *success* (succeeded; ignored; failed with ` + "`allowFailure`" + `), *failure*
  (failed; canceled; skipped because of a failure), *none* (skipped because its rule did not apply).
- **Rules**: ` + "`all_success`" + ` skips at the first failure or none; ` + "`all_done`" + ` waits for all; ` + "`one_success`" + ` and ` + "`one_failed`" + ` start at
  once, and skip when they can not be met any more; ` + "`all_failed`" + ` skips at the first success, and asks for a failure.
  A task without ` + "`needs`" + ` reads all tasks of all earlier jobs; *none* is neutral to it.
- **Disabled** tasks, and those whose ` + "`when`" + ` is false, are ignored when their turn comes, not earlier: what needs them
  still starts after what they need. If their needs fail, they are skipped like any other.
- **A kill has one reason, the first.** Canceled by a person or an overlap: the run is canceled. Timeout of its job or
  batch: it fails. A success that beats the kill stays. Where the attempt never began, it is canceled.
- **Held**: a run that is ` + "`unknown`" + ` and has no attempt any more (` + "`onLost: hold`" + `) waits for a person. It keeps its batch
  running and blocks nothing but what needs it; canceling the batch cancels it, the batch's timeout fails it.
- **Batch**: it ends when all its runs are final: *canceled* if it was canceled as a whole; else *failed* if a run failed
  without ` + "`allowFailure`" + `, or was canceled by a timeout; else *canceled* if a person canceled some of it; else *succeeded*.
- **Clocks**: a batch's timeout counts from the start of its round, a job's from the first start of one of its tasks in the
  job's round, a task's from the executor's receipt. A pause stops the first two, and offers; never what runs.
- **Rounds**: a plan opens the next round when it runs something again or changes what was final. The rows as they were
  go to the history. A run that is killed to run again keeps its attempt until that has ended: nothing runs twice.
`
