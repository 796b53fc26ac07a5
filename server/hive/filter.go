package hive

import (
	"strings"
	"time"
)

// Starter selects batches by what made them.
type Starter struct {
	Trigger StarterTrigger // empty: a person
	Person  string         // name; empty with an empty Trigger: any person
}

// StarterTrigger is what made batches, beside a person.
type StarterTrigger string

// The triggers that make batches.
const (
	StarterCron     StarterTrigger = "cron"     // a moment of a trigger: cron, at, every
	StarterSchedule StarterTrigger = "schedule" // the success of other schedules
	StarterWebhook  StarterTrigger = "webhook"  // a call over HTTP
	StarterBackfill StarterTrigger = "backfill"
)

// The word for any person, and what stands before a name that could be another word.
const (
	starterPerson = "person"
	starterNamed  = "person:"
)

// ParseStarter reads a starter as people write it: cron, schedule, webhook, backfill, person, or the name of a person.
// A person whose name is one of these words is written person:NAME.
func ParseStarter(word string) Starter {
	switch t := StarterTrigger(word); t {
	case StarterCron, StarterSchedule, StarterWebhook, StarterBackfill:
		return Starter{Trigger: t}
	case starterPerson:
		return Starter{}
	default:
		name, _ := strings.CutPrefix(word, starterNamed)
		return Starter{Person: name}
	}
}

// ParamFilter selects batches that were given a parameter with a value. A value that is no text is compared as JSON
// writes it: 5, 0.5, true.
type ParamFilter struct{ Name, Value string }

// ParseParamFilter reads NAME=VALUE. The value may be empty, and may contain further equals signs.
func ParseParamFilter(text string) (ParamFilter, bool) {
	name, value, found := strings.Cut(text, "=")
	return ParamFilter{name, value}, found && name != ""
}

// ParseMoment reads a moment as people write it: RFC 3339, a date or a time of day without a zone, a duration before
// now such as 24h or 7d, now, today or yesterday. What has no zone of its own is read in the zone of now.
func ParseMoment(text string, now time.Time) (time.Time, bool) {
	midnight := func(days int) time.Time {
		y, m, d := now.Date()
		return time.Date(y, m, d+days, 0, 0, 0, 0, now.Location())
	}
	switch text {
	case "":
		return time.Time{}, false
	case "now":
		return now, true
	case "today":
		return midnight(0), true
	case "yesterday":
		return midnight(-1), true
	}
	if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return inRange(t)
	}
	for _, layout := range []string{time.DateOnly, "2006-01-02T15:04", "2006-01-02T15:04:05", time.DateTime} {
		if t, err := time.ParseInLocation(layout, text, now.Location()); err == nil {
			return inRange(t)
		}
	}
	if d, err := ParseDuration(text); err == nil {
		return inRange(now.Add(-d.Std()))
	}
	return time.Time{}, false
}

// inRange refuses moments that no batch can have.
func inRange(t time.Time) (time.Time, bool) {
	return t, t.Year() >= 1970 && t.Before(Never())
}
