package transfer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// A row is one line: a JSON array of its values in the order of Table.Columns. The same row has the same line in every
// database, so lines can be compared and hashed.

// appendRow appends the line of a row.
func appendRow(b []byte, t *Table, values []any) ([]byte, error) {
	b = append(b, '[')
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		c := &t.Columns[i]
		switch v := v.(type) {
		case nil:
			b = append(b, "null"...)
		case int64:
			switch c.Kind {
			case KindInt:
				b = strconv.AppendInt(b, v, 10)
			case KindBool:
				b = strconv.AppendBool(b, v != 0)
			default:
				return nil, wrongValue(t, c, v)
			}
		case bool:
			if c.Kind != KindBool {
				return nil, wrongValue(t, c, v)
			}
			b = strconv.AppendBool(b, v)
		case string:
			if c.Kind != KindText || !utf8.ValidString(v) {
				return nil, wrongValue(t, c, v)
			}
			b = appendText(b, v)
		default:
			return nil, wrongValue(t, c, v)
		}
	}
	return append(b, "]\n"...), nil
}

func wrongValue(t *Table, c *Column, v any) error {
	return fmt.Errorf("column %s.%s, which is of kind %s, has the value %.100q", t.Name, c.Name, c.Kind, fmt.Sprint(v))
}

// appendText appends a text as JSON.
func appendText(b []byte, s string) []byte {
	plain := true
	for i := range len(s) {
		if s[i] < ' ' || s[i] == '"' || s[i] == '\\' {
			plain = false
			break
		}
	}
	if plain {
		b = append(b, '"')
		b = append(b, s...)
		return append(b, '"')
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) //nolint:errchkjson // of a text it never fails
	return append(b, bytes.TrimSuffix(out.Bytes(), []byte("\n"))...)
}

// parseRow returns the values of a line: nil, int64, bool or string for each column.
func parseRow(t *Table, line []byte) ([]any, error) {
	var raw []json.RawMessage
	if err := json.Unmarshal(line, &raw); err != nil {
		return nil, fmt.Errorf("a row of %s cannot be read: %w", t.Name, err)
	}
	if len(raw) != len(t.Columns) {
		return nil, fmt.Errorf("a row of %s has %d values for %d columns", t.Name, len(raw), len(t.Columns))
	}
	values := make([]any, len(raw))
	for i, text := range raw {
		if string(text) == "null" {
			continue
		}
		var err error
		switch t.Columns[i].Kind {
		case KindInt:
			values[i], err = strconv.ParseInt(string(text), 10, 64)
		case KindBool:
			values[i], err = strconv.ParseBool(string(text))
		default:
			var s string
			err = json.Unmarshal(text, &s)
			values[i] = s
		}
		if err != nil {
			return nil, fmt.Errorf("column %s.%s: %w", t.Name, t.Columns[i].Name, err)
		}
	}
	return values, nil
}

// keyOf returns the values of the key in a row.
func keyOf(t *Table, values []any) []any {
	key := make([]any, len(t.Key))
	for i, name := range t.Key {
		for j := range t.Columns {
			if t.Columns[j].Name == name {
				key[i] = values[j]
			}
		}
	}
	return key
}
