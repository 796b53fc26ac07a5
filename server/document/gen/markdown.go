package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// schema is the part of JSON Schema that the page speaks of.
type schema struct {
	Ref                  string          `json:"$ref"`
	Title                string          `json:"title"`
	Description          string          `json:"description"`
	Type                 json.RawMessage `json:"type"`
	Const                string          `json:"const"`
	Enum                 []*string       `json:"enum"`
	OneOf                []schema        `json:"oneOf"`
	Items                *schema         `json:"items"`
	AdditionalProperties json.RawMessage `json:"additionalProperties"`
	Required             []string        `json:"required"`
	Default              json.RawMessage `json:"default"`
	Minimum              *float64        `json:"minimum"`
	Maximum              *float64        `json:"maximum"`
	Properties           properties      `json:"properties"`
	Defs                 properties      `json:"$defs"`
}

// properties keeps the order of the file.
type properties []property

type property struct {
	name string
	schema
}

// UnmarshalJSON implements json.Unmarshaler.
func (p *properties) UnmarshalJSON(src []byte) error {
	d := json.NewDecoder(bytes.NewReader(src))
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		one := property{name: fmt.Sprint(name)}
		if err := d.Decode(&one.schema); err != nil {
			return fmt.Errorf("%s: %w", one.name, err)
		}
		*p = append(*p, one)
	}
	return nil
}

func (p properties) get(name string) schema {
	i := slices.IndexFunc(p, func(one property) bool { return one.name == name })
	if i < 0 {
		return schema{}
	}
	return p[i].schema
}

// preface is what stands above the tables.
//
//go:embed head.md
var preface string

// markdown makes the page: a table for the schedule and one for each kind of object in it, in the order of the file.
func markdown(src []byte) (string, error) {
	var root schema
	if err := json.Unmarshal(src, &root); err != nil {
		return "", fmt.Errorf("read the schema: %w", err)
	}
	var b strings.Builder
	b.WriteString(preface)
	table(&b, root, root.Defs)
	for _, def := range root.Defs {
		if len(def.Properties) > 0 {
			table(&b, def.schema, root.Defs)
		}
	}
	return strings.TrimRight(b.String(), "\n") + "\n", nil
}

func table(b *strings.Builder, object schema, defs properties) {
	fmt.Fprintf(b, "## %s\n\n", object.Title)
	if object.Description != "" {
		fmt.Fprintf(b, "%s\n\n", object.Description)
	}
	b.WriteString("| field | type | default | meaning |\n| --- | --- | --- | --- |\n")
	for _, p := range object.Properties {
		standard := "`" + string(p.Default) + "`"
		base := defs.get(strings.TrimPrefix(p.Ref, "#/$defs/"))
		switch {
		case slices.Contains(object.Required, p.name):
			standard = "required"
		case len(p.Default) == 0 && len(base.Default) > 0:
			standard = "`" + string(base.Default) + "`"
		case len(p.Default) == 0:
			standard = ""
		}
		standard = strings.ReplaceAll(standard, `"`, "")
		if standard == "``" {
			standard = "empty"
		}
		words := p.Description
		if words == "" {
			words = base.Description
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", p.name, typeOf(p.schema, defs), standard,
			strings.ReplaceAll(words, "|", "\\|"))
	}
	b.WriteString("\n")
}

// typeOf says in a few words what a field takes.
func typeOf(s schema, defs properties) string {
	var ways []string
	for _, one := range s.OneOf {
		if one.Ref != "" {
			ways = append(ways, typeOf(one, defs))
		}
	}
	if len(ways) > 0 {
		return strings.Join(ways, " or ")
	}
	if name, ok := strings.CutPrefix(s.Ref, "#/$defs/"); ok {
		if def := defs.get(name); len(def.Properties) > 0 {
			return fmt.Sprintf("[%s](#%s)", strings.ToLower(def.Title),
				strings.ReplaceAll(strings.ToLower(def.Title), " ", "-"))
		}
		if name == "duration" {
			return "duration"
		}
		return typeOf(defs.get(name), defs)
	}
	switch {
	case s.Const != "":
		return "`" + s.Const + "`"
	case len(s.Enum) > 0:
		var words []string
		for _, word := range s.Enum {
			if word != nil {
				words = append(words, "`"+*word+"`")
			}
		}
		return strings.Join(words, ", ")
	}
	var kinds []string
	if json.Unmarshal(s.Type, &kinds) != nil {
		kinds = []string{strings.Trim(string(s.Type), `"`)}
	}
	switch kinds[0] {
	case "array":
		return "list of " + typeOf(*s.Items, defs)
	case "object":
		return "map"
	case "string":
		return "text"
	case "boolean":
		return "true, false"
	default:
		return bounded(kinds[0], s)
	}
}

func bounded(kind string, s schema) string {
	words := "number"
	if kind == "integer" {
		words = "whole number"
	}
	if s.Minimum != nil && s.Maximum != nil && *s.Maximum <= 1000 {
		return fmt.Sprintf("%s, %v to %v", words, *s.Minimum, *s.Maximum)
	}
	return words
}
