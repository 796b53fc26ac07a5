package document_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/graph"
	"github.com/rprp/hivego/server/hive"
)

// The canonical text of defaults keeps what people wrote, also where a task says none or the standard value.
func TestDefaultsCanonical(t *testing.T) {
	t.Parallel()
	const head = "apiVersion: hivego/v1\nkind: Schedule\nname: x\n"
	const job = head + "jobs:\n  - key: a\n"
	for name, c := range map[string]struct{ src, want string }{
		"one line, and comments": {
			job + "    tasks:\n      - {handler: shell, key: t} # first\n    # for all\n" +
				"    defaults: {timeout: 90m, group: etl} # ask Ada\n",
			job + "    # for all\n    defaults: {group: etl, timeout: 1h30m} # ask Ada\n" +
				"    tasks:\n      - {key: t, handler: shell} # first\n",
		},
		"standard values are no defaults": {
			job + "    defaults: {group: default, priority: 5, killGrace: 10s, timeout: 0s, retry: {backoff: 1}}\n",
			job,
		},
		"a task says none": {
			job + "    defaults: {retry: {max: 2}, timeout: 10m}\n    tasks:\n" +
				"      - {key: t, handler: shell, retry: {max: 0}, timeout: 0s}\n" +
				"      - {key: u, handler: shell, retry: {}, timeout: null}\n",
			job + "    defaults: {retry: {max: 2}, timeout: 10m}\n    tasks:\n" +
				"      - {key: t, handler: shell, retry: {max: 0}, timeout: 0s}\n" +
				"      - {key: u, handler: shell, retry: {}}\n",
		},
		"none is nothing where the job has no default": {
			job + "    defaults: {group: etl}\n    tasks:\n" +
				"      - {key: t, handler: shell, retry: {max: 0}, timeout: 0s}\n",
			job + "    defaults: {group: etl}\n    tasks:\n      - {key: t, handler: shell}\n",
		},
		"a task says none of onLost": {
			job + "    defaults: {onLost: {do: hold, max: 7}}\n    tasks:\n" +
				"      - {key: t, handler: shell, onLost: {}}\n",
			job + "    defaults: {onLost: {do: hold, max: 7}}\n    tasks:\n" +
				"      - {key: t, handler: shell, onLost: {}}\n",
		},
		"a task says the standard value": {
			job + "    defaults: {group: etl, killGrace: 20s, priority: 7, onLost: {do: hold}}\n    tasks:\n" +
				"      - {key: t, handler: shell, group: default, killGrace: 10s, priority: 5, onLost: {max: 2}}\n",
			job + "    defaults: {group: etl, killGrace: 20s, priority: 7, onLost: {do: hold}}\n    tasks:\n" +
				"      - {key: t, handler: shell, group: default, killGrace: 10s, priority: 5, onLost: {max: 2}}\n",
		},
	} {
		d := parse(t, []byte(c.src), options())
		if string(d.Canonical) != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, d.Canonical, c.want)
		}
		again := parse(t, d.Canonical, document.Options{Stored: true})
		if !bytes.Equal(again.Canonical, d.Canonical) {
			t.Errorf("%s is not stable:\n%s", name, again.Canonical)
		}
	}
}

func TestDefaultsCompile(t *testing.T) {
	t.Parallel()
	d := parse(t, []byte(`apiVersion: hivego/v1
kind: Schedule
name: x
jobs:
  - key: a
    defaults: {group: etl, retry: {max: 2, delay: 30s}, timeout: 10m}
    tasks:
      - {key: all, handler: shell}
      - {key: own, handler: shell, group: default, retry: {max: 1}}
      - {key: none, handler: shell, retry: {}, timeout: 0s}
  - key: b
    tasks:
      - {key: plain, handler: shell}
`), options())
	g, err := graph.Compile(d.Definition)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]hive.Defaults{
		"all":   {Group: "etl", Retry: hive.Retry{Max: 2, Delay: 30e9}, Timeout: 600e9},
		"own":   {Group: hive.DefaultGroup, Retry: hive.Retry{Max: 1}, Timeout: 600e9},
		"none":  {Group: "etl"},
		"plain": {},
	}
	for i := range g.Tasks {
		spec := g.Tasks[i].Spec
		got := spec.Common()
		w := want[spec.Key]
		if got.Group != w.Group || got.Timeout != w.Timeout || got.Retry.Max != w.Retry.Max ||
			got.Retry.Delay != w.Retry.Delay {
			t.Errorf("%s: %+v", spec.Key, got)
		}
	}
	if d.Definition.Jobs[0].Tasks[0].Group != "" {
		t.Error("the written task changed")
	}
	text, err := json.Marshal(&d.Definition.Jobs[0].Tasks[2])
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(text), `{"key":"none","handler":"shell","timeout":"0s","retry":{}}`; got != want {
		t.Errorf("JSON: %s, want %s", got, want)
	}
}

// The group of the job decides which secrets a task may have.
func TestDefaultGroupDecidesAboutSecrets(t *testing.T) {
	t.Parallel()
	const src = `apiVersion: hivego/v1
kind: Schedule
name: x
jobs:
  - key: a
    defaults: {group: GROUP}
    tasks:
      - {key: t, handler: web, params: {token: "${{ secrets.api }}"}}
`
	o := options()
	o.Handlers = []hive.Handler{{Name: "web", Schema: `{"type": "object", "properties": {"token": {"type": "string",
		"x-render": "plain", "x-secrets": true}}}`}}
	o.Secrets = map[string]hive.Secret{"api": {Name: "api", Groups: []string{"etl"}}}
	for group, want := range map[string]bool{"etl": true, "other": false} {
		d, faults := document.Parse([]byte(strings.ReplaceAll(src, "GROUP", group)), o)
		if (d != nil) != want {
			t.Errorf("%s: %v", group, faults)
		}
	}
}
