package sql

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// prepare turns the :names of a statement into the database's own placeholders, and gives their values.
func (s statement) prepare(d dialect, values map[string]any) (string, []any, error) {
	var text strings.Builder
	var args []any
	numbers := map[string]int{}
	last := 0
	for _, b := range s.binds {
		value, known := values[b.name]
		if !known && b.uncertain {
			continue
		}
		if !known {
			return "", nil, fmt.Errorf("no parameter is named %q; there are: %s", b.name, names(values))
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
		case mysql: // its placeholders have no numbers
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

// argument is a value as the driver takes it. PostgreSQL knows the type from the statement and reads it from text;
// SQLite and MySQL take the value's own type.
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
