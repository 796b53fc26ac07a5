package state

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/server/hive"
)

func TestJudge(t *testing.T) {
	t.Parallel()
	p := counts{pending: 1}
	s, f, n := counts{success: 1}, counts{failure: 1}, counts{none: 1}
	sum := func(cs ...counts) (c counts) {
		for _, x := range cs {
			c.pending += x.pending
			c.success += x.success
			c.failure += x.failure
			c.none += x.none
		}
		return c
	}
	type row struct {
		needs              counts
		written, unwritten verdict
	}
	tables := map[hive.Rule][]row{
		hive.RuleAllSuccess: {
			{sum(), met, met},
			{p, wait, wait},
			{s, met, met},
			{sum(s, p), wait, wait},
			{sum(f, p), skipOnFailure, skipOnFailure},
			{sum(n, p), skipOnRule, wait},
			{sum(n, f), skipOnFailure, skipOnFailure},
			{sum(n, s), skipOnRule, met},
		},
		hive.RuleAllDone: {
			{sum(), met, met},
			{sum(f, p), wait, wait},
			{sum(f, s, n), met, met},
		},
		hive.RuleOneSuccess: {
			{sum(), skipOnRule, skipOnRule},
			{sum(s, p), met, met},
			{sum(f, p), wait, wait},
			{sum(f, n), skipOnFailure, skipOnFailure},
			{n, skipOnRule, skipOnRule},
		},
		hive.RuleOneFailed: {
			{sum(), skipOnRule, skipOnRule},
			{sum(f, p), met, met},
			{sum(s, p), wait, wait},
			{sum(s, n), skipOnRule, skipOnRule},
		},
		hive.RuleAllFailed: {
			{sum(), skipOnRule, skipOnRule},
			{sum(f, p), wait, wait},
			{f, met, met},
			{sum(s, p), skipOnRule, skipOnRule},
			{sum(n, f), skipOnRule, met},
			{n, skipOnRule, skipOnRule},
		},
	}
	for rule, rows := range tables {
		for _, r := range rows {
			require.Equal(t, r.written, judge(rule, r.needs, false), "%s of %+v", rule, r.needs)
			require.Equal(t, r.unwritten, judge(rule, r.needs, true), "%s of %+v, needs not written", rule, r.needs)
		}
	}
}

func TestSkipsNameTheirCause(t *testing.T) {
	t.Parallel()
	rule := func(k hive.Task, r hive.Rule) hive.Task { k.Rule = r; return k }
	b := start(t, schedule(
		job("one", task("a"), task("b")),
		job("two", task("c", "a"), rule(task("never", "b"), hive.RuleOneFailed),
			rule(task("both", "a", "b"), hive.RuleAllFailed)),
		job("three", task("d", "c"), task("e", "never"), task("f"), rule(task("g"), hive.RuleAllDone)),
	))
	b.succeed("b")
	b.fail("a")
	b.want(map[string]string{
		"a": "failed(exit)", "b": "succeeded",
		"c": "skipped(upstream_failed: a)", "never": "skipped(rule: b)", "both": "skipped(rule: b)",
		"d": "skipped(upstream_failed: a)", "e": "skipped(rule: b)", "f": "skipped(upstream_failed: a)", "g": "ready",
	})
}
