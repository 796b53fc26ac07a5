package document

import (
	"fmt"
	"slices"
	"time"

	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
	"github.com/rprp/hivego/server/schedule"
)

// check validates a definition after its shape was read. The graph is always checked; triggers, expressions and
// handlers are only checked in new texts.
func (p *parser) check(root *node, def *hive.Definition) {
	structural := graph.Validate(def)
	if p.options.Stored { // an earlier version may have accepted a title that is refused now
		structural = slices.DeleteFunc(structural, func(f hive.Fault) bool { return f.Code == graph.CodeBadTitle })
		p.place(root, structural)
		return
	}
	p.place(root, structural)
	now := p.options.Now
	if now.IsZero() {
		now = time.Now()
	}
	if len(def.Triggers) <= graph.MaxTriggers {
		p.place(root, schedule.CheckTriggers(def, now, p.options.Calendars))
		if p.options.Schedules != nil {
			p.place(root, schedule.CheckUpstreams(def, *p.options.Schedules, now, p.options.Calendars))
		}
	}
	x := newExpressions(def, &p.options)
	x.misread(p.refused)
	p.place(root, x.conditions())
	p.place(root, newHandlers(p.options.Handlers, x).faults(def))
	p.place(root, poolFaults(def, p.options.Pools))
	p.calendars = x.calendars
	if hive.Refused(p.faults) {
		return
	}
	if g, err := graph.Compile(def); err == nil {
		p.place(root, redundancies(g))
	}
}

// redundancies returns the warnings about redundant needs.
func redundancies(g *graph.Graph) []hive.Fault {
	var out []hive.Fault
	for _, r := range redundantNeeds(g) {
		if len(out) == graph.MaxFaults {
			break
		}
		f := hive.NewFault(graph.CodeRedundantNeed, hive.FaultNeedRedundant,
			"the need ‹need› changes nothing: another need already stands for it",
			"take it out, or let hivego fmt --remove-redundant do it", "need", r.key)
		f.Warning = true
		out = append(out, f.At(fmt.Sprintf("%s.needs[%d]", r.task, r.need)))
	}
	return out
}
