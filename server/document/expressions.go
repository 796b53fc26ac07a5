package document

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rprp/hivego/server/expression"
	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/schedule"
)

// expressions checks the conditions and templates of one definition, and their references.
type expressions struct {
	def     *hive.Definition
	jobOf   map[string]int // of tasks by key
	params  []string
	sharded map[string]bool // paths of sharded tasks

	known     schedule.Calendars // nil: not checked
	calendars []string           // that were found, each once

	secrets     map[string]hive.Secret               // nil: not checked
	connections map[string]hive.ConnectionDefinition // nil: not checked
}

func newExpressions(def *hive.Definition, o *Options) *expressions {
	x := &expressions{
		def: def, jobOf: map[string]int{}, known: o.Calendars, calendars: schedule.CalendarNames(def),
		secrets: o.Secrets, connections: o.Connections, sharded: map[string]bool{},
	}
	for j := range def.Jobs {
		for t := range def.Jobs[j].Tasks {
			x.jobOf[def.Jobs[j].Tasks[t].Key] = j
			if !def.Jobs[j].Tasks[t].Shard.IsZero() {
				x.sharded[fmt.Sprintf("jobs[%d].tasks[%d]", j, t)] = true
			}
		}
	}
	for name := range def.Params {
		x.params = append(x.params, name)
	}
	return x
}

// misread takes the tasks whose `shard` has a wrong shape as sharded, so that their expressions bring no further
// faults.
func (x *expressions) misread(refused map[string]bool) {
	for path := range refused {
		if task, _, ok := strings.Cut(path, ".shard"); ok {
			x.sharded[task] = true
		}
	}
}

// conditions lists the faults of all `when` and `retry.when` conditions, keys of routes and lists of shards.
func (x *expressions) conditions() []hive.Fault {
	out := x.retriesOfHooks("", x.def.Hooks())
	for j := range x.def.Jobs {
		out = append(out, x.retriesOfHooks(fmt.Sprintf("jobs[%d]", j), x.def.Jobs[j].Hooks())...)
		out = append(out, x.retryWhen(fmt.Sprintf("jobs[%d].defaults", j), j, x.def.Jobs[j].Defaults.Retry.When)...)
		for t := range x.def.Jobs[j].Tasks {
			if when := x.def.Jobs[j].Tasks[t].When; when != "" {
				path := fmt.Sprintf("jobs[%d].tasks[%d].when", j, t)
				err := expression.Check(when)
				refs, _ := expression.Refer(when)
				out = append(out, x.faults(path, j, refs, err)...)
			}
			task := fmt.Sprintf("jobs[%d].tasks[%d]", j, t)
			out = append(out, x.retryWhen(task, j, x.def.Jobs[j].Tasks[t].Retry.When)...)
			out = append(out, x.retriesOfHooks(task, x.def.Jobs[j].Tasks[t].Hooks())...)
			if key := x.def.Jobs[j].Tasks[t].RouteKey; key != "" {
				refs, err := expression.Refer(key)
				out = append(out, x.faults(fmt.Sprintf("jobs[%d].tasks[%d].routeKey", j, t), j, refs, err)...)
			}
			if over := x.def.Jobs[j].Tasks[t].Shard.Over; strings.TrimSpace(over) != "" {
				refs, err := expression.Refer(over)
				out = append(out, x.faults(fmt.Sprintf("jobs[%d].tasks[%d].shard.over", j, t), j, refs, err)...)
			}
		}
	}
	return out
}

// retryWhen lists the faults of the condition of a retry, in a task of job j or in a hook.
func (x *expressions) retryWhen(path string, j int, when string) []hive.Fault {
	if when == "" {
		return nil
	}
	err := expression.Check(when)
	refs, _ := expression.Refer(when)
	return x.faults(path+retryWhenField, j, refs, err)
}

// retriesOfHooks does so for the hooks of the schedule, of a job or of a task.
func (x *expressions) retriesOfHooks(path string, hooks hive.Hooks) []hive.Fault {
	var out []hive.Fault
	for _, list := range hooks.Lists() {
		for i := range list.Hooks {
			at := fmt.Sprintf("%s[%d]", join(path, list.Name), i)
			out = append(out, x.retryWhen(at, inHook, list.Hooks[i].Retry.When)...)
		}
	}
	return out
}

const retryWhenField = ".retry.when"

// inHook stands for the index of a job, in a hook.
const inHook = -1

// template lists the faults of a text with ${{ }} in a task of job j, or in a hook.
func (x *expressions) template(path string, j int, text string) []hive.Fault {
	refs, err := expression.ReferTemplate(text)
	return x.faults(path, j, refs, err)
}

