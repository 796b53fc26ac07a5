package hive

import (
	"testing"
	"time"
)

func TestParseMoment(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("", 8*3600)
	now := time.Date(2026, 3, 1, 1, 30, 0, 0, zone)
	for text, want := range map[string]string{
		"now":                  "2026-03-01T01:30:00+08:00",
		"today":                "2026-03-01T00:00:00+08:00",
		"yesterday":            "2026-02-28T00:00:00+08:00",
		"24h":                  "2026-02-28T01:30:00+08:00",
		"7d":                   "2026-02-22T01:30:00+08:00",
		"1d12h":                "2026-02-27T13:30:00+08:00",
		"2025-12-24":           "2025-12-24T00:00:00+08:00",
		"2025-12-24T18:00":     "2025-12-24T18:00:00+08:00",
		"2025-12-24 18:00:05":  "2025-12-24T18:00:05+08:00",
		"2025-12-24T18:00:00Z": "2025-12-25T02:00:00+08:00",
	} {
		if got, ok := ParseMoment(text, now); !ok || got.In(zone).Format(time.RFC3339) != want {
			t.Errorf("%q: %s, %t, want %s", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "soon", "-5m", "7", "24:00", "2026-13-01", "1969-12-31", "36500d"} {
		if got, ok := ParseMoment(text, now); ok {
			t.Errorf("%q: %s", text, got)
		}
	}
}

func TestParseStarter(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]Starter{
		"cron": {Trigger: StarterCron}, "webhook": {Trigger: StarterWebhook}, "person": {}, "ada": {Person: "ada"},
		"person:cron": {Person: "cron"}, "person:": {},
	} {
		if got := ParseStarter(word); got != want {
			t.Errorf("%s: %+v, want %+v", word, got, want)
		}
	}
}

func TestParseParamFilter(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]ParamFilter{
		"a=1": {"a", "1"}, "a=": {"a", ""}, "url=x?y=z": {"url", "x?y=z"},
	} {
		if got, ok := ParseParamFilter(text); !ok || got != want {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
	for _, text := range []string{"", "a", "=1"} {
		if _, ok := ParseParamFilter(text); ok {
			t.Errorf("%q was read", text)
		}
	}
}
