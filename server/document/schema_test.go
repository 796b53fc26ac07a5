package document

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/rprp/hivego/server/hive"
)

func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	raw, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", raw); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The schema has exactly the fields of hive.Definition, in the same order, with the same required ones, and each with a
// description.
func TestSchemaHasEveryField(t *testing.T) {
	t.Parallel()
	var root map[string]any
	if err := json.Unmarshal(Schema(), &root); err != nil {
		t.Fatal(err)
	}
	defs, _ := root["$defs"].(map[string]any)
	for typ, object := range map[reflect.Type]any{
		reflect.TypeFor[hive.Definition](): root, reflect.TypeFor[hive.Trigger](): defs["trigger"],
		reflect.TypeFor[hive.DST](): defs["dst"], reflect.TypeFor[hive.Upstream](): defs["upstream"],
		reflect.TypeFor[hive.Policy](): defs["policy"], reflect.TypeFor[hive.CatchUp](): defs["catchUp"],
		reflect.TypeFor[hive.TriggerCalendar](): defs["triggerCalendar"],
		reflect.TypeFor[hive.Job]():             defs["job"],
		reflect.TypeFor[hive.Task]():            defs["task"], reflect.TypeFor[hive.Retry](): defs["retry"],
		reflect.TypeFor[hive.OnLost](): defs["onLost"],
	} {
		known, _ := member(object, "properties").(map[string]any)
		fields := fieldsOf(typ)
		if len(known) != len(fields) {
			t.Errorf("%s: %d fields, and %d in the schema", typ.Name(), len(fields), len(known))
		}
		required, _ := member(object, "required").([]any)
		for _, f := range fields {
			s := known[f.name]
			base := strings.TrimPrefix(fmt.Sprint(member(s, "$ref")), "#/$defs/")
			if member(s, "description") == nil && member(defs[base], "description") == nil {
				t.Errorf("%s.%s is not explained", typ.Name(), f.name)
			}
			if slices.Contains(required, any(f.name)) != f.required {
				t.Errorf("%s.%s: required here, not there", typ.Name(), f.name)
			}
			if f.required || f.name == "do" || f.name == "route" { // their defaults depend on others
				continue
			}
			if member(s, "default") == nil && member(defs[base], "default") == nil {
				t.Errorf("%s.%s has no default", typ.Name(), f.name)
			}
		}
		if more, ok := member(object, "additionalProperties").(bool); !ok || more {
			t.Errorf("%s takes unknown fields", typ.Name())
		}
	}
}

// The schema accepts every document that Parse accepts, and both refuse the faults that a schema can express.
func TestSchemaAgrees(t *testing.T) {
	t.Parallel()
	s := compiled(t)
	task := func(fields string) string {
		return fuzzHead + "jobs: [{key: a, tasks: [{key: b, handler: shell" + fields + "}]}]\n"
	}
	for src, good := range map[string]bool{
		fuzzHead + "jobs: []\n": true, fuzzHead: false, "{}": false, fuzzHead + "jobs:\n": false, fuzzHead +
			"jobs: [{}]\n": false,
		fuzzHead + "jobs: [{key: a}]\n": true, fuzzHead + "jobs: [{key: _a}]\n": false, fuzzHead +
			"jobs: []\nparams: {A: 1}\n": false,
		fuzzHead + "jobs: []\nparams: {a: [1]}\n": false, fuzzHead +
			"jobs: []\nparams: {a: 1, b: x, c: true, d: 1.5}\n": true,
		fuzzHead + "jobs: []\nparams:\ntitle:\npolicy:\ntriggers:\n": true, fuzzHead + "jobs: []\nflow: strict\n": true,
		fuzzHead + "jobs: []\nflow: x\n": false, fuzzHead +
			"jobs: []\npolicy: {timeout: 1d12h, expire: 1h30m, maxBatches: 3}\n": true,
		fuzzHead + "jobs: []\npolicy: {timeout: 5}\n": false, fuzzHead + "jobs: []\npolicy: {timeout: -5s}\n": false,
		fuzzHead + "jobs: []\npolicy: {timeout: soon}\n": false, fuzzHead +
			"jobs: []\npolicy: {catchUp: {mode: all, grace: 0s}}\n": true,
		fuzzHead + "jobs: []\ntriggers: [{cron: '@daily', dst: {gap: skip, repeat: both}}]\n": true, fuzzHead +
			"jobs: []\ntriggers: [{}]\n": false,
		fuzzHead + "jobs: []\ntriggers: [{at: '2026-12-24T18:00'}]\n":                                     true,
		fuzzHead + "jobs: []\ntriggers: [{at: '2026-12-24T18:00:00Z'}]\n":                                 true,
		fuzzHead + "jobs: []\ntriggers: [{cron: '@daily', start: '2026-12-01', end: '2026-12-31'}]\n":     true,
		fuzzHead + "jobs: []\ntriggers: [{cron: '@daily', jitter: 10m}]\n":                                true,
		fuzzHead + "jobs: []\ntriggers: [{cron: '@daily', jitter: often}]\n":                              false,
		fuzzHead + "jobs: []\ntriggers: [{every: 10m, from: end}]\n":                                      true,
		fuzzHead + "jobs: []\ntriggers: [{every: 10m, from: end, start: '2026-12-01'}]\n":                 true,
		fuzzHead + "jobs: []\ntriggers: [{every: 10m, from: start}]\n":                                    false,
		fuzzHead + "jobs: []\ntriggers: [{every: 10m}]\n":                                                 false,
		fuzzHead + "jobs: []\ntriggers: [{cron: '@daily', every: 10m, from: end}]\n":                      false,
		fuzzHead + "jobs: []\ntriggers: [{cron: '@daily', at: '2026-12-24T18:00'}]\n":                     false,
		fuzzHead + "jobs: []\ntriggers: [{cron: '', at: '2026-12-24T18:00'}, {cron: '@daily', at: ''}]\n": true,
		task(""): true, task(", needs: []"): true, task(", priority: 10"): true, task(", priority: 11"): false,
		task(", priority: 0"): false,
		task(", retry: {max: 3, delay: 1s, backoff: 1.5, maxDelay: 0.5h}"): true, task(", retry: {max: 101}"): false,
		task(", retry: {backoff: 0.5}"): false, task(", onLost: {do: hold, max: 0}"): true, task(", onLost: {max: " +
			"-1}"): false,
		task(", rule: one_failed, allowFailure: true, disabled: true"): true, task(", rule: some"): false,
		task(", labels: {a: b}"): true,
		task(", labels: {a: 1}"): false, task(", group: a.b, executor: h-1"): true, task(", group: a b"): false,
		task(", nedes: []"):                   false,
		task(", params: {a: {b: [1, null]}}"): true, task(", when: 'true'"): true, task(", when: true"): false,
		task(", needs: a"): false, task(", pool: dw"): true, task(", pool: {name: dw}"): true,
		task(", pool: {name: dw, slots: 2}"): true, task(", pool: {name: dw, slots: 0}"): false,
		task(", pool: {slots: 2}"): false, task(", pool: 3"): false, task(", pool: [dw]"): false,
		task(", pool: ''"): false, task(", pool: a b"): false,
	} {
		var value any
		if err := yaml.Unmarshal([]byte(src), &value); err != nil {
			t.Fatal(err)
		}
		d, faults := Parse([]byte(src), Options{})
		if got := d != nil; got != good {
			t.Errorf("Parse: %v %v\n%s", got, faults, src)
		}
		if err := s.Validate(value); (err == nil) != good {
			t.Errorf("schema: %v\n%s", err, src)
		}
	}
}
