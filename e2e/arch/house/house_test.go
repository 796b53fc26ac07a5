package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// bounds returns how many flaws each measure may have.
func bounds() map[string]int {
	return map[string]int{
		"go-functions":    0,
		"go-interfaces":   0,
		"go-undocumented": 0,
		"go-misnamed":     0,
		"go-files":        0,
		"go-lines":        0,
	}
}

func TestMeasures(t *testing.T) {
	t.Parallel()
	tree, err := parse("../../..")
	require.NoError(t, err)
	all := tree.measures()
	require.Len(t, all, len(bounds()))
	for _, m := range all {
		bound, known := bounds()[m.name]
		require.True(t, known, "measure %s has no bound", m.name)
		require.LessOrEqual(t, len(m.places), bound, "%s:\n%s", m.name, strings.Join(m.places, "\n"))
	}
}

// A reader follows each of the three walks of ARCHITECTURE.md through few files, and seldom back.
func TestWalks(t *testing.T) {
	t.Parallel()
	all, err := walks("../../..")
	require.NoError(t, err)
	for _, m := range all {
		require.LessOrEqual(t, len(m.places), m.floor, "%s:\n%s", m.name, strings.Join(m.places, "\n"))
	}
}

func TestMeasuresFindFlaws(t *testing.T) {
	t.Parallel()
	tree, err := parse("testdata/flaws")
	require.NoError(t, err)
	found := map[string][]string{}
	for _, m := range tree.measures() {
		found[m.name] = m.places
	}
	require.Equal(t, []string{"flaws.go:14: Wide has 9 methods"}, found["go-interfaces"])
	require.Equal(t, []string{"flaws.go:22: Bare has no doc comment"}, found["go-undocumented"])
	require.Equal(t, []string{"flaws.go:25: 121 columns"}, found["go-lines"])
	require.Equal(t, []string{`flaws.go:28: the doc comment of renamed begins with "former"`}, found["go-misnamed"])
	require.Empty(t, found["go-functions"])
	require.Empty(t, found["go-files"])
}

func TestReturns(t *testing.T) {
	t.Parallel()
	steps := []string{"a/1.go", "a/2.go", "b/1.go", "a/1.go", "a/3.go", "c/1.go", "b/2.go"}
	require.Equal(t, []string{"a/1.go", "b/2.go"}, returns(steps))
	require.Len(t, distinct(steps), 6)
}
