package state

import "github.com/rprp/hivego/server/hive"

// counts holds the number of a task's needs for each effect.
type counts struct{ pending, success, failure, none int }

func (c *counts) add(e hive.Effect, n int) {
	switch e {
	case hive.EffectPending:
		c.pending += n
	case hive.EffectSuccess:
		c.success += n
	case hive.EffectFailure:
		c.failure += n
	case hive.EffectNone:
		c.none += n
	}
}

// verdict is the result of a rule for the effects of a task's needs.
type verdict int

const (
	wait          verdict = iota // the rule is not met yet, and still can be
	met                          // the task may start
	skipOnFailure                // the rule can no longer be met, because of failures
	skipOnRule                   // the rule can no longer be met, for another reason than failures
)

// judge applies a rule to the effects of a task's needs. Without needs, all_success and all_done are met, and the rules
// one_success and one_failed cannot be met. all_failed requires at least one failure, so that a task that handles
// failures does not run when there are none. For implicit needs (the task writes none) the effect none is neutral.
func judge(rule hive.Rule, c counts, implicit bool) verdict {
	none := c.none
	if implicit {
		none = 0
	}
	switch rule {
	case hive.RuleAllDone:
		return metIf(c.pending == 0, wait)
	case hive.RuleOneSuccess:
		switch {
		case c.success > 0:
			return met
		case c.pending > 0:
			return wait
		case c.failure > 0:
			return skipOnFailure
		default:
			return skipOnRule
		}
	case hive.RuleOneFailed:
		switch {
		case c.failure > 0:
			return met
		default:
			return waitIf(c.pending > 0, skipOnRule)
		}
	case hive.RuleAllFailed:
		switch {
		case c.success > 0 || none > 0:
			return skipOnRule
		case c.pending > 0:
			return wait
		default:
			return metIf(c.failure > 0, skipOnRule)
		}
	default: // all_success
		switch {
		case c.failure > 0:
			return skipOnFailure
		case none > 0:
			return skipOnRule
		default:
			return metIf(c.pending == 0, wait)
		}
	}
}

func metIf(ok bool, otherwise verdict) verdict {
	if ok {
		return met
	}
	return otherwise
}

func waitIf(ok bool, otherwise verdict) verdict {
	if ok {
		return wait
	}
	return otherwise
}

// reason returns the reason of a skip.
func (v verdict) reason() hive.Reason {
	if v == skipOnFailure {
		return hive.ReasonUpstreamFailed
	}
	return hive.ReasonRule
}
