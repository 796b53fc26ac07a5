package graph

import (
	"errors"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/rprp/hivego/server/hive"
)

// params checks the schedule's parameters. They become environment variables of shells and bind values of SQL, so their
// names are restricted and their values are scalars.
func (v *validation) params() {
	for _, name := range slices.Sorted(maps.Keys(v.def.Params)) {
		path := "params." + name
		if !isParam(name) {
			v.add(head(), path, hive.NewFault(CodeBadName, hive.FaultBadParam,
				`"‹value›" cannot be the name of a parameter`,
				"use lower-case letters, digits and _, starting with a letter, at most 63",
				"value", hive.Escaped(name, maxShown)))
		}
		if reason, message := notScalar(v.def.Params[name]); reason != "" {
			v.add(head(), path, hive.NewFault(CodeBadValue, reason, message,
				`give it a text, a number, true or false as its default; "" is an empty text`))
		}
	}
}

// notScalar returns why value is not a scalar. The reason is empty if it is one.
func notScalar(value any) (reason hive.FaultReason, message string) {
	switch x := value.(type) {
	case string, bool, int, int64, uint64:
		return "", ""
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return hive.FaultDefaultInfinite, "the parameter is not a finite number"
		}
		return "", ""
	case nil:
		return hive.FaultDefaultNone, "the parameter has no value"
	default:
		return hive.FaultDefaultKind, "the parameter is not a single value"
	}
}

// jobs checks jobs and tasks one by one and records the place of every task key.
func (v *validation) jobs() {
	v.places, v.folded = map[string]place{}, map[string]place{}
	seen := map[string]int{}
	for j := range v.def.Jobs {
		job := &v.def.Jobs[j]
		at := place{j, -1}
		v.keyed(at, "job", job.Key)
		lower := strings.ToLower(job.Key)
		if first, ok := seen[lower]; ok {
			v.duplicate(at, "job", job.Key, v.def.Jobs[first].Key, place{first, -1})
		} else if job.Key != "" {
			seen[lower] = j
		}
		v.title(at, job.Title)
		v.notNegative(at, "timeout", job.Timeout)
		v.common(at, "defaults.", &job.Defaults)
		v.hooks(at, job.Hooks())
		for t := range job.Tasks {
			v.locate(place{j, t}, &job.Tasks[t])
			v.task(place{j, t}, &job.Tasks[t])
		}
	}
}

// locate records the place of a task key, and refuses a second use.
func (v *validation) locate(at place, task *hive.Task) {
	v.keyed(at, "task", task.Key)
	if task.Key == "" {
		return
	}
	lower := strings.ToLower(task.Key)
	if first, ok := v.folded[lower]; ok {
		key := v.def.Jobs[first.job].Tasks[first.task].Key
		v.duplicate(at, "task", task.Key, key, first)
		return
	}
	v.folded[lower], v.places[task.Key] = at, at
}

func (v *validation) keyed(at place, what, key string) {
	switch {
	case key == "":
		v.add(at, "key", hive.NewFault(CodeMissingField, hive.FaultNoKey, "the ‹what› has no key",
			"give it a key, unique in the schedule", "what", what))
	case !isKey(key):
		v.add(at, "key", hive.NewFault(CodeBadKey, hive.FaultBadKey, `"‹value›" cannot be the key of a ‹what›`,
			"use 1 to 128 letters, digits, _ and -, starting with a letter or digit; the title is free text",
			"value", hive.Escaped(key, maxShown), "what", what))
	}
}

func (v *validation) duplicate(at place, what, key, other string, first place) {
	const remedy = "give each ‹what› a key of its own"
	params := []any{"value", key, "what", what, "place", first}
	f := hive.NewFault(CodeDuplicateKey, hive.FaultKeyUsed, "the key ‹value› is already used by ‹place›", remedy,
		params...)
	if key != other {
		f = hive.NewFault(CodeDuplicateKey, hive.FaultKeyCase,
			"the key ‹value› differs only in case from ‹other› of ‹place›", remedy, append(params, "other", other)...)
	}
	v.add(at, "key", f)
}

