package api_test

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/rprp/hivego/server/api/apitest"
	"github.com/rprp/hivego/server/hive"
)

// Faults have lines and columns of the text that the user sent.
func TestConvertedFaultsHaveLinesOfYAMLOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var got []byte
	convert := w.ConvertF
	w.ConvertF = func(document []byte) (hive.Conversion, error) { got = document; return convert(document) }
	for kind, line := range map[string]bool{"application/yaml": true, "application/json": false} {
		c := call{http.MethodPost, "/api/v1/documents", "{a: [1,\n", map[string]string{"Content-Type": kind}}
		a := w.do(c)
		if a.StatusCode != http.StatusOK || strings.Contains(string(a.body), `"line":7`) != line ||
			string(got) != c.body {
			t.Errorf("%s: %d %s", kind, a.StatusCode, a.body)
		}
		var converted struct {
			Definition json.RawMessage `json:"definition"`
		}
		if err := json.Unmarshal(a.body, &converted); err != nil {
			t.Fatal(err)
		}
		var definition map[string]any
		if err := json.Unmarshal(converted.Definition, &definition); err != nil || definition["#"] == nil {
			t.Errorf("%s: %v", converted.Definition, err)
		}
	}
	w.ConvertF = func([]byte) (hive.Conversion, error) {
		return hive.Conversion{Verdict: hive.Verdict{Faults: []hive.Fault{{
			Code: "syntax", Message: "no",
			Remedy: "yes",
		}}}}, nil
	}
	if a := w.do(samples()["convertDocument"]); strings.Contains(string(a.body), "definition") ||
		strings.Contains(string(a.body), "document") {
		t.Errorf("%s", a.body)
	}
}

func TestForecastRequests(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var got hive.ForecastRequest
	forecast := w.ForecastF
	w.ForecastF = func(r hive.ForecastRequest) (hive.Forecast, error) { got = r; return forecast(r) }
	w.do(call{
		http.MethodPost, "/api/v1/forecasts",
		`{"triggers":[{"cron": "@daily"},{"n":7}],"timezone":"UTC","after":"2026-05-01T03:20:00Z","count":100}`, nil,
	})
	want := hive.ForecastRequest{
		Timezone: "UTC", Triggers: []json.RawMessage{[]byte(`{"cron": "@daily"}`), []byte(`{"n":7}`)}, Count: 100,
		After: time.Date(2026, 5, 1, 3, 20, 0, 0, time.UTC),
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	if w.do(call{http.MethodPost, "/api/v1/forecasts", `{"triggers":[]}`, nil}); got.Count != 5 ||
		!got.After.IsZero() || len(got.Triggers) != 0 {
		t.Errorf("%+v", got)
	}
	for body, words := range map[string]string{
		`{}`:                             "triggers",
		`{"triggers":null}`:              "triggers",
		`{"triggers":[null]}`:            "triggers[0]",
		`{"triggers":[{},7]}`:            "triggers[1]",
		`{"triggers":[],"count":0}`:      "count",
		`{"triggers":{"cron":"@daily"}}`: "triggers",
		`{"triggers":[],"count":101}`:    "count",
		`{"triggers":[],"count":-1}`:     "count",
		`{"triggers":[],"count":"5"}`:    "count",
		`{"triggers":[],"after":"soon"}`: "time",
		`{"triggers":[],"timezone":7}`:   "timezone",
		`{"triggers":[],"timezone":"` + strings.Repeat("x", 101) + `"}`:              "timezone",
		`{"triggers":[` + strings.TrimSuffix(strings.Repeat(`{},`, 101), ",") + `]}`: "100 items",
		`{"triggers":[{"cron":"@daily","cron":"@hourly"}]}`:                          "stands twice",
		`{"triggers":[{"cron":"\u0000"}]}`:                                           "NUL",
		`{"triggers":[` + strings.Repeat(`{"a":`, 70) + "1" + strings.Repeat("}", 70) +
			`],"timezone":""}`: "nested deeper",
	} {
		w.refused(call{method: http.MethodPost, path: "/api/v1/forecasts", body: body}, http.StatusBadRequest,
			"invalid", words)
	}
}

func TestPreviewRequests(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var got hive.PreviewRequest
	preview := w.PreviewF
	w.PreviewF = func(r hive.PreviewRequest) (hive.Preview, error) { got = r; return preview(r) }
	w.do(call{
		http.MethodPost, "/api/v1/previews",
		`{"definition":{"a":1},"task":"b","params":{"n":1.50},"at":"2026-05-01T03:20:00Z"}`, nil,
	})
	want := hive.PreviewRequest{
		Definition: []byte(`{"a":1}`), Task: "b", Params: map[string]any{"n": json.Number("1.50")}, At: time.Date(2026,
			5, 1, 3, 20, 0, 0, time.UTC),
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	w.PreviewF = func(hive.PreviewRequest) (hive.Preview, error) { return hive.Preview{}, nil }
	if a := w.do(samples()["previewTask"]); string(a.body) != `{"faults":[]}` {
		t.Errorf("%s", a.body)
	}
	for body, words := range map[string]string{
		`{"task":"b"}`:                                                "definition",
		`{"definition":{}}`:                                           "task",
		`{"definition":null,"task":"b"}`:                              "definition",
		`{"definition":{},"task":7}`:                                  "task",
		`{"definition":{},"task":"b","params":[]}`:                    "params",
		`{"definition":{"a":1,"a":2},"task":"b"}`:                     "stands twice",
		`{"definition":{},"task":"b","at":"2026-13-01"}`:              "time",
		`{"definition":{},"task":"` + strings.Repeat("x", 129) + `"}`: "task",
	} {
		w.refused(call{method: http.MethodPost, path: "/api/v1/previews", body: body}, http.StatusBadRequest, "invalid",
			words)
	}
	// Anybody who may read schedules may ask; nobody else may.
	c := samples()["previewTask"]
	c.headers = map[string]string{"Authorization": "Bearer " + apitest.Reader}
	if a := w.do(c); a.StatusCode != http.StatusOK {
		t.Errorf("%d", a.StatusCode)
	}
	c.headers = map[string]string{"Authorization": "Bearer hgo_nobody"}
	w.refused(c, http.StatusUnauthorized, "unauthorized", "")
}
