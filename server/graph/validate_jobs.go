package graph

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/rprp/hivego/server/hive"
)

// params checks the schedule's parameters: their names reach shells as environment variables and SQL as bind names,
// their values are scalars for the same reason.
func (v *validation) params() {
	for _, name := range slices.Sorted(maps.Keys(v.def.Params)) {
		path := "params." + name
		if !isParam(name) {
			v.add(CodeBadName, head(), path, fmt.Sprintf("%.80q cannot be the name of a parameter", name),
				"use lower-case letters, digits and _, starting with a letter, at most 63")
		}
		if words := notScalar(v.def.Params[name]); words != "" {
			v.add(CodeBadValue, head(), path, words,
				`give it a text, a number, true or false as its default; "" is an empty text`)
		}
	}
}

// notScalar says in words why value is not a scalar; empty if it is one.
func notScalar(value any) string {
	switch x := value.(type) {
	case string, bool, int, int64, uint64:
		return ""
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return "the parameter is not a finite number"
		}
		return ""
	case nil:
		return "the parameter has no value"
	default:
		return "the parameter is not a single value"
	}
}

// jobs checks jobs and tasks one by one and notes the place of every task key.
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
		for t := range job.Tasks {
			v.locate(place{j, t}, &job.Tasks[t])
			v.task(place{j, t}, &job.Tasks[t])
		}
	}
}

// locate notes where a task key is used, and refuses a second use.
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
		v.add(CodeMissingField, at, "key", fmt.Sprintf("the %s has no key", what),
			"give it a key, unique in the schedule")
	case !isKey(key):
		v.add(CodeBadKey, at, "key", fmt.Sprintf("%.80q cannot be the key of a %s", key, what),
			"use 1 to 128 letters, digits, _ and -, starting with a letter or digit; the title is free text")
	}
}

func (v *validation) duplicate(at place, what, key, other string, first place) {
	message := fmt.Sprintf("the key %s is already used by %s", key, first)
	if key != other {
		message = fmt.Sprintf("the key %s differs only in case from %s of %s", key, other, first)
	}
	v.add(CodeDuplicateKey, at, "key", message, fmt.Sprintf("give each %s a key of its own", what))
}

// task checks all of a task but its needs.
func (v *validation) task(at place, t *hive.Task) {
	v.title(at, t.Title)
	v.placed(at, "handler", "handler", t.Handler)
	v.placed(at, "group", "group of executors", t.Group)
	v.placed(at, "executor", "executor", t.Executor)
	if t.Handler == "" {
		v.add(CodeMissingField, at, "handler", "the task has no handler", "name the kind of work, such as shell or sql")
	}
	for _, name := range slices.Sorted(maps.Keys(t.Labels)) {
		v.placed(at, "labels."+name, "label", name)
		if name == "" {
			v.add(CodeBadName, at, "labels", "a label has no name", "name it, or take it out")
		}
	}
	oneOf(v, at, "rule", t.Rule,
		hive.RuleAllSuccess, hive.RuleAllDone, hive.RuleOneSuccess, hive.RuleOneFailed, hive.RuleAllFailed)
	if t.Priority != 0 {
		v.between(at, "priority", t.Priority, 1, 10, "; 10 goes first, 5 is the default")
	}
	v.notNegative(at, "timeout", t.Timeout)
	v.notNegative(at, "killGrace", t.KillGrace)
	v.retry(at, t.Retry)
	oneOf(v, at, "onLost.do", t.OnLost.Do, hive.OnLostRetry, hive.OnLostHold, hive.OnLostFail)
	if t.OnLost.Max != nil {
		v.between(at, "onLost.max", *t.OnLost.Max, 0, MaxRetry, "")
	}
}

func (v *validation) retry(at place, r hive.Retry) {
	v.between(at, "retry.max", r.Max, 0, MaxRetry, "")
	v.notNegative(at, "retry.delay", r.Delay)
	v.notNegative(at, "retry.maxDelay", r.MaxDelay)
	if r.Backoff != 0 && !(r.Backoff >= 1 && r.Backoff <= MaxRetry) { // also refuses NaN
		v.add(CodeOutOfRange, at, "retry.backoff", fmt.Sprintf("%v is not between 1 and %d", r.Backoff, MaxRetry),
			"write by what the delay is multiplied at each further retry; 1 keeps it")
	}
	if r.MaxDelay > 0 && r.MaxDelay < r.Delay {
		v.add(CodeOutOfRange, at, "retry.maxDelay",
			fmt.Sprintf("%s is shorter than the delay of %s", r.MaxDelay, r.Delay),
			"make it at least as long as the delay, or leave it out")
	}
}

func (v *validation) between(at place, field string, value, low, high int, more string) {
	if value < low || value > high {
		v.add(CodeOutOfRange, at, field, fmt.Sprintf("%d is not between %d and %d", value, low, high),
			fmt.Sprintf("write a whole number from %d to %d%s", low, high, more))
	}
}

// placed checks the name of something outside the schedule, if it is given.
func (v *validation) placed(at place, field, what, name string) {
	if name != "" && !isSite(name) {
		v.add(CodeBadName, at, field, fmt.Sprintf("%.80q cannot be the name of a %s", name, what),
			"use letters, digits, _, . and -, starting with a letter or digit")
	}
}
