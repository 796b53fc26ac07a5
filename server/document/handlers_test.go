package document_test

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
)

// handlers returns handlers with the names of the stock executor's, and some with invalid schemas.
func handlers() []hive.Handler {
	return []hive.Handler{
		{Name: "shell", Schema: `{
			"type": "object", "additionalProperties": false, "required": ["command"],
			"properties": {
				"command": {"type": "string", "minLength": 1, "x-render": "shell"},
				"env": {"type": "object", "additionalProperties": {"type": "string"}, "x-render": "plain"},
				"interpreter": {"type": "array", "items": {"type": "string"}},
				"workdir": {"type": "string", "x-render": "plain"},
				"steps": {"type": "array", "items": {"type": "object", "additionalProperties": false,
					"properties": {"name": {"type": "string", "x-render": "plain"}}}}
			}}`},
		{Name: "sql", Schema: `{
			"type": "object", "required": ["connection"],
			"oneOf": [{"required": ["statement"]}, {"required": ["file"]}],
			"properties": {"connection": {"type": "string"},
				"statement": {"type": "string", "x-render": "sql"}, "file": {"type": "string"},
				"limit": {"type": "integer", "minimum": 1}}}`},
		{Name: "http", Schema: `{
			"type": "object", "dependentSchemas": {"json": {"properties": {"form": false}}},
			"properties": {"url": {"type": "string", "x-render": "url"},
				"json": {"type": "string", "x-render": "json"}, "form": {"type": "object"},
				"poll": {"type": "object", "properties": {
					"url": {"type": "string", "x-render": "url"}, "done": {"type": "string"}}}}}`},
		{Name: "free"},
		{Name: "broken", Schema: `{"type": 7}`},
		{Name: "garbage", Schema: `{`},
		{Name: "remote", Schema: `{"$ref": "file:///etc/passwd"}`},
	}
}

// handlerCase is a task, and the faults of its handler and params that are found.
type handlerCase struct {
	task string
	want []string
}

func handlerCases() map[string]handlerCase {
	return map[string]handlerCase{
		"valid": {
			`handler: shell, params: {command: "echo $region", env: {R: "${{ params.region }}"}, ` +
				`interpreter: [/bin/bash], workdir: x}`,
			nil,
		},
		"an unknown handler": {`handler: shel, params: {x: 1}`, []string{"handler unknown_handler?"}},
		"no params":          {`handler: shell`, []string{"params.command missing_field"}},
		"an unknown parameter": {
			`handler: shell, params: {command: a, worker: b}`, []string{"params.worker unknown_field"},
		},
		"wrong types": {
			`handler: shell, params: {command: 1, interpreter: [a, 2], env: {A: true}}`,
			[]string{"params.command bad_params", "params.interpreter[1] bad_params", "params.env.A bad_params"},
		},
		"deep inside": {
			`handler: shell, params: {command: a, steps: [{nam: b}]}`,
			[]string{"params.steps[0].nam unknown_field"},
		},
		"one of two": {`handler: sql, params: {connection: a}`, []string{"params bad_params"}},
		"below a minimum": {
			`handler: sql, params: {connection: a, file: b, limit: 0}`,
			[]string{"params.limit bad_params"},
		},
		"a template in a script": {
			`handler: shell, params: {command: "echo ${{ params.region }}"}`,
			[]string{"params.command not_rendered"},
		},
		"a template in SQL": {
			`handler: sql, params: {connection: a, statement: "select '${{ params.region }}'"}`,
			[]string{"params.statement not_rendered"},
		},
		"a template where nothing is filled in": {
			`handler: shell, params: {command: a, interpreter: ["${{ params.region }}"]}`,
			[]string{"params.interpreter[0] not_rendered"},
		},
		"invalid templates": {
			`handler: shell, params: {command: a, workdir: "${{ nothing }}", ` +
				`env: {A: "${{ params.regoin }}", B: "${{ outputs.z.x }}"}, steps: [{name: "${{"}]}`,
			[]string{
				"params.workdir bad_expression", "params.env.A unknown_param", "params.env.B unknown_task",
				"params.steps[0].name bad_expression",
			},
		},
		"functions that are not called": {
			`handler: shell, params: {command: a, workdir: "/runs/${{ round }}", env: {A: "${{ batch.round + len }}"}}`,
			[]string{"params.workdir bad_expression", "params.env.A bad_expression"},
		},
		"values in addresses and JSON": {
			`handler: http, params: {url: "http://h/${{ params.region }}", ` +
				`json: '{"r": ${{ params.region }}}', poll: {url: "http://h/${{ tick.date }}"}}`,
			nil,
		},
		"values in addresses and JSON, wrong": {
			`handler: http, params: {url: "http://h/${{ params.regoin }}", ` +
				`json: '{"r": "${{ params.region }}}', poll: {url: "${{", done: "${{ tick.date }}"}}`,
			[]string{
				"params.url unknown_param", "params.json bad_params", "params.poll.url bad_expression",
				"params.poll.done not_rendered",
			},
		},
		"two that exclude each other": {
			`handler: http, params: {json: "1", form: {}}`,
			[]string{"params.form bad_params"},
		},
		"outputs of an earlier task": {
			`handler: shell, params: {command: a, env: {A: "${{ outputs.first.rows ?? 0 }}"}}`, nil,
		},
		"no schema":                 {`handler: free, params: {a: [1, {b: c}]}`, nil},
		"a broken schema":           {`handler: broken, params: {a: 1}`, nil},
		"a schema that is not JSON": {`handler: garbage, params: {a: 1}`, nil},
		"a schema from elsewhere":   {`handler: remote, params: {a: 1}`, nil},
	}
}

