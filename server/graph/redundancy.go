package graph

import "github.com/rprp/hivego/server/hive"

// A need of a task is redundant if the task would start, wait and be skipped in the same way without it, because
// another need of the task implies it over a longer path.
//
// A task proves its needs if its success implies their success: its rule is all_success, its failure is not allowed
// (allowFailure), and it cannot be ignored (when, disabled). A need u of task t is redundant if t's rule is all_success
// and there is a path u → … → t with at least one inner task whose inner tasks all prove their needs. An implicit task
// proves a task of an earlier job only if that one can never end with the effect `none`, because `none` is neutral to
// the implicit task.

// block is how many tasks one pass over the graph covers. So a row of bits fits a cache line, and memory grows linearly
// with the number of tasks.
const (
	uint64s = 8
	block   = uint64s * 64
)

type bits [uint64s]uint64

func (b *bits) add(o *bits) {
	for i := range b {
		b[i] |= o[i]
	}
}

func (b *bits) set(i int)      { b[i/64] |= 1 << (i % 64) }
func (b *bits) has(i int) bool { return b[i/64]&(1<<(i%64)) != 0 }

// provesNeeds reports whether success of t implies success of all its needs.
func provesNeeds(t *hive.Task) bool {
	return t.EffectiveRule() == hive.RuleAllSuccess && !t.AllowFailure && t.When == "" && !t.Disabled
}

// markRedundant fills in Redundant of all tasks.
func (g *Graph) markRedundant() {
	several := false
	for i := range g.Tasks {
		several = several || len(g.Tasks[i].Needs) > 1
	}
	if !several {
		return
	}
	noneable := g.noneable()
	proven := make([]bits, len(g.Tasks))
	for first := 0; first < len(g.Tasks); first += block {
		g.markBlock(first, noneable, proven)
	}
}

// markBlock finds the redundant needs among tasks [first, first+block). proven is scratch memory: proven[i] gets the
// tasks of that range that the success of task i proves.
func (g *Graph) markBlock(first int, noneable []bool, proven []bits) {
	var earlier bits // tasks that an implicit task of the current job proves
	for j := range g.Jobs {
		job := &g.Jobs[j]
		if job.Last <= first {
			continue
		}
		for i := max(job.First, first); i < job.Last; i++ {
			proven[i] = g.provenBy(i, first, &earlier, proven)
		}
		for i := max(job.First, first); i < job.Last; i++ {
			if noneable[i] {
				continue
			}
			earlier.add(&proven[i])
			if i < first+block {
				earlier.set(i - first)
			}
		}
	}
}

// provenBy computes proven[i] from its needs, and on the way records the needs of i that are redundant.
func (g *Graph) provenBy(i, first int, earlier *bits, proven []bits) bits {
	t := &g.Tasks[i]
	if t.Implicit {
		if provesNeeds(t.Spec) {
			return *earlier
		}
		return bits{}
	}
	if t.Spec.EffectiveRule() != hive.RuleAllSuccess {
		return bits{}
	}
	var all bits
	for _, n := range t.Needs {
		if n >= first {
			all.add(&proven[n])
		}
	}
	for _, n := range t.Needs {
		if n >= first && n < first+block && all.has(n-first) {
			t.Redundant = append(t.Redundant, n)
		}
	}
	if !provesNeeds(t.Spec) {
		return bits{}
	}
	for _, n := range t.Needs {
		if n >= first && n < first+block {
			all.set(n - first)
		}
	}
	return all
}

// noneable reports for each task whether it can end with the effect `none`: its rule did not apply, or it was skipped
// after such a task.
func (g *Graph) noneable() []bool {
	out := make([]bool, len(g.Tasks))
	for i := range g.Tasks {
		t := &g.Tasks[i]
		switch t.Spec.EffectiveRule() {
		case hive.RuleOneSuccess, hive.RuleOneFailed, hive.RuleAllFailed:
			out[i] = true
		case hive.RuleAllSuccess:
			for _, n := range t.Needs {
				out[i] = out[i] || out[n]
			}
		case hive.RuleAllDone: // always starts
		}
	}
	return out
}

// Reduced returns the definition without its redundant needs. The other needs stay in their written order. It copies
// jobs and tasks, so the definition that g was compiled from does not change.
func (g *Graph) Reduced() *hive.Definition {
	def := *g.Def
	def.Jobs = make([]hive.Job, len(g.Def.Jobs))
	at := 0
	for j := range g.Def.Jobs {
		def.Jobs[j] = g.Def.Jobs[j]
		def.Jobs[j].Tasks = make([]hive.Task, len(g.Def.Jobs[j].Tasks))
		for k := range g.Def.Jobs[j].Tasks {
			task := g.Def.Jobs[j].Tasks[k]
			task.Needs = g.keptNeeds(at)
			def.Jobs[j].Tasks[k] = task
			at++
		}
	}
	return &def
}

// keptNeeds returns the written needs of task i that are not redundant.
func (g *Graph) keptNeeds(i int) []string {
	t := &g.Tasks[i]
	if len(t.Redundant) == 0 {
		return t.Spec.Needs
	}
	drop := make(map[string]bool, len(t.Redundant))
	for _, n := range t.Redundant {
		drop[g.Tasks[n].Spec.Key] = true
	}
	kept := make([]string, 0, len(t.Spec.Needs)-len(drop))
	for _, key := range t.Spec.Needs {
		if !drop[key] {
			kept = append(kept, key)
		}
	}
	return kept
}
