package hive_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/rprp/hivego/server/hive"
)

func TestParseRetryOn(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                         "",
		" \t\n":                    "",
		"75":                       "",
		"0, 255":                   "",
		"75, 100-110, timeout":     "",
		" 100 - 110 ,\n failure":   "",
		"killed,killed, 7-7, 007":  "",
		"300":                      "retry_on_code 300",
		"-1":                       "retry_on_code -1",
		"+1":                       "retry_on_code +1",
		"1, 200-256":               "retry_on_code 256",
		"99999999999999999999":     "retry_on_code 99999999999999999999",
		"110-100":                  "retry_on_range 110-100",
		"1-2-3":                    "retry_on_word 1-2-3",
		"1-":                       "retry_on_word 1-",
		"75,":                      "retry_on_word ,",
		",":                        "retry_on_word ,",
		"75 100":                   "retry_on_word 75 100",
		"lost":                     "retry_on_lost lost",
		"timeout, lost":            "retry_on_lost lost",
		"Timeout":                  "retry_on_word Timeout",
		"refused":                  "retry_on_word refused",
		"exit":                     "retry_on_word exit",
		"0x10":                     "retry_on_word 0x10",
		strings.Repeat("1,", 500):  "retry_on_word ,",
		strings.Repeat("1,", 501):  "retry_on_long ",
		strings.Repeat("1,", 499):  "retry_on_word ,",
		strings.Repeat("é", 1000):  "retry_on_word " + strings.Repeat("é", 1000),
		strings.Repeat(" ", 1000):  "",
		strings.Repeat(" ", 1001):  "retry_on_long ",
		"timeout\u00a0":            "retry_on_word timeout\u00a0",
		"75, 100-110, timeout, 12": "",
	} {
		_, err := hive.ParseRetryOn(text)
		got := ""
		if wrong, ok := errors.AsType[*hive.RetryOnError](err); ok {
			got = string(wrong.Reason) + " " + wrong.Term
			if wrong.Error() == "" {
				t.Errorf("%q: an error without words", text)
			}
		}
		if got != want || (err != nil) != (want != "") {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestRetryOnHas(t *testing.T) {
	t.Parallel()
	code := func(n int) *int { return &n }
	tests := []struct {
		on      string
		outcome hive.Outcome
		code    *int
		want    bool
	}{
		{"", hive.OutcomeFailure, code(1), true},
		{"", hive.OutcomeTimeout, nil, true},
		{"", hive.OutcomeKilled, nil, true},
		{"75", hive.OutcomeFailure, code(75), true},
		{"75", hive.OutcomeFailure, code(74), false},
		{"75", hive.OutcomeFailure, nil, false},
		{"100-110", hive.OutcomeFailure, code(99), false},
		{"100-110", hive.OutcomeFailure, code(100), true},
		{"100-110", hive.OutcomeFailure, code(110), true},
		{"100-110", hive.OutcomeFailure, code(111), false},
		{"0-255", hive.OutcomeFailure, code(-9), false},
		{"143", hive.OutcomeTimeout, code(143), false}, // it was ended at its timeout
		{"143", hive.OutcomeKilled, code(143), false},
		{"timeout", hive.OutcomeTimeout, code(143), true},
		{"timeout", hive.OutcomeFailure, code(1), false},
		{"failure", hive.OutcomeFailure, nil, true},
		{"failure", hive.OutcomeFailure, code(9), true},
		{"failure", hive.OutcomeTimeout, nil, false},
		{"failure", hive.OutcomeKilled, nil, false},
		{"3, timeout, killed", hive.OutcomeKilled, nil, true},
	}
	for _, c := range tests {
		on, err := hive.ParseRetryOn(c.on)
		if err != nil {
			t.Fatalf("%q: %v", c.on, err)
		}
		if got := on.Has(c.outcome, c.code); got != c.want {
			t.Errorf("%q has %s: %v, want %v", c.on, c.outcome, got, c.want)
		}
	}
}

// A definition that is compared with == compares its retries too.
func TestRetryIsComparable(t *testing.T) {
	t.Parallel()
	one := hive.Retry{Max: 1, On: "75", When: "true", Jitter: 0.5}
	if other := one; one != other || one == (hive.Retry{Max: 1, On: "75", When: "true"}) {
		t.Error("retries compare wrongly")
	}
}
