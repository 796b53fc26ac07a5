package expression

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/rprp/hivego/server/hive"
)

const (
	opening = "${{"
	escaped = "$${{" // a literal ${{
	closing = "}}"
)

// HasTemplate reports whether text has the start of a `${{ … }}` that is not escaped.
func HasTemplate(text string) bool {
	return strings.Contains(strings.ReplaceAll(text, escaped, ""), opening)
}

// ReferTemplate lists the references of the expressions in text.
func ReferTemplate(text string) (References, error) {
	var all References
	parts, err := parts(text)
	if err != nil {
		return all, err
	}
	for _, p := range parts {
		if p.source == "" {
			continue
		}
		if name := secretOf(p.source); name != "" {
			all.Secrets = append(all.Secrets, name)
			continue
		}
		refs, err := Refer(p.source)
		if err != nil {
			return all, withSecret(p.source, err)
		}
		all.Params = append(all.Params, refs.Params...)
		all.Outputs = append(all.Outputs, refs.Outputs...)
		all.Calendars = append(all.Calendars, refs.Calendars...)
		all.Event = all.Event || refs.Event
		all.Shard = all.Shard || refs.Shard
		all.Outcome = all.Outcome || refs.Outcome
	}
	return all, nil
}

// text formats a single value.
func text(value any) string {
	switch x := value.(type) {
	case string:
		return x
	case float64:
		return strconv.FormatFloat(x, 'f', -1, 64)
	case time.Time:
		return x.Format(time.RFC3339)
	default:
		return fmt.Sprint(x)
	}
}

// part is literal text and the expression after it, if any.
type part struct{ plain, source string }

// parts splits a template.
func parts(text string) ([]part, error) {
	var out []part
	var plain strings.Builder
	for rest := text; ; {
		i := strings.Index(rest, opening)
		if i < 0 {
			plain.WriteString(rest)
			return append(out, part{plain: plain.String()}), nil
		}
		if i > 0 && rest[i-1] == '$' {
			plain.WriteString(rest[:i-1] + opening)
			rest = rest[i+len(opening):]
			continue
		}
		plain.WriteString(rest[:i])
		rest = rest[i+len(opening):]
		end := ending(rest)
		if end < 0 {
			return nil, refuse(hive.FaultTemplateOpen, "a ${{ is not closed",
				"close it with }}, or write $${{ for the characters themselves")
		}
		source := rest[:end]
		if strings.TrimSpace(source) == "" {
			return nil, refuse(hive.FaultTemplateEmpty, "a ${{ }} is empty",
				"write an expression in it, such as params.region")
		}
		out = append(out, part{plain: plain.String(), source: source})
		plain.Reset()
		rest = rest[end+len(closing):]
	}
}

// ending returns the index of the }} that closes an expression, outside of quotes and of the braces of maps. It is
// negative if there is none.
func ending(s string) int {
	depth, quote := 0, byte(0)
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case quote != 0:
			if c == '\\' && quote != '`' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case c == '{':
			depth++
		case c == '}' && depth > 0:
			depth--
		case strings.HasPrefix(s[i:], closing):
			return i
		}
	}
	return -1
}
