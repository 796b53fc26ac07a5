package document

import (
	"strings"
	"testing"

	"github.com/rprp/hivego/server/hive"
)

const hooked = `apiVersion: hivego/v1
kind: Schedule
name: warehouse
params: {region: east}
onEnd:
  - {handler: http, group: ops, params: {url: "https://x/${{ event.state }}"}, timeout: 10s, retry: {max: 2, delay: 1s}}
jobs:
  - key: extract
    onFailure:
      - {handler: shell, params: {command: "echo ${{ event.task }} ${{ params.region }}"}}
    tasks:
      - key: a
        handler: shell
        params: {command: "true"}
        onSuccess:
          - {handler: shell, params: {command: "true"}}
`

const urlSchema = `{"properties": {"url": {"type": "string", "x-render": "url"}}}`

func TestHooksKeepTheirForm(t *testing.T) {
	t.Parallel()
	const schema = `{"properties": {"command": {"type": "string", "x-render": "plain"}}}`
	handlers := []hive.Handler{{Name: "shell", Schema: schema}, {Name: "http", Schema: urlSchema}}
	doc, faults := Parse([]byte(hooked), Options{Handlers: handlers})
	if doc == nil || len(faults) > 0 {
		t.Fatalf("parse: %v", faults)
	}
	if got := string(doc.Canonical); got != hooked {
		t.Errorf("canonical text:\n%s\nwant:\n%s", got, hooked)
	}
	def := doc.Definition
	if len(def.OnEnd) != 1 || def.OnEnd[0].Retry.Max != 2 || len(def.Jobs[0].OnFailure) != 1 ||
		len(def.Jobs[0].Tasks[0].OnSuccess) != 1 {
		t.Errorf("definition: %+v", def)
	}
}

func TestHooksWithFaults(t *testing.T) {
	t.Parallel()
	const schema = `{"properties": {"command": {"type": "string", "x-render": "plain"}}, "required": ["command"]}`
	tests := map[string]struct {
		from, to string
		want     hive.FaultReason
		path     string
		line     int
	}{
		"no handler": {
			"{handler: shell, params: {command: \"true\"}}", "{params: {command: \"true\"}}",
			hive.FaultMissingHandler, "jobs[0].tasks[0].onSuccess[0].handler", 16,
		},
		"an empty handler": {
			"{handler: http,", "{handler: \"\",", hive.FaultNoHookHandler, "onEnd[0].handler", 6,
		},
		"an unknown field": {
			"{handler: http,", "{handler: http, needs: [a],", hive.FaultUnknownField, "onEnd[0].needs", 6,
		},
		"a zero backoff": {
			"{max: 2, delay: 1s}", "{max: 2, backoff: 0}", hive.FaultZeroBackoff, "onEnd[0].retry.backoff", 6,
		},
		"too many retries": {
			"{max: 2, delay: 1s}", "{max: 2000}", hive.FaultOutOfRange, "onEnd[0].retry.max", 6,
		},
		"a bad duration": {"timeout: 10s", "timeout: soon", "", "onEnd[0].timeout", 6},
		"an unknown parameter": {
			"params.region", "params.land", hive.FaultUnknownParam, "jobs[0].onFailure[0].params.command", 10,
		},
		"an output": {
			"params.region", "outputs.a.rows", hive.FaultHookOutput, "jobs[0].onFailure[0].params.command", 10,
		},
		"event in a task": {
			"        params: {command: \"true\"}\n", "        params: {command: \"${{ event.state }}\"}\n",
			hive.FaultEventOutside, "jobs[0].tasks[0].params.command", 14,
		},
		"not a list": {
			"onSuccess:\n          - {handler: shell, params: {command: \"true\"}}", "onSuccess: shell",
			hive.FaultWantListAs, "jobs[0].tasks[0].onSuccess", 15,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			src := strings.Replace(hooked, tt.from, tt.to, 1)
			if src == hooked {
				t.Fatal("the text does not change")
			}
			_, faults := Parse([]byte(src), Options{Handlers: []hive.Handler{
				{Name: "shell", Schema: schema}, {Name: "http", Schema: urlSchema},
			}})
			for _, f := range faults {
				if f.Path == tt.path && (tt.want == "" || f.Reason == tt.want) && f.Line == tt.line &&
					f.Column > 0 && f.Remedy != "" {
					return
				}
			}
			t.Errorf("faults: %+v", faults)
		})
	}
}

func TestTooManyHooks(t *testing.T) {
	t.Parallel()
	src := strings.Replace(hooked, "onEnd:\n", "onEnd:\n"+strings.Repeat("  - {handler: shell}\n", 20), 1)
	_, faults := Parse([]byte(src), Options{})
	if len(faults) != 1 || faults[0].Reason != hive.FaultTooManyHooks || faults[0].Line != 6 {
		t.Errorf("faults: %+v", faults)
	}
}
