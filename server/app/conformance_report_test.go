package app

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/executor/conform"
)

// found is a report with each result.
func found() *conform.Report {
	return &conform.Report{
		Executor: "x-1", Name: "x", Durable: true, Handler: "work", Findings: []conform.Finding{
			{Rule: "describe.clock", Requirement: "the clock is right", Result: conform.Pass, Millis: 7},
			{
				Rule: "poll.first", Requirement: "it is quick", Result: conform.Fail, Why: "it took 4 < 5 s",
				Remedy: "hurry",
			},
			{Rule: "kill.grace", Requirement: "it waits", Result: conform.Unchecked, Why: "no params"},
		},
	}
}

func TestJUnit(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	require.NoError(t, printJUnit(&out, found()))
	assert.Equal(t, `<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="hivego executor conformance: x" tests="3" failures="1" skipped="1">
    <testcase classname="describe" name="describe.clock: the clock is right" time="0.007"></testcase>
    <testcase classname="poll" name="poll.first: it is quick" time="0.000">
      <failure message="it took 4 &lt; 5 s">remedy: hurry</failure>
    </testcase>
    <testcase classname="kill" name="kill.grace: it waits" time="0.000">
      <skipped message="no params"></skipped>
    </testcase>
  </testsuite>
</testsuites>
`, out.String())
}

// Each finding is printed when it is there, and the head before the first.
func TestFindingsAsTheyCome(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	all := found()
	for i, f := range all.Findings {
		r := *all
		r.Findings = all.Findings[:i+1]
		printFinding(&out, &r, f)
	}
	printCounts(&out, all)
	assert.Equal(t, `x (x-1), durable, by its handler work

pass  describe.clock     the clock is right
FAIL  poll.first         it is quick
                         why:    it took 4 < 5 s
                         remedy: hurry
  -   kill.grace         it waits
                         not checked: no params

1 hold, 1 broken, 1 not checked
`, out.String())
}
