// Package strict checks requests against openapi.yaml.
//
// The generated stubs only check the kinds of values. Sizes, lengths, numbers of items, null and unknown keys are
// checked here, with errors that name the place and the remedy.
package strict

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/rprp/hivego/server/hive"
)

// SpecPath is the path under which the server publishes openapi.yaml.
const SpecPath = "/api/v1/openapi.yaml"

// shape is a schema of openapi.yaml, with the keywords that requests use.
type shape struct {
	Ref       string            `yaml:"$ref"`
	Type      string            `yaml:"type"`
	GoType    string            `yaml:"x-go-type"`
	Nullable  bool              `yaml:"nullable"`
	Enum      []string          `yaml:"enum"`
	Minimum   *int64            `yaml:"minimum"`
	Maximum   *int64            `yaml:"maximum"`
	MinLength *int              `yaml:"minLength"`
	MaxLength *int              `yaml:"maxLength"`
	MaxItems  *int              `yaml:"maxItems"`
	Items     *shape            `yaml:"items"`
	Fields    map[string]*shape `yaml:"properties"`
	Others    others            `yaml:"additionalProperties"`
}

// others is the schema of additional properties. It is nil if they have none: they may be anything, or are forbidden.
type others struct{ *shape }

// UnmarshalYAML reads a schema, and ignores true and false.
func (o *others) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		return nil
	}
	return n.Decode(&o.shape)
}

// parameter is a parameter of an operation. Only parameters of the query are used.
type parameter struct {
	Ref    string `yaml:"$ref"`
	Name   string `yaml:"name"`
	In     string `yaml:"in"`
	Schema *shape `yaml:"schema"`
}

// Contract is the part of openapi.yaml that describes requests.
type Contract struct {
	Components struct {
		Schemas    map[string]*shape     `yaml:"schemas"`
		Parameters map[string]*parameter `yaml:"parameters"`
	} `yaml:"components"`
	Paths map[string]map[string]yaml.Node `yaml:"paths"`

	queries map[string][]*parameter // by operation id in lower case
}

// Read reads the contract from openapi.yaml. It panics if that is broken, because it is compiled in and tested.
func Read(spec []byte) *Contract {
	c := &Contract{queries: map[string][]*parameter{}}
	if err := yaml.Unmarshal(spec, c); err != nil {
		panic(err)
	}
	for _, item := range c.Paths {
		for method, node := range item {
			if method == "parameters" { // the parameters of the path
				continue
			}
			var op struct {
				ID         string       `yaml:"operationId"`
				Parameters []*parameter `yaml:"parameters"`
			}
			if err := node.Decode(&op); err != nil {
				panic(err)
			}
			for _, p := range op.Parameters {
				if p.Ref != "" {
					p = c.Components.Parameters[lastPart(p.Ref)]
				}
				if p.In == "query" {
					id := strings.ToLower(op.ID)
					c.queries[id] = append(c.queries[id], p)
				}
			}
		}
	}
	c.Paths = nil // nothing reads them again, and they are large
	return c
}

func lastPart(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] }

// follow resolves the references of a schema.
func (c *Contract) follow(s *shape) *shape {
	for s != nil && s.Ref != "" {
		s = c.Components.Schemas[lastPart(s.Ref)]
	}
	return s
}

