package expression_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/rprp/hivego/server/expression"
	"github.com/rprp/hivego/server/hive"
)

const secretSchema = `{"properties": {
	"command": {"x-render": "shell", "x-secrets": true},
	"env": {"x-render": "plain", "x-secrets": true},
	"json": {"x-render": "json", "x-secrets": true},
	"url": {"x-render": "url", "x-secrets": true},
	"other": {"x-render": "plain"}}}`

// fill renders the params of a task with a key.
func fill(key string, params map[string]any) (hive.Assignment, error) {
	as := hive.Assignment{Key: key}
	err := expression.NewCache(10).Fill(&as, &hive.Task{Params: params}, map[string]any{"x": "{{secret:k1:text:DW}}"},
		hive.ReadRendering(secretSchema), func() map[string]any {
			return map[string]any{"params": map[string]any{"x": "{{secret:k1:text:OTHER}}"}}
		})
	return as, err
}

// A secret becomes a mark with the key of the attempt, and the assignment lists it. Values that look like marks are not
// in the list, so nothing is fetched for them.
func TestSecretMarks(t *testing.T) {
	t.Parallel()
	as, err := fill("k1", map[string]any{
		"env": map[string]any{"A": "x ${{ secrets.DW }} ${{secrets.DW}}", "B": "${{ params.x }}", "C": "$${{ " +
			"secrets.DW }}"},
		"json": `{"p": "${{ secrets.DW }}", "q": ${{ secrets.API_2 }}}`,
	})
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Env  map[string]string
		JSON string
	}
	if err := json.Unmarshal(as.Params, &got); err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]string{
		{got.Env["A"], "x {{secret:k1:text:DW}} {{secret:k1:text:DW}}"},
		{got.Env["B"], "{{secret:k1:text:OTHER}}"},
		{got.Env["C"], "${{ secrets.DW }}"},
		{got.JSON, `{"p": "{{secret:k1:json:DW}}", "q": "{{secret:k1:json:API_2}}"}`},
	} {
		if c[0] != c[1] {
			t.Errorf("got %q, want %q", c[0], c[1])
		}
	}
	want := []hive.SecretUse{
		{Name: "DW", Mark: "{{secret:k1:text:DW}}"},
		{Name: "DW", Mark: "{{secret:k1:json:DW}}", JSON: true},
		{Name: "API_2", Mark: "{{secret:k1:json:API_2}}", JSON: true},
	}
	if len(as.Secrets) != len(want) {
		t.Fatalf("secrets %v", as.Secrets)
	}
	for i := range want {
		if as.Secrets[i] != want[i] {
			t.Errorf("secret %+v, want %+v", as.Secrets[i], want[i])
		}
	}
	as, err = fill("", map[string]any{"env": map[string]any{"A": "${{ secrets.DW }}"}}) // as a preview does
	if err != nil || string(as.Params) != `{"env":{"A":"***"}}` {
		t.Errorf("without a key: %s, %v", as.Params, err)
	}
}

// Secrets are filled in nowhere else.
func TestSecretPlaces(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"command": "not filled in", "url": "not filled in there", "other": "not filled in there",
		"unknown": "not filled in",
	} {
		if as, err := fill("k1", map[string]any{name: "${{ secrets.DW }}"}); err == nil ||
			!strings.Contains(err.Error(), want) || len(as.Secrets) > 0 {
			t.Errorf("%s: %v, %v", name, err, as.Secrets)
		}
	}
	cache := expression.NewCache(10)
	env := map[string]any{"secrets": map[string]any{"DW": "x"}}
	if got, err := cache.Render("${{ secrets.DW }}", env); err == nil {
		t.Errorf("rendered %q", got)
	}
	for _, src := range []string{`secrets.DW == "x"`, `secrets["DW"] == "x"`, `len(secrets.DW) > 3`} {
		if err := expression.Check(src); err == nil {
			t.Errorf("the condition %s asks about a secret", src)
		}
	}
	for _, src := range []string{"secrets.DW + 'x'", "upper(secrets.DW)", `secrets["DW"]`, "secrets", "secrets.A.B"} {
		_, err := expression.ReferTemplate("${{ " + src + " }}")
		if err == nil || !strings.Contains(err.Error(), "no name of a secret alone") {
			t.Errorf("%s: %v", src, err)
		}
	}
	if refs, err := expression.ReferTemplate(`${{ params.x + "secrets.txt" }}`); err != nil || refs.Secrets != nil {
		t.Errorf("a text that mentions secrets: %v, %v", refs, err)
	}
}

func TestSecretsOf(t *testing.T) {
	t.Parallel()
	hooks := func(secret string) []hive.Hook {
		return []hive.Hook{{Params: map[string]any{"a": "${{ secrets." + secret + " }}"}}}
	}
	def := &hive.Definition{OnFailure: hooks("D"), Jobs: []hive.Job{{OnSuccess: hooks("E"), Tasks: []hive.Task{
		{OnEnd: hooks("F"), Params: map[string]any{"a": []any{
			"${{ secrets.B }}", map[string]any{"c": "x${{ secrets.A }}${{ secrets.B }}"},
		}}},
		{Params: map[string]any{"a": "$${{ secrets.C }}", "b": 1}},
	}}}}
	if got := strings.Join(expression.SecretsOf(def), " "); got != "A B D E F" {
		t.Error(got)
	}
	hook := func(name string) []hive.Hook {
		return []hive.Hook{{Params: map[string]any{"a": "${{ secrets." + name + " }}"}}}
	}
	def.OnEnd, def.Jobs[0].OnFailure, def.Jobs[0].Tasks[1].OnSuccess = hook("D"), hook("E"), hook("F")
	if got := strings.Join(expression.SecretsOf(def), " "); got != "A B D E F" {
		t.Error("with hooks:", got)
	}
}
