package db

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// ms returns a time as it is stored: in UTC milliseconds, and 0 for the zero time.
func ms(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// at returns the time of a result of ms.
func at(v int64) time.Time {
	if v == 0 {
		return time.Time{}
	}
	return time.UnixMilli(v).UTC()
}

// moment is like at, for columns that always have a time: there, 0 is 1970-01-01.
func moment(v int64) time.Time { return time.UnixMilli(v).UTC() }

// text makes valid UTF-8 without NUL of a string, because a database refuses other text. HiveGo cleans text where it
// enters, and here once more, so that no byte of an executor makes a batch impossible to store.
func text(s string) string { return hive.Clean(s, math.MaxInt) }

// texts applies text to all keys and values of a map. It makes a new map only if one of them must change.
func texts(m map[string]string) map[string]string {
	clean := true
	for k, v := range m {
		clean = clean && text(k) == k && text(v) == v
	}
	if clean {
		return m
	}
	out := make(map[string]string, len(m))
	for k, v := range m {
		out[text(k)] = text(v)
	}
	return out
}

// lines returns a list with text applied to all strings of l.
func lines(l []string) []string {
	if l == nil {
		return nil
	}
	out := make([]string, len(l))
	for i, s := range l {
		out[i] = text(s)
	}
	return out
}

// pack returns a map or list as JSON, and "" if isNil says that it is nil.
func pack[T any](v T, isNil bool) (string, error) {
	if isNil {
		return "", nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "", fmt.Errorf("write %T as JSON: %w", v, err)
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}

// unpack returns the map or list of a result of pack.
func unpack[T any](s string) (T, error) {
	var v T
	if s == "" {
		return v, nil
	}
	if err := json.Unmarshal([]byte(s), &v); err != nil {
		var none T // not what json read before the error
		return none, fmt.Errorf("read a stored %T: %w", none, err)
	}
	return v, nil
}

// packTimes returns a map of times as JSON, and "" for nil. unpackTimes is its reverse.
func packTimes(m map[string]time.Time) (string, error) {
	stored := make(map[string]int64, len(m))
	for k, t := range m {
		stored[text(k)] = ms(t)
	}
	return pack(stored, m == nil)
}

func unpackTimes(s string) (map[string]time.Time, error) {
	stored, err := unpack[map[string]int64](s)
	if err != nil || stored == nil {
		return nil, err
	}
	m := make(map[string]time.Time, len(stored))
	for k, v := range stored {
		m[k] = at(v)
	}
	return m, nil
}

// unpackParams reads a batch's parameters. JSON has one kind of number: a whole number becomes an int again.
func unpackParams(s string) (map[string]any, error) {
	if s == "" {
		return nil, nil
	}
	d := json.NewDecoder(bytes.NewReader([]byte(s)))
	d.UseNumber()
	var m map[string]any
	if err := d.Decode(&m); err != nil {
		return nil, fmt.Errorf("read stored params: %w", err)
	}
	for k, v := range m {
		m[k] = number(v)
	}
	return m, nil
}

func number(v any) any {
	switch v := v.(type) {
	case json.Number:
		if i, err := v.Int64(); err == nil {
			return int(i)
		}
		f, err := v.Float64()
		if err != nil {
			return v.String()
		}
		return f
	case []any:
		for i := range v {
			v[i] = number(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = number(v[k])
		}
	}
	return v
}
