package api_test

import (
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rprp/hivego/server/api/model"
	"github.com/rprp/hivego/server/hive"
)

// openapi.yaml lists exactly the error reasons of package hive, each with words for translators.
func TestReasonsAreListed(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("../hive/error_reason.go")
	if err != nil {
		t.Fatal(err)
	}
	spec, err := os.ReadFile("openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var known []string
	constants := regexp.MustCompile(`(?m)^\s+Error\w+ +ErrorReason = "(\w+)"$`)
	for _, m := range constants.FindAllStringSubmatch(string(source), -1) {
		known = append(known, m[1])
		if !model.ProblemReason(m[1]).Valid() {
			t.Errorf("openapi.yaml does not list the reason %s", m[1])
		}
		if !strings.Contains(string(spec), "`"+m[1]+"`") {
			t.Errorf("openapi.yaml does not say what the reason %s means", m[1])
		}
	}
	_, list, _ := strings.Cut(string(spec), "\n        reason:\n")
	_, list, _ = strings.Cut(list, "          enum:\n")
	list, _, _ = strings.Cut(list, "        params:")
	for line := range strings.Lines(list) {
		if name := strings.TrimPrefix(strings.TrimSpace(line), "- "); !slices.Contains(known, name) {
			t.Errorf("openapi.yaml lists the reason %s, which nobody gives", name)
		}
	}
	if len(known) < 50 {
		t.Errorf("only %d refusals were found", len(known))
	}
}

// Errors that the pages can cause have a reason that is exact enough to be translated.
func TestReasons(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.GetScheduleF = func(name string) (hive.ScheduleView, error) {
		return hive.ScheduleView{},
			hive.Errorf(hive.CodeNotFound, "no").WithReason(hive.ErrorNoSchedule, "schedule", name)
	}
	for _, c := range []struct {
		call   call
		reason hive.ErrorReason
		params map[string]string
	}{
		{
			call{method: http.MethodGet, path: "/api/v1/schedules/x"},
			hive.ErrorNoSchedule,
			map[string]string{"schedule": "x"},
		},
		{
			call{method: http.MethodGet, path: "/api/v1/batches?limit=501"},
			hive.ErrorRange,
			map[string]string{"name": "limit", "least": "1", "most": "500"},
		},
		{
			call{method: http.MethodGet, path: "/api/v1/batches?staet=failed"},
			hive.ErrorParameter,
			map[string]string{"name": "staet"},
		},
		{
			call{method: http.MethodGet, path: "/api/v1/batches?state=failed,late"},
			hive.ErrorValue,
			map[string]string{"name": "state", "value": "late"},
		},
		{
			call{method: http.MethodGet, path: "/api/v1/batches/7/tasks/b/log?attempt=9"},
			hive.ErrorNoAttempt,
			map[string]string{"batch": "7", "task": "b", "attempt": "9"},
		},
		{
			call{
				method: http.MethodGet, path: "/api/v1/batches/7/tasks/b/log",
				headers: map[string]string{"Range": "bytes=99-"},
			},
			hive.ErrorLogRangeEnd,
			map[string]string{"size": "12"},
		},
		{
			call{method: http.MethodPost, path: "/api/v1/batches/7/repairs", body: "{"},
			hive.ErrorBody,
			map[string]string{"fault": "not_json"},
		},
		{
			call{method: http.MethodPost, path: "/api/v1/batches/7/repairs", body: `{"action":"resume","akshun":1}`},
			hive.ErrorBody,
			map[string]string{"fault": "unknown_field", "name": "akshun"},
		},
		{
			call{method: http.MethodPost, path: "/api/v1/batches/7/repairs", body: `{}`},
			hive.ErrorBody,
			map[string]string{"fault": "missing_field", "name": "action"},
		},
		{
			call{method: http.MethodPost, path: "/api/v1/batches/7/repairs", body: `{"action":7}`},
			hive.ErrorBody,
			map[string]string{"fault": "wrong_kind", "name": "action"},
		},
		{
			call{method: http.MethodPost, path: "/api/v1/batches/7/repairs", body: `{"action":"\u0000"}`},
			hive.ErrorBody,
			map[string]string{"fault": "nul"},
		},
		{
			call{method: http.MethodPost, path: "/api/v1/batches/7/repairs", body: `{"action":"explode"}`},
			hive.ErrorValue,
			map[string]string{"name": "action", "value": "explode"},
		},
		{
			call{method: http.MethodGet, path: "/api/v1/batches?limit=many"},
			hive.ErrorBody,
			map[string]string{"fault": "parameter", "name": "limit"},
		},
		{call{method: http.MethodGet, path: "/api/v1/nothing"}, hive.ErrorPath, nil},
	} {
		p := w.do(c.call).problem(t)
		if p.Reason != string(c.reason) || len(p.Params) != len(c.params) {
			t.Errorf("%s: reason %q %v, want %q %v", c.call.path, p.Reason, p.Params, c.reason, c.params)
		}
		for name, want := range c.params {
			if p.Params[name] != want {
				t.Errorf("%s: %s is %q, want %q", c.call.path, name, p.Params[name], want)
			}
		}
	}
}

// A refused command has the same reason as the call that gave it.
func TestReasonOfACommand(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	refused := hive.Command{
		ID: 5, BatchID: 7, Kind: hive.CommandRepair, State: hive.CommandRefused,
		Answer: []byte(`{"code":"conflict","words":"moved","refusal":"plan_moved","params":{"task":"b"}}`),
	}
	w.RepairF = func(hive.RepairRequest) (hive.Command, error) { return refused, nil }
	w.CommandF = func(int64) (hive.Command, error) { return refused, nil }
	p := w.do(call{method: http.MethodPost, path: "/api/v1/batches/7/repairs", body: `{"action":"resume"}`}).problem(t)
	if p.Reason != string(hive.ErrorPlanMoved) || p.Params["task"] != "b" {
		t.Errorf("%+v", p)
	}
	a := w.do(call{method: http.MethodGet, path: "/api/v1/commands/5"})
	if !strings.Contains(string(a.body), `"reason":"plan_moved"`) {
		t.Errorf("%s", a.body)
	}
}
