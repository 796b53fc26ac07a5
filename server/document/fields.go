package document

import (
	"reflect"
	"strings"

	"github.com/rprp/hivego/server/hive"
)

// field is one field of a struct of package hive, with the name of its JSON tag.
type field struct {
	name     string
	index    int
	typ      reflect.Type
	required bool
}

// fieldsOf lists the fields of a struct. Their order is the order of the canonical text. A field without omitempty and
// omitzero is required; one with the name - is no field of documents.
func fieldsOf(t reflect.Type) []field {
	out := make([]field, 0, t.NumField())
	for i := range t.NumField() {
		name, options, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		out = append(out, field{name: name, index: i, typ: t.Field(i).Type, required: options == ""})
	}
	return out
}

func names(fields []field) []string {
	out := make([]string, 0, len(fields))
	for _, f := range fields {
		out = append(out, f.name)
	}
	return out
}

// shapes caches the fields of structs while one definition is written, because it may have 20,000 tasks.
type shapes map[reflect.Type][]field

func (s shapes) of(t reflect.Type) []field {
	fields, ok := s[t]
	if !ok {
		fields = fieldsOf(t)
		s[t] = fields
	}
	return fields
}

func isDuration(t reflect.Type) bool { return t == reflect.TypeFor[hive.Duration]() }

// normalize empties fields that have their default value, so that equal schedules have equal definitions.
func normalize(def *hive.Definition) {
	drop(&def.Flow, hive.FlowNeeds)
	drop(&def.Timezone, "UTC")
	drop(&def.Policy.Overlap, hive.OverlapSkip)
	drop(&def.Policy.CatchUp.Mode, hive.CatchUpLatest)
	dropPointer(&def.Policy.CatchUp.Grace, hive.DefaultGrace)
	dropEmpty(&def.Tags)
	dropEmpty(&def.Owners)
	drop(&def.Policy.Priority, hive.DefaultPriority)
	dropEmpty(&def.Triggers)
	normalizeHooks(&def.OnFailure, &def.OnSuccess, &def.OnEnd)
	for i := range def.Triggers {
		drop(&def.Triggers[i].DST.Gap, "run-after")
		drop(&def.Triggers[i].DST.Repeat, "first")
		if len(def.Triggers[i].After) == 0 {
			def.Triggers[i].After = nil
		}
		for j := range def.Triggers[i].After {
			drop(&def.Triggers[i].After[j].Policy, hive.PolicyAll)
		}
		drop(&def.Triggers[i].Calendar.On, hive.OnWorkdays)
		drop(&def.Triggers[i].Calendar.Otherwise, hive.OtherwiseSkip)
	}
	if len(def.Params) == 0 {
		def.Params = nil
	}
	if def.Jobs == nil {
		def.Jobs = []hive.Job{}
	}
	for j := range def.Jobs {
		if len(def.Jobs[j].Tasks) == 0 {
			def.Jobs[j].Tasks = nil
		}
		normalizeHooks(&def.Jobs[j].OnFailure, &def.Jobs[j].OnSuccess, &def.Jobs[j].OnEnd)
		d := &def.Jobs[j].Defaults
		normalizeDefaults(d, def.Policy.Priority)
		for t := range def.Jobs[j].Tasks {
			normalizeTask(&def.Jobs[j].Tasks[t], d, def.Policy.Priority)
		}
	}
}

func normalizeDefaults(d *hive.Defaults, priority int) {
	drop(&d.Group, hive.DefaultGroup)
	if priority == 0 { // else 5 is not the same as no priority
		drop(&d.Priority, hive.DefaultPriority)
	}
	drop(&d.KillGrace, hive.DefaultKillGrace)
	drop(&d.Retry.Backoff, 1)
	dropPointer(&d.OnLost.Max, hive.DefaultLostMax)
}

// normalizeTask keeps the standard value of a field for which the job has another default: then the standard value is
// not the same as none.
func normalizeTask(t *hive.Task, d *hive.Defaults, priority int) {
	drop(&t.Rule, hive.RuleAllSuccess)
	if d.Group == "" {
		drop(&t.Group, hive.DefaultGroup)
	}
	if priority == 0 && d.Priority == 0 {
		drop(&t.Priority, hive.DefaultPriority)
	}
	drop(&t.Pool.Slots, 1)
	if d.KillGrace == 0 {
		drop(&t.KillGrace, hive.DefaultKillGrace)
	}
	drop(&t.Retry.Backoff, 1)
	if d.OnLost == (hive.OnLost{}) {
		dropPointer(&t.OnLost.Max, hive.DefaultLostMax)
	}
	if len(t.Labels) == 0 {
		t.Labels = nil
	}
	if len(t.Params) == 0 {
		t.Params = nil
	}
	if len(t.Needs) == 0 {
		t.Needs = nil
	}
	normalizeHooks(&t.OnFailure, &t.OnSuccess, &t.OnEnd)
}

func normalizeHooks(lists ...*[]hive.Hook) {
	for _, hooks := range lists {
		dropEmpty(hooks)
		for i := range *hooks {
			h := &(*hooks)[i]
			drop(&h.Group, hive.DefaultGroup)
			drop(&h.Retry.Backoff, 1)
			if len(h.Params) == 0 {
				h.Params = nil
			}
		}
	}
}

func drop[T comparable](value *T, standard T) {
	if *value == standard {
		var zero T
		*value = zero
	}
}

func dropPointer[T comparable](value **T, standard T) {
	if *value != nil && **value == standard {
		*value = nil
	}
}
