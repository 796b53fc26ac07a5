package sim

import (
	"slices"

	"github.com/rprp/hivego/server/hive"
)

// This file implements the rules a second time, in the simplest way: without counters, from all rows each time.

// verdict is the result of the rules for a run.
type verdict string

const (
	mayRun   verdict = "run"
	mustWait verdict = "wait"
	skipBad  verdict = "be skipped for a failure"
	skipNone verdict = "be skipped, its rule does not apply"
)

// revision is a stored definition, with its tasks prepared for the oracle.
type revision struct {
	row   hive.Revision
	def   *hive.Definition
	tasks map[string]*hive.Task
	job   map[string]int // of each task
}

func newRevision(row hive.Revision, def *hive.Definition) *revision {
	r := &revision{row: row, def: def, tasks: map[string]*hive.Task{}, job: map[string]int{}}
	for j := range def.Jobs {
		for t := range def.Jobs[j].Tasks {
			task := def.Jobs[j].Effective(&def.Jobs[j].Tasks[t])
			r.tasks[task.Key], r.job[task.Key] = task, j
		}
	}
	return r
}

// judge applies the rules to a run, from the rows of its batch.
func (s *store) judge(b *hive.Batch, r *hive.Run) verdict {
	rev := s.revs[b.RevisionID]
	task := rev.tasks[r.Task]
	if task == nil {
		return skipNone
	}
	var pending, good, bad, none, earlier int
	for _, id := range s.byBatch[b.ID].runs {
		other := s.runs[id]
		spec := rev.tasks[other.Task]
		if spec == nil {
			continue
		}
		before := rev.job[other.Task] < rev.job[r.Task]
		if before && !other.State.Final() {
			earlier++
		}
		if !before || len(task.Needs) > 0 && !contains(task.Needs, other.Task) {
			continue
		}
		switch {
		case !other.State.Final():
			pending++
		case other.State == hive.RunSucceeded, other.State == hive.RunIgnored,
			other.State == hive.RunFailed && spec.AllowFailure:
			good++
		case other.State == hive.RunSkipped && other.Reason == hive.ReasonRule:
			if len(task.Needs) > 0 {
				none++
			}
		default:
			bad++
		}
	}
	v := ruleOf(task, pending, good, bad, none)
	if v == mayRun && rev.def.Flow == hive.FlowStrict && earlier > 0 {
		return mustWait
	}
	return v
}

func contains(list []string, x string) bool {
	return slices.Contains(list, x)
}

func ruleOf(task *hive.Task, pending, good, bad, none int) verdict {
	switch task.Rule {
	case hive.RuleAllDone:
		if pending > 0 {
			return mustWait
		}
		return mayRun
	case hive.RuleOneSuccess:
		switch {
		case good > 0:
			return mayRun
		case pending > 0:
			return mustWait
		case bad > 0:
			return skipBad
		}
		return skipNone
	case hive.RuleOneFailed:
		switch {
		case bad > 0:
			return mayRun
		case pending > 0:
			return mustWait
		}
		return skipNone
	case hive.RuleAllFailed:
		switch {
		case good > 0 || none > 0:
			return skipNone
		case pending > 0:
			return mustWait
		case bad > 0:
			return mayRun
		}
		return skipNone
	default:
		switch {
		case bad > 0:
			return skipBad
		case none > 0:
			return skipNone
		case pending > 0:
			return mustWait
		}
		return mayRun
	}
}