func (x *expressions) faults(path string, j int, refs expression.References, err error) []hive.Fault {
	if err != nil {
		return []hive.Fault{hive.FaultOf(err, codeBadExpression).At(path)}
	}
	var out []hive.Fault
	for _, name := range refs.Params {
		if _, ok := x.def.Params[name]; !ok {
			u := unknown{hive.FaultUnknownParam, hive.FaultNoParamNear, "declare it under params of the schedule"}
			f := u.fault(codeUnknownParam, "params.‹value› is not declared", name, x.params, "value", name)
			out = append(out, f.At(path))
		}
	}
	for _, name := range refs.Calendars {
		if !slices.Contains(x.calendars, name) {
			x.calendars = append(x.calendars, name)
		}
		if x.known != nil && x.known(name) == nil {
			out = append(out, hive.NewFault(codeUnknownCalendar, hive.FaultUnknownCalendar,
				"there is no calendar ‹value›", "write the name of one, or make it first",
				"value", hive.Clean(name, 80)).At(path))
		}
	}
	if refs.Event && j != inHook {
		out = append(out, hive.NewFault(codeBadExpression, hive.FaultEventOutside,
			"event is known in hooks only", "use it in onFailure, onSuccess or onEnd").At(path))
	}
	if refs.Shard && !x.knowsShard(path) {
		out = append(out, hive.NewFault(codeBadExpression, hive.FaultShardOutside,
			"shard is known in params, routeKey and retry.when of a sharded task only",
			"write shard: {count: 5} on the task").At(path))
	}
	if refs.Outcome && (!strings.HasSuffix(path, retryWhenField) || strings.Contains(path, ".params.")) {
		out = append(out, hive.NewFault(codeBadExpression, hive.FaultOutcomeOutside,
			"outcome is known in retry.when only", "take it out; a hook reads event.error").At(path))
	}
	for _, ref := range refs.Outputs {
		if ref.Name == "" { // the longer reference, if there is one, is in the list too
			out = append(out, x.task(path, j, ref.Task)...)
		}
	}
	return out
}

// knowsShard reports whether the expression at a path belongs to each shard of a task, not to the task as a whole.
func (x *expressions) knowsShard(path string) bool {
	before, after, ok := strings.Cut(path, ".tasks[")
	if !ok {
		return false
	}
	index, field, _ := strings.Cut(after, "]")
	return x.sharded[before+".tasks["+index+"]"] &&
		(field == ".routeKey" || field == retryWhenField || strings.HasPrefix(field, ".params"))
}

// secretFaults lists the faults of the secrets in a text of a task in a group. allowed tells whether the field takes
// any.
func (x *expressions) secretFaults(path, text, group string, allowed bool) []hive.Fault {
	refs, err := expression.ReferTemplate(text)
	if err != nil {
		return nil // template has listed it
	}
	var out []hive.Fault
	for _, name := range slices.Compact(refs.Secrets) {
		known, found := x.secrets[name]
		switch {
		case !allowed:
			out = append(out, hive.NewFault(codeBadSecret, hive.FaultSecretPlace,
				"the secret ‹value› is not filled in there", "use a field that takes secrets, such as env of shell",
				"value", name).At(path))
		case x.secrets == nil:
		case !found:
			u := unknown{
				hive.FaultUnknownSecret, hive.FaultNoSecretNear,
				"an administrator sets it: hivego secrets set ‹value› --stdin",
			}
			f := u.fault(codeBadSecret, "there is no secret ‹value›", name, slices.Collect(maps.Keys(x.secrets)),
				"value", name)
			out = append(out, f.At(path))
		case !known.Allows(group):
			out = append(out, hive.NewFault(codeBadSecret, hive.FaultSecretGroup,
				"executors of group ‹group› may not have the secret ‹value›",
				"name another group, or let an administrator allow it: hivego secrets allow ‹value› ‹group›",
				"value", name, "group", hive.Clean(group, 80)).At(path))
		}
	}
	return out
}

// task checks that an output belongs to a task of an earlier job.
func (x *expressions) task(path string, j int, key string) []hive.Fault {
	at, ok := x.jobOf[key]
	switch {
	case j == inHook:
		return []hive.Fault{hive.NewFault(codeBadExpression, hive.FaultHookOutput,
			"outputs.‹value› is not known in a hook", "write the output to a file, or use event, params and tick",
			"value", key).At(path)}
	case !ok:
		keys := make([]string, 0, len(x.jobOf))
		for job := range x.def.Jobs[:j] {
			for t := range x.def.Jobs[job].Tasks {
				keys = append(keys, x.def.Jobs[job].Tasks[t].Key)
			}
		}
		u := unknown{hive.FaultUnknownTask, hive.FaultNoTaskNear, "name a task of an earlier job"}
		f := u.fault(codeUnknownTask, "outputs.‹value› names no task", key, keys, "value", key)
		return []hive.Fault{f.At(path)}
	case at >= j:
		return []hive.Fault{hive.NewFault(graph.CodeLaterNeed, hive.FaultLaterOutput,
			"outputs.‹value› is of a task that is not in an earlier job, so that it is always null",
			"name a task of an earlier job", "value", key).At(path)}
	default:
		return nil
	}
}

// unknown describes the fault of an unknown name: a reason with its remedy, and another reason for a name that is
// similar to a known one.
type unknown struct {
	reason, near hive.FaultReason
	remedy       string
}

// fault makes the fault of an unknown name. Its remedy suggests the most similar known name, if there is one. The
// params fill the placeholders of the message.
func (u unknown) fault(code, message, name string, known []string, params ...any) hive.Fault {
	if near := hive.Nearest(name, known); near != "" {
		return hive.NewFault(code, u.near, message, "did you mean ‹near›?", append(params, "near", near)...)
	}
	return hive.NewFault(code, u.reason, message, u.remedy, params...)
}
