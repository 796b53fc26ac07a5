package catalog

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/server/hive"
)

const shellSchema = `{"type":"object","required":["command"],"additionalProperties":false,"properties":{
	"command":{"type":"string","x-render":"shell"},"workdir":{"type":"string","x-render":"plain"},
	"env":{"type":"object","additionalProperties":{"type":"string","x-render":"plain"}}}}`

// previewed makes a document whose task b is previewed.
func previewed(task string) json.RawMessage {
	return json.RawMessage(`{"apiVersion":"hivego/v1","kind":"Schedule","name":"warehouse","timezone":"Asia/Shanghai",
		"params":{"region":"east","days":3},
		"jobs":[{"key":"one","tasks":[{"key":"a","handler":"shell","params":{"command":"true"}}]},
		{"key":"two","tasks":[{"key":"b","handler":"shell",` + task + `}]}]}`)
}

func words(faults []hive.Fault) string {
	var b strings.Builder
	for _, f := range faults {
		fmt.Fprintf(&b, "%s %s: %s; %s|", f.Path, f.Code, f.Message, f.Remedy)
		if f.Line != 0 || f.Message == "" || f.Remedy == "" {
			b.WriteString("BAD")
		}
	}
	return b.String()
}

func TestPreview(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.db.executors = []hive.Executor{{Handlers: []hive.Handler{{Name: "shell", Schema: shellSchema}}}}
	p, err := w.Preview(t.Context(), hive.PreviewRequest{
		Task: "b", Params: map[string]any{"region": "west", "days": json.Number("9007199254740993")},
		At: time.Date(2026, 4, 30, 20, 20, 0, 0, time.UTC),
		Definition: previewed(`"when":"params.region == \"west\" && tick.day == 1 && outputs.a.rows == nil && ` +
			`batch.kind == \"manual\" && batch.round == 1",
			"params":{"command":"echo $region","workdir":"/data/${{ tick.date }}/${{ params.days }}",
				"env":{"R":"${{ outputs.a.rows ?? \"none\" }}"}},
			"#":{"params.command":{"above":["# ${{ no }}"]}}`),
	})
	if err != nil || len(p.Faults) != 0 || p.When == nil || !*p.When {
		t.Fatalf("%+v %v", p, err)
	}
	wantParams := `{"command":"echo $region","env":{"R":"none"},"workdir":"/data/2026-05-01/9007199254740993"}`
	if got := string(p.Params); got != wantParams {
		t.Errorf("params %s", got)
	}
	if got := string(p.Values); got != `{"days":9007199254740993,"region":"west"}` {
		t.Errorf("values %s", got)
	}
	want := map[string]string{
		"region": "west", "days": "9007199254740993", "HIVEGO_BATCH": "", "HIVEGO_SCHEDULE": "warehouse",
		"HIVEGO_JOB": "two", "HIVEGO_TASK": "b",
		"HIVEGO_ATTEMPT": "", "HIVEGO_ROUND": "1", "HIVEGO_MOMENT": "2026-04-30T20:20:00Z",
	}
	if !maps.Equal(p.Env, want) {
		t.Errorf("env %v", p.Env)
	}
	if p, err = w.Preview(t.Context(),
		hive.PreviewRequest{Task: "a", Definition: previewed(`"params":1`)}); err != nil || len(p.Faults) != 0 ||
		p.When != nil || p.Env["HIVEGO_MOMENT"] != "2026-05-01T03:00:00Z" || p.Env["region"] != "east" ||
		string(p.Params) != `{"command":"true"}` {
		t.Errorf("now, beside a task of the wrong shape: %+v %v", p, err)
	}
}

