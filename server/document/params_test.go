package document_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
)

func refusedParams(t *testing.T, err error, words string) {
	t.Helper()
	if err == nil || hive.CodeOf(err) != hive.CodeInvalid || !strings.Contains(err.Error(), words) {
		t.Errorf("error %v, want one with %q", err, words)
	}
}

func TestParams(t *testing.T) {
	t.Parallel()
	def := &hive.Definition{Name: "warehouse", Params: map[string]any{
		"region": "east", "days": int64(1), "ratio": 0.5, "full": false, "note": nil,
	}}
	for _, tc := range []struct {
		name  string
		given any
		want  any // part of the message if an error is expected
		bad   bool
	}{
		{"region", "west", "west", false},
		{"region", json.Number("12"), "12", false},
		{"region", true, "true", false},
		{"region", "", "", false},
		{"days", "7", int64(7), false},
		{"days", json.Number("9007199254740993"), int64(9007199254740993), false},
		{"days", 7, int64(7), false},
		{"days", "1.5", 1.5, false},
		{"days", "seven", "not a number", true},
		{"days", "", "not a number", true},
		{"days", "NaN", "not a number", true},
		{"days", "1e999", "not a number", true},
		{"days", true, "not a number", true},
		{"ratio", "0.25", 0.25, false},
		{"ratio", json.Number("1e400"), "not a number", true},
		{"ratio", math.Inf(1), "no number", true},
		{"full", "true", true, false},
		{"full", false, false, false},
		{"full", "yes", "neither true nor false", true},
		{"full", json.Number("1"), "neither", true},
		{"note", "free", "free", false},
		{"note", json.Number("3"), int64(3), false},
		{"region", []any{"x"}, "a text, a number, true or false", true},
		{"region", map[string]any{}, "a text, a number", true},
		{"region", nil, "a text, a number", true},
		{"region", "a\x00b", "NUL", true},
		{"region", strings.Repeat("x", 64<<10+1), "65536", true},
		{"regoin", "x", "declares no such param; it declares days, full, note, ratio, region", true},
	} {
		got, err := document.Params(def, map[string]any{tc.name: tc.given})
		if tc.bad {
			refusedParams(t, err, tc.want.(string))
			refusedParams(t, err, "params."+tc.name)
		} else if err != nil || got[tc.name] != tc.want {
			t.Errorf("%s=%v: %v %v", tc.name, tc.given, got, err)
		}
	}
	_, err := document.Params(def, map[string]any{"x": 1, "y": 2, "days": "z"})
	refusedParams(t, err, "params.x")
	refusedParams(t, err, "params.y")
	refusedParams(t, err, "params.days")
}
