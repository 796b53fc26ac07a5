package graph

import (
	"fmt"

	"github.com/rprp/hivego/server/hive"
)

// MaxHooks is how many hooks one list may have.
const MaxHooks = 20

// hooks checks the hooks of the schedule, of a job or of a task.
func (v *validation) hooks(at place, h hive.Hooks) {
	v.hookList(at, "onFailure", h.OnFailure)
	v.hookList(at, "onSuccess", h.OnSuccess)
	v.hookList(at, "onEnd", h.OnEnd)
}

func (v *validation) hookList(at place, field string, hooks []hive.Hook) {
	if len(hooks) > MaxHooks {
		v.add(at, field, hive.NewFault(CodeTooManyHooks, hive.FaultTooManyHooks,
			"there are ‹value› hooks, more than ‹high›", "let one hook do the work of several",
			"value", len(hooks), "high", MaxHooks))
		return
	}
	for i := range hooks {
		h, path := &hooks[i], fmt.Sprintf("%s[%d]", field, i)
		v.siteName(at, path+".handler", "handler", h.Handler)
		v.siteName(at, path+".group", "group of executors", h.Group)
		if h.Handler == "" {
			v.add(at, path+".handler", hive.NewFault(CodeMissingField, hive.FaultNoHookHandler,
				"the hook has no handler", "name the kind of work, such as shell or http"))
		}
		v.notNegative(at, path+".timeout", h.Timeout)
		v.retry(at, path+".retry", h.Retry)
	}
}
