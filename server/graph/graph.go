// Package graph validates the structure of a definition and compiles it into an indexed graph of tasks. The graph has
// needs by index, finds downstream tasks, and marks redundant needs. It is pure: no I/O, no clock, no goroutine.
package graph

import (
	"slices"

	"github.com/rprp/hivego/server/hive"
)

// Graph is a validated definition with its tasks numbered in document order. It is never changed after Compile
// and may be shared between goroutines.
type Graph struct {
	Def   *hive.Definition
	Jobs  []Job
	Tasks []Task
	// Hooked reports that the schedule, a job or a task has hooks. Without any, nobody has to look for them.
	Hooked bool

	byKey    map[string]int
	implicit []int // tasks without written needs, ascending
}

// Job is one stage, with the range of its tasks.
type Job struct {
	Index       int
	Key         string
	First, Last int // its tasks are Tasks[First:Last]
	Spec        *hive.Job
}

// Task is one task, with its needs as indices into Graph.Tasks.
type Task struct {
	Index, Job int
	Spec       *hive.Task // with what it takes from its job, see hive.Job.Effective
	Needs      []int      // explicit, sorted, unique; empty if Implicit
	Implicit   bool       // no needs written: all tasks of all earlier jobs, but `none` is neutral; never expanded
	Dependents []int      // tasks that name this one in their needs, sorted
	Redundant  []int      // needs without effect, sorted; see redundancy.go
}

// Compile validates def and builds its graph. Its error is a *hive.Error of CodeInvalid that carries all faults. The
// graph points into def, which must not be changed afterwards.
func Compile(def *hive.Definition) (*Graph, error) {
	faults := slices.DeleteFunc(Validate(def), func(f hive.Fault) bool {
		return f.Code == CodeBadTitle // an earlier version may have stored one; the graph does not depend on titles
	})
	if hive.Refused(faults) {
		return nil, &hive.Error{
			Code: hive.CodeInvalid, Words: "the definition of the schedule has faults",
			Faults: faults,
		}
	}
	g := &Graph{Def: def, Jobs: make([]Job, 0, len(def.Jobs)), byKey: map[string]int{}}
	for j := range def.Jobs {
		spec := &def.Jobs[j]
		first := len(g.Tasks)
		for t := range spec.Tasks {
			g.byKey[spec.Tasks[t].Key] = len(g.Tasks)
			g.Tasks = append(g.Tasks, Task{Index: len(g.Tasks), Job: j, Spec: spec.Effective(&spec.Tasks[t])})
		}
		g.Jobs = append(g.Jobs, Job{Index: j, Key: spec.Key, First: first, Last: len(g.Tasks), Spec: spec})
	}
	g.connect()
	g.markRedundant()
	g.Hooked = hasHooks(def)
	return g, nil
}

// connect resolves needs to indices and fills in the dependents.
func (g *Graph) connect() {
	for i := range g.Tasks {
		t := &g.Tasks[i]
		if len(t.Spec.Needs) == 0 {
			t.Implicit = true
			g.implicit = append(g.implicit, i)
			continue
		}
		t.Needs = make([]int, 0, len(t.Spec.Needs))
		for _, key := range t.Spec.Needs {
			t.Needs = append(t.Needs, g.byKey[key])
		}
		slices.Sort(t.Needs)
		for _, n := range t.Needs {
			g.Tasks[n].Dependents = append(g.Tasks[n].Dependents, i)
		}
	}
}

// Lookup returns the index of the task with this key.
func (g *Graph) Lookup(taskKey string) (int, bool) {
	i, ok := g.byKey[taskKey]
	return i, ok
}

// Downstream lists all tasks that depend on one of the given tasks, directly or through others, by written needs or as
// implicit tasks of later jobs. It is sorted and excludes the given tasks.
func (g *Graph) Downstream(tasks ...int) []int {
	seen := make([]bool, len(g.Tasks))
	queue := make([]int, 0, len(tasks))
	for _, t := range tasks {
		if !seen[t] {
			seen[t] = true
			queue = append(queue, t)
		}
	}
	given := len(queue)
	// An implicit task depends on all earlier jobs, so the implicit tasks of the latest jobs are reached first. They
	// are taken from the end of the sorted list; unread is the number that is left.
	unread := len(g.implicit)
	for at := 0; at < len(queue); at++ {
		t := &g.Tasks[queue[at]]
		for _, d := range t.Dependents {
			if !seen[d] {
				seen[d] = true
				queue = append(queue, d)
			}
		}
		for ; unread > 0 && g.Tasks[g.implicit[unread-1]].Job > t.Job; unread-- {
			if i := g.implicit[unread-1]; !seen[i] {
				seen[i] = true
				queue = append(queue, i)
			}
		}
	}
	below := queue[given:]
	slices.Sort(below)
	return below
}

func hasHooks(def *hive.Definition) bool {
	if !def.Hooks().Empty() {
		return true
	}
	for j := range def.Jobs {
		job := &def.Jobs[j]
		if !job.Hooks().Empty() ||
			slices.ContainsFunc(job.Tasks, func(t hive.Task) bool { return !t.Hooks().Empty() }) {
			return true
		}
	}
	return false
}
