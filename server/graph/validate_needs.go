package graph

import (
	"fmt"
	"strings"

	"github.com/rprp/hivego/server/hive"
)

// maxHints bounds the work for "did you mean": each looks at every key of the schedule.
const maxHints = 50

// needs checks that every need names a task of an earlier job, once. This also rules out cycles.
func (v *validation) needs() {
	for j := range v.def.Jobs {
		for t := range v.def.Jobs[j].Tasks {
			v.needsOf(place{j, t}, &v.def.Jobs[j].Tasks[t])
		}
	}
}

func (v *validation) needsOf(at place, task *hive.Task) {
	if len(task.Needs) == 0 {
		return
	}
	seen := make(map[string]bool, len(task.Needs))
	for i, key := range task.Needs {
		if seen[key] {
			v.add(CodeDuplicateNeed, at, needs(i), fmt.Sprintf("%s is needed twice", key), "keep one of them")
			continue
		}
		seen[key] = true
		v.need(i, at, task, key)
	}
}

func (v *validation) need(i int, at place, task *hive.Task, key string) {
	target, ok := v.places[key]
	switch {
	case key == task.Key:
		v.add(CodeSelfNeed, at, needs(i), fmt.Sprintf("task %s needs itself", key), "take it out")
	case !ok:
		v.add(CodeUnknownNeed, at, needs(i), fmt.Sprintf("there is no task %.80q", key), v.hint(at, key))
	case target.job == at.job:
		v.add(CodeSameJobNeed, at, needs(i),
			fmt.Sprintf("task %s is in the same job %s, whose tasks are parallel", key, v.def.Jobs[at.job].Key),
			fmt.Sprintf("move %s to a later job, or take the need out", task.Key))
	case target.job > at.job:
		v.add(CodeLaterNeed, at, needs(i),
			fmt.Sprintf("task %s is in the later job %s", key, v.def.Jobs[target.job].Key),
			fmt.Sprintf("move %s to a job after it, or take the need out", task.Key))
	}
}

// needs is the field of the need at position i.
func needs(i int) string { return fmt.Sprintf("needs[%d]", i) }

// hint says which task of an earlier job may have been meant.
func (v *validation) hint(at place, key string) string {
	const plain = "name a task of an earlier job"
	if same, ok := v.folded[strings.ToLower(key)]; ok && same.job < at.job {
		return fmt.Sprintf("did you mean %s? Keys are told apart by case", v.def.Jobs[same.job].Tasks[same.task].Key)
	}
	if v.hints++; v.hints > maxHints {
		return plain
	}
	var earlier []string
	for j := range v.def.Jobs[:at.job] {
		for t := range v.def.Jobs[j].Tasks {
			earlier = append(earlier, v.def.Jobs[j].Tasks[t].Key)
		}
	}
	if near := hive.Nearest(key, earlier); near != "" {
		return fmt.Sprintf("did you mean %s?", near)
	}
	return plain
}
