package sql

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/rprp/hivego/executor/internal/message"
)

// prepare replaces the :names and placeholders of a statement by numbered placeholders of the database, and returns
// their values. A name gets its value from named, and a placeholder from the list.
func (s statement) prepare(d dialect, named map[string]any, list bindValues) (string, []any, error) {
	var text strings.Builder
	var args []any
	type key struct {
		name   string
		number int
	}
	numbers := map[key]int{}
	last := 0
	for _, b := range s.binds {
		value, found := named[b.name]
		if b.name == "" {
			value, found = list[b.number-1], true // number has checked it
		}
		if !found && b.uncertain {
			continue
		}
		if !found {
			return "", nil, message.Errorf(message.SQLBind,
				"no parameter is named ‹name›; there are: ‹known›", "name", strconv.Quote(b.name),
				"known", names(named))
		}
		n := numbers[key{b.name, b.number}]
		if n == 0 || d == mysql {
			args = append(args, argument(d, value))
			n = len(args)
			numbers[key{b.name, b.number}] = n
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
