package expression_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rprp/hivego/server/expression"
	"github.com/rprp/hivego/server/hive"
)

func TestSent(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 300)
	many := map[string]any{"other": "${{ params.x }}"}
	for i := range 9 {
		many[fmt.Sprint("a", i)] = map[string]any{"b": long}
	}
	for name, c := range map[string]struct {
		params map[string]any
		want   string
	}{
		"no expression": {map[string]any{"command": "true", "env": map[string]any{"A": "$${{ x }}"}}, ""},
		"values": {
			map[string]any{"other": "x ${{ params.x }}", "n": 3},
			`{"n":3,"other":"x {{secret:k1:text:OTHER}}"}`,
		},
		"secrets are names": {
			map[string]any{"env": map[string]any{"A": "p=${{ secrets.DW }}"}, "json": `{"p": ${{ secrets.DW }}}`},
			`{"env":{"A":"p=${{ secrets.DW }}"},"json":"{\"p\": \"${{ secrets.DW }}\"}"}`,
		},
		"long text": {
			map[string]any{"command": long, "other": "${{ params.x }}"},
			`{"command":"` + strings.Repeat("é", 256) + `…","other":"{{secret:k1:text:OTHER}}"}`,
		},
		"in a list": {
			map[string]any{"other": []any{"${{ params.x }}", true}}, `{"other":["{{secret:k1:text:OTHER}}",true]}`,
		},
	} {
		as, err := fill("k1", c.params)
		if err != nil {
			t.Fatal(name, err)
		}
		if got := expression.Sent(&hive.Task{Params: c.params}, &as); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
	as, err := fill("k1", many)
	if err != nil {
		t.Fatal(err)
	}
	got := expression.Sent(&hive.Task{Params: many}, &as)
	if len(got) > 2200 || !strings.Contains(got, `"…":6`) {
		t.Errorf("many long fields: %d bytes, %s", len(got), got)
	}
}
