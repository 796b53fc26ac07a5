package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rprp/hivego/thrift/gen/hivego"
)

// joined returns the params of --params-json and --param as one JSON object. The handler's schema determines the JSON
// type of a text of --param.
func joined(text string, given []string, kinds map[string][]string) (string, error) {
	object := map[string]any{}
	if text != "" && (json.Unmarshal([]byte(text), &object) != nil || object == nil) {
		return "", errors.New("--params-json: it is not a JSON object")
	}
	for _, g := range given {
		name, value, ok := strings.Cut(g, "=")
		if !ok || name == "" {
			return "", fmt.Errorf("--param %q: write NAME=VALUE", g)
		}
		v, err := typed(value, kinds[name])
		if err != nil {
			return "", fmt.Errorf("--param %s: %w", name, err)
		}
		object[name] = v
	}
	raw, err := json.Marshal(object)
	return string(raw), err
}

// typed converts a text to one of several kinds of JSON. It stays a text if that is one of the kinds, or if there are
// none.
func typed(text string, kinds []string) (any, error) {
	if len(kinds) == 0 || slices.Contains(kinds, "string") {
		return text, nil
	}
	var raw json.RawMessage
	if json.Unmarshal([]byte(text), &raw) == nil {
		for _, k := range kinds {
			if kindOf(raw, k) {
				return raw, nil
			}
		}
	}
	return nil, fmt.Errorf("%q is not %s, which the handler's schema asks for", text, kindWords(kinds))
}

// kindOf reports whether a JSON value has the type that a schema names.
func kindOf(raw json.RawMessage, kind string) bool {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return false
	}
	switch x := v.(type) {
	case float64:
		return kind == "number" || kind == "integer" && x == float64(int64(x))
	case bool:
		return kind == "boolean"
	case map[string]any:
		return kind == "object"
	case []any:
		return kind == "array"
	case nil:
		return kind == "null"
	default:
		return false
	}
}

// kindWords describes kinds for people.
func kindWords(kinds []string) string {
	words := make([]string, 0, len(kinds))
	for _, k := range kinds {
		switch k {
		case "integer":
			k = "a whole number"
		case "number":
			k = "a number"
		case "boolean":
			k = "true or false"
		case "object":
			k = `an object, as in {"name": 1}`
		case "array":
			k = `an array, as in [1, 2]`
		}
		words = append(words, k)
	}
	return strings.Join(words, " or ")
}

// kindsOf returns the kinds of a handler's params by name, as far as its schema states them directly.
func kindsOf(d *hivego.DescribeReply, handler string) map[string][]string {
	kinds := map[string][]string{}
	for _, h := range d.GetHandlers() {
		var schema struct {
			Properties map[string]json.RawMessage `json:"properties"`
		}
		if h.GetName() != handler || json.Unmarshal([]byte(h.GetParamsSchema()), &schema) != nil {
			continue
		}
		for name, raw := range schema.Properties {
			var one struct{ Type string }
			var many struct{ Type []string }
			switch {
			case json.Unmarshal(raw, &one) == nil && one.Type != "":
				kinds[name] = []string{one.Type}
			case json.Unmarshal(raw, &many) == nil:
				kinds[name] = many.Type
			}
		}
	}
	return kinds
}
