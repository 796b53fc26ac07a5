package expression

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// place is the context of a position in a JSON text.
type place int

const (
	bare     place = iota // between values
	quoted                // in a string
	escaping              // in a string, after a backslash
)

// follow returns the place at the end of a piece of JSON text that begins at the place at.
func follow(text string, at place) place {
	for i := range len(text) {
		switch {
		case at == escaping:
			at = quoted
		case at == quoted && text[i] == '\\':
			at = escaping
		case text[i] == '"' && at == quoted:
			at = bare
		case text[i] == '"':
			at = quoted
		}
	}
	return at
}

// write encodes a value for a mode.
func write(mode hive.RenderMode, at place, source string, value any) (string, error) {
	switch {
	case at == escaping:
		return "", refuseIn(source, hive.FaultTemplateEscape,
			"‹source› stands after a backslash, which would change it",
			"take the backslash out")
	case mode == hive.RenderJSON && at == bare:
		return writeJSON(source, value)
	}
	switch value.(type) {
	case string, bool, int, int64, uint64, float64, time.Time, time.Duration, time.Month, time.Weekday:
	default:
		return "", notSingle(source, value)
	}
	out := text(value)
	switch mode {
	case hive.RenderURL:
		if out == "" {
			return "", refuseIn(source, hive.FaultTemplateNoURL,
				"‹source› is empty, and an empty place leads an address elsewhere", "give it one")
		}
		return strings.ReplaceAll(url.QueryEscape(out), "+", "%20"), nil
	case hive.RenderJSON:
		whole, err := marshal(out)
		return strings.TrimSuffix(strings.TrimPrefix(whole, `"`), `"`), err
	default:
		return out, nil
	}
}

// writeJSON encodes a value as JSON. Lists, maps and null are allowed.
func writeJSON(source string, value any) (string, error) {
	switch x := value.(type) {
	case nil, string, bool, int, int64, uint64, float64, []any, []string, map[string]any:
		return marshal(x)
	case time.Time, time.Duration, time.Month, time.Weekday:
		return marshal(text(x))
	default:
		return "", notSingle(source, value)
	}
}

func marshal(value any) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return "", refuse(hive.FaultTemplateUnwritable, "it cannot be written as JSON: ‹words›", "name a single value",
			"words", err)
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

func notSingle(source string, value any) error {
	return refuseIn(source, hive.FaultTemplateNotSingle, "‹source› gives ‹value›",
		`write ?? "…" for what may be null, and name a single value`, "value", describe(value))
}

// refuseIn is refuse for an expression in a template. It adds the expression as the param source.
func refuseIn(source string, reason hive.FaultReason, message, remedy string, params ...any) error {
	source = "${{ " + hive.Clean(strings.TrimSpace(source), 100) + " }}"
	return refuse(reason, message, remedy, append(params, "source", source)...)
}

// CheckJSON returns an error if text cannot become JSON when its expressions are filled in.
func CheckJSON(text string) error {
	parts, err := parts(text)
	if err != nil {
		return err
	}
	var b strings.Builder
	at := bare
	for _, p := range parts {
		b.WriteString(p.plain)
		at = follow(p.plain, at)
		if p.source != "" && at == bare {
			b.WriteString("null")
		}
	}
	var value any
	if err := json.Unmarshal([]byte(b.String()), &value); err != nil {
		return refuse(hive.FaultTemplateNotJSON, "it is not JSON: ‹words›",
			"correct it (texts in quotes, ${{ }} without any where the value is one)",
			"words", hive.Clean(err.Error(), 200))
	}
	return nil
}

// RenderParams fills in every `${{ }}` in a handler's params, encoded for the field by r. It is an error in a field
// that r does not render. Secrets become ***. RenderParams calls env only if it needs it. The error is FieldErrors.
func (c *Cache) RenderParams(params map[string]any, r *hive.Rendering,
	env func() map[string]any,
) (map[string]any, error) {
	return c.renderParams(params, r, env, new(marks))
}

// renderParams is RenderParams with the marks of an attempt for its secrets.
func (c *Cache) renderParams(params map[string]any, r *hive.Rendering,
	env func() map[string]any, m *marks,
) (map[string]any, error) {
	out := make(map[string]any, len(params))
	var faults FieldErrors
	for _, name := range slices.Sorted(maps.Keys(params)) {
		var err error
		if out[name], err = c.renderValue(params[name], r.Field(name), env, m); err != nil {
			faults = append(faults, FieldError{Field: "params." + name, Err: err})
		}
	}
	if len(faults) > 0 {
		return nil, faults
	}
	return out, nil
}

func (c *Cache) renderValue(value any, r *hive.Rendering, env func() map[string]any, m *marks) (any, error) {
	switch part := value.(type) {
	case string:
		switch mode := r.Mode(); {
		case !strings.Contains(part, opening):
			return part, nil
		case mode.Fills():
			if !r.Secrets() {
				m = nil
			}
			return c.renderAs(mode, part, env, m)
		case HasTemplate(part):
			return nil, refuse(hive.FaultTemplateNowhere, "${{ }} is not filled in there",
				"use an environment variable or a bind value")
		default:
			return part, nil
		}
	case []any:
		out := make([]any, len(part))
		for i := range part {
			var err error
			if out[i], err = c.renderValue(part[i], r.Item(), env, m); err != nil {
				return nil, err
			}
		}
		return out, nil
	case map[string]any:
		out := make(map[string]any, len(part))
		for name := range part {
			var err error
			if out[name], err = c.renderValue(part[name], r.Field(name), env, m); err != nil {
				return nil, err
			}
		}
		return out, nil
	default:
		return value, nil
	}
}