// A preview reports faults of its task, by field, and no faults of other parts of the document.
func TestPreviewOfFaults(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.db.executors = []hive.Executor{{Handlers: []hive.Handler{{Name: "shell", Schema: shellSchema}}}}
	for task, want := range map[string]string{
		`"params":{"command":"echo ${{ params.region }}"}`:          "params.command not_rendered",
		`"params":{"command":"x","workdir":"${{ params.region"}`:    "params.workdir bad_expression",
		`"params":{"command":"x","workdir":"${{ params.regoin }}"}`: "params.workdir unknown_param",
		`"params":{"command":"x","workdir":"${{ outputs.a.rows }}"}`: "params.workdir bad_expression: ${{ " +
			"outputs.a.rows }} gives null",
		`"params":{"command":"x","env":{"A":"${{ outputs.z.rows }}"}}`: "params.env.A unknown_task",
		`"params":{"command":"x","workdr":1}`:                          "params.workdr unknown_field",
		`"params":{}`:                                                  "params.command missing_field",
		`"params":{"command":"x"},"when":"params."`:                    "when bad_expression",
		`"params":{"command":"x"},"when":"params.days"`:                "when bad_expression",
		`"params":{"command":"x"},"when":"int(outputs.a.rows) > 1"`:    "when bad_expression",
		`"params":{"command":"x"},"when":"params.zone == 1"`:           "when unknown_param",
		`"params":[1]`:                      "params wrong_type",
		`"params":{"command":"x"},"when":7`: "when wrong_type",
	} {
		p, err := w.Preview(t.Context(), hive.PreviewRequest{Task: "b", Definition: previewed(task)})
		got := words(p.Faults)
		if err != nil || !strings.HasPrefix(got, want) || strings.Contains(got, "BAD") || want != "" &&
			strings.Count(got, "|") != 1 || len(p.Env) == 0 {
			t.Errorf("%s: %q %v, want %q", task, got, err, want)
		}
	}
	p, err := w.Preview(t.Context(), hive.PreviewRequest{
		Task: "b", Definition: previewed(`"needs":["zz"],"priority":99,"retry":{"max":"x"},"params":{"command":"x"}`),
	})
	if err != nil || len(p.Faults) != 0 || string(p.Params) != `{"command":"x"}` {
		t.Errorf("%+v %v", p, err)
	}
}

func TestPreviewWithoutTheHandler(t *testing.T) {
	t.Parallel()
	for _, handlers := range [][]hive.Handler{nil, {{Name: "sql"}}} {
		w := newWorld(t)
		w.db.executors = []hive.Executor{{Handlers: handlers}}
		p, err := w.Preview(t.Context(),
			hive.PreviewRequest{
				Task:       "b",
				Definition: previewed(`"params":{"workdir":"${{ tick.date }}"},"when":"true"`),
			})
		if err != nil || len(p.Faults) != 1 || !p.Faults[0].Warning || p.Faults[0].Path != "handler" ||
			p.Params != nil || !*p.When || p.Env["region"] != "east" {
			t.Errorf("%+v %v", p, err)
		}
	}
}

func TestPreviewIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	good := previewed(`"params":{}`)
	for name, tc := range map[string]struct {
		r       hive.PreviewRequest
		code    hive.Code
		refusal hive.ErrorReason
	}{
		"a list": {
			hive.PreviewRequest{Task: "b", Definition: []byte(`[]`)},
			hive.CodeInvalid,
			hive.ErrorUnread,
		},
		"a text": {
			hive.PreviewRequest{Task: "b", Definition: []byte(`"x"`)},
			hive.CodeInvalid,
			hive.ErrorUnread,
		},
		"comments of a kind": {
			hive.PreviewRequest{Task: "b", Definition: []byte(`{"#":7}`)},
			hive.CodeInvalid,
			hive.ErrorUnread,
		},
		"too deep": {hive.PreviewRequest{
			Task: "b",
			Definition: []byte(`{"params":` + strings.Repeat("[", 60) + strings.Repeat("]", 60) +
				`}`),
		}, hive.CodeInvalid, hive.ErrorUnread},
		"no such task": {
			hive.PreviewRequest{Task: "c", Definition: good},
			hive.CodeNotFound,
			hive.ErrorNoDocumentTask,
		},
		"no tasks": {
			hive.PreviewRequest{Task: "c", Definition: []byte(`{}`)},
			hive.CodeNotFound,
			hive.ErrorNoDocumentTask,
		},
		"an undeclared param": {
			hive.PreviewRequest{Task: "b", Definition: good, Params: map[string]any{"x": 1}},
			hive.CodeInvalid, hive.ErrorParams,
		},
		"a param of a kind": {hive.PreviewRequest{
			Task: "b", Definition: good,
			Params: map[string]any{"days": "many"},
		}, hive.CodeInvalid, hive.ErrorParams},
	} {
		_, err := w.Preview(t.Context(), tc.r)
		refused(t, err, tc.code, "")
		if e, ok := err.(*hive.Error); !ok || e.Reason != tc.refusal { //nolint:errorlint // it is the error itself
			t.Errorf("%s: %v", name, err)
		}
	}
}
