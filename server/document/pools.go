package document

import (
	"fmt"

	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
)

// codeUnknownPool is the code of a task that would wait, because it has no pool or too small a one. It is a warning:
// pools belong to the server, and may be made later.
const codeUnknownPool = "unknown_pool"

// poolFaults lists the tasks whose pool does not exist, or has too few slots for them.
func poolFaults(def *hive.Definition, pools map[string]int) []hive.Fault {
	if pools == nil {
		return nil
	}
	var out []hive.Fault
	for j := range def.Jobs {
		for t := range def.Jobs[j].Tasks {
			p := def.Jobs[j].Tasks[t].Pool
			most, found := pools[p.Name]
			var f hive.Fault
			field := "name"
			switch {
			case p.Name == "" || found && p.EffectiveSlots() <= most:
				continue
			case !found:
				f = hive.NewFault(codeUnknownPool, hive.FaultUnknownPool,
					`the server has no pool "‹value›": the task waits`,
					"make it with hivego pools set, or on the page Limits and pools", "value", hive.Escaped(p.Name, 80))
			default:
				field = "slots"
				f = hive.NewFault(graph.CodeOutOfRange, hive.FaultPoolSmall,
					`the task needs more slots than the pool "‹value›" has (‹most›): it waits`,
					"give the pool more slots, or ask for fewer", "value", hive.Escaped(p.Name, 80), "most", most)
			}
			f.Warning = true
			out = append(out, f.At(fmt.Sprintf("jobs[%d].tasks[%d].pool.%s", j, t, field)))
		}
	}
	return out
}
