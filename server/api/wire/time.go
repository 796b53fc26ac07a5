// Package wire holds the Go types that the generated models use.
package wire

import (
	"fmt"
	"strconv"
	"time"
)

// Layout is the format of times: RFC 3339 in UTC with milliseconds.
const Layout = "2006-01-02T15:04:05.000Z07:00"

// Time is a time of the API.
type Time struct{ time.Time }

// At makes a Time.
func At(t time.Time) Time { return Time{t} }

// MarshalText writes t by Layout in UTC.
func (t Time) MarshalText() ([]byte, error) { return []byte(t.UTC().Format(Layout)), nil }

// MarshalJSON writes t by Layout in UTC.
func (t Time) MarshalJSON() ([]byte, error) {
	return []byte(strconv.Quote(t.UTC().Format(Layout))), nil
}

// UnmarshalText reads RFC 3339, with or without a fraction.
func (t *Time) UnmarshalText(b []byte) error {
	v, err := time.Parse(time.RFC3339Nano, string(b))
	if err != nil || v.Year() < 1 || v.Year() > 9998 {
		return fmt.Errorf("%.40q is not a time; write one such as 2026-05-01T03:20:00Z", b)
	}
	t.Time = v.UTC()
	return nil
}

// UnmarshalJSON reads RFC 3339 in quotes.
func (t *Time) UnmarshalJSON(b []byte) error {
	s, err := strconv.Unquote(string(b))
	if err != nil {
		return fmt.Errorf("%.40q is not a time; write one such as \"2026-05-01T03:20:00Z\"", b)
	}
	return t.UnmarshalText([]byte(s))
}

// Bind parses a query parameter.
func (t *Time) Bind(src string) error { return t.UnmarshalText([]byte(src)) }

// String returns t by Layout in UTC, or "" for the zero time.
func (t Time) String() string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(Layout)
}
