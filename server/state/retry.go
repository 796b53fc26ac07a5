package state

import (
	"math"

	"github.com/rprp/hivego/server/hive"
)

// This file decides whether a failed attempt is repeated, and when.

// retries reports whether a failed attempt is repeated. If attempts are left and it is not, a note on the attempt says
// why.
func (p *transition) retries(a *attempt, task *hive.Task) bool {
	r := &p.m.runs[a.run]
	if r.Failures > task.Retry.Max || a.NoRetry() {
		return false
	}
	if on, err := hive.ParseRetryOn(task.Retry.On); err != nil || !on.Has(a.Outcome, a.ExitCode) {
		p.note(a, notInRetryOn(a, task.Retry.On))
		return false
	}
	switch {
	case task.Retry.When == "":
		return true
	case p.m.conditions == nil:
		p.note(a, notEvaluated(hive.Plain("no conditions can be evaluated here")))
		return false
	}
	f := Failure{Attempt: &a.Attempt, Failures: r.Failures}
	if r.Shard != 0 {
		f.Shard = r.Part
	}
	ok, err := p.m.conditions.RetryWhen(task, p.m.env(r.Round), f)
	switch {
	case err != nil:
		p.note(a, notEvaluated(hive.SentenceOf(err)))
	case !ok:
		p.note(a, hive.NewSentence(hive.SentenceRetryWhen, "not retried: retry.when is false (‹when›)",
			"when", hive.Clean(task.Retry.When, maxNote/2)))
	}
	return ok && err == nil
}

// notInRetryOn says which end of an attempt retry.on does not list.
func notInRetryOn(a *attempt, on string) hive.Sentence {
	on = hive.Clean(on, maxNote/2)
	switch {
	case a.Outcome == hive.OutcomeTimeout:
		return hive.NewSentence(hive.SentenceRetryTimeout, "not retried: timeout is not in retry.on (‹on›)", "on", on)
	case a.Outcome == hive.OutcomeKilled:
		return hive.NewSentence(hive.SentenceRetryKilled, "not retried: killed is not in retry.on (‹on›)", "on", on)
	case a.ExitCode == nil:
		return hive.NewSentence(hive.SentenceRetryNoCode,
			"not retried: a failure without an exit code is not in retry.on (‹on›)", "on", on)
	default:
		return hive.NewSentence(hive.SentenceRetryCode, "not retried: exit code ‹code› is not in retry.on (‹on›)",
			"code", *a.ExitCode, "on", on)
	}
}

func notEvaluated(words hive.Sentence) hive.Sentence {
	return hive.Quote(hive.SentenceRetryError, "not retried, because retry.when cannot be evaluated: ‹words›",
		words.Clean(maxNote/2))
}

// retryDelay returns how long a run waits after its nth failure of a round: delay × backoff^(n-1), at most maxDelay.
func retryDelay(r hive.Retry, failures int) hive.Duration {
	d := float64(r.Delay)
	limit := float64(1 << 62)
	if r.MaxDelay > 0 {
		limit = float64(r.MaxDelay)
	}
	for i := 1; i < failures && r.Backoff > 0 && r.Backoff != 1 && d > 0 && d < limit; i++ {
		d *= r.Backoff
	}
	return hive.Duration(min(d, limit))
}

// spread returns a wait between d - jitter × d and d + jitter × d, but at most maxDelay. Waits that would exceed
// maxDelay are spread below it, so that they do not all end at the same moment. The place in that range follows from
// the batch, the run and the attempt: the same events give the same wait again.
func spread(d hive.Duration, r hive.Retry, batch int64, a *attempt) hive.Duration {
	if !(r.Jitter > 0) || d <= 0 {
		return d
	}
	low, high := float64(d)*(1-r.Jitter), float64(d)*(1+r.Jitter)
	if limit := float64(r.MaxDelay); limit > 0 {
		high = min(high, limit)
	}
	share := fraction(batch, int64(a.run), int64(a.Round), int64(a.Number))
	return hive.Duration(min(low+(high-low)*share, float64(1<<62)))
}

// fraction returns a number from 0 up to 1 that looks random and follows from the values. It mixes each value as
// SplitMix64 does.
func fraction(values ...int64) float64 {
	var x uint64
	for _, value := range values {
		x += uint64(value) + 0x9e3779b97f4a7c15
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		x ^= x >> 31
	}
	return math.Ldexp(float64(x>>11), -53)
}
