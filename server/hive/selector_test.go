package hive_test

import (
	"strings"
	"testing"

	"github.com/rprp/hivego/server/hive"
)

func TestSelectorMatches(t *testing.T) {
	t.Parallel()
	labels := map[string]string{"gpu": "a100", "zone": "a", "disk": "ssd", "in": "x"}
	for text, want := range map[string]bool{
		"":                         true,
		"  ":                       true,
		"gpu=a100":                 true,
		"gpu==a100":                true,
		" gpu = a100 , zone != b ": true,
		"gpu=b200":                 false,
		"zone!=a":                  false,
		"rack!=a":                  true, // an absent label has no value
		"disk in (ssd, nvme)":      true,
		"disk in (hdd)":            false,
		"disk in(ssd)":             true,
		"rack in (a)":              false,
		"disk notin (hdd, tape)":   true,
		"disk notin (ssd)":         false,
		"rack notin (ssd)":         true,
		"gpu":                      true,
		"spot":                     false,
		"!spot":                    true,
		"! spot":                   true,
		"!gpu":                     false,
		"in notin (y), in":         true,
		"gpu=a100, !spot, disk in (\n  ssd,\n  nvme\n)": true,
		"gpu=a100, spot": false,
	} {
		s, err := hive.ParseSelector(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
		} else if got := s.Matches(labels); got != want {
			t.Errorf("%q matches: %t, want %t", text, got, want)
		}
	}
}

func TestSelectorErrors(t *testing.T) {
	t.Parallel()
	for text, term := range map[string]string{
		"gpu=":                   "gpu=",
		"=a100":                  "=a100",
		"gpu=a100,":              ",",
		",":                      ",",
		"gpu a100":               "gpu a100",
		"gpu>3":                  "gpu>3",
		"zone=a, gpu=a 100":      "gpu=a 100",
		"disk in ssd":            "disk in ssd",
		"disk in ()":             "disk in ()",
		"disk in (a,)":           "disk in (a,)",
		"disk in (a":             "disk in (a",
		"disk in (a))":           "disk in (a))",
		"disk within (a)":        "disk within (a)",
		"!":                      "!",
		"!gpu=a":                 "!gpu=a",
		"_gpu":                   "_gpu",
		`gpu="a"`:                `gpu="a"`,
		"gpu=a=b":                "gpu=a=b",
		strings.Repeat("a", 254): strings.Repeat("a", 254),
	} {
		_, err := hive.ParseSelector(text)
		wrong, ok := err.(*hive.SelectorError) //nolint:errorlint // it is never wrapped
		if !ok || wrong.Term != term {
			t.Errorf("%q: error %v, want one about %q", text, err, term)
		}
	}
	if _, err := hive.ParseSelector(strings.Repeat("a", hive.MaxSelector+1)); err == nil {
		t.Error("a selector that is too long was accepted")
	}
}

// Whatever the text is, the parser does not panic, and an accepted selector has labels and values that it can have.
func FuzzParseSelector(f *testing.F) {
	for _, text := range []string{
		"gpu=a100, zone!=b", "disk in (ssd, nvme)", "gpu, !spot", "a notin (b)", "a in ((b)", ",,",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := hive.ParseSelector(text)
		if err != nil {
			return
		}
		for _, term := range s {
			if term.Label == "" || strings.ContainsAny(term.Label, " ,()=!") {
				t.Errorf("%q gives the label %q", text, term.Label)
			}
			for _, value := range term.Values {
				if value == "" || strings.ContainsAny(value, " ,()=!") {
					t.Errorf("%q gives the value %q", text, value)
				}
			}
		}
		s.Matches(nil)
	})
}
