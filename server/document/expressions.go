package document

import (
	"fmt"
	"strings"

	"github.com/rprp/hivego/server/expression"
	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
)

// expressions checks conditions and templates of one definition, and what they name.
type expressions struct {
	def    *hive.Definition
	jobOf  map[string]int // of tasks by key
	params []string
}

func newExpressions(def *hive.Definition) *expressions {
	x := &expressions{def: def, jobOf: map[string]int{}}
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

// conditions lists the faults of all `when`.
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
		words, remedy, _ := strings.Cut(err.Error(), "; ")
		return []hive.Fault{{Code: codeBadExpression, Path: path, Message: words, Remedy: remedy}}
	}
	var out []hive.Fault
	for _, name := range refs.Params {
		if _, ok := x.def.Params[name]; !ok {
			out = append(out, hive.Fault{
				Code: codeUnknownParam, Path: path, Message: fmt.Sprintf("params.%s is not declared", name),
				Remedy: hint(name, x.params, "declare it under params of the schedule"),
			})
		}
	}
	for _, ref := range refs.Outputs {
		if ref.Name == "" { // the longer reference, if there is one, is in the list too
			out = append(out, x.task(path, j, ref.Task)...)
		}
	}
	return out
}

// task checks that the outputs named are those of a task that can have run before.
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
		return []hive.Fault{{
			Code: codeUnknownTask, Path: path, Message: fmt.Sprintf("outputs.%s names no task", key),
			Remedy: hint(key, keys, "name a task of an earlier job"),
		}}
	case at >= j:
		return []hive.Fault{{
			Code: graph.CodeLaterNeed, Path: path,
			Message: fmt.Sprintf("outputs.%s is of a task that is not in an earlier job, so that it is always null",
				key),
			Remedy: "name a task of an earlier job",
		}}
	default:
		return nil
	}
}

// hint offers the nearest of known, or says plainly what to do.
func hint(word string, known []string, plain string) string {
	if near := hive.Nearest(word, known); near != "" {
		return fmt.Sprintf("did you mean %s?", near)
	}
	return plain
}
