package expression_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/expression"
	"github.com/rprp/hivego/server/hive"
)

func TestOutcomeInExpressions(t *testing.T) {
	t.Parallel()
	code, begin := 75, time.Date(2026, 1, 2, 3, 20, 0, 0, time.UTC)
	failed := &hive.Attempt{
		Outcome: hive.OutcomeFailure, ExitCode: &code, Error: "exit code 75: deadlock", Number: 4,
		Outputs: map[string]string{"rows": "7"}, StartedAt: begin, FinishedAt: begin.Add(1500 * time.Millisecond),
	}
	timeout := &hive.Attempt{Outcome: hive.OutcomeTimeout, Number: 1, FinishedAt: begin}
	c := expression.NewCache(0)
	for src, want := range map[string][2]bool{ // of failed, of timeout
		`outcome.reason == "failure"`:                   {true, false},
		`outcome.reason in ["timeout", "killed"]`:       {false, true},
		`outcome.exitCode == 75`:                        {true, false},
		`outcome.exitCode == nil`:                       {false, true},
		`(outcome.exitCode ?? 0) >= 70`:                 {true, false},
		`outcome.error contains "deadlock"`:             {true, false},
		`int(outcome.outputs.rows ?? "0") > 5`:          {true, false},
		`outcome.outputs.rows == nil`:                   {false, true},
		`outcome.attempt == 4 && outcome.failures == 2`: {true, false},
		`outcome.seconds > 1.4 && outcome.seconds < 60`: {true, false},
		`outcome.seconds == 0`:                          {false, true},
	} {
		for i, a := range []*hive.Attempt{failed, timeout} {
			env := expression.Env(nil, begin, nil, "manual", 1, nil, nil)
			env["outcome"] = expression.OutcomeOf(a, 2)
			require.NoError(t, expression.Check(src), src)
			got, err := c.Bool(src, env)
			require.NoError(t, err, src)
			assert.Equal(t, want[i], got, "%s of %s", src, a.Outcome)
		}
	}
	env := expression.Env(nil, begin, nil, "manual", 1, nil, nil)
	env["outcome"] = expression.OutcomeOf(timeout, 1)
	for _, src := range []string{`outcome.exitCode > 70`, `int(outcome.outputs.rows) > 5`} {
		_, err := c.Bool(src, env)
		require.ErrorContains(t, err, "the expression is wrong", src)
	}
	_, err := c.Bool(`int(outcome.outputs.rows) > 5`, env)
	require.ErrorContains(t, err, "a value is null")
	require.Equal(t, hive.FaultWhenTypesAt, hive.FaultOf(err, "").Reason)
	refs, err := expression.Refer(`outcome.failures > 1`)
	require.NoError(t, err)
	assert.True(t, refs.Outcome)
	refs, err = expression.ReferTemplate(`${{ params.outcome }} ${{ outcome.error }}`)
	require.NoError(t, err)
	assert.True(t, refs.Outcome)
	refs, err = expression.Refer(`params.outcome == "x"`)
	require.NoError(t, err)
	assert.False(t, refs.Outcome)
	require.ErrorContains(t, expression.Check(`outcome.state == "x"`), "outcome has reason, exitCode")
}
