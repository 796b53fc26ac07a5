package hive

import (
	"fmt"
	"iter"
	"slices"
	"time"
)

// Hook is a call of a handler that follows the end of a schedule's batch, of a job or of a task. It never changes what
// it follows.
type Hook struct {
	Handler string         `json:"handler"`
	Group   string         `json:"group,omitempty"`  // of executors; "default" when empty
	Params  map[string]any `json:"params,omitempty"` // by the handler's JSON Schema
	Timeout Duration       `json:"timeout,omitempty"`
	Retry   Retry          `json:"retry,omitzero"`
}

// Hooks holds the hooks of a schedule, a job or a task.
type Hooks struct{ OnFailure, OnSuccess, OnEnd []Hook }

// Hooks returns the hooks of the schedule's batches.
func (d *Definition) Hooks() Hooks { return Hooks{d.OnFailure, d.OnSuccess, d.OnEnd} }

// Hooks returns the hooks of the job.
func (j *Job) Hooks() Hooks { return Hooks{j.OnFailure, j.OnSuccess, j.OnEnd} }

// Hooks returns the hooks of the task.
func (t *Task) Hooks() Hooks { return Hooks{t.OnFailure, t.OnSuccess, t.OnEnd} }

// Empty reports whether there are no hooks.
func (h Hooks) Empty() bool { return len(h.OnFailure)+len(h.OnSuccess)+len(h.OnEnd) == 0 }

// HookList is one of the lists of hooks, with the name of its field.
type HookList struct {
	Name  string
	Hooks []Hook
}

// Lists returns the lists that are not empty.
func (h Hooks) Lists() []HookList {
	if h.Empty() {
		return nil
	}
	all := []HookList{{"onFailure", h.OnFailure}, {"onSuccess", h.OnSuccess}, {"onEnd", h.OnEnd}}
	return slices.DeleteFunc(all, func(l HookList) bool { return len(l.Hooks) == 0 })
}

// all lists the hooks.
func (h Hooks) all() []Hook { return slices.Concat(h.OnFailure, h.OnSuccess, h.OnEnd) }

// AllParams yields the params of all tasks and hooks.
func (d *Definition) AllParams() iter.Seq[map[string]any] {
	return func(yield func(map[string]any) bool) {
		hooks := d.Hooks().all()
		for j := range d.Jobs {
			job := &d.Jobs[j]
			hooks = append(hooks, job.Hooks().all()...)
			for t := range job.Tasks {
				if !yield(job.Tasks[t].Params) {
					return
				}
				hooks = append(hooks, job.Tasks[t].Hooks().all()...)
			}
		}
		for i := range hooks {
			if !yield(hooks[i].Params) {
				return
			}
		}
	}
}

// NamedHook is a hook with the name that its run has, such as onFailure-1.
type NamedHook struct {
	Name string
	Hook *Hook
}

// After lists the hooks that follow an end in this state, in the order in which they run.
func (h Hooks) After(state BatchState) []NamedHook {
	var out []NamedHook
	add := func(list string, hooks []Hook) {
		for i := range hooks {
			out = append(out, NamedHook{Name: fmt.Sprintf("%s-%d", list, i+1), Hook: &hooks[i]})
		}
	}
	switch state {
	case BatchFailed:
		add("onFailure", h.OnFailure)
	case BatchSucceeded:
		add("onSuccess", h.OnSuccess)
	case BatchCanceled:
	default:
		return nil
	}
	add("onEnd", h.OnEnd)
	return out
}

// HookScope is what a hook follows.
type HookScope string

// The scopes of hooks.
const (
	HookOfBatch HookScope = "batch" // the hooks of the schedule
	HookOfJob   HookScope = "job"
	HookOfTask  HookScope = "task"
)

// HookEvent is the end that hooks follow.
type HookEvent struct {
	Batch int64      `json:"batch"`
	Round int        `json:"round"`
	Scope HookScope  `json:"scope"`
	Key   string     `json:"key,omitempty"` // of the job or task
	State BatchState `json:"state"`         // succeeded, failed or canceled, also of a job or task
	Error string     `json:"error,omitempty"`
	Task  string     `json:"task,omitempty"` // the task itself, or the first one that failed
}

// BatchKey is the idempotency key of the batch of the hooks that follow the end: there is one in each round.
func (e *HookEvent) BatchKey() string {
	return fmt.Sprintf("hook:%d:%d:%s:%s", e.Batch, e.Round, e.Scope, e.Key)
}

// HookCall is a stored end with hooks for which no batch was made yet.
type HookCall struct {
	ID         int64
	Event      HookEvent
	RevisionID int64 // of the batch when it ended: the hooks are those of this revision
	At         time.Time
}
