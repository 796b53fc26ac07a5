package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rprp/hivego/server/app"
	"github.com/rprp/hivego/server/document"
)

// The page in the repository is the one that the schemas make.
func TestPageIsUpToDate(t *testing.T) {
	t.Parallel()
	want, err := markdown(app.Handlers())
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../../docs/handlers.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/handlers.md is not what the handlers' schemas say; run: go run ./server/app/gen > " +
			"docs/handlers.md")
	}
}

var block = regexp.MustCompile("(?s)```yaml\n(- key: .*?)```")

// Every task of an example is one that a schedule may have.
func TestExamplesAreGood(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range block.FindAllStringSubmatch(string(text), -1) {
			seen++
			doc := "apiVersion: hivego/v1\nkind: Schedule\nname: x\nparams: {region: east, limit: 5, cube: " +
				"sales}\njobs:\n  - key: one\n    tasks:\n" +
				"      " + strings.ReplaceAll(m[1], "\n", "\n      ")
			if _, faults := document.Parse([]byte(doc), document.Options{Handlers: app.Handlers()}); len(faults) > 0 {
				t.Errorf("%s: %v\n%s", file, faults, doc)
			}
		}
	}
	if seen < 5 {
		t.Errorf("only %d examples", seen)
	}
}

// What the editor makes a form of is complete: a title, a sentence, a place in the order, and only hints that it knows.
func TestSchemasMakeAGoodForm(t *testing.T) {
	t.Parallel()
	hints := map[string]bool{
		"x-render": true, "x-language": true, "x-multiline": true, "x-order": true, "x-secret": true, "x-unit": true,
		"x-advanced": true, "x-secrets": true,
		"x-connection": true, "x-enum-titles": true,
	}
	var walk func(path string, object map[string]any)
	walk = func(path string, object map[string]any) {
		fields, _ := object["properties"].(map[string]any)
		order, _ := object["x-order"].([]any)
		if len(order) != len(fields) {
			t.Errorf("%s: the order has %d fields of %d", path, len(order), len(fields))
		}
		for _, name := range order {
			if fields[name.(string)] == nil {
				t.Errorf("%s: the order has %s, which is no field", path, name)
			}
		}
		for name, raw := range fields {
			field, at := raw.(map[string]any), path+"."+name
			title, _ := field["title"].(string)
			sentence, _ := field["description"].(string)
			if title == "" || len(title) > 24 || !strings.HasSuffix(sentence, ".") {
				t.Errorf("%s: title %q, description %q", at, title, sentence)
			}
			for key := range field {
				if strings.HasPrefix(key, "x-") && !hints[key] {
					t.Errorf("%s: %s is no hint", at, key)
				}
			}
			if titles, ok := field["x-enum-titles"].([]any); ok && len(titles) != len(field["enum"].([]any)) {
				t.Errorf("%s: not a title for each of enum", at)
			}
			if field["properties"] != nil {
				walk(at, field)
			}
		}
	}
	for _, h := range app.Handlers() {
		var root map[string]any
		if err := json.Unmarshal([]byte(h.Schema), &root); err != nil {
			t.Fatal(err)
		}
		walk(h.Name, root)
	}
}
