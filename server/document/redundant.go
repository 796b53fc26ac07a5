package document

import (
	"fmt"
	"slices"

	"github.com/rprp/hivego/server/graph"
)

// redundantNeed is the place of a redundant need.
type redundantNeed struct {
	task string // path of the task
	need int    // position in its needs
	key  string
}

// redundantNeeds lists all redundant needs of g in the order of the document.
func redundantNeeds(g *graph.Graph) []redundantNeed {
	var out []redundantNeed
	for _, t := range g.Tasks {
		if len(t.Redundant) == 0 {
			continue
		}
		path := fmt.Sprintf("jobs[%d].tasks[%d]", t.Job, t.Index-g.Jobs[t.Job].First)
		for i, key := range t.Spec.Needs {
			if n, _ := g.Lookup(key); slices.Contains(t.Redundant, n) {
				out = append(out, redundantNeed{task: path, need: i, key: key})
			}
		}
	}
	return out
}