// task checks all fields of a task except its needs.
func (v *validation) task(at place, t *hive.Task) {
	v.title(at, t.Title)
	v.siteName(at, "handler", "handler", t.Handler)
	common := t.Common()
	v.common(at, "", &common)
	v.siteName(at, "executor", "executor", t.Executor)
	if t.Handler == "" {
		v.add(at, "handler", hive.NewFault(CodeMissingField, hive.FaultNoHandler, "the task has no handler",
			"name the kind of work, such as shell or sql"))
	}
	for _, name := range slices.Sorted(maps.Keys(t.Labels)) {
		v.siteName(at, "labels."+name, "label", name)
		if name == "" {
			v.add(at, "labels", hive.NewFault(CodeBadName, hive.FaultNoLabelName, "a label has no name",
				"name it, or take it out"))
		}
	}
	v.routing(at, t)
	oneOf(v, at, "rule", t.Rule,
		hive.RuleAllSuccess, hive.RuleAllDone, hive.RuleOneSuccess, hive.RuleOneFailed, hive.RuleAllFailed)
	v.pool(at, t.Pool)
	v.sharding(at, t)
	v.hooks(at, t.Hooks())
}

// common checks the fields of a task that may have defaults, or the defaults of a job.
func (v *validation) common(at place, prefix string, d *hive.Defaults) {
	v.siteName(at, prefix+"group", "group of executors", d.Group)
	if d.Priority != 0 {
		v.between(at, prefix+"priority", d.Priority, 1, 10, "; 10 goes first, 5 is the default")
	}
	v.notNegative(at, prefix+"timeout", d.Timeout)
	v.notNegative(at, prefix+"killGrace", d.KillGrace)
	v.retry(at, prefix+"retry", d.Retry)
	oneOf(v, at, prefix+"onLost.do", d.OnLost.Do, hive.OnLostRetry, hive.OnLostHold, hive.OnLostFail)
	if d.OnLost.Max != nil {
		v.between(at, prefix+"onLost.max", *d.OnLost.Max, 0, MaxRetry, "")
	}
}

func (v *validation) pool(at place, p hive.Pool) {
	if p.IsZero() {
		return
	}
	v.siteName(at, "pool.name", "pool", p.Name)
	if p.Name == "" {
		v.add(at, "pool.name", hive.NewFault(CodeMissingField, hive.FaultNoPoolName, "the pool has no name",
			"name the pool, or take it out"))
	}
	if p.Slots != 0 {
		v.between(at, "pool.slots", p.Slots, 1, hive.MostLimit, "")
	}
}

// sharding checks how a task is split.
func (v *validation) sharding(at place, t *hive.Task) {
	s := t.Shard
	if s.Count != 0 {
		v.between(at, "shard.count", s.Count, 1, hive.MaxShards, "")
	}
	if s.Count != 0 && s.Over != "" {
		v.add(at, "shard", hive.NewFault(CodeBadValue, hive.FaultShardTwo,
			"the task is sharded by both count and over", "keep one of them"))
	}
	if s.Broadcast && t.Executor != "" {
		v.add(at, "shard", hive.NewFault(CodeBadValue, hive.FaultShardPinned,
			"a broadcast goes to every executor, but the task is pinned to ‹value›",
			"take executor out, or shard by count", "value", hive.Escaped(t.Executor, maxShown)))
	}
}

// routing checks how the executor of a task is chosen.
func (v *validation) routing(at place, t *hive.Task) {
	v.selector(at, t.Selector)
	oneOf(v, at, "route", t.Route, hive.Routes()...)
	if route := hive.EffectiveRoute(t.Route, v.def.Policy.Route, "").Route; t.RouteKey != "" &&
		route != hive.RouteConsistentHash {
		v.add(at, "routeKey", hive.NewFault(CodeBadValue, hive.FaultRouteKeyAlone,
			"the key has no effect, because the route is ‹value›", "write route: ‹route›, or take the key out",
			"value", hive.Escaped(string(route), maxShown), "route", hive.RouteConsistentHash))
	}
	if t.Reject.Max != nil {
		v.between(at, "reject.max", *t.Reject.Max, 0, MaxRejects, "")
	}
	v.notNegative(at, "reject.interval", t.Reject.Interval)
}

func (v *validation) selector(at place, text string) {
	_, err := hive.ParseSelector(text)
	wrong, ok := errors.AsType[*hive.SelectorError](err)
	switch {
	case !ok:
	case wrong.Term == "":
		v.add(at, "selector", hive.NewFault(CodeOutOfRange, hive.FaultSelectorLong,
			"the selector is longer than ‹high› characters", "name fewer values, or give executors a label for them",
			"high", hive.MaxSelector))
	default:
		v.add(at, "selector", hive.NewFault(CodeBadValue, hive.FaultBadSelector,
			`"‹value›" is not a condition on labels`,
			"write conditions such as gpu=a100, zone!=b, disk in (ssd, nvme), gpu or !gpu, with commas between them",
			"value", hive.Escaped(wrong.Term, maxShown)))
	}
}

