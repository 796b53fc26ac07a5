package db

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/rprp/hivego/server/hive"
)

// ms is t as it is stored: UTC milliseconds, 0 for the zero time.
func ms(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// at returns the time that ms stored.
func at(v int64) time.Time {
	if v == 0 {
		return time.Time{}
	}
	return time.UnixMilli(v).UTC()
}

// moment is at for columns that always hold a time: 1970-01-01 is one of them.
func moment(v int64) time.Time { return time.UnixMilli(v).UTC() }

// text is s as both databases take it: valid UTF-8 without NUL. Text is cleaned where it enters HiveGo, and here once
// more, so that no byte of an executor can make a batch impossible to store.
func text(s string) string { return hive.Clean(s, math.MaxInt) }

// texts is text for every string of a map; it copies only what must change.
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

// lines is text for every string of a list.
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

// pack returns a map or list as TEXT; "" for nil.
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

// unpack reads what pack wrote.
func unpack[T any](s string) (T, error) {
	var v T
	if s == "" {
		return v, nil
	}
	if err := json.Unmarshal([]byte(s), &v); err != nil {
		return v, fmt.Errorf("read a stored %T: %w", v, err)
	}
	return v, nil
}

// packTimes returns a map of times as TEXT, "" for nil; unpackTimes reads it.
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
