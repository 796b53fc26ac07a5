package sql

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/rprp/hivego/executor/internal/message"
)

// prepare replaces the :names of a statement by the placeholders of the database, and returns their values.
func (s statement) prepare(d dialect, values map[string]any) (string, []any, error) {
	var text strings.Builder
	var args []any
	numbers := map[string]int{}
	last := 0
	for _, b := range s.binds {
		value, found := values[b.name]
		if !found && b.uncertain {
			continue
		}
		if !found {
			return "", nil, message.Errorf(message.SQLBind,
				"no parameter is named ‹name›; there are: ‹known›", "name", strconv.Quote(b.name),
				"known", names(values))
		}
		n := numbers[b.name]
		if n == 0 || d == mysql {
			args = append(args, argument(d, value))
			n = len(args)
			numbers[b.name] = n
		}
		text.WriteString(s.text[last:b.from])
		switch d {
		case postgres:
			text.WriteString("$" + strconv.Itoa(n))
		case mysql: // placeholders have no numbers
			text.WriteString("?")
		default:
			text.WriteString("?" + strconv.Itoa(n))
		}
		last = b.to
	}
	text.WriteString(s.text[last:])
	return text.String(), args, nil
}

func names(values map[string]any) string {
	if len(values) == 0 {
		return "none"
	}
	return strings.Join(slices.Sorted(maps.Keys(values)), ", ")
}

// argument converts a value for the driver. PostgreSQL gets text, because it derives the type from the statement.
// SQLite and MySQL get the value's own type.
func argument(d dialect, value any) any {
	if number, ok := value.(json.Number); ok {
		if i, err := number.Int64(); err == nil && d != postgres {
			return i
		}
		if f, err := number.Float64(); err == nil && d != postgres {
			return f
		}
		return number.String()
	}
	switch v := value.(type) {
	case nil, string:
		return v
	case bool:
		if d != postgres {
			return v
		}
		return strconv.FormatBool(v)
	default:
		data, err := json.Marshal(v)
		if err != nil {
			return nil
		}
		return string(data)
	}
}
