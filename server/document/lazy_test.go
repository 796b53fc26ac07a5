package document

import (
	"strings"
	"testing"

	"github.com/rprp/hivego/server/hive"
)

// Executors may offer many handlers, but the schemas of unused handlers are not compiled.
func TestSchemasThatNoTaskUsesAreNotCompiled(t *testing.T) {
	t.Parallel()
	def := &hive.Definition{Jobs: []hive.Job{{
		Key:   "j",
		Tasks: []hive.Task{{Key: "a", Handler: "used", Params: map[string]any{"a": true}}},
	}}}
	schema := `{"type": "object", "properties": {"a": {"type": "string"}}}`
	h := newHandlers([]hive.Handler{{Name: "used", Schema: schema}, {Name: "other", Schema: schema}},
		newExpressions(def, &Options{}))
	if faults := h.faults(def); len(faults) != 1 || len(h.known) != 1 {
		t.Errorf("%d schemas were compiled; faults: %v", len(h.known), faults)
	}
}

// A schema that nests too deep is not compiled: a schema of 60 KiB with 1,500 levels would take half a minute.
func TestSchemasThatNestTooDeepAreNotCompiled(t *testing.T) {
	t.Parallel()
	for levels, want := range map[int]bool{50: true, 51: false, 1500: false} {
		schema := strings.Repeat(`{"type": "object", "properties": {"a": `, levels) + `{}` +
			strings.Repeat(`}}`, levels)
		if got := compileHandler(schema).schema != nil; got != want {
			t.Errorf("%d levels: compiled %v", levels, got)
		}
	}
}
