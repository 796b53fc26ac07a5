package hive

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Duration is a time.Duration that is written as text ("30s", "2h", "1h30m", "2d") in documents.
type Duration time.Duration

// Std returns d as a time.Duration.
func (d Duration) Std() time.Duration { return time.Duration(d) }

// String writes d in the shortest form that ParseDuration reads back: "90m" is "1h30m", full hours have no "0m0s".
func (d Duration) String() string {
	s := time.Duration(d).String()
	if strings.HasSuffix(s, "m0s") {
		s = s[:len(s)-2]
	}
	if strings.HasSuffix(s, "h0m") {
		s = s[:len(s)-2]
	}
	return s
}

// ParseDuration reads a Go duration, and days ("2d", "1d12h"). It refuses negative ones. Its error is a *FaultError.
func ParseDuration(s string) (Duration, error) {
	rest, days := s, int64(0)
	if n, after, ok := strings.Cut(s, "d"); ok {
		v, err := strconv.ParseInt(n, 10, 32)
		if err != nil {
			return 0, badDuration(s)
		}
		days, rest = v, after
	}
	var d time.Duration
	if rest != "" || days == 0 {
		v, err := time.ParseDuration(rest)
		if err != nil {
			return 0, badDuration(s)
		}
		d = v
	}
	if days > 36500 {
		return 0, badDuration(s)
	}
	d += time.Duration(days) * 24 * time.Hour
	if d < 0 {
		return 0, &FaultError{NewFault("", FaultNegativeTime, "‹value› is negative",
			"write a duration such as 30s, 10m, 2h or 1d", "value", strconv.Quote(s))}
	}
	return Duration(d), nil
}

func badDuration(s string) error {
	return &FaultError{NewFault("", FaultBadDuration, `"‹value›" is not a duration`,
		"write one such as 30s, 10m, 2h or 1d", "value", Escaped(s, len(s)))}
}

// MarshalJSON writes d as text.
func (d Duration) MarshalJSON() ([]byte, error) { return json.Marshal(d.String()) }

// UnmarshalJSON reads text.
func (d *Duration) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return fmt.Errorf("a duration is text such as \"30s\": %w", err)
	}
	v, err := ParseDuration(s)
	if err != nil {
		return err
	}
	*d = v
	return nil
}
