package app

import (
	"bytes"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rprp/hivego/thrift/gen/hivego"
)

// A text of --param becomes a value of the type in the handler's schema.
func TestParamsBySchema(t *testing.T) {
	t.Parallel()
	kinds := kindsOf(&hivego.DescribeReply{Handlers: []*hivego.HandlerInfo{
		{Name: new("other"), ParamsSchema: new(`{"properties": {"s": {"type": "integer"}}}`)},
		{Name: new("nap"), ParamsSchema: new(`{"type": "object",
			"properties": {"s": {"type": "string"}, "i": {"type": "integer"},
			"n": {"type": "number"}, "b": {"type": "boolean"}, "o": {"type": "object"}, "a": {"type": "array"},
			"in": {"type": ["integer", "null"]}, "is": {"type": ["integer", "string"]}, "any": {}, "yes": true}}`)},
	}}, "nap")
	for given, want := range map[string]string{
		"s=1": `{"s":"1"}`, "i=1": `{"i":1}`, "i=-7": `{"i":-7}`, "n=1.5": `{"n":1.5}`, "b=true": `{"b":true}`,
		`o={"x": [1]}`: `{"o":{"x":[1]}}`, "a=[1,2]": `{"a":[1,2]}`, "in=null": `{"in":null}`, "in=3": `{"in":3}`,
		"is=3":  `{"is":"3"}`,
		"any=1": `{"any":"1"}`, "yes=1": `{"yes":"1"}`, "unknown=1": `{"unknown":"1"}`, "s=": `{"s":""}`,
		"s=a=b,c": `{"s":"a=b,c"}`,
	} {
		got, err := joined("", []string{given}, kinds)
		require.NoError(t, err, given)
		assert.Equal(t, want, got, given)
	}
	for given, words := range map[string]string{
		"i=x":   `--param i: "x" is not a whole number, which the handler's schema asks for`,
		"i=1.5": `--param i: "1.5" is not a whole number`,
		"i=":    `--param i: "" is not a whole number`,
		"b=yes": `--param b: "yes" is not true or false`,
		"a={}":  `--param a: "{}" is not an array, as in [1, 2]`,
		"o=[":   `--param o: "[" is not an object`,
		"in=x":  `--param in: "x" is not a whole number or null`,
		"i":     `--param "i": write NAME=VALUE`,
	} {
		_, err := joined("", []string{given}, kinds)
		require.ErrorContains(t, err, words)
	}
	both, err := joined(`{"i": 1, "s": "kept"}`, []string{"i=2"}, kinds)
	require.NoError(t, err)
	assert.JSONEq(t, `{"i": 2, "s": "kept"}`, both)
	_, err = joined("[]", nil, nil)
	require.ErrorContains(t, err, "--params-json")
}

// The command prints any description, even an incomplete or invented one.
func TestDescribePrintsAnyExecutor(t *testing.T) {
	t.Parallel()
	for _, d := range []*hivego.DescribeReply{
		{},
		{NowMillis: new(int64(math.MaxInt64))},
		{NowMillis: new(int64(math.MinInt64))},
		{Load: &hivego.Load{}},
		{Handlers: []*hivego.HandlerInfo{{}, {ParamsSchema: new("{")}}},
	} {
		var out bytes.Buffer
		require.NoError(t, printJSON(&out, described(d)))
		assert.Contains(t, out.String(), `"clock"`)
	}
}
