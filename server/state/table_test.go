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

// TestStatesPage checks docs/states.md against the table: `go test ./server/state -run StatesPage -update`.
func TestStatesPage(t *testing.T) {
	t.Parallel()
	path := filepath.Join("..", "..", "docs", "states.md")
	want := renderStates(t)
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

// renderStates fills the picture and the table into the page's frame.
func renderStates(t *testing.T) string {
	t.Helper()
	frame, err := os.ReadFile(filepath.Join("testdata", "states.md"))
	require.NoError(t, err)
	return strings.NewReplacer("{{picture}}", statesPicture(), "{{table}}", statesTable()).Replace(string(frame))
}

// statesPicture draws the transitions as a state diagram of Mermaid.
func statesPicture() string {
	var b strings.Builder
	b.WriteString("stateDiagram-v2\n    [*] --> waiting\n")
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
	return b.String()
}

// statesTable returns one line of Markdown for each event.
func statesTable() string {
	var b strings.Builder
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
	return b.String()
}

// byPlan reports whether the picture leaves a transition out because only a repair plan makes it. Such transitions lead
// from nearly every state.
func byPlan(ev RunEvent, from hive.RunState) bool {
	return ev == RunMarkSuccess || ev == RunMarkSkip || ev == RunRemove || ev == RunReset || from.Final()
}