func (v *validation) retry(at place, field string, r hive.Retry) {
	v.between(at, field+".max", r.Max, 0, MaxRetry, "")
	v.notNegative(at, field+".delay", r.Delay)
	v.notNegative(at, field+".maxDelay", r.MaxDelay)
	if r.Backoff != 0 && !(r.Backoff >= 1 && r.Backoff <= MaxRetry) { // also refuses NaN
		v.add(at, field+".backoff", outOfRange(r.Backoff, 1, MaxRetry,
			"write by what the delay is multiplied at each further retry; 1 keeps it"))
	}
	if !(r.Jitter >= 0 && r.Jitter <= 1) { // also refuses NaN
		v.add(at, field+".jitter", hive.NewFault(CodeOutOfRange, hive.FaultRetryJitter,
			"‹value› is not between 0 and 1", "write the share of a wait by which it may differ, such as 0.2 for 20 %",
			"value", r.Jitter))
	}
	v.retryOn(at, field+".on", r.On)
	if r.MaxDelay > 0 && r.MaxDelay < r.Delay {
		v.add(at, field+".maxDelay", hive.NewFault(CodeOutOfRange, hive.FaultShortMaxDelay,
			"‹value› is shorter than the delay of ‹low›", "make it at least as long as the delay, or leave it out",
			"value", r.MaxDelay, "low", r.Delay))
	}
}

func (v *validation) retryOn(at place, field, text string) {
	_, err := hive.ParseRetryOn(text)
	wrong, ok := errors.AsType[*hive.RetryOnError](err)
	if !ok {
		return
	}
	value := hive.Escaped(wrong.Term, maxShown)
	switch wrong.Reason {
	case hive.FaultRetryOnLong:
		v.add(at, field, hive.NewFault(CodeOutOfRange, wrong.Reason, "the list is longer than ‹high› characters",
			"write ranges of exit codes, such as 100-110", "high", hive.MaxRetryOn))
	case hive.FaultRetryOnCode:
		v.add(at, field, hive.NewFault(CodeBadValue, wrong.Reason, "‹value› is no exit code", "use ‹low› to ‹high›",
			"value", value, "low", 0, "high", hive.MaxExitCode))
	case hive.FaultRetryOnRange:
		v.add(at, field, hive.NewFault(CodeBadValue, wrong.Reason, "the range ‹value› ends before it begins",
			"write the smaller exit code first", "value", value))
	case hive.FaultRetryOnLost:
		v.add(at, field, hive.NewFault(CodeBadValue, wrong.Reason, "lost attempts are repeated by onLost, not by retry",
			"take lost out; onLost: {do: retry, max: 2} of the task repeats them"))
	default:
		v.add(at, field, hive.NewFault(CodeBadValue, hive.FaultRetryOnWord,
			`"‹value›" is neither an exit code nor a reason`,
			"write exit codes, ranges of them and reasons with commas between them, such as 75, 100-110, timeout; "+
				"the reasons are ‹known›", "value", value, "known", knownOutcomes()))
	}
}

// knownOutcomes lists the reasons that retry.on may name.
func knownOutcomes() string {
	words := make([]string, 0, len(hive.RetryOutcomes()))
	for _, outcome := range hive.RetryOutcomes() {
		words = append(words, string(outcome))
	}
	return strings.Join(words, ", ")
}

func (v *validation) between(at place, field string, value, low, high int, more string) {
	if value < low || value > high {
		v.add(at, field, outOfRange(value, low, high, "write a whole number from ‹low› to ‹high›"+more))
	}
}

func outOfRange(value any, low, high int, remedy string) hive.Fault {
	return hive.NewFault(CodeOutOfRange, hive.FaultOutOfRange, "‹value› is not between ‹low› and ‹high›", remedy,
		"value", value, "low", low, "high", high)
}

// siteName checks the name of a handler, group, executor or label, if it is given.
func (v *validation) siteName(at place, field, what, name string) {
	if name != "" && !isSite(name) {
		v.add(at, field, hive.NewFault(CodeBadName, hive.FaultBadSite, `"‹value›" cannot be the name of a ‹what›`,
			"use letters, digits, _, . and -, starting with a letter or digit",
			"value", hive.Escaped(name, maxShown), "what", what))
	}
}
