package graph

import (
	"fmt"
	"strings"

	"github.com/rprp/hivego/server/hive"
)

// maxHints bounds the number of "did you mean" remedies, because each compares all keys of the schedule.
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
			v.add(at, needs(i), hive.NewFault(CodeDuplicateNeed, hive.FaultDuplicateNeed, "‹need› is needed twice",
				"keep one of them", "need", key))
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
		v.add(at, needs(i), hive.NewFault(CodeSelfNeed, hive.FaultSelfNeed, "task ‹need› needs itself", "take it out",
			"need", key))
	case !ok:
		v.add(at, needs(i), v.unknownNeed(at, key))
	case target.job == at.job:
		v.add(at, needs(i), hive.NewFault(CodeSameJobNeed, hive.FaultSameJobNeed,
			"task ‹need› is in the same job ‹job›, whose tasks are parallel",
			"move ‹task› to a later job, or take the need out",
			"need", key, "job", v.def.Jobs[at.job].Key, "task", task.Key))
	case target.job > at.job:
		v.add(at, needs(i), hive.NewFault(CodeLaterNeed, hive.FaultLaterNeed, "task ‹need› is in the later job ‹job›",
			"move ‹task› to a job after it, or take the need out",
			"need", key, "job", v.def.Jobs[target.job].Key, "task", task.Key))
	}
}

// needs returns the name of the field of the need at position i.
func needs(i int) string { return fmt.Sprintf("needs[%d]", i) }

// unknownNeed returns the fault of a need that names no task. Its remedy suggests a similar key of an earlier job.
func (v *validation) unknownNeed(at place, key string) hive.Fault {
	fault := func(reason hive.FaultReason, remedy, near string) hive.Fault {
		params := []any{"need", hive.Escaped(key, maxShown)}
		if near != "" {
			params = append(params, "near", near)
		}
		return hive.NewFault(CodeUnknownNeed, reason, `there is no task "‹need›"`, remedy, params...)
	}
	if same, ok := v.folded[strings.ToLower(key)]; ok && same.job < at.job {
		return fault(hive.FaultUnknownNeedNear, "did you mean ‹near›? Keys are told apart by case",
			v.def.Jobs[same.job].Tasks[same.task].Key)
	}
	plain := fault(hive.FaultUnknownNeed, "name a task of an earlier job", "")
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
		return fault(hive.FaultUnknownNeedNear, "did you mean ‹near›?", near)
	}
	return plain
}
