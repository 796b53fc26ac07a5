package document

import (
	"fmt"
	"slices"

	"github.com/rprp/hivego/server/expression"
	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/schedule"
)

// expressions checks the conditions and templates of one definition, and their references.
type expressions struct {
	def    *hive.Definition
	jobOf  map[string]int // of tasks by key
	params []string

	known     schedule.Calendars // nil: not checked
	calendars []string           // that were found, each once
}

func newExpressions(def *hive.Definition, known schedule.Calendars) *expressions {
	x := &expressions{def: def, jobOf: map[string]int{}, known: known, calendars: schedule.CalendarNames(def)}
	for j := range def.Jobs {
		for t := range def.Jobs[j].Tasks {
			x.jobOf[def.Jobs[j].Tasks[t].Key] = j
		}
	}
	for name := range def.Params {
		x.params = append(x.params, name)
	}
	return x
}

// conditions lists the faults of all `when` conditions.
func (x *expressions) conditions() []hive.Fault {
	var out []hive.Fault
	for j := range x.def.Jobs {
		for t := range x.def.Jobs[j].Tasks {
			if when := x.def.Jobs[j].Tasks[t].When; when != "" {
				path := fmt.Sprintf("jobs[%d].tasks[%d].when", j, t)
				err := expression.Check(when)
				refs, _ := expression.Refer(when)
				out = append(out, x.faults(path, j, refs, err)...)
			}
		}
	}
	return out
}

// template lists the faults of a text with ${{ }} in a task of job j.
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
	for _, ref := range refs.Outputs {
		if ref.Name == "" { // the longer reference, if there is one, is in the list too
			out = append(out, x.task(path, j, ref.Task)...)
		}
	}
	return out
}

// task checks that an output belongs to a task of an earlier job.
func (x *expressions) task(path string, j int, key string) []hive.Fault {
	at, ok := x.jobOf[key]
	switch {
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
