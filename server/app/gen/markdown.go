package main

import (
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rprp/hivego/server/hive"
)

// schema is the part of a handler's JSON Schema that the page speaks of.
type schema struct {
	Title       string            `json:"title"`
	Description string            `json:"description"`
	Type        json.RawMessage   `json:"type"`
	Enum        []string          `json:"enum"`
	Items       *schema           `json:"items"`
	Required    []string          `json:"required"`
	Default     json.RawMessage   `json:"default"`
	Minimum     *float64          `json:"minimum"`
	Maximum     *float64          `json:"maximum"`
	Properties  map[string]schema `json:"properties"`
	Values      json.RawMessage   `json:"additionalProperties"`
	Render      string            `json:"x-render"`
	Unit        string            `json:"x-unit"`
	Order       []string          `json:"x-order"`
}

// words are what stands above the tables, and above each handler's.
//
//go:embed *.md
var words embed.FS

// markdown makes the page: for each handler words with examples, a table of its parameters, and one for each object in
// them.
func markdown(handlers []hive.Handler) (string, error) {
	var b strings.Builder
	head, err := words.ReadFile("head.md")
	if err != nil {
		return "", err
	}
	b.Write(head)
	for _, h := range handlers {
		var s schema
		if err := json.Unmarshal([]byte(h.Schema), &s); err != nil {
			return "", fmt.Errorf("read the schema of %s: %w", h.Name, err)
		}
		text, err := words.ReadFile(h.Name + ".md")
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "\n## `%s`\n\n%s\n\n%s", h.Name, h.Description, text)
		table(&b, "", &s)
	}
	tail, err := words.ReadFile("tail.md")
	b.WriteString("\n" + string(tail))
	return b.String(), err
}

// table writes the fields of an object, and after it those of the objects in it.
func table(b *strings.Builder, path string, object *schema) {
	if path == "" {
		b.WriteString("\n### Parameters\n")
	} else {
		fmt.Fprintf(b, "\n### `%s`\n\n%s\n", path, object.Description)
	}
	b.WriteString("\n| parameter | type | default | values by | meaning |\n| --- | --- | --- | --- | --- |\n")
	var inner []string
	for _, name := range order(object) {
		p := object.Properties[name]
		if len(p.Properties) > 0 {
			inner = append(inner, name)
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s |\n", name, kind(&p), standard(object, name), render(&p),
			cell(p.Description))
	}
	for _, name := range inner {
		p := object.Properties[name]
		table(b, strings.TrimPrefix(path+"."+name, "."), &p)
	}
}

// order is that of the form; what it does not name comes after it by name.
func order(object *schema) []string {
	out := slices.Clone(object.Order)
	for _, name := range slices.Sorted(maps.Keys(object.Properties)) {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

func cell(text string) string { return strings.ReplaceAll(text, "|", "\\|") }

func standard(object *schema, name string) string {
	if slices.Contains(object.Required, name) {
		return "required"
	}
	if given := string(object.Properties[name].Default); given != "" {
		return "`" + cell(given) + "`"
	}
	return ""
}

// render says how values get into a field.
func render(p *schema) string {
	mode := p.Render
	if mode == "" {
		var values schema
		if json.Unmarshal(p.Values, &values) == nil {
			mode = values.Render
		}
	}
	switch hive.RenderMode(mode) {
	case hive.RenderShell:
		return "`$name`"
	case hive.RenderSQL:
		return "`:name`"
	case hive.RenderURL:
		return "`${{ }}`, encoded"
	case hive.RenderJSON:
		return "`${{ }}`, as JSON"
	case hive.RenderPlain:
		return "`${{ }}`"
	default:
		return ""
	}
}

// kind says in a few words what a field takes.
func kind(p *schema) string {
	if len(p.Enum) > 0 {
		return "`" + strings.Join(p.Enum, "`, `") + "`"
	}
	if p.Unit == "duration" {
		return "duration"
	}
	var several []string
	if json.Unmarshal(p.Type, &several) == nil {
		kinds := make([]string, 0, len(several))
		for _, one := range several {
			kinds = append(kinds, plain(one, p))
		}
		return strings.Join(kinds, " or ")
	}
	return plain(strings.Trim(string(p.Type), `"`), p)
}

func plain(name string, p *schema) string {
	switch name {
	case "string":
		return "text"
	case "boolean":
		return "true, false"
	case "null":
		return name
	case "array":
		return "list of " + kind(p.Items)
	case "object":
		if len(p.Properties) > 0 {
			return "object"
		}
		return "map of texts"
	}
	number := "number"
	if name == "integer" {
		number = "whole number"
	}
	if p.Unit != "" {
		number += " of " + p.Unit
	}
	if p.Minimum != nil && p.Maximum != nil {
		number += fmt.Sprintf(", %v to %v", *p.Minimum, *p.Maximum)
	}
	return number
}
