package hive

import (
	"cmp"
	"encoding/json"
	"reflect"
)

// Defaults are the values of a job for the fields that its tasks leave out. Each is one value: a task that writes a
// field takes nothing of that field from its job, also if the field has fields of its own.
type Defaults struct {
	Group     string   `json:"group,omitempty"`
	Retry     Retry    `json:"retry,omitzero"`
	Timeout   Duration `json:"timeout,omitempty"`
	KillGrace Duration `json:"killGrace,omitempty"`
	Priority  int      `json:"priority,omitempty"`
	OnLost    OnLost   `json:"onLost,omitzero"`
}

// IsZero reports whether nothing has a default.
func (d Defaults) IsZero() bool { return reflect.ValueOf(d).IsZero() }

// Common returns the fields of the task for which a job may have defaults, as the task writes them.
func (t *Task) Common() Defaults {
	return Defaults{
		Group: t.Group, Retry: t.Retry, Timeout: t.Timeout, KillGrace: t.KillGrace, Priority: t.Priority,
		OnLost: t.OnLost,
	}
}

// Effective returns a task of the job with everything that it takes from the job: the defaults of the fields that it
// leaves out, and a task of a disabled job is disabled. It returns t itself if the job gives nothing. It does not
// change t.
func (j *Job) Effective(t *Task) *Task {
	if !j.Disabled && j.Defaults.IsZero() {
		return t
	}
	merged, d := *t, &j.Defaults
	merged.Disabled = t.Disabled || j.Disabled
	merged.Group = cmp.Or(t.Group, d.Group)
	merged.KillGrace = cmp.Or(t.KillGrace, d.KillGrace)
	merged.Priority = cmp.Or(t.Priority, d.Priority)
	if !t.NoTimeout {
		merged.Timeout = cmp.Or(t.Timeout, d.Timeout)
	}
	if !t.NoRetry && reflect.ValueOf(t.Retry).IsZero() {
		merged.Retry = d.Retry
	}
	if !t.NoOnLost && t.OnLost == (OnLost{}) {
		merged.OnLost = d.OnLost
	}
	merged.NoTimeout, merged.NoRetry, merged.NoOnLost = false, false, false
	return &merged
}

// MarshalJSON writes the task as its document has it: also the fields by which it says none where its job has a
// default.
func (t *Task) MarshalJSON() ([]byte, error) {
	type plain Task
	if !t.NoTimeout && !t.NoRetry && !t.NoOnLost {
		return json.Marshal((*plain)(t))
	}
	out := struct {
		plain
		Timeout *Duration `json:"timeout,omitempty"`
		Retry   *Retry    `json:"retry,omitempty"`
		OnLost  *OnLost   `json:"onLost,omitempty"`
	}{plain: plain(*t)}
	if t.NoTimeout || t.Timeout != 0 {
		out.Timeout = &t.Timeout
	}
	if t.NoRetry || !reflect.ValueOf(t.Retry).IsZero() {
		out.Retry = &t.Retry
	}
	if t.NoOnLost || t.OnLost != (OnLost{}) {
		out.OnLost = &t.OnLost
	}
	return json.Marshal(out)
}
