package metrics

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/hive"
)

// family is a metric as the registry has it.
type family struct {
	kind, help string
	labels     []string
}

// families returns HiveGo's own metrics by name.
func families(t *testing.T) map[string]family {
	t.Helper()
	m := New("v1", &fakeSource{executors: []Executor{{Group: "etl", State: hive.ExecutorOnline}}})
	gathered, err := m.registry.Gather()
	require.NoError(t, err)
	out := map[string]family{}
	for _, g := range gathered {
		if !strings.HasPrefix(g.GetName(), "hivego_") {
			continue
		}
		f := family{kind: strings.ToLower(g.GetType().String()), help: g.GetHelp()}
		require.NotEmpty(t, g.GetMetric(), g.GetName())
		for _, l := range g.GetMetric()[0].GetLabel() {
			f.labels = append(f.labels, "`"+l.GetName()+"`")
		}
		slices.Sort(f.labels)
		out[g.GetName()] = f
	}
	return out
}

// Names follow Prometheus: a unit at the end, and _total for counters alone.
func TestNames(t *testing.T) {
	t.Parallel()
	for name, f := range families(t) {
		assert.Equal(t, f.kind == "counter", strings.HasSuffix(name, "_total"), name)
		if f.kind == "histogram" {
			assert.True(t, strings.HasSuffix(name, "_seconds"), name)
		}
		assert.True(t, strings.HasSuffix(f.help, "."), "%s: %s", name, f.help)
	}
}

// The page lists all metrics, with the words of the registry.
func TestPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/metrics.md")
	require.NoError(t, err)
	_, after, found := strings.Cut(string(page), "| metric | type | labels | meaning |\n| --- | --- | --- | --- |\n")
	require.True(t, found)
	var got, want []string
	for line := range strings.Lines(after) {
		if !strings.HasPrefix(line, "|") {
			break
		}
		got = append(got, strings.TrimSpace(line))
	}
	for name, f := range families(t) {
		want = append(want, fmt.Sprintf("| %#q | %s | %s | %s |", name, f.kind, strings.Join(f.labels, ", "), f.help))
	}
	slices.Sort(want)
	assert.Equal(t, strings.Join(want, "\n"), strings.Join(got, "\n"), "write these rows into docs/metrics.md")
}
