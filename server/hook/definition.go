// Package hook makes the batches of hooks: those of one end (of a batch, a job or a task) are one batch, whose tasks
// run one after another.
package hook

import (
	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
)

// Definition makes the definition of the batch of the hooks that follow an end: a job with one task for each hook. A
// hook starts after the one before, however that ended. The name of the schedule stays: it names the folder that its
// tasks share. It is nil if the revision has no such hooks.
func Definition(g *graph.Graph, e *hive.HookEvent) *hive.Definition {
	calls := hooksOf(g, e).After(e.State)
	if len(calls) == 0 {
		return nil
	}
	def := &hive.Definition{
		APIVersion: g.Def.APIVersion, Kind: g.Def.Kind, Name: g.Def.Name, Timezone: g.Def.Timezone,
		Params: g.Def.Params,
	}
	for i, c := range calls {
		task := hive.Task{
			Key: c.Name, Handler: c.Hook.Handler, Group: c.Hook.Group, Params: c.Hook.Params, Timeout: c.Hook.Timeout,
			Retry: c.Hook.Retry,
		}
		if i > 0 {
			task.Rule = hive.RuleAllDone
		}
		def.Jobs = append(def.Jobs, hive.Job{Key: c.Name, Tasks: []hive.Task{task}})
	}
	return def
}

// hooksOf returns the hooks of what has ended.
func hooksOf(g *graph.Graph, e *hive.HookEvent) hive.Hooks {
	switch e.Scope {
	case hive.HookOfBatch:
		return g.Def.Hooks()
	case hive.HookOfJob:
		for j := range g.Jobs {
			if g.Jobs[j].Key == e.Key {
				return g.Jobs[j].Spec.Hooks()
			}
		}
	case hive.HookOfTask:
		if t, ok := g.Lookup(e.Key); ok {
			return g.Tasks[t].Spec.Hooks()
		}
	}
	return hive.Hooks{}
}
