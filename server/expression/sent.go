package expression

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/rprp/hivego/server/hive"
)

// Limits of what an attempt keeps of its rendered params, in bytes. Many attempts are in memory at once.
const (
	maxSent     = 2048
	maxSentText = 512
)

// Sent returns what the params of an assignment were rendered to, as JSON for people: a secret is the expression that
// names it, and what is long is cut. It is empty if the params of the task hold no expression, because then the
// revision says the same.
func Sent(t *hive.Task, as *hive.Assignment) string {
	if !rendered(t.Params) {
		return ""
	}
	text := string(as.Params)
	for _, use := range as.Secrets {
		text = strings.ReplaceAll(text, use.Mark, "${{ secrets."+use.Name+" }}")
	}
	numbers := json.NewDecoder(strings.NewReader(text))
	numbers.UseNumber() // a number of 64 bits stays what it is
	var params map[string]any
	if numbers.Decode(&params) != nil {
		return ""
	}
	kept := make(map[string]any, len(params))
	size, omitted := 0, 0
	for _, name := range slices.Sorted(maps.Keys(params)) {
		value := cut(params[name])
		part, err := json.Marshal(value)
		if err != nil {
			return ""
		}
		if size+len(name)+len(part) > maxSent {
			omitted++
			continue
		}
		size += len(name) + len(part)
		kept[name] = value
	}
	if omitted > 0 {
		kept[hive.OmittedParams] = omitted
	}
	out, err := json.Marshal(kept)
	if err != nil {
		return ""
	}
	return string(out)
}

// rendered reports whether a value of params holds an expression.
func rendered(value any) bool {
	switch v := value.(type) {
	case string:
		return HasTemplate(v)
	case []any:
		return slices.ContainsFunc(v, rendered)
	case map[string]any:
		for _, one := range v {
			if rendered(one) {
				return true
			}
		}
	}
	return false
}

// cut shortens the long texts of a value.
func cut(value any) any {
	switch v := value.(type) {
	case string:
		if len(v) <= maxSentText {
			return v
		}
		return strings.ToValidUTF8(v[:maxSentText], "") + "…"
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = cut(v[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name := range v {
			out[name] = cut(v[name])
		}
		return out
	default:
		return value
	}
}