// checkQuery checks the query parameters of an operation. Each is given at most once.
func (c *Contract) checkQuery(operation string, given url.Values) error {
	for _, p := range c.queries[strings.ToLower(operation)] {
		if !given.Has(p.Name) {
			continue
		}
		s, text := c.follow(p.Schema), given.Get(p.Name)
		if s.Type != "array" {
			if err := c.checkText(p.Name, text, s); err != nil {
				return err
			}
			continue
		}
		list := strings.Split(text, ",")
		if err := tooMany(p.Name, len(list), s); err != nil {
			return err
		}
		for _, one := range list {
			if err := c.checkText(p.Name, one, c.follow(s.Items)); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkText checks a value of a query.
func (c *Contract) checkText(name, text string, s *shape) error {
	switch s.Type {
	case "integer":
		return c.check(name, json.Number(text), s)
	case "boolean":
		if text != "true" && text != "false" {
			return badValue(name, text)
		}
		return nil
	default:
		return c.check(name, text, s)
	}
}

// checkBody checks the fields of a JSON body by the name of its schema.
func (c *Contract) checkBody(schema string, data []byte) error {
	s := c.follow(c.Components.Schemas[schema])
	if s == nil {
		return nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return decodeWords(err)
	}
	for name, raw := range fields {
		of := c.follow(s.Fields[name])
		if of == nil {
			continue
		}
		v, err := c.value(raw, of)
		if err != nil {
			return decodeWords(err)
		}
		if err := c.check(name, v, of); err != nil {
			return err
		}
	}
	return nil
}

// check checks one value, and the values in it, by its schema.
func (c *Contract) check(name string, v any, s *shape) error {
	if s == nil || s.Type == "" {
		return nil
	}
	switch x := v.(type) {
	case nil:
		if s.Nullable {
			return nil
		}
		return badBody("null", fmt.Sprintf("the field %q of the body is null; leave it out or give it a value", name),
			"name", name)
	case json.Number:
		return checkNumber(name, x, s)
	case string:
		return checkString(name, x, s)
	case bool:
		return ofKind(name, "boolean", s)
	case []any:
		if err := ofKind(name, "array", s); err != nil {
			return err
		}
		if err := tooMany(name, len(x), s); err != nil {
			return err
		}
		items := c.follow(s.Items)
		for i := range x {
			if err := c.check(name+"["+strconv.Itoa(i)+"]", x[i], items); err != nil {
				return err
			}
		}
	case map[string]any:
		return c.checkObject(name, x, s)
	}
	return nil
}

func (c *Contract) checkObject(name string, v map[string]any, s *shape) error {
	if err := ofKind(name, "object", s); err != nil {
		return err
	}
	for key, value := range v {
		of := c.follow(s.Fields[key])
		if of == nil {
			of = c.follow(s.Others.shape)
		}
		if err := c.check(fmt.Sprintf("%s.%.60s", name, key), value, of); err != nil {
			return err
		}
	}
	return nil
}

func checkNumber(name string, v json.Number, s *shape) error {
	n, err := v.Int64()
	switch {
	case s.Type == "number":
		return nil
	case s.Type != "integer" || err != nil:
		return wrongKind(name)
	case s.Minimum != nil && s.Maximum != nil && (n < *s.Minimum || n > *s.Maximum):
		return hive.Errorf(hive.CodeInvalid, "%s must be from %d to %d", name, *s.Minimum, *s.Maximum).
			WithReason(hive.ErrorRange, "name", name, "least", *s.Minimum, "most", *s.Maximum)
	case s.Minimum != nil && n < *s.Minimum:
		return hive.Errorf(hive.CodeInvalid, "%s must be %d or more", name, *s.Minimum).
			WithReason(hive.ErrorRange, "name", name, "least", *s.Minimum)
	case s.Maximum != nil && n > *s.Maximum:
		return hive.Errorf(hive.CodeInvalid, "%s must be %d or less", name, *s.Maximum).
			WithReason(hive.ErrorRange, "name", name, "most", *s.Maximum)
	}
	return nil
}

func checkString(name, v string, s *shape) error {
	length := utf8.RuneCountInString(v)
	switch {
	case s.Type != "string":
		return wrongKind(name)
	case len(s.Enum) > 0 && !slices.Contains(s.Enum, v), s.MinLength != nil && length < *s.MinLength:
		return badValue(name, v)
	case s.MaxLength != nil && length > *s.MaxLength:
		return hive.Errorf(hive.CodeInvalid, "%s may have at most %d characters", name, *s.MaxLength).
			WithReason(hive.ErrorLong, "name", name, "most", *s.MaxLength)
	}
	return nil
}

// tooMany refuses a list with more items than it may have.
func tooMany(name string, n int, s *shape) error {
	if s.MaxItems == nil || n <= *s.MaxItems {
		return nil
	}
	return hive.Errorf(hive.CodeInvalid, "%s may have at most %d items", name, *s.MaxItems).
		WithReason(hive.ErrorLong, "name", name, "most", *s.MaxItems)
}

func ofKind(name, kind string, s *shape) error {
	if s.Type == kind {
		return nil
	}
	return wrongKind(name)
}

func wrongKind(name string) error {
	return badBody("wrong_kind", fmt.Sprintf("the field %.80q of the body has a value of the wrong kind", name), "name",
		name)
}

func badValue(name, value string) error {
	return hive.Errorf(hive.CodeInvalid, "%.80q is no value of %s; GET "+SpecPath+" says what it takes", value, name).
		WithReason(hive.ErrorValue, "name", name, "value", value)
}

// value reads a value, and keeps its numbers as text. A document becomes an empty object: it may be large, and
// server/document checks it.
func (c *Contract) value(raw json.RawMessage, s *shape) (any, error) {
	raw = bytes.TrimSpace(raw)
	if items := c.follow(s.Items); items != nil && items.GoType != "" && raw[0] == '[' {
		var list []json.RawMessage
		if err := json.Unmarshal(raw, &list); err != nil {
			return nil, err
		}
		all := make([]any, len(list))
		for i := range list {
			var err error
			if all[i], err = c.value(list[i], items); err != nil {
				return nil, err
			}
		}
		return all, nil
	}
	if s.GoType != "" && raw[0] == '{' {
		return map[string]any{}, nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	err := d.Decode(&v)
	return v, err
}
