package document_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rprp/hivego/server/document"
	"github.com/rprp/hivego/server/hive"
)

// doubling returns a schema in which each definition refers to the next one twice.
func doubling(depth int) string {
	var b strings.Builder
	b.WriteString(`{"type": "object", "properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": {`)
	for i := range depth {
		fmt.Fprintf(&b, `"d%d": {"allOf": [{"$ref": "#/$defs/d%d"}, {"$ref": "#/$defs/d%d"}]}, `, i, i+1, i+1)
	}
	fmt.Fprintf(&b, `"d%d": {"type": "string"}}}`, depth)
	return b.String()
}

// A validation that would take years is cut off, and the params are accepted. A validation that takes a moment counts.
func TestSchemasThatDouble(t *testing.T) {
	t.Parallel()
	nested := strings.Repeat(`{"a": `, 40) + `{}` + strings.Repeat(`}`, 40)
	for name, tc := range map[string]struct {
		schema, params string
		faults         int
	}{
		"often":     {doubling(8), `{"a": 1}`, 1},
		"for years": {doubling(60), `{"a": 1}`, 0},
		"round": {
			`{"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}`,
			`{"a": 1}`, 0,
		},
		"by depth": {
			`{"$ref": "#/$defs/n", ` +
				`"$defs": {"n": {"properties": {"a": {"allOf": [{"$ref": "#/$defs/n"}, {"$ref": "#/$defs/n"}]}}}}}`,
			nested, 0,
		},
	} {
		o := options()
		o.Handlers = []hive.Handler{{Name: "work", Schema: tc.schema}}
		src := head + "jobs: [{key: j, tasks: [{key: a, handler: work, params: " + tc.params +
			"}, {key: b, handler: work, params: " + tc.params + "}]}]\n"
		_, faults := document.Parse([]byte(src), o)
		if tc.faults == 0 && len(faults) != 0 || tc.faults > 0 && len(faults) < 2*tc.faults {
			t.Errorf("%s: %d faults, %v", name, len(faults), faults[:min(len(faults), 2)])
		}
	}
}

// Params with long lists are still validated.
func TestLongListsAreChecked(t *testing.T) {
	t.Parallel()
	o := options()
	o.Handlers = []hive.Handler{{
		Name:   "work",
		Schema: `{"type": "object", "properties": {"list": {"type": "array", "items": {"type": "string"}}}}`,
	}}
	src := head + "jobs: [{key: j, tasks: [{key: a, handler: work, params: {list: [" + strings.Repeat("x, ", 200_000) +
		"5]}}]}]\n"
	if _, faults := document.Parse([]byte(src), o); len(faults) != 1 ||
		!strings.Contains(faults[0].Path, "list[200000]") {
		t.Errorf("faults: %v", faults)
	}
}
