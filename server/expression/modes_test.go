package expression_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/rprp/hivego/server/expression"
	"github.com/rprp/hivego/server/hive"
)

func TestRenderAs(t *testing.T) {
	t.Parallel()
	values := expression.Env(map[string]any{
		"nasty": `a"b\` + "\n</é", "path": "../a b/c?d#e&f=%41", "n": 3.0, "dry": true, "empty": "", "list": []any{
			"a",
			1.0,
		}, "none": nil,
	}, env(t)["tick"].(expression.Tick).Moment, nil, "manual", 1, nil, nil)
	for _, c := range []struct {
		mode       hive.RenderMode
		text, want string
		err        string
	}{
		{
			hive.RenderURL, "http://h/x/${{ params.path }}?q=${{ params.n }}",
			"http://h/x/..%2Fa%20b%2Fc%3Fd%23e%26f%3D%2541?q=3", "",
		},
		{hive.RenderURL, "http://h/${{ params.empty }}", "", "empty place"},
		{hive.RenderURL, "http://h/${{ params.list }}", "", "gives a list"},
		{hive.RenderJSON, `{"a": ${{ params.nasty }}}`, `{"a": "a\"b\\\n</é"}`, ""},
		{hive.RenderJSON, `{"a": "x-${{ params.nasty }}-${{ params.n }}"}`, `{"a": "x-a\"b\\\n</é-3"}`, ""},
		{
			hive.RenderJSON, `["\"", ${{ params.n }}, ${{ params.dry }}, ${{ params.none }}, ${{ params.list }}]`,
			`["\"", 3, true, null, ["a",1]]`, "",
		},
		{hive.RenderJSON, `["${{ params.none }}"]`, "", "gives null"},
		{hive.RenderJSON, `["\${{ params.nasty }}"]`, "", "after a backslash"},
		{hive.RenderJSON, `[${{ tick.moment }}, ${{ tick }}]`, "", "gives a map"},
		{hive.RenderPlain, `[${{ params.nasty }}]`, `[a"b\` + "\n</é]", ""},
	} {
		got, err := expression.NewCache(0).RenderAs(c.mode, c.text, values)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v", c.text, err)
			}
			continue
		}
		if err != nil || got != c.want {
			t.Errorf("%s %s: got %s, %v", c.mode, c.text, got, err)
		}
	}
}

// Any value stays one part of an address, and one value of a JSON text.
func TestValuesAreEncoded(t *testing.T) {
	t.Parallel()
	cache := expression.NewCache(0)
	rapid.Check(t, func(rt *rapid.T) {
		value := rapid.StringN(1, 40, -1).Draw(rt, "value")
		values := expression.Env(map[string]any{"x": value}, env(t)["tick"].(expression.Tick).Moment, nil, "manual", 1,
			nil, nil)
		address, err := cache.RenderAs(hive.RenderURL, "http://host/a/${{ params.x }}/b?q=${{ params.x }}", values)
		if err != nil {
			rt.Fatal(err)
		}
		u, err := url.Parse(address)
		if err != nil || u.Host != "host" || u.Path != "/a/"+value+"/b" || u.Query().Get("q") != value ||
			len(u.Query()) != 1 || u.Fragment != "" {
			rt.Fatalf("%q became %s: %v", value, address, err)
		}
		body, err := cache.RenderAs(hive.RenderJSON, `{"a": ${{ params.x }}, "b": ["<${{ params.x }}>"]}`, values)
		if err != nil {
			rt.Fatal(err)
		}
		var got, want any
		sent, _ := json.Marshal(map[string]any{"a": value, "b": []string{"<" + value + ">"}})
		if json.Unmarshal([]byte(body), &got) != nil || json.Unmarshal(sent, &want) != nil ||
			fmt.Sprint(got) != fmt.Sprint(want) {
			rt.Fatalf("%q became %s", value, body)
		}
	})
}

func TestCheckJSON(t *testing.T) {
	t.Parallel()
	for text, good := range map[string]bool{
		`{"a": ${{ params.x }}, "b": "${{ params.y }}!"}`: true, `{"a": ${{ params.x }}`: false,
		`{"a": "\${{ params.x }}"}`: false, `{a: 1}`: false,
		"${{ params.x }}": true, "${{ ": false, `""`: true, `{"a": "$${{ x }}"}`: true,
	} {
		if err := expression.CheckJSON(text); (err == nil) != good {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestRenderParams(t *testing.T) {
	t.Parallel()
	schema := `{"properties": {
		"url": {"x-render": "url"}, "command": {"x-render": "shell"},
		"env": {"additionalProperties": {"x-render": "plain"}}, "free": {"type": "string"},
		"all": {"x-render": "plain", "properties": {"body": {"x-render": "json"}},
			"items": {"items": {"type": "string"}}}
	}}`
	r := hive.ReadRendering(schema)
	values := func() map[string]any { return env(t) }
	cache := expression.NewCache(10)
	const x = "${{ params.region }} x"
	got, err := cache.RenderParams(map[string]any{
		"url": x, "env": map[string]any{"A": x}, "all": map[string]any{
			"body": "[${{ params.region }}]", "other": x,
			"list": []any{[]any{x}, 5},
		},
		"command": "$${{ unchanged", "free": 5, "more": nil,
	}, r, values)
	want := `map[all:map[body:["east"] list:[[east x] 5] other:east x] command:$${{ unchanged env:map[A:east x] ` +
		`free:5 more:<nil> url:east x]`
	if err != nil || fmt.Sprint(got) != want {
		t.Errorf("%v %v", got, err)
	}
	for _, name := range []string{"command", "free", "unknown"} {
		if _, err := cache.RenderParams(map[string]any{name: []any{x}}, r, values); err == nil ||
			!strings.Contains(err.Error(), "params."+name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if r := hive.ReadRendering("{"); r != nil || r.Field("a").Item().Mode() != "" {
		t.Error("a schema that is no JSON renders something")
	}
}