func TestHandlers(t *testing.T) {
	t.Parallel()
	for name, c := range handlerCases() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := options()
			o.Handlers = handlers()
			src := head + "params: {region: east}\njobs:\n  - {key: one, tasks: [{key: first, handler: free}]}\n  " +
				"- key: two\n    tasks:\n      - {key: b, " + c.task + "}\n"
			d, faults := document.Parse([]byte(src), o)
			var got []string
			for i, f := range faults {
				at, ok := strings.CutPrefix(brief(faults)[i], "9:")
				_, at, _ = strings.Cut(at, " jobs[1].tasks[0].")
				if !ok || f.Message == "" || f.Remedy == "" {
					t.Errorf("no position or no message: %+v", f)
				}
				got = append(got, at)
			}
			slices.Sort(got)
			slices.Sort(c.want)
			if !slices.Equal(got, c.want) || (d == nil) != hive.Refused(faults) {
				t.Errorf("got %q, want %q", got, c.want)
			}
			// Without known handlers params are not checked.
			if _, faults := document.Parse([]byte(src), options()); len(faults) > 0 {
				t.Errorf("without handlers: %v", faults)
			}
		})
	}
}

// Every kind of mismatch with a schema has a fault with HiveGo's own message and a reason that the web pages translate.
func TestFaultsOfSchemas(t *testing.T) {
	t.Parallel()
	pages := map[string]struct{ Fault, Remedy map[string]any }{}
	for _, language := range []string{"en", "zh"} {
		text, err := os.ReadFile("../../frontend/src/i18n/locales/" + language + "/document.json")
		if err != nil {
			t.Fatal(err)
		}
		var words struct{ Fault, Remedy map[string]any }
		if err := json.Unmarshal(text, &words); err != nil {
			t.Fatal(err)
		}
		pages[language] = words
	}
	for _, c := range []struct{ schema, value, reason, message string }{
		{`{"type":"string"}`, `3`, "want_text", "this must be a text, not the number 3"},
		{`{"type":"integer"}`, `three`, "want_whole", `this must be a whole number, not the text "three"`},
		{`{"type":"number"}`, `[1]`, "want_number", "this must be a number, not a list"},
		{`{"type":"boolean"}`, `{a: 1}`, "want_bool", "this must be true or false, not a map"},
		{`{"type":"array"}`, `true`, "want_list", "this must be a list, not true"},
		{`{"type":"object"}`, `null`, "want_names", "this must be a map of names to values, not nothing"},
		{`{"type":["string","null"]}`, `3`, "param_types", "this must be null or string, not the number 3"},
		{`{"enum":["GET","POST",3]}`, `FETCH`, "unknown_value", `"FETCH" is not known here`},
		{`{"const":"x"}`, `y`, "unknown_value", `"y" is not known here`},
		{`{"pattern":"^/"}`, `a`, "param_pattern", `"a" does not have the form ^/`},
		{
			`{"pattern":"^/","examples":["/etc/ca.pem"]}`, `a`, "param_unlike",
			`"a" does not have the form of /etc/ca.pem`,
		},
		{
			`{"pattern":"^[0-9]+s$","x-unit":"duration","default":"5s"}`, `5 s`, "param_duration",
			`"5 s" is not a duration, such as 5s`,
		},
		{`{"pattern":"^/","examples":[3],"default":""}`, `a`, "param_pattern", `"a" does not have the form ^/`},
		{`{"minimum":1}`, `0`, "param_least", "0 is less than 1"},
		{`{"maximum":1.5}`, `2`, "param_most", "2 is more than 1.5"},
		{`{"exclusiveMinimum":1}`, `1`, "param_above", "1 is not more than 1"},
		{`{"exclusiveMaximum":1}`, `1`, "param_below", "1 is not less than 1"},
		{`{"multipleOf":5}`, `7`, "param_step", "7 is not a multiple of 5"},
		{`{"minLength":1}`, `""`, "param_empty", "this is empty"},
		{`{"minLength":3}`, `ab`, "param_short", "this has 2 characters, and needs at least 3"},
		{`{"maxLength":3}`, `abcd`, "param_long", "this has 4 characters, and can have at most 3"},
		{`{"minItems":1}`, `[]`, "param_few", "this has 0 entries, and needs at least 1"},
		{`{"maxItems":1}`, `[1, 2]`, "param_many", "this has 2 entries, and can have at most 1"},
		{`{"minProperties":1}`, `{}`, "param_few", "this has 0 entries, and needs at least 1"},
		{`{"maxProperties":1}`, `{a: 1, b: 2}`, "param_many", "this has 2 entries, and can have at most 1"},
		{`{"uniqueItems":true}`, `[1, 2, 1]`, "param_twice", "entries 1 and 3 are the same"},
		{`{"propertyNames":{"pattern":"^a"}}`, `{b: 1}`, "param_name", `"b" cannot be a name here`},
		{`{"dependentRequired":{"user":["password"]}}`, `{user: a}`, "param_with", "user needs password too"},
		{`{"oneOf":[{"required":["a"]},{"required":["b"]}]}`, `{}`, "param_one_of", "one of a, b is needed"},
		{
			`{"oneOf":[{"required":["a"]},{"required":["b"]}]}`, `{a: 1, b: 1}`, "param_single",
			"only one of a, b can be given",
		},
		{`{"anyOf":[{"required":["a"]},{"required":["b"]}]}`, `{}`, "param_one_of", "one of a, b is needed"},
		{
			`{"anyOf":[{"type":"string"},{"type":"array"}]}`, `3`, "param_form",
			"it does not have a form that the handler takes",
		},
		{`{"oneOf":[3]}`, `3`, "", ""},
		{
			`{"contains":{"type":"string"}}`, `[1]`, "param_wrong",
			"the handler does not take it: no items match contains schema",
		},
		{`{"not":{}}`, `1`, "param_wrong", "the handler does not take it: 'not' failed"},
	} {
		t.Run(c.schema+" "+c.value, func(t *testing.T) {
			t.Parallel()
			o := options()
			o.Handlers = []hive.Handler{{Name: "own", Schema: `{"type":"object","properties":{"x":` + c.schema + `}}`}}
			_, faults := document.Parse([]byte(head+"jobs:\n  - key: one\n    tasks:\n      - {key: b, handler: "+
				"own, params: {x: "+c.value+"}}\n"), o)
			if c.reason == "" {
				if len(faults) > 0 {
					t.Errorf("faults of a schema that says nothing: %v", faults)
				}
				return
			}
			if len(faults) != 1 || string(faults[0].Reason) != c.reason || faults[0].Message != c.message ||
				faults[0].Remedy == "" || faults[0].Path != "jobs[0].tasks[0].params.x" {
				t.Fatalf("faults: %+v", faults)
			}
			for language, words := range pages {
				for _, of := range []map[string]any{words.Fault, words.Remedy} {
					text, ok := of[c.reason].(string)
					if !ok {
						t.Errorf("%s has no words for %s", language, c.reason)
					}
					for _, hole := range regexp.MustCompile(`\{\{(\w+)`).FindAllStringSubmatch(text, -1) {
						if _, ok := faults[0].Params[hole[1]]; !ok {
							t.Errorf("%s: %q has no param %s", language, text, hole[1])
						}
					}
				}
			}
		})
	}
}

