package document_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
)

// handlers are a shell and a sql as the stock executor describes them, and some that describe themselves badly.
func handlers() []hive.Handler {
	return []hive.Handler{
		{Name: "shell", Schema: `{
			"type": "object", "additionalProperties": false, "required": ["command"],
			"properties": {
				"command": {"type": "string", "minLength": 1, "x-render": "shell"},
				"env": {"type": "object", "additionalProperties": {"type": "string"}, "x-render": "plain"},
				"interpreter": {"type": "array", "items": {"type": "string"}},
				"workdir": {"type": "string", "x-render": "plain"},
				"steps": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string", "x-render": "plain"}}, "additionalProperties": false}}
			}}`},
		{Name: "sql", Schema: `{
			"type": "object", "required": ["connection"], "oneOf": [{"required": ["statement"]}, {"required": ["file"]}],
			"properties": {"connection": {"type": "string"}, "statement": {"type": "string", "x-render": "sql"}, "file": {"type": "string"},
				"limit": {"type": "integer", "minimum": 1}}}`},
		{Name: "http", Schema: `{
			"type": "object", "dependentSchemas": {"json": {"properties": {"form": false}}},
			"properties": {"url": {"type": "string", "x-render": "url"}, "json": {"type": "string", "x-render": "json"}, "form": {"type": "object"},
				"poll": {"type": "object", "properties": {"url": {"type": "string", "x-render": "url"}, "done": {"type": "string"}}}}}`},
		{Name: "free"},
		{Name: "broken", Schema: `{"type": 7}`},
		{Name: "garbage", Schema: `{`},
		{Name: "remote", Schema: `{"$ref": "file:///etc/passwd"}`},
	}
}

func TestHandlers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		task string
		want []string
	}{
		"all as it should be": {
			`handler: shell, params: {command: "echo $region", env: {R: "${{ params.region }}"}, interpreter: [/bin/bash], workdir: x}`, nil,
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
		"deep inside":            {`handler: shell, params: {command: a, steps: [{nam: b}]}`, []string{"params.steps[0].nam unknown_field"}},
		"one of two":             {`handler: sql, params: {connection: a}`, []string{"params bad_params"}},
		"below a minimum":        {`handler: sql, params: {connection: a, file: b, limit: 0}`, []string{"params.limit bad_params"}},
		"a template in a script": {`handler: shell, params: {command: "echo ${{ params.region }}"}`, []string{"params.command not_rendered"}},
		"a template in SQL": {
			`handler: sql, params: {connection: a, statement: "select '${{ params.region }}'"}`, []string{"params.statement not_rendered"},
		},
		"a template where nothing is filled in": {
			`handler: shell, params: {command: a, interpreter: ["${{ params.region }}"]}`, []string{"params.interpreter[0] not_rendered"},
		},
		"templates in place, wrong": {
			`handler: shell, params: {command: a, workdir: "${{ nothing }}", env: {A: "${{ params.regoin }}", B: "${{ outputs.z.x }}"}, steps: [{name: "${{"}]}`,
			[]string{"params.workdir bad_expression", "params.env.A unknown_param", "params.env.B unknown_task", "params.steps[0].name bad_expression"},
		},
		"values in addresses and JSON": {
			`handler: http, params: {url: "http://h/${{ params.region }}", json: '{"r": ${{ params.region }}}', poll: {url: "http://h/${{ tick.date }}"}}`, nil,
		},
		"values in addresses and JSON, wrong": {
			`handler: http, params: {url: "http://h/${{ params.regoin }}", json: '{"r": "${{ params.region }}}', poll: {url: "${{", done: "${{ tick.date }}"}}`,
			[]string{"params.url unknown_param", "params.json bad_params", "params.poll.url bad_expression", "params.poll.done not_rendered"},
		},
		"two that exclude each other": {`handler: http, params: {json: "1", form: {}}`, []string{"params.form bad_params"}},
		"outputs of an earlier task":  {`handler: shell, params: {command: a, env: {A: "${{ outputs.first.rows ?? 0 }}"}}`, nil},
		"schemas that say nothing":    {`handler: free, params: {a: [1, {b: c}]}`, nil},
		"a broken schema":             {`handler: broken, params: {a: 1}`, nil},
		"a schema that is no JSON":    {`handler: garbage, params: {a: 1}`, nil},
		"a schema from elsewhere":     {`handler: remote, params: {a: 1}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := options()
			o.Handlers = handlers()
			src := head + "params: {region: east}\njobs:\n  - {key: one, tasks: [{key: first, handler: free}]}\n  - key: two\n    tasks:\n      - {key: b, " + c.task + "}\n"
			d, faults := document.Parse([]byte(src), o)
			var got []string
			for i, f := range faults {
				at, ok := strings.CutPrefix(tell(faults)[i], "9:")
				_, at, _ = strings.Cut(at, " jobs[1].tasks[0].")
				if !ok || f.Message == "" || f.Remedy == "" {
					t.Errorf("no place or words: %+v", f)
				}
				got = append(got, at)
			}
			slices.Sort(got)
			slices.Sort(c.want)
			if !slices.Equal(got, c.want) || (d == nil) != hive.Refused(faults) {
				t.Errorf("got %q, want %q", got, c.want)
			}
			// Without known handlers nothing can be said about params.
			if _, faults := document.Parse([]byte(src), options()); len(faults) > 0 {
				t.Errorf("without handlers: %v", faults)
			}
		})
	}
}