// Secrets are checked where they stand, with the line and the column.
func TestSecretFaults(t *testing.T) {
	t.Parallel()
	const text = `apiVersion: hivego/v1
kind: Schedule
name: nightly
jobs:
  - key: load
    tasks:
      - key: a
        handler: safe
        group: etl
        params:
          env:
            A: "${{ secrets.DW }}"
            B: "${{ secrets.DWH }}"
            C: "${{ secrets.OTHER }}"
            D: "${{ upper(secrets.DW) }}"
            E: "${{ secrets.NOBODY_KNOWS_IT }}"
          free: "${{ secrets.DW }}"
          command: "echo ${{ secrets.DW }}"
        onEnd:
          - {handler: safe, group: etl, params: {env: {A: "${{ secrets.DW }}"}}}
          - {handler: safe, params: {env: {A: "${{ secrets.DW }}"}}}
`
	options := document.Options{
		Handlers: []hive.Handler{{Name: "safe", Schema: `{"properties": {
			"env": {"additionalProperties": {"x-render": "plain", "x-secrets": true}},
			"free": {"x-render": "plain"}, "command": {"x-render": "shell"}}}`}},
		Secrets: map[string]hive.Secret{
			"DW": {Name: "DW", Groups: []string{"etl"}}, "OTHER": {Name: "OTHER", Groups: []string{"default"}},
		},
	}
	doc, faults := document.Parse([]byte(text), options)
	if doc != nil {
		t.Error("the document is accepted")
	}
	want := []struct {
		line, column int
		words        string
	}{
		{13, 16, "there is no secret DWH; did you mean DW?"},
		{14, 16, "executors of group etl may not have the secret OTHER"},
		{15, 16, "is no name of a secret alone"},
		{16, 16, "hivego secrets set NOBODY_KNOWS_IT --stdin"},
		{17, 17, "the secret DW is not filled in there; use a field that takes secrets"},
		{18, 20, "pass anything else by env"},
		{21, 47, "executors of group default may not have the secret DW"},
	}
	if len(faults) != len(want) {
		t.Fatalf("faults %v", faults)
	}
	for i, w := range want {
		if f := faults[i]; f.Line != w.line || f.Column != w.column || f.Warning ||
			!strings.Contains(f.String(), w.words) {
			t.Errorf("fault %d:%d %s, want %d:%d %s", f.Line, f.Column, f, w.line, w.column, w.words)
		}
	}
	options.Secrets = nil // as on a machine without the server
	_, faults = document.Parse([]byte(strings.ReplaceAll(text, "upper(secrets.DW)", "secrets.DW")), options)
	if len(faults) != 2 {
		t.Errorf("without the names of secrets: %v", faults)
	}
}

// A hook has the secrets of its own group.
func TestSecretFaultsOfHooks(t *testing.T) {
	t.Parallel()
	const text = `apiVersion: hivego/v1
kind: Schedule
name: nightly
onEnd:
  - {handler: safe, group: etl, params: {env: "${{ secrets.DW }}"}}
  - {handler: safe, params: {env: "${{ secrets.DW }}"}}
jobs: []
`
	const schema = `{"properties": {"env": {"x-render": "plain", "x-secrets": true}}}`
	_, faults := document.Parse([]byte(text), document.Options{
		Handlers: []hive.Handler{{Name: "safe", Schema: schema}},
		Secrets:  map[string]hive.Secret{"DW": {Name: "DW", Groups: []string{"etl"}}},
	})
	if len(faults) != 1 || faults[0].Line != 6 || faults[0].Reason != hive.FaultSecretGroup {
		t.Errorf("faults %v", faults)
	}
}
